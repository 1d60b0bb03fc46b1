// Names of the sizes and elements of inputs: asked for at every choice, made once.
#pragma once

#include <fmt/format.h>

#include <unordered_map>
#include <vector>

#include "support/symbol.h"

namespace vouch {

class NumberNames {
 public:
  Symbol of_axis(Symbol tensor, std::size_t axis) {
    std::vector<Symbol>& names = axes_[tensor];
    while (names.size() <= axis) {
      names.emplace_back(fmt::format("{}.{}", tensor.name(), names.size()));
    }
    return names[axis];
  }
  Symbol of_element(Symbol tensor, std::size_t at) {
    std::vector<Symbol>& names = elements_[tensor];
    while (names.size() <= at) {
      names.emplace_back(fmt::format("{}[{}]", tensor.name(), names.size()));
    }
    return names[at];
  }

 private:
  std::unordered_map<Symbol, std::vector<Symbol>> axes_;
  std::unordered_map<Symbol, std::vector<Symbol>> elements_;
};

}  // namespace vouch
