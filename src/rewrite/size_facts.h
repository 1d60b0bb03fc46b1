// What holds of a graph's sizes, whatever they are: each is at least 1, and the conditions that the graph's calls assumed hold.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace vouch {

class KnownSizes {
 public:
  KnownSizes() = default;
  explicit KnownSizes(const Graph& graph);

  // Does the guard hold for all sizes? False where it is not seen.
  bool hold(Term guard);

 private:
  bool is_known(Term guard) const;
  // At least this, for all sizes; nothing where no bound is seen. `with_facts`: the graph's conditions help.
  std::optional<Integer> least(Term integer, bool with_facts);
  std::optional<Integer> least_atom(Term atom, bool with_facts);
  std::optional<Integer> least_choice(Term choice, bool with_facts);
  // The term over unknowns that are at least 0: what is at least b stands there as b plus such an unknown.
  std::optional<Term> shifted(Term integer);
  std::optional<Term> shifted_atom(Term atom);

  std::vector<Term> assumed_;  // guards
  std::vector<Term> facts_;    // integer terms that are at least 0
  std::unordered_map<Term, std::optional<Term>> atoms_;
  std::size_t depth_ = 0;
};

}  // namespace vouch
