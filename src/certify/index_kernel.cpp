#include "certify/index_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "certify/index_lowering.h"
#include "certify/index_names.h"
#include "certify/index_statement.h"
#include "imp/elements.h"
#include "notation/show_tk.h"
#include "support/fault.h"

namespace vouch {
namespace {

bool reads_tensor(const TkStatement& statement, Symbol tensor) {
  return std::any_of(statement.summands.begin(), statement.summands.end(), [&](const TkSummand& summand) {
    std::vector<Symbol> body = tensors_read(summand.body);
    std::vector<Symbol> guard = tensors_read(summand.guard);
    return std::find(body.begin(), body.end(), tensor) != body.end() ||
           std::find(guard.begin(), guard.end(), tensor) != guard.end();
  });
}

array::Type tensor_type(std::vector<array::Size> extents) {
  array::Type type = array::type_num();
  for (std::size_t a = extents.size(); a-- > 0;) {
    type = array::type_array(extents[a], type);
  }
  return type;
}

IndexSummand converted(array::Op conversion, IndexSummand summand) {
  IndexBody value = std::move(summand.body);
  if (summand.condition.kind != IndexCondKind::True) {
    IndexBody chosen;
    chosen.kind = IndexBodyKind::If;
    chosen.condition = std::move(summand.condition);
    chosen.args = {std::move(value), IndexBody{}};
    value = std::move(chosen);
  }
  return {{}, {}, body_operation(conversion, {std::move(value)})};
}

// Of the last local, at the target's indices.
IndexBody element_of_last(const std::vector<array::Size>& extents) {
  IndexBody body;
  body.kind = IndexBodyKind::Read;
  body.extents = extents;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    body.at.push_back({IndexTermKind::Var, static_cast<unsigned>(axis), 0, {}, {}});
  }
  return body;
}

// Statements in order, the output's last, by tensors that are told apart by name.
class KernelMaker {
 public:
  KernelMaker(const TkKernel& kernel, SizeTable& sizes, Diagnostics& diagnostics)
      : kernel_(kernel), names_(plain_names(kernel)), sizes_(sizes), diagnostics_(diagnostics) {
    made.kernel.computed = computed_element(kernel);
  }

  NamedIndexKernel made;

  void add_input(Symbol input, std::string name) {
    auto reader = std::find_if(kernel_.statements.begin(), kernel_.statements.end(),
                               [&](const TkStatement& statement) { return reads_tensor(statement, input); });
    TkPlace place = reader == kernel_.statements.end() ? TkPlace{} : reader->place;
    std::vector<array::Size> extents = index_sizes(kernel_, place, kernel_.tensor(input).shape, sizes_, diagnostics_);
    made.kernel.inputs.push_back({std::move(name), tensor_type(std::move(extents)), stored_element(kernel_, input)});
    made.tensors.push_back(input);
  }

  void add_statements(const std::vector<const TkStatement*>& statements) {
    for (const TkStatement* statement : statements) {
      IndexStatement one = index_statement(kernel_, *statement, made.tensors, sizes_, diagnostics_);
      if (statement == statements.back()) {
        set_output(*statement, std::move(one));
      } else {
        one.name = names_.at(statement->target);
        made.kernel.locals.push_back(std::move(one));
        made.tensors.insert(made.tensors.begin(), statement->target);
      }
    }
    made.statements = statements;
    made.kernel.facts = sizes_.facts();
  }

 private:
  // What is stored in another type is converted; a sum is finished first.
  void set_output(const TkStatement& written, IndexStatement statement) {
    IndexKernel& kernel = made.kernel;
    kernel.output_element = stored_element(kernel_, written.target);
    if (kernel.output_element != kernel.computed) {
      if (!array::castable(kernel.computed, kernel.output_element)) {
        refuse_output(written);
      }
      array::Op conversion = array::cast_op({kernel.computed, kernel.output_element});
      if (statement.summands.size() == 1 && statement.summands[0].loops.empty()) {
        statement.summands[0] = converted(conversion, std::move(statement.summands[0]));
      } else {
        IndexSummand whole = converted(conversion, {{}, {}, element_of_last(statement.extents)});
        kernel.locals.push_back(statement);
        statement.summands = {std::move(whole)};
      }
    }
    kernel.output = std::move(statement);
  }

  void refuse_output(const TkStatement& written) {
    std::string_view computed = array::word_of(made.kernel.computed);
    not_covered(
        kernel_, written.place,
        fmt::format("expected '{}' to be held as a type that {} is converted to, found {}",
                    kernel_.tensor(written.target).written.name(), computed, array::word_of(made.kernel.output_element)),
        "certificates convert float and double alone to float16 and bfloat16: compute in one of these, as by 'type float;'",
        diagnostics_);
  }

  const TkKernel& kernel_;
  std::unordered_map<Symbol, std::string> names_;
  SizeTable& sizes_;
  Diagnostics& diagnostics_;
};

// Gives names that C has not taken, each once.
class CNames {
 public:
  std::string add(const std::string& name, CNameUse use = CNameUse::Parameter) {
    taken_.push_back(usable_c_name(name, taken_, use));
    return taken_.back();
  }
  void take(std::string name) { taken_.push_back(std::move(name)); }

 private:
  std::vector<std::string> taken_;
};

}  // namespace

Integer extent_product(const std::vector<array::Size>& extents) {
  Integer out = 1;
  for (const array::Size& n : extents) {
    out *= n->value;
  }
  return out;
}

std::optional<array::Element> element_in(DType dtype) {
  switch (dtype) {
    case DType::Float32: return array::Element::F32;
    case DType::Float64: return array::Element::F64;
    case DType::Int32: return array::Element::I32;
    case DType::Int64: return array::Element::I64;
    case DType::Bool: return array::Element::B8;
    case DType::Float16: return array::Element::F16;
    case DType::Int8: return array::Element::I8;
    case DType::UInt8: return array::Element::U8;
    case DType::BFloat16: return array::Element::BF16;
    case DType::Int16: return array::Element::I16;
    case DType::UInt16: return array::Element::U16;
    case DType::UInt32: return array::Element::U32;
    case DType::UInt64: return array::Element::U64;
    case DType::Int4:
    case DType::UInt4:
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ: return std::nullopt;
  }
  fault("no such type of elements");
}

DType dtype_of(array::Element element) {
  switch (element) {
    case array::Element::F32: return DType::Float32;
    case array::Element::F64: return DType::Float64;
    case array::Element::I32: return DType::Int32;
    case array::Element::I64: return DType::Int64;
    case array::Element::B8: return DType::Bool;
    case array::Element::F16: return DType::Float16;
    case array::Element::I8: return DType::Int8;
    case array::Element::U8: return DType::UInt8;
    case array::Element::BF16: return DType::BFloat16;
    case array::Element::I16: return DType::Int16;
    case array::Element::U16: return DType::UInt16;
    case array::Element::U32: return DType::UInt32;
    case array::Element::U64: return DType::UInt64;
  }
  fault("no such type of elements");
}

array::Element computed_element(const TkKernel& kernel) { return element_in(kernel.computed_type()).value(); }
array::Element stored_element(const TkKernel& kernel, Symbol version) { return element_in(kernel.stored_type(version)).value(); }

std::vector<const TkStatement*> statements_for(const TkKernel& kernel, const std::vector<Symbol>& outputs) {
  std::set<Symbol> wanted(outputs.begin(), outputs.end());
  std::vector<const TkStatement*> out;
  for (std::size_t s = kernel.statements.size(); s-- > 0;) {
    const TkStatement& statement = kernel.statements[s];
    if (!wanted.contains(statement.target)) {
      continue;
    }
    for (const TkSummand& summand : statement.summands) {
      for (Term term : {summand.body, summand.guard}) {
        for (Symbol tensor : tensors_read(term)) {
          wanted.insert(tensor);
        }
      }
    }
    out.insert(out.begin(), &statement);
  }
  return out;
}

NamedIndexKernel index_kernel_of(const TkKernel& kernel, Symbol output, SizeTable& sizes, Diagnostics& diagnostics) {
  std::unordered_map<Symbol, std::string> plain = plain_names(kernel);
  CNames names;
  std::string name =
      names.add(kernel.outputs.size() == 1 ? kernel.name : kernel.name + "_" + plain.at(output), CNameUse::Function);
  names.take(name + "_tried");
  names.take(name + "_checked");
  for (Symbol size : kernel.sizes.names) {
    names.take(size.name());
  }
  KernelMaker maker(kernel, sizes, diagnostics);
  std::vector<const TkStatement*> statements = statements_for(kernel, {output});
  for (Symbol input : kernel.inputs) {
    if (std::any_of(statements.begin(), statements.end(), [&](const TkStatement* s) { return reads_tensor(*s, input); })) {
      maker.add_input(input, names.add(plain.at(input)));
    }
  }
  maker.add_statements(statements);
  IndexKernel& made = maker.made.kernel;
  made.name = std::move(name);
  made.output_name = names.add(plain.at(output));
  made.formula = print_tk(kernel);
  for (const std::string& size : sizes.names()) {
    made.sizes.push_back(made.sizes.size() < kernel.sizes.names.size() ? size : names.add(size));
  }
  return std::move(maker.made);
}

NamedIndexKernel whole_index_kernel(const TkKernel& kernel, SizeTable& sizes, Diagnostics& diagnostics) {
  KernelMaker maker(kernel, sizes, diagnostics);
  for (Symbol input : kernel.inputs) {
    maker.add_input(input, input.name());
  }
  maker.add_statements(statements_for(kernel, kernel.outputs));
  return std::move(maker.made);
}

std::optional<std::vector<IndexKernel>> index_kernels(const TkKernel& kernel, Diagnostics& diagnostics) {
  std::vector<IndexKernel> out;
  for (Symbol output : kernel.outputs) {
    SizeTable sizes(kernel);
    out.push_back(index_kernel_of(kernel, output, sizes, diagnostics).kernel);
  }
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace vouch
