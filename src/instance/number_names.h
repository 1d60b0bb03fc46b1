// Names of what stands for parts of a rule in its instances: of patterns, and of sizes and elements of inputs. Asked for at every
// choice, made once.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rule/ast.h"
#include "support/symbol.h"

namespace vouch {

// Per pattern: its name, or for one without a name one that no other has.
inline std::vector<std::string> own_names(const Rule& rule) {
  std::set<std::string_view> given;
  for (const Pattern& p : rule.patterns) {
    given.insert(p.name.name());
  }
  std::vector<std::string> out;
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    std::string name = rule.pattern(id).name.empty() ? fmt::format("_{}", id) : rule.pattern(id).name.name();
    while (rule.pattern(id).name.empty() && given.contains(name)) {
      name.insert(name.begin(), '_');
    }
    out.push_back(std::move(name));
  }
  return out;
}

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
