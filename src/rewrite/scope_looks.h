// What the scopes of a rule look at in a match, compiled to a flat list: two matches with the same words there get the same
// answer. Types and attributes are interned, so a word is a handle.
#pragma once

#include <cstdint>
#include <vector>

#include "rewrite/match.h"
#include "rule/scope.h"

namespace vouch {

class ScopeLooks {
 public:
  using Words = std::vector<std::uint64_t>;

  // The plan is of the rule that the scopes were proven for. Elements, branches and options are not looked at by words alone:
  // `flat` is false where a scope speaks of them.
  ScopeLooks(const std::vector<Scope>& scopes, const RulePlan& plan);
  bool flat() const { return flat_; }

  bool same(const Graph& graph, const Match& match, const Words& words) const;
  // Replaces what `words` holds.
  void read(const Graph& graph, const Match& match, Words& words) const;

 private:
  enum class What : std::uint8_t { Type, Attributes, Head };
  struct Look {
    PatternId pattern = kNone;
    What what = What::Type;
  };

  static std::uint64_t word(const Graph& graph, NodeId node, What what);

  std::vector<Look> looks_;
  bool flat_ = true;
};

// A handle of something interned.
inline std::uint64_t word_of(const void* id) { return reinterpret_cast<std::uintptr_t>(id); }
// Kind of a node, and which operator or item.
std::uint64_t head_word(const Graph& graph, NodeId node);

}  // namespace vouch
