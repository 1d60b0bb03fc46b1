// Rewrites whose source has no value where they stand, since a constant 0 divides there (or a logarithm or a root is taken of a
// constant below 0). A proof over the reals says nothing of it: it takes the source to be defined. What is undefined is read off
// the operators' meanings, and decided exactly, of whatever constants alone decide; the sizes of other operands do not matter.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "rewrite/match.h"
#include "rule/scope.h"

namespace vouch {

class UndefinedSource {
 public:
  explicit UndefinedSource(const Graph& graph);
  ~UndefinedSource();

  // Why the source of this match has no value: call, operand, its element and where that is. Nothing if it has one as far as
  // constants tell. What is proven for floats as they are computed (`sound (exact)`) is asked about integers alone.
  std::optional<std::string> find(const Match& match, Verdict proven);

 private:
  class Sites;
  std::unique_ptr<Sites> sites_;
};

}  // namespace vouch
