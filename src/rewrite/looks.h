// What is looked at in a match, as a flat list: two matches with the same words there agree in it. Types and attributes are
// interned, so a word is a handle.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "rule/ast.h"

namespace vouch {

struct Match;
struct RulePlan;

// A handle of something interned.
inline std::uint64_t word_of(const void* id) { return reinterpret_cast<std::uintptr_t>(id); }
// Kind of a node, and which operator or item.
std::uint64_t head_word(const Graph& graph, NodeId node);

class Looks {
 public:
  using Words = std::vector<std::uint64_t>;
  // The type also says whether there is a node. The first operand's decides what lists that a call leaves out are.
  enum class What : std::uint8_t { Type, Attributes, Head, FirstOperandType };

  void add(PatternId pattern, What what) { looks_.push_back({pattern, what}); }
  bool same(const Graph& graph, const Match& match, const Words& words) const;
  // Replaces what `words` holds.
  void read(const Graph& graph, const Match& match, Words& words) const;

 private:
  struct Look {
    PatternId pattern = kNone;
    What what = What::Type;
  };
  static std::uint64_t word(const Graph& graph, NodeId node, What what);

  std::vector<Look> looks_;
};

// All that conditions ask, where that is of types, operators and attributes of single nodes alone; else nothing: the elements of
// constants, the numbers of branches and of axes decide, too.
std::optional<Looks> looks_of(const Rule& rule, const RulePlan& plan, const std::vector<AttrId>& conditions);

}  // namespace vouch
