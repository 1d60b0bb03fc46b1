// An instance that is printed: the names that it has in Coq, and what its proofs may rely on.
#pragma once

#include <set>

#include "instance/instance.h"
#include "tensor/dtype.h"
#include "theorem/coq_facts.h"
#include "theorem/coq_term.h"

namespace vouch {

struct CoqInstance {
  CoqInstance(const Instance& printed, std::size_t which, CoqScalars scalars, bool name_quotients)
      : instance(printed), number(which), printer(names, truths_of(printed), scalars), facts(printed, scalars, name_quotients) {}

  static std::set<Symbol> truths_of(const Instance& instance) {
    std::set<Symbol> out;
    for (const InputTensor& input : instance.inputs) {
      if (input.type.dtype() == DType::Bool) {
        out.insert(input.name);
      }
    }
    return out;
  }
  bool over_reals() const { return printer.scalars() == CoqScalars::Reals; }

  const Instance& instance;
  std::size_t number;
  CoqNames names;
  CoqPrinter printer;
  CoqFacts facts;
};

}  // namespace vouch
