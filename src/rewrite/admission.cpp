#include "rewrite/admission.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "rewrite/scope_match.h"
#include "rewrite/scope_terms.h"
#include "rule/print.h"

namespace vouch {
namespace {

// All that a scope looks at in a match, as words: two matches with the same words get the same answer.
using Words = std::vector<std::uint64_t>;

struct WordsHash {
  std::size_t operator()(const Words& words) const noexcept {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (std::uint64_t word : words) {
      h = (h ^ word) * 0xff51afd7ed558ccdULL;
      h ^= h >> 32U;
    }
    return h;
  }
};

std::uint64_t word_of(const void* id) { return reinterpret_cast<std::uintptr_t>(id); }

}  // namespace

class Admission::Scopes {
 public:
  Scopes(std::vector<Scope> scopes, std::string otherwise) : scopes_(std::move(scopes)), otherwise_(std::move(otherwise)) {
    for (const Scope& scope : scopes_) {
      for (const ScopeNode& node : scope.nodes) {
        if (node.elements || node.fill || node.list_element) {
          with_elements_.resize(std::max<std::size_t>(with_elements_.size(), node.position + 1));
          with_elements_[node.position] = true;
        }
        chooses_ = chooses_ || node.kind == ScopeNode::Kind::Choice;
      }
    }
  }

  // The strongest verdict of a scope that covers the match.
  struct Answer {
    std::optional<Verdict> proven;
    std::string reason;
  };

  const Answer& answer(const Graph& graph, const RulePlan& plan, const Match& match) {
    if (!words_of(graph, plan, match)) {
      once_ = find(graph, plan, match);
      return once_;
    }
    // Neighbouring matches are alike more often than not.
    if (last_ == nullptr || last_->first != words_) {
      auto known = known_.find(words_);
      last_ = known != known_.end() ? &*known : &*known_.emplace(words_, find(graph, plan, match)).first;
    }
    return last_->second;
  }

 private:
  // False where something looked at is too large to keep.
  bool words_of(const Graph& graph, const RulePlan& plan, const Match& match) {
    words_.clear();
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
    words_.push_back(static_cast<std::uint64_t>(graph.kind(node)) | (node_words(graph, node) << 8U));
    words_.push_back(word_of(graph.type(node).id()));
    words_.push_back(graph.kind(node) == NodeKind::Call ? word_of(graph.attributes(node).id()) : 0);
    bool with_elements = position < with_elements_.size() && with_elements_[position];
    return !with_elements || add_elements(graph, node);
  }

  static std::uint64_t node_words(const Graph& graph, NodeId node) {
    switch (graph.kind(node)) {
      case NodeKind::Call: return graph.op(node);
      case NodeKind::Projection: return graph.projection_index(node);
      case NodeKind::Tuple: return graph.operands(node).size();
      case NodeKind::Erased:
      case NodeKind::Input:
      case NodeKind::Parameter:
      case NodeKind::Constant: return 0;
    }
    return 0;
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

  Answer find(const Graph& graph, const RulePlan& plan, const Match& match) {
    FoundNodes found(plan, match);
    ScopeMatch compare(graph, plan, match, found);
    Answer out;
    const Scope* nearest = nullptr;
    std::size_t agreed = 0;
    std::string condition;
    for (const Scope& scope : scopes_) {
      if (compare.covers(scope)) {
        out.proven = std::min(out.proven.value_or(scope.proven), scope.proven);
      } else if (!out.proven && (nearest == nullptr || compare.agreed() > agreed)) {
        nearest = &scope;
        agreed = compare.agreed();
        condition = compare.failed_condition();
      }
    }
    if (!out.proven) {
      out.proven = covered_by_axes(graph, found, compare);
    }
    if (!out.proven) {
      out.reason = nearest ? why_not(graph, plan, found, *nearest, agreed, condition) : otherwise_;
    }
    return out;
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

  // By the scope that agreed longest.
  std::string why_not(const Graph& graph, const RulePlan& plan, const FoundNodes& found, const Scope& nearest, std::size_t agreed,
                      const std::string& condition) const {
    if (agreed >= nearest.nodes.size()) {
      return condition.empty() ? std::string("it is not proven for what was matched here")
                               : fmt::format("it is proven only where {}", condition);
    }
    const ScopeNode& node = nearest.nodes[agreed];
    std::set<std::string> proven;
    for (const Scope& scope : scopes_) {
      for (const ScopeNode& other : scope.nodes) {
        if (other.position == node.position && other.branch == node.branch) {
          proven.insert(describe(scope, other));
        }
      }
    }
    constexpr std::size_t kMostShown = 6;
    std::vector<std::string> shown(proven.begin(), proven.end());
    std::size_t more = shown.size() > kMostShown ? shown.size() - kMostShown : 0;
    shown.resize(shown.size() - more);
    PatternId id = plan.rule->source_order[node.position];
    return fmt::format("it is not proven where '{}' is {}; proven: {}{}", print_pattern(*plan.rule, id),
                       describe_found(graph, found.at(node.position, node.branch)), fmt::join(shown, "; "),
                       more != 0 ? fmt::format("; and {} more", more) : std::string());
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
    constexpr std::size_t kMostShown = 8;
    auto elements = known_elements(graph, node);
    if (elements && elements->size() <= kMostShown) {
      AttrTuple items(elements->begin(), elements->end());
      out += " " + AttrValue(std::move(items)).text();
    }
    return out;
  }

  std::vector<Scope> scopes_;
  std::string otherwise_;
  std::vector<bool> with_elements_;  // by position
  bool chooses_ = false;             // an option of a pattern: told by the node that it shares, which no word says
  std::vector<std::uint32_t> positions_;
  Words words_;
  std::unordered_map<Words, Answer, WordsHash> known_;
  const std::pair<const Words, Answer>* last_ = nullptr;  // of these
  Answer once_;
};

Admission::Admission(std::unique_ptr<Scopes> scopes) : scopes_(std::move(scopes)) {}
Admission::Admission(Admission&&) noexcept = default;
Admission& Admission::operator=(Admission&&) noexcept = default;
Admission::~Admission() = default;

Admission Admission::by_scopes(std::vector<Scope> scopes, std::string otherwise) {
  return Admission(std::make_unique<Scopes>(std::move(scopes), std::move(otherwise)));
}

Admission Admission::unproven() { return Admission(nullptr); }

std::variant<AdmittedMatch, NotAdmitted> Admission::admit(const Graph& graph, const RulePlan& plan, const Match& match) {
  if (!scopes_) {
    return AdmittedMatch(plan, match, std::nullopt);
  }
  const Scopes::Answer& answer = scopes_->answer(graph, plan, match);
  if (!answer.proven) {
    return NotAdmitted{answer.reason};
  }
  return AdmittedMatch(plan, match, answer.proven);
}

}  // namespace vouch
