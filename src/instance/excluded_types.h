// Element types for which a rule's target is ill-typed while for others the rule is proven: `Max(x, 0) => Relu(x)` of unsigned
// integers. There the rule does not fire, and is not called ill-typed for it. That it is the types, is seen by what is proven: if
// an instance is whose inputs have the same types, it is something else.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "instance/instance.h"

namespace vouch {

class ExcludedTypes {
 public:
  // An instance whose target is ill-typed. False: types do not explain it.
  bool exclude(const Instance& instance);
  // An instance that is proven. Gives an ill-typed one that types no longer explain.
  std::optional<Instance> prove(const Instance& instance);
  // The first that was excluded.
  const Instance* first() const { return excluded_.empty() ? nullptr : &excluded_.front().second; }
  // `x: uint8: Relu: operand x must be …`, of each kind once.
  std::string text() const;

 private:
  using Types = std::vector<std::pair<PatternId, DType>>;
  static Types types_of(const Instance& instance);
  static bool agree(const Types& a, const Types& b);

  std::set<Types> proven_;
  std::vector<std::pair<Types, Instance>> excluded_;  // one for each list of types
};

}  // namespace vouch
