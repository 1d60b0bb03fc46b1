#include "kernel/eval.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/blocked_reduction.h"
#include "kernel/exact.h"
#include "kernel/kernel_programs.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

class KernelRun {
 public:
  KernelRun(const Kernel& kernel, const SizeBindings& sizes, Diagnostics& diagnostics, const EvalOptions& options)
      : kernel_(kernel),
        diagnostics_(diagnostics),
        options_(options),
        programs_(options.programs != nullptr ? *options.programs : own_programs_) {
    for (const auto& [name, size] : sizes) {
      sizes_.emplace(name, Term(size));
    }
  }

  std::optional<std::vector<Tensor>> run(std::span<const Tensor> inputs) {
    if (!bind_inputs(inputs)) {
      return std::nullopt;
    }
    for (const Statement& statement : kernel_.statements) {
      if (!run_statement(statement)) {
        return std::nullopt;
      }
    }
    std::vector<Tensor> outputs;
    for (const TensorDecl& output : kernel_.outputs) {
      outputs.push_back(values_.at(output.name));
    }
    return outputs;
  }

 private:
  bool fail(std::string message) {
    diagnostics_.error_at(kernel_.name, std::move(message));
    return false;
  }

  std::optional<Extents> extents_of(const TensorDecl& declared) {
    Extents extents;
    for (Term extent : declared.extents) {
      Term known = substitute(extent, sizes_);
      auto value = const_int(known);
      if (!value) {
        fail(fmt::format("the size {} of {} has no value", print_term(known), declared.name.name()));
        return std::nullopt;
      }
      extents.push_back(*value);
    }
    auto count = element_count(extents);
    if (!count || *count > options_.most_elements) {
      fail(fmt::format("{} would have more than {} elements, or a negative size", declared.name.name(), options_.most_elements));
      return std::nullopt;
    }
    return extents;
  }

  bool bind_inputs(std::span<const Tensor> inputs) {
    if (inputs.size() != kernel_.inputs.size()) {
      return fail(fmt::format("expected {} inputs, found {}", kernel_.inputs.size(), inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const TensorDecl& declared = kernel_.inputs[i];
      auto extents = extents_of(declared);
      if (!extents) {
        return false;
      }
      if (*extents != inputs[i].extents() || declared.dtype != inputs[i].dtype()) {
        return fail(fmt::format("the input {} has not the declared type", declared.name.name()));
      }
      add(declared.name, inputs[i]);
    }
    return true;
  }

  bool memory_suffices(DType dtype, const Extents& extents) {
    std::int64_t bytes = bytes_of(dtype, *element_count(extents));
    if (options_.memory == nullptr || options_.memory->suffices(bytes)) {
      return true;
    }
    diagnostics_.error_at(kernel_.name, "this takes " + options_.memory->refusal(bytes), MemoryBudget::hint());
    return false;
  }

  bool terms_are_few(Term value, const Extents& extents) {
    double terms = static_cast<double>(*element_count(extents)) * programs_.terms_of(value);
    return terms <= options_.most_terms ||
           fail(fmt::format("this takes {:.0f} terms of sums, more than {:.0f}", terms, options_.most_terms));
  }

  void add(Symbol name, Tensor value) {
    shapes_.insert_or_assign(name, TensorShape{value.dtype(), value.extents()});
    values_.insert_or_assign(name, std::move(value));
  }

  const TensorDecl* declaration(Symbol target) const {
    for (const auto* all : {&kernel_.locals, &kernel_.outputs}) {
      auto found = std::find_if(all->begin(), all->end(), [&](const TensorDecl& declared) { return declared.name == target; });
      if (found != all->end()) {
        return &*found;
      }
    }
    return nullptr;
  }

  // What blocked loops compute is computed ahead, as locals.
  Term with_blocks(Term value, std::span<const Symbol> indices, const Extents& extents) {
    if (!options_.blocked) {
      return value;
    }
    auto tensors = [this](Symbol name) {
      auto found = values_.find(name);
      return found == values_.end() ? nullptr : &found->second;
    };
    auto keep = [this](Tensor total) {
      Symbol name = fresh_name(Symbol("blocked"), [this](Symbol taken) { return values_.contains(taken); });
      add(name, std::move(total));
      return name;
    };
    auto fits = [this](std::int64_t bytes) { return options_.memory == nullptr || options_.memory->suffices(bytes); };
    return with_blocked_reductions(value, indices, extents, {tensors, keep, fits});
  }

  bool run_statement(const Statement& statement) {
    const TensorDecl* declared = declaration(statement.target);
    if (declared == nullptr) {
      return fail(fmt::format("{} is not declared", statement.target.name()));
    }
    auto extents = extents_of(*declared);
    if (!extents || !memory_suffices(declared->dtype, *extents)) {
      return false;
    }
    DType dtype = declared->dtype;
    Statement concrete = statement;
    concrete.value = substitute(statement.value, sizes_);
    if (!terms_are_few(concrete.value, *extents)) {
      return false;
    }
    concrete.value = with_blocks(concrete.value, statement.indices, *extents);
    std::string error;
    const LoopProgram* program = programs_.program_of(concrete, dtype, *extents, shapes_, error);
    if (program == nullptr) {
      return fail(error);
    }
    std::vector<const Tensor*> tensors;
    for (Symbol name : program->tensors) {
      tensors.push_back(&values_.at(name));
    }
    if (program->needs_whole_numbers && std::any_of(tensors.begin(), tensors.end(), has_large_element)) {
      return run_exactly(concrete, {declared->name, dtype, {extents->begin(), extents->end()}}, tensors, program->tensors);
    }
    Tensor target(dtype, *extents);
    if (target.count() > 0 && !run_program(*program, tensors, 0, target.count(), target, error)) {
      return fail(error);
    }
    add(statement.target, std::move(target));
    return true;
  }

  // Loop programs hold integers in 64 bits, with a sign.
  static bool has_large_element(const Tensor* tensor) {
    if (tensor->dtype() != DType::UInt64) {
      return false;
    }
    auto elements = tensor->as<std::uint64_t>();
    return std::any_of(elements.begin(), elements.end(), [](std::uint64_t element) { return element > INT64_MAX; });
  }

  bool run_exactly(const Statement& statement, const TensorDecl& target, std::span<const Tensor* const> tensors,
                   std::span<const Symbol> names) {
    Kernel alone{kernel_.name, {}, {}, {target}, {statement}};
    std::vector<ExactTensor> inputs;
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      alone.inputs.push_back({names[k], tensors[k]->dtype(), {tensors[k]->extents().begin(), tensors[k]->extents().end()}});
      auto exact = exact_of(*tensors[k]);
      if (!exact) {
        return fail(fmt::format("{} has NaN beside numbers of 2^63 and more, which are not computed in floats", names[k].name()));
      }
      inputs.push_back(std::move(*exact));
    }
    auto results = eval_exact(alone, inputs, {});
    if (auto* failure = std::get_if<EvalFailure>(&results)) {
      return fail(std::move(failure->message));
    }
    const ExactTensor& result = std::get<std::vector<ExactTensor>>(results)[0];
    if (const EvalFailure* missing = first_missing(result)) {
      return fail(missing->message);
    }
    add(statement.target, rounded(result));
    return true;
  }

  const Kernel& kernel_;
  Diagnostics& diagnostics_;
  EvalOptions options_;
  KernelPrograms own_programs_;
  KernelPrograms& programs_;
  Substitution sizes_;
  std::unordered_map<Symbol, TensorShape> shapes_;
  std::unordered_map<Symbol, Tensor> values_;
};

}  // namespace

std::optional<std::vector<Tensor>> eval_kernel(const Kernel& kernel, std::span<const Tensor> inputs, const SizeBindings& sizes,
                                               Diagnostics& diagnostics, const EvalOptions& options) {
  return KernelRun(kernel, sizes, diagnostics, options).run(inputs);
}

}  // namespace vouch
