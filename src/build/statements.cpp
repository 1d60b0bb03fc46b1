#include "build/statements.h"

#include <algorithm>
#include <set>

#include "term/substitute.h"

namespace vouch {
namespace {

std::set<Symbol> names_read(const TkStatement& statement) {
  std::set<Symbol> read;
  for (const TkSummand& summand : statement.summands) {
    for (Term term : {summand.body, summand.guard}) {
      for (Symbol name : tensors_read(term)) {
        read.insert(name);
      }
    }
  }
  return read;
}

bool is_sum(const TkStatement& statement) {
  return std::any_of(statement.summands.begin(), statement.summands.end(),
                     [](const TkSummand& summand) { return !summand.loops.empty(); });
}

// `whole`: also the target is held as what is computed.
StatementKernel kernel_of(const TkKernel& kernel, const TkStatement& statement, bool whole) {
  std::set<Symbol> read = names_read(statement);
  StatementKernel one;
  one.target = statement.target;
  one.kernel.name = kernel.name;
  one.kernel.dtype = kernel.dtype;
  bool widens = is_sum(statement) && kernel.computed_type() == DType::Float32;
  for (const TkTensor& tensor : kernel.tensors) {
    DType stored = kernel.stored_type(tensor.name);
    bool wide = widens && (stored == DType::Float16 || stored == DType::BFloat16);
    if (read.contains(tensor.name)) {
      one.kernel.inputs.push_back(tensor.name);
      one.reads.push_back(tensor.name);
      one.widened.push_back(wide);
    }
    if (read.contains(tensor.name) || tensor.name == statement.target) {
      one.kernel.tensors.push_back(tensor);
      bool as_computed = wide || (whole && tensor.name == statement.target) || stored == kernel.computed_type();
      if (!as_computed) {
        one.kernel.stored.emplace(tensor.written, stored);
      }
    }
  }
  one.kernel.outputs = {statement.target};
  one.kernel.statements = {statement};
  return one;
}

// A tensor like the target, in the type that is computed, and the statement that stores it.
std::pair<TkTensor, TkStatement> stored_after(const TkKernel& kernel, const TkStatement& statement) {
  Symbol name = fresh_name(Symbol("whole"), [&](Symbol s) {
    return std::any_of(kernel.tensors.begin(), kernel.tensors.end(), [&](const TkTensor& t) { return t.name == s; });
  });
  TkTensor tensor = kernel.tensor(statement.target);
  tensor.name = tensor.written = name;
  std::vector<Term> at;
  for (Symbol index : statement.indices) {
    at.push_back(int_var(index));
  }
  TkStatement store{statement.target, statement.indices, {{{}, bool_const(true), read(name, at)}}, {}, {}, {}};
  return {std::move(tensor), std::move(store)};
}

}  // namespace

Kernel alone(const Kernel& kernel, const Statement& statement) {
  std::vector<Symbol> read = tensors_read(statement.value);
  Kernel one;
  one.name = kernel.name;
  one.statements = {statement};
  for (const auto* decls : {&kernel.inputs, &kernel.locals, &kernel.outputs}) {
    for (const TensorDecl& decl : *decls) {
      if (std::find(read.begin(), read.end(), decl.name) != read.end()) {
        one.inputs.push_back(decl);
      } else if (decl.name == statement.target) {
        one.outputs.push_back(decl);
      }
    }
  }
  return one;
}

std::vector<Kernel> apart(const Kernel& kernel) {
  std::vector<Kernel> out;
  for (const Statement& statement : kernel.statements) {
    out.push_back(alone(kernel, statement));
  }
  return out;
}

std::vector<StatementKernel> statement_kernels(const TkKernel& kernel) {
  std::vector<StatementKernel> out;
  for (const TkStatement& statement : kernel.statements) {
    bool held_as_computed = kernel.stored_type(statement.target) == kernel.computed_type();
    if (held_as_computed || (statement.summands.size() == 1 && !is_sum(statement))) {
      out.push_back(kernel_of(kernel, statement, false));
      continue;
    }
    TkKernel both = kernel;
    auto [tensor, store] = stored_after(kernel, statement);
    TkStatement sum = statement;
    sum.target = tensor.name;
    both.tensors.push_back(std::move(tensor));
    out.push_back(kernel_of(both, sum, true));
    out.push_back(kernel_of(both, store, false));
  }
  return out;
}

}  // namespace vouch
