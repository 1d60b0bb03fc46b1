#include "certify/index_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "certify/index_names.h"
#include "certify/index_statement.h"
#include "kernel/show_tk.h"
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

// Statements in order, the output's last, by tensors that are told apart by name.
class KernelMaker {
 public:
  KernelMaker(const TkKernel& kernel, SizeTable& sizes, Diagnostics& diagnostics)
      : kernel_(kernel), sizes_(sizes), diagnostics_(diagnostics) {}

  NamedIndexKernel made;

  void add_input(Symbol input, std::string name) {
    std::vector<array::Size> extents = index_sizes(kernel_.tensor(input).shape, sizes_, diagnostics_);
    made.kernel.inputs.push_back({std::move(name), tensor_type(std::move(extents))});
    made.tensors.push_back(input);
  }

  void add_statements(const std::vector<const TkStatement*>& statements) {
    for (const TkStatement* statement : statements) {
      IndexStatement one = index_statement(kernel_, *statement, made.tensors, sizes_, diagnostics_);
      if (statement == statements.back()) {
        made.kernel.output = std::move(one);
      } else {
        made.kernel.locals.push_back(std::move(one));
        made.tensors.insert(made.tensors.begin(), statement->target);
      }
    }
    made.statements = statements;
    made.kernel.facts = sizes_.facts();
  }

 private:
  const TkKernel& kernel_;
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
  if (kernel.dtype != "float") {
    diagnostics.error_at("certificate",
                         fmt::format("elements of type '{}' are not covered by certificates: expected float", kernel.dtype));
    return std::nullopt;
  }
  std::vector<IndexKernel> out;
  for (Symbol output : kernel.outputs) {
    SizeTable sizes(kernel.sizes);
    out.push_back(index_kernel_of(kernel, output, sizes, diagnostics).kernel);
  }
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace vouch
