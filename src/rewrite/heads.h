// Rules found by what stands at their outputs, so that of a large set only those are compared that may have to do with each
// other.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "graph/op_def.h"
#include "rule/ast.h"

namespace vouch {

// What can be seen of a pattern without its operands.
struct Head {
  PatternKind kind = PatternKind::Wildcard;
  std::optional<OpId> op;    // of a call of one operator
  std::size_t operands = 0;  // how many
  auto operator<=>(const Head&) const = default;
};

// Numbers of rules under keys. What may stand under any key is given with each.
template <class Key>
class ByKey {
 public:
  void add(const Key& key, std::size_t rule) { rules_[key].push_back(rule); }
  void append(const Key& key, std::vector<std::size_t>& out) const {
    if (auto found = rules_.find(key); found != rules_.end()) {
      out.insert(out.end(), found->second.begin(), found->second.end());
    }
  }

 private:
  std::map<Key, std::vector<std::size_t>> rules_;
};

// Rules of which an output may match what a pattern of a source matches.
class MeetingIndex {
 public:
  explicit MeetingIndex(const std::vector<Rule>& rules);
  // Those that the call or projection may meet, in order: all that do are among them.
  std::vector<std::size_t> near(const Pattern& at) const;

 private:
  ByKey<Head> by_head_;
  ByKey<std::size_t> calls_;  // by the number of operands
  std::vector<std::size_t> any_;
};

// Rules that may match what another one writes, and write what it matches.
class UndoingIndex {
 public:
  explicit UndoingIndex(const std::vector<Rule>& rules);
  // Those that may undo this one, in order: all that do are among them.
  std::vector<std::size_t> near(const Rule& rule) const;

 private:
  struct Key {
    std::size_t outputs = 0;
    std::optional<Head> matched;  // nothing: an input, which matches whatever there is
    std::optional<Head> written;  // nothing: something that the source matched
    auto operator<=>(const Key&) const = default;
  };
  ByKey<Key> rules_;
};

// How many patterns are compared at most; where that is not enough, what is found is not all.
class ComparisonBudget {
 public:
  explicit ComparisonBudget(std::size_t most = SIZE_MAX) : left_(most) {}
  bool spend() {
    ended_ = ended_ || left_ == 0;
    left_ -= ended_ ? 0 : 1;
    return !ended_;
  }
  bool ended() const { return ended_; }

 private:
  std::size_t left_;
  bool ended_ = false;
};

// An instance stands for a vertex of its template, an output that is a variadic for its field.
PatternId vertex_of(const Rule& rule, PatternId id);
PatternId output_vertex(const Rule& rule, PatternId id);

}  // namespace vouch
