// Which numbers of two models no fold can have made.
#pragma once

#include <set>
#include <string>

#include "equiv/pair.h"

namespace vouch {

// What two models differ in may be that one has parameters multiplied into others, with a rounding in each. Not so in a number or
// parameter that both have equally often: it is settled. They are compared as float64, by their elements.
class SettledNumbers {
 public:
  explicit SettledNumbers(const ModelPair& pair);

  bool contains(const Tensor& wide) const;

 private:
  std::set<std::string> contents_;
};

}  // namespace vouch
