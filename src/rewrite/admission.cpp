#include "rewrite/admission.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "rewrite/scope_looks.h"
#include "rewrite/scope_match.h"
#include "rewrite/scope_terms.h"
#include "rule/axes.h"
#include "rule/print.h"
#include "support/words_hash.h"

namespace vouch {
namespace {

// All that a scope looks at in a match, and what is said of it: two matches with the same words get the same answer.
using Words = Looks::Words;

}  // namespace

class Admission::Scopes {
 public:
  Scopes(std::shared_ptr<const std::vector<Scope>> scopes, std::string otherwise)
      : kept_(scopes ? std::move(scopes) : std::make_shared<const std::vector<Scope>>()), otherwise_(std::move(otherwise)) {
    for (const Scope& scope : scopes_) {
      for (const ScopeNode& node : scope.nodes) {
        if (node.elements || node.fill || node.list_element || !node.every.empty()) {
          with_elements_.resize(std::max<std::size_t>(with_elements_.size(), node.position + 1));
          with_elements_[node.position] = true;
        }
        chooses_ = chooses_ || node.kind == ScopeNode::Kind::Choice;
      }
    }
  }

  // The strongest verdict of a scope that covers the match. Neighbouring matches are alike more often than not.
  std::optional<Verdict> covered(const Graph& graph, const RulePlan& plan, const Match& match) {
    if (!looks_) {
      looks_.emplace(scopes_, plan);
    }
    if (looks_->flat() && last_ != nullptr && holds_for(graph, last_->second) &&
        looks_->looks().same(graph, match, last_->first)) {
      return last_->second.proven;
    }
    if (looks_->flat()) {
      looks_->looks().read(graph, match, words_);
    } else if (!words_of(graph, plan, match)) {
      return strongest(graph, plan, match).proven;
    }
    if (last_ == nullptr || last_->first != words_) {
      make_room(covered_);
      last_ = &*covered_.try_emplace(words_).first;
    }
    if (!holds_for(graph, last_->second)) {
      last_->second = strongest(graph, plan, match);
    }
    return last_->second.proven;
  }

  // Of a match that no scope covers.
  std::string why_not(const Graph& graph, const RulePlan& plan, const Match& match) {
    if (!words_of(graph, plan, match, kMostShown)) {
      return reason(graph, plan, match);
    }
    make_room(reasons_);
    auto known = reasons_.find(words_);
    return known != reasons_.end() ? known->second : reasons_.emplace(words_, reason(graph, plan, match)).first->second;
  }

 private:
  struct Answer {
    enum class Of : std::uint8_t {
      None,
      All,
      SomeConditions
    };  // it is an answer of no graph yet; of all; of those that assume `conditions`
    std::optional<Verdict> proven;
    Of graphs = Of::None;
    std::vector<Term> conditions = {};
  };

  static bool holds_for(const Graph& graph, const Answer& answer) {
    auto same = [](Term guard, const OpContext::Condition& condition) { return guard == condition.guard; };
    return answer.graphs == Answer::Of::All || (answer.graphs == Answer::Of::SomeConditions &&
                                                std::equal(answer.conditions.begin(), answer.conditions.end(),
                                                           graph.conditions().begin(), graph.conditions().end(), same));
  }

  // One gate may serve any number of models.
  template <class Answers>
  static void make_room(Answers& answers) {
    constexpr std::size_t kMostAnswers = 1U << 14U;
    if (answers.size() >= kMostAnswers) {
      answers.clear();
    }
  }

  // False where something looked at is too large to keep. The elements of nodes that have so few are words, whether or not a
  // scope looks at them.
  bool words_of(const Graph& graph, const RulePlan& plan, const Match& match, std::int64_t shown = 0) {
    words_.assign(match.axis_numbers.begin(), match.axis_numbers.end());
    shown_ = shown;
    if (chooses_) {
      return false;
    }
    const Rule& rule = *plan.rule;
    for (std::uint32_t position = 0; position < rule.source_order.size(); ++position) {
      PatternId id = rule.source_order[position];
      if (plan.owner[id] == kNone && !add_node(graph, match.nodes[id], position)) {
        return false;
      }
    }
    for (std::size_t f = 1; f < match.frames.size(); ++f) {
      const Match::Frame& frame = match.frames[f];
      const Pattern& variadic = rule.pattern(frame.variadic);
      words_.push_back((std::uint64_t{frame.variadic} << 32U) | frame.index);
      for (std::size_t k = 0; k < variadic.templates.size(); ++k) {
        if (!add_node(graph, match.cells[frame.first_cell + k].node, position_in(rule, variadic.templates[k]))) {
          return false;
        }
      }
    }
    return true;
  }

  std::uint32_t position_in(const Rule& rule, PatternId id) {
    if (positions_.empty()) {
      positions_ = pattern_positions(rule);
    }
    return positions_[id];
  }

  bool add_node(const Graph& graph, NodeId node, std::uint32_t position) {
    if (node == kNoNode) {
      words_.push_back(0);
      return true;
    }
    words_.push_back(head_word(graph, node));
    words_.push_back(word_of(graph.type(node).id()));
    words_.push_back(graph.kind(node) == NodeKind::Call ? word_of(graph.attributes(node).id()) : 0);
    bool with_elements = position < with_elements_.size() && with_elements_[position];
    bool is_shown = graph.has_value(node) ? graph.value(node).count() <= shown_ : shown_ != 0;
    return (!with_elements && !is_shown) || add_elements(graph, node);
  }

  bool add_elements(const Graph& graph, NodeId node) {
    constexpr std::int64_t kMostKept = 64;
    if (graph.has_value(node) && graph.value(node).count() > kMostKept) {
      return false;
    }
    auto elements = known_elements(graph, node);
    words_.push_back(elements ? elements->size() : ~std::uint64_t{0});
    for (std::size_t k = 0; elements && k < elements->size(); ++k) {
      words_.push_back(word_of((*elements)[k].id()));
    }
    return true;
  }

  // Of the scopes that do not cover a match, the one that agreed longest.
  struct Nearest {
    const Scope* scope = nullptr;
    std::size_t agreed = 0;
    std::string condition;
  };

  Answer strongest(const Graph& graph, const RulePlan& plan, const Match& match) {
    FoundNodes found(plan, match);
    ScopeMatch compare(graph, plan, match, found);
    std::optional<Verdict> proven;
    for (const Scope& scope : scopes_) {
      bool stronger = !proven || scope.proven < *proven;
      if (stronger && compare.may_cover(scope) && compare.covers(scope)) {
        proven = scope.proven;
      }
    }
    proven = proven ? proven : covered_by_axes(graph, found, compare);
    if (!compare.asked_of_sizes()) {
      return {proven, Answer::Of::All};
    }
    Answer out{proven, Answer::Of::SomeConditions};
    for (const OpContext::Condition& condition : graph.conditions()) {
      out.conditions.push_back(condition.guard);
    }
    return out;
  }

  std::string reason(const Graph& graph, const RulePlan& plan, const Match& match) {
    const FoundNodes found(plan, match);
    ScopeMatch compare(graph, plan, match, found);
    Nearest nearest;
    for (const Scope& scope : scopes_) {
      if (!compare.covers(scope) && (nearest.scope == nullptr || compare.agreed() > nearest.agreed)) {
        nearest = Nearest{&scope, compare.agreed(), compare.failed_condition()};
      }
    }
    return nearest.scope != nullptr ? differing(graph, plan, match, found, nearest) : otherwise_;
  }

  // Where tensors of ranks 0 and 1 stand for any rank: the match along each axis is covered.
  std::optional<Verdict> covered_by_axes(const Graph& graph, const FoundNodes& found, ScopeMatch& compare) const {
    std::size_t rank = 0;
    for (const FoundNode& node : found.all()) {
      for (Type type : tensor_types(graph.type(node.node))) {
        rank = std::max(rank, type.rank());
      }
    }
    std::optional<Verdict> weakest;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      std::optional<Verdict> proven;
      for (const Scope& scope : scopes_) {
        if (compare.covers(scope, axis)) {
          proven = std::min(proven.value_or(scope.proven), scope.proven);
        }
      }
      if (!proven) {
        return std::nullopt;
      }
      weakest = std::max(weakest.value_or(*proven), *proven);
    }
    return weakest;
  }

  std::string differing(const Graph& graph, const RulePlan& plan, const Match& match, const FoundNodes& found,
                        const Nearest& nearest) {
    if (nearest.scope->axis_numbers != match.axis_numbers) {
      return fmt::format("it is not proven for as many axes: {}", axes_text(*plan.rule, match.axis_numbers));
    }
    if (nearest.agreed >= nearest.scope->nodes.size()) {
      return nearest.condition.empty() ? std::string("it is not proven for what was matched here")
                                       : fmt::format("it is proven only where {}", nearest.condition);
    }
    const ScopeNode& node = nearest.scope->nodes[nearest.agreed];
    const std::set<std::string>& proven = proven_at(node);
    constexpr std::size_t kMostProven = 6;
    std::vector<std::string> shown(proven.begin(), proven.end());
    std::size_t more = shown.size() > kMostProven ? shown.size() - kMostProven : 0;
    shown.resize(shown.size() - more);
    PatternId id = plan.rule->source_order[node.position];
    Symbol name = plan.rule->pattern(id).name;
    return fmt::format("it is not proven where '{}' is {}; proven: {}{}",
                       name.empty() ? print_pattern(*plan.rule, id) : name.name(),
                       describe_found(graph, found.at(node.position, node.branch)), fmt::join(shown, "; "),
                       more != 0 ? fmt::format("; and {} more", more) : std::string());
  }

  // What scopes have where this one has the node, in words.
  const std::set<std::string>& proven_at(const ScopeNode& node) {
    auto [known, is_new] = proven_at_.try_emplace({node.position, node.branch});
    std::vector<std::pair<const Scope*, const ScopeNode*>> described;  // most scopes say the same as another
    for (std::size_t k = 0; is_new && k < scopes_.size(); ++k) {
      for (const ScopeNode& other : scopes_[k].nodes) {
        bool wanted = other.position == node.position && other.branch == node.branch &&
                      std::none_of(described.begin(), described.end(), [&](const auto& one) {
                        return *one.second == other && one.first->stands_for == scopes_[k].stands_for;
                      });
        if (wanted) {
          described.emplace_back(&scopes_[k], &other);
          known->second.insert(describe(scopes_[k], other));
        }
      }
    }
    return known->second;
  }

  static std::string describe_found(const Graph& graph, NodeId node) {
    if (node == kNoNode) {
      return "something else in each branch";
    }
    if (graph.kind(node) == NodeKind::Call) {
      return fmt::format("{}{}", op_def(graph.op(node)).name,
                         graph.attributes(node).entries().empty() ? "" : " " + graph.attributes(node).text());
    }
    std::string out = graph.type(node).text();
    auto elements = known_elements(graph, node);
    if (elements && static_cast<std::int64_t>(elements->size()) <= kMostShown) {
      AttrTuple items(elements->begin(), elements->end());
      out += " " + AttrValue(std::move(items)).text();
    }
    return out;
  }

  static constexpr std::int64_t kMostShown = 8;  // elements of one node, in words

  std::shared_ptr<const std::vector<Scope>> kept_;
  const std::vector<Scope>& scopes_ = *kept_;
  std::string otherwise_;
  std::vector<bool> with_elements_;  // by position
  bool chooses_ = false;             // an option of a pattern: told by the node that it shares, which no word says
  std::vector<std::uint32_t> positions_;
  std::optional<ScopeLooks> looks_;  // once a match is asked of
  Words words_;
  std::int64_t shown_ = 0;  // see `words_of`
  std::unordered_map<Words, Answer, WordsHash> covered_;
  std::pair<const Words, Answer>* last_ = nullptr;  // of these
  std::unordered_map<Words, std::string, WordsHash> reasons_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::set<std::string>> proven_at_;  // by position and branch
};

Admission::Admission(std::unique_ptr<Scopes> scopes) : scopes_(std::move(scopes)) {}
Admission::Admission(Admission&&) noexcept = default;
Admission& Admission::operator=(Admission&&) noexcept = default;
Admission::~Admission() = default;

Admission Admission::by_scopes(std::shared_ptr<const std::vector<Scope>> scopes, std::string otherwise) {
  return Admission(std::make_unique<Scopes>(std::move(scopes), std::move(otherwise)));
}

Admission Admission::unproven() { return Admission(nullptr); }

std::optional<AdmittedMatch> Admission::admit(const Graph& graph, const RulePlan& plan, const Match& match) {
  if (!scopes_) {
    return AdmittedMatch(plan, match, std::nullopt);
  }
  std::optional<Verdict> proven = scopes_->covered(graph, plan, match);
  return proven ? std::optional(AdmittedMatch(plan, match, proven)) : std::nullopt;
}

std::string Admission::why_not(const Graph& graph, const RulePlan& plan, const Match& match) {
  return scopes_ ? scopes_->why_not(graph, plan, match) : std::string();
}

}  // namespace vouch
