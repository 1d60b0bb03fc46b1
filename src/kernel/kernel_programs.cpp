#include "kernel/kernel_programs.h"

#include <algorithm>

namespace vouch {

const LoopProgram* KernelPrograms::program_of(const Statement& statement, DType dtype, const std::vector<std::int64_t>& extents,
                                              const std::unordered_map<Symbol, TensorShape>& tensors, std::string& error) {
  auto found = programs_.find(statement.value);
  if (found != programs_.end()) {
    const Kept& kept = found->second;
    if (kept.dtype == dtype && kept.extents == extents && kept.indices == statement.indices && kept.tensors == tensors) {
      return &kept.program;
    }
  }
  auto program = compile_statement(statement, dtype, extents, tensors, error);
  if (!program) {
    return nullptr;
  }
  Kept kept{statement.indices, dtype, extents, tensors, std::move(*program)};
  return &programs_.insert_or_assign(statement.value, std::move(kept)).first->second.program;
}

double KernelPrograms::terms_of(Term value) {
  if (auto found = terms_.find(value); found != terms_.end()) {
    return found->second;
  }
  double terms = 1;
  for (Term arg : value.args()) {
    terms = std::max(terms, terms_of(arg));
  }
  if (value.kind() == TermKind::Reduce) {
    for (std::size_t k = 0; k < value->bound.size(); ++k) {
      auto extent = const_int(value.arg(k + 2));
      terms *= extent ? static_cast<double>(std::max<std::int64_t>(*extent, 1)) : 1;
    }
  }
  terms_.emplace(value, terms);
  return terms;
}

}  // namespace vouch
