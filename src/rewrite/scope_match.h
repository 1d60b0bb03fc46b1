// Does a scope cover a match? The terms of the scope are compared with what was found: types, attributes and known elements.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rewrite/match.h"
#include "rewrite/size_facts.h"
#include "rule/scope.h"

namespace vouch {

// What was found at one pattern position: outside of variadics, or in one instance of one.
struct FoundNode {
  NodeId node = kNoNode;
  PatternId pattern = kNone;
  std::int64_t branch = ScopeNode::kNoBranch;
};

// What a match found, by position and branch.
class FoundNodes {
 public:
  FoundNodes(const RulePlan& plan, const Match& match);
  const std::vector<FoundNode>& all() const { return all_; }
  NodeId at(std::uint32_t position, std::int64_t branch) const;
  std::int64_t branches(std::uint32_t variadic) const;  // by its position
  std::uint32_t position(PatternId pattern) const { return positions_[pattern]; }

 private:
  std::vector<std::uint32_t> positions_;
  std::vector<FoundNode> all_;
  std::vector<NodeId> single_;  // by position
  std::unordered_map<std::uint64_t, NodeId> in_branches_;
  std::unordered_map<std::uint32_t, std::int64_t> counts_;
};

// What stands for the variables of a scope. Mostly few: a list is gone through faster than a table is filled.
class Bindings {
 public:
  const Term* find(Term name) const {
    for (const auto& [listed, found] : list_) {
      if (listed == name) {
        return &found;
      }
    }
    auto found = table_.find(name);
    return found == table_.end() ? nullptr : &found->second;
  }
  // What stands there: this, or what stood there before.
  Term add(Term name, Term found) {
    if (const Term* known = find(name)) {
      return *known;
    }
    constexpr std::size_t kMostListed = 16;
    if (list_.size() < kMostListed) {
      list_.emplace_back(name, found);
    } else {
      table_.emplace(name, found);
    }
    return found;
  }
  void clear() {
    list_.clear();
    if (!table_.empty()) {
      table_.clear();
    }
  }

 private:
  std::vector<std::pair<Term, Term>> list_;
  std::unordered_map<Term, Term> table_;  // the rest
};

class ScopeMatch {
 public:
  ScopeMatch(const Graph& graph, const RulePlan& plan, const Match& match, const FoundNodes& found)
      : graph_(graph), plan_(plan), match_(match), found_(found) {}

  // With an axis: only this axis of all tensors (0 is the last), for scopes that hold axis by axis.
  bool covers(const Scope& scope, std::optional<std::size_t> axis = {});
  // False where types alone say that the scope does not cover the match: most scopes of a rule differ in ranks.
  bool may_cover(const Scope& scope) const;
  // Of the last scope: how many of its nodes agreed, and whether all did (then it was a condition that did not hold).
  std::size_t agreed() const { return agreed_; }
  const std::string& failed_condition() const { return condition_; }
  // Of any scope: did it ask what holds of the graph's sizes? Then the answer is one for graphs of these conditions alone.
  bool asked_of_sizes() const { return sizes_.has_value(); }

 private:
  std::span<const Term> extents_of(Type type) const;  // as far as they are looked at
  Symbol branch_index(const ScopeNode& node) const;
  // Stands the scope's type for the one that was found, as it does elsewhere?
  bool type_agrees(DType scope, DType found);
  bool node_agrees(const ScopeNode& node);
  bool node_agrees_at(const ScopeNode& node, NodeId at);
  bool input_agrees(const ScopeNode& node, NodeId at);
  bool elements_agree(const ScopeNode& node, NodeId at);
  bool call_agrees(const ScopeNode& node, NodeId at);
  bool attribute_agrees(const ScopeAttribute& attr, const AttrDef& def, NodeId at);
  bool element_agrees(const AttrTuple& type_and_element, const Tensor& tensor);
  bool value_agrees(const AttrValue& scope, const AttrValue& found);
  static std::vector<Term> numbers(const AttrValue& list);
  bool each_agrees(const AttrTuple& items, Term number);
  bool instances_agree(const ScopeNode& node);
  bool choice_agrees(const ScopeNode& node, NodeId at, std::int64_t branch);
  bool nothing_else_matched(const Scope& scope) const;

  // Term against term: binds variables, or keeps the pair until all are bound.
  bool meet(Term scope, Term found);
  bool fraction_agrees(Term quotient, Term found);
  bool settle();
  // With every variable replaced; nothing if one is not bound.
  std::optional<Term> resolved(Term term) const;
  bool condition_holds(const Scope& scope, Term condition);
  bool holds_in_range(const Scope::Range& range, const Scope& scope, Term condition);
  bool bounds_hold(const Scope& scope);
  // Each element of the constant meets what was assumed of it.
  bool every_holds(const ScopeNode& node);
  // Whatever the graph's sizes are.
  bool holds_for_all_sizes(Term guard);

  const Graph& graph_;
  const RulePlan& plan_;
  const Match& match_;
  const FoundNodes& found_;
  Bindings variables_;  // integer and scalar variables
  Bindings items_;      // reads: what differs from branch to branch
  std::vector<std::pair<Term, Term>> later_;
  const Scope* scope_ = nullptr;                // that is compared,
  std::optional<std::size_t> axis_;             // along one axis
  std::vector<std::pair<DType, DType>> types_;  // its types, and what each stands for here
  Symbol index_;                                // of every branch, while one is compared
  std::optional<Term> number_;                  // of that branch
  std::size_t agreed_ = 0;
  std::string condition_;
  std::optional<KnownSizes> sizes_;  // once asked for
};

}  // namespace vouch
