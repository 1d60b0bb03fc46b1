#include "rewrite/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "rule/print.h"
#include "support/fault.h"

namespace vouch {
namespace {

// One instance of a variadic being matched; the outermost frame (no variadic) holds the fixed patterns.
struct Frame {
  const Frame* outer = nullptr;
  PatternId variadic = kNone;
  std::int64_t index = 0;
};

struct Goal {
  enum class Kind : std::uint8_t { Match, Check, Field } kind = Kind::Match;
  PatternId pattern = kNone;
  NodeId node = kNoNode;
  Frame* frame = nullptr;
  std::int64_t field = 0;  // Field: the next item of a tuple against a variadic
  const Goal* next = nullptr;
};

struct Choice {
  const Goal* goals;
  std::size_t trail;
};

}  // namespace

class Matcher::Impl : public AttrSource {
 public:
  Impl(const Graph& graph, const Rule& rule)
      : graph_(graph), rule_(rule), owner_(rule.patterns.size(), kNone), place_(rule.patterns.size()) {
    // The innermost variadic that a pattern is a template of: later variadics enclose earlier ones.
    for (PatternId v = static_cast<PatternId>(rule.patterns.size()); v-- > 0;) {
      const Pattern& variadic = rule.pattern(v);
      if (variadic.kind == PatternKind::Variadic && rule.in_source[v]) {
        for (std::size_t k = 0; k < variadic.templates.size(); ++k) {
          owner_[variadic.templates[k]] = v;
          place_[variadic.templates[k]] = k;
        }
      }
    }
  }

  std::optional<Match> match_at(NodeId first_output) {
    reset();
    PatternId first = rule_.source_outputs[0];
    bool found = rule_.pattern(first).kind == PatternKind::Variadic ? match_variadic_output(first, first_output)
                                                                    : match_fixed_outputs(first_output);
    if (!found || !constraints_hold() || !inside_is_private() || makes_cycle()) {
      return std::nullopt;
    }
    return std::move(match_);
  }

  std::optional<AttrValue> access(PatternId pattern, Symbol name, const SymbolEnv& symbols) const override {
    if (rule_.pattern(pattern).kind != PatternKind::Instance && owner_[pattern] != kNone) {
      NodeId node = find(pattern, current_);
      return node == kNoNode ? std::nullopt : node_attribute(graph_, node, name);
    }
    return access_match(graph_, rule_, match_, pattern, name, symbols);
  }

  bool explain_ = false;
  Failure best_;

 private:
  void reset() {
    match_.nodes.assign(rule_.patterns.size(), kNoNode);
    match_.instances.assign(rule_.patterns.size(), {});
    match_.operators.assign(rule_.patterns.size(), 0);
    match_.outputs.clear();
    trail_.clear();
    goals_.clear();
    frames_.clear();
    frames_.emplace_back();
    current_ = &frames_.front();
    if (marks_.size() < graph_.id_limit()) {
      marks_.resize(graph_.id_limit());
    }
    ++epoch_;
    if (explain_) {
      best_ = Failure();
    }
  }

  // --- bindings

  NodeId* slot(PatternId pattern, const Frame* frame) {
    PatternId owner = owner_[pattern];
    if (owner == kNone) {
      return &match_.nodes[pattern];
    }
    while (frame != nullptr && frame->variadic != owner) {
      frame = frame->outer;
    }
    ensure(frame != nullptr, "a template is matched inside its variadic");
    return &match_.instances[owner][static_cast<std::size_t>(frame->index)].nodes[place_[pattern]];
  }

  NodeId find(PatternId pattern, const Frame* frame) const { return *const_cast<Impl*>(this)->slot(pattern, frame); }

  bool is_matched_inside(NodeId node) const { return marks_[node] == epoch_; }

  void bind(PatternId pattern, NodeId node, Frame* frame) {
    *slot(pattern, frame) = node;
    bool input = is_input(pattern);
    if (!input) {
      marks_[node] = epoch_;
    }
    trail_.push_back({pattern, node, frame, input});
  }

  bool is_input(PatternId pattern) const {
    PatternKind kind = rule_.pattern(pattern).kind;
    return kind == PatternKind::Wildcard || kind == PatternKind::Variable || kind == PatternKind::Const;
  }

  void undo(std::size_t length) {
    while (trail_.size() > length) {
      const Bound& bound = trail_.back();
      *slot(bound.pattern, bound.frame) = kNoNode;
      if (!bound.input) {
        marks_[bound.node] = 0;
      }
      trail_.pop_back();
    }
  }

  const Goal* push(Goal goal, const Goal* next) {
    goal.next = next;
    goals_.push_back(goal);
    return &goals_.back();
  }

  // --- the goal machine: depth first over structure and attributes together, operands before attributes

  bool solve(PatternId pattern, NodeId node, Frame* frame) {
    std::vector<Choice> choices;
    std::size_t start = trail_.size();
    const Goal* goals = push({Goal::Kind::Match, pattern, node, frame, 0, nullptr}, nullptr);
    while (goals != nullptr) {
      const Goal* goal = goals;
      goals = goal->next;
      if (step(*goal, goals, choices)) {
        continue;
      }
      if (choices.empty()) {
        undo(start);
        return false;
      }
      goals = choices.back().goals;
      undo(choices.back().trail);
      choices.pop_back();
    }
    return true;
  }

  bool step(const Goal& goal, const Goal*& goals, std::vector<Choice>& choices) {
    switch (goal.kind) {
      case Goal::Kind::Match:
        return step_match(goal, goals, choices);
      case Goal::Kind::Check:
        return check_attributes(goal.pattern, goal.node, goal.frame);
      case Goal::Kind::Field:
        return step_field(goal, goals);
    }
    return false;
  }

  bool fail(PatternId pattern, NodeId node, auto&& reason, AttrId attribute = kNone) {
    if (explain_ && (best_.pattern == kNone || trail_.size() > best_.matched)) {
      best_ = {pattern, node, reason(), trail_.size(), attribute};
    }
    return false;
  }

  bool step_match(const Goal& goal, const Goal*& goals, std::vector<Choice>& choices) {
    const Pattern& p = rule_.pattern(goal.pattern);
    if (goal.node == kNoNode) {
      return fail(goal.pattern, goal.node, [] { return std::string("the operand is absent"); });
    }
    if (p.kind == PatternKind::Instance) {
      return step_instance(goal);
    }
    NodeId bound = find(goal.pattern, goal.frame);
    if (bound != kNoNode) {
      return bound == goal.node || fail(goal.pattern, goal.node, [&] {
               return fmt::format("this is already matched to '{}'", graph_.name(bound));
             });
    }
    if (!is_input(goal.pattern) && is_matched_inside(goal.node)) {
      return fail(goal.pattern, goal.node, [&] { return fmt::format("'{}' is matched by another pattern", graph_.name(goal.node)); });
    }
    if (p.kind == PatternKind::Alternative) {
      for (std::size_t k = p.operands.size(); k-- > 1;) {
        choices.push_back({push({Goal::Kind::Match, p.operands[k], goal.node, goal.frame, 0, nullptr}, goals), trail_.size()});
      }
      goals = push({Goal::Kind::Match, p.operands[0], goal.node, goal.frame, 0, nullptr}, goals);
      return true;
    }
    if (p.kind == PatternKind::Conditional) {
      bool condition = holds(rule_, p.selector, symbols_of(goal.frame), *this);
      goals = push({Goal::Kind::Match, p.operands[condition ? 0 : 1], goal.node, goal.frame, 0, nullptr}, goals);
      return true;
    }
    if (!fits_head(p, goal.pattern, goal.node)) {
      return false;
    }
    goals = push({Goal::Kind::Check, goal.pattern, goal.node, goal.frame, 0, nullptr}, goals);
    if (p.kind == PatternKind::Variadic) {
      match_.instances[goal.pattern].clear();
      goals = push({Goal::Kind::Field, goal.pattern, goal.node, goal.frame, 0, nullptr}, goals);
      return true;
    }
    push_operands(p, goal, goals, choices);
    return true;
  }

  void push_operands(const Pattern& p, const Goal& goal, const Goal*& goals, std::vector<Choice>& choices) {
    std::span<const NodeId> operands = graph_.operands(goal.node);
    bool swaps = p.kind == PatternKind::Call && p.operands.size() == 2 && op_def(graph_.op(goal.node)).traits.commutative;
    const Goal* rest = goals;
    if (swaps) {
      const Goal* swapped = push({Goal::Kind::Match, p.operands[1], operands[0], goal.frame, 0, nullptr}, rest);
      swapped = push({Goal::Kind::Match, p.operands[0], operands[1], goal.frame, 0, nullptr}, swapped);
      choices.push_back({swapped, trail_.size()});
    }
    for (std::size_t k = p.operands.size(); k-- > 0;) {
      goals = push({Goal::Kind::Match, p.operands[k], operands[k], goal.frame, 0, nullptr}, goals);
    }
  }

  // Kind, operator and number of operands agree.
  bool fits_head(const Pattern& p, PatternId id, NodeId node) {
    NodeKind kind = graph_.kind(node);
    switch (p.kind) {
      case PatternKind::Wildcard:
        return true;
      case PatternKind::Const:
        return graph_.has_value(node) || fail(id, node, [&] { return fmt::format("expected a constant, found '{}'", graph_.name(node)); });
      case PatternKind::Variable:
        return kind == NodeKind::Input || graph_.has_value(node) ||
               fail(id, node, [&] { return fmt::format("expected a variable, found '{}'", graph_.name(node)); });
      case PatternKind::Call:
        return kind == NodeKind::Call ? fits_operator(p, id, node) : fail(id, node, [&] {
          return fmt::format("expected a call of {}, found '{}'", p.op ? op_def(*p.op).name : p.op_variable.name(), graph_.name(node));
        });
      case PatternKind::Tuple:
        return (kind == NodeKind::Tuple && graph_.operands(node).size() == p.operands.size()) ||
               fail(id, node, [&] { return fmt::format("expected a tuple of {}, found '{}'", p.operands.size(), graph_.name(node)); });
      case PatternKind::Projection:
        return kind == NodeKind::Projection || fail(id, node, [&] { return fmt::format("expected an item of a tuple, found '{}'", graph_.name(node)); });
      case PatternKind::Variadic:
        return (kind == NodeKind::Tuple && graph_.operands(node).size() >= p.min_length) ||
               fail(id, node, [&] { return fmt::format("expected a tuple of at least {}, found '{}'", p.min_length, graph_.name(node)); });
      case PatternKind::Instance:
      case PatternKind::Alternative:
      case PatternKind::Conditional:
        break;
    }
    return false;
  }

  bool fits_operator(const Pattern& p, PatternId id, NodeId node) {
    OpId op = graph_.op(node);
    const OpDef& def = op_def(op);
    if (p.op && *p.op != op) {
      return fail(id, node, [&] { return fmt::format("expected operator {}, found {}", op_def(*p.op).name, def.name); });
    }
    if (!p.op && !fits_operator_variable(p, op)) {
      return fail(id, node, [&] { return fmt::format("operator {} does not fit the variable {}", def.name, p.op_variable.name()); });
    }
    std::span<const NodeId> operands = graph_.operands(node);
    bool count = operands.size() >= p.operands.size() &&
                 std::all_of(operands.begin() + static_cast<std::ptrdiff_t>(p.operands.size()), operands.end(),
                             [](NodeId operand) { return operand == kNoNode; });
    if (!count) {
      return fail(id, node, [&] { return fmt::format("expected {} operands, found {}", p.operands.size(), operands.size()); });
    }
    match_.operators[id] = op;
    return true;
  }

  bool fits_operator_variable(const Pattern& p, OpId op) {
    const OpTraits& traits = op_def(op).traits;
    if (op_def(op).opaque || (p.trait == OpTrait::Elementwise && !traits.elementwise) ||
        (p.trait == OpTrait::Commutative && !traits.commutative)) {
      return false;
    }
    // Every use of one operator variable in a match stands for one operator.
    for (const Bound& bound : trail_) {
      const Pattern& other = rule_.pattern(bound.pattern);
      if (other.kind == PatternKind::Call && !other.op && other.op_variable == p.op_variable && graph_.op(bound.node) != op) {
        return false;
      }
    }
    return true;
  }

  bool step_instance(const Goal& goal) {
    const Pattern& p = rule_.pattern(goal.pattern);
    auto selected = eval_attr(rule_, p.selector, symbols_of(goal.frame), *this);
    auto index = selected ? selected->int64() : std::nullopt;
    const auto& instances = match_.instances[p.operands[0]];
    if (!index || *index < 0 || *index >= static_cast<std::int64_t>(instances.size())) {
      return false;
    }
    return instances[static_cast<std::size_t>(*index)].nodes[place_[p.operands[1]]] == goal.node;
  }

  // PM-Variadic: item by item of a tuple, a fresh instance of the templates for each.
  bool step_field(const Goal& goal, const Goal*& goals) {
    const Pattern& p = rule_.pattern(goal.pattern);
    std::span<const NodeId> items = graph_.operands(goal.node);
    if (goal.field == static_cast<std::int64_t>(items.size())) {
      return true;
    }
    Frame* frame = open_instance(goal.pattern, goal.field, goal.frame);
    Goal following = goal;
    ++following.field;
    goals = push(following, goals);
    goals = push({Goal::Kind::Match, p.operands[0], items[static_cast<std::size_t>(goal.field)], frame, 0, nullptr}, goals);
    return true;
  }

  Frame* open_instance(PatternId variadic, std::int64_t index, Frame* outer) {
    auto& instances = match_.instances[variadic];
    instances.resize(static_cast<std::size_t>(index));
    instances.push_back({std::vector<NodeId>(rule_.pattern(variadic).templates.size(), kNoNode)});
    frames_.push_back({outer, variadic, index});
    return &frames_.back();
  }

  SymbolEnv symbols_of(const Frame* frame) const {
    SymbolEnv symbols;
    for (; frame != nullptr && frame->variadic != kNone; frame = frame->outer) {
      symbols.insert(symbols.begin(), {rule_.pattern(frame->variadic).index, frame->index});
    }
    return symbols;
  }

  bool check_attributes(PatternId id, NodeId node, Frame* frame) {
    const Pattern& p = rule_.pattern(id);
    bind(id, node, frame);
    const Frame* outer = std::exchange(current_, frame);
    SymbolEnv symbols = symbols_of(frame);
    bool ok = true;
    for (const PatternAttr& attr : p.attributes) {
      auto value = node_attribute(graph_, node, attr.name);
      if (value && p.kind == PatternKind::Const && value->tensor() == nullptr) {
        ok = matches_constant(attr.value, *value, symbols);
      } else {
        ok = value && match_attr(rule_, attr.value, *value, symbols, *this);
      }
      if (!ok) {
        fail(id, node, [&] {
          auto wanted = eval_attr(rule_, attr.value, symbols, *this);
          return fmt::format("attribute {}: expected {}, found {}", attr.name.name(),
                             wanted ? wanted->text() : print_attr(rule_, attr.value), value ? value->text() : "none");
        }, attr.value);
        break;
      }
    }
    current_ = outer;
    return ok;
  }

  // A number also matches a constant of one axis all of whose elements are that number.
  bool matches_constant(AttrId wanted, const AttrValue& value, const SymbolEnv& symbols) const {
    if (match_attr(rule_, wanted, value, symbols, *this)) {
      return true;
    }
    auto number = eval_attr(rule_, wanted, symbols, *this);
    if (!number || !number->number() || !value.tuple() || value.tuple()->empty()) {
      return false;
    }
    return std::all_of(value.tuple()->begin(), value.tuple()->end(),
                       [&](const AttrValue& item) { return same_value(item, *number); });
  }

  // --- several outputs (alg:multi_match)

  bool match_fixed_outputs(NodeId first_output) {
    if (!solve(rule_.source_outputs[0], first_output, &frames_.front())) {
      return false;
    }
    match_.outputs.push_back(first_output);
    for (std::size_t k = 1; k < rule_.source_outputs.size(); ++k) {
      NodeId already = find(rule_.source_outputs[k], &frames_.front());
      NodeId found = already != kNoNode ? already : search_output(rule_.source_outputs[k], &frames_.front());
      if (found == kNoNode) {
        return false;
      }
      match_.outputs.push_back(found);
    }
    return true;
  }

  // Walks forward from what is matched: in the pattern along successors that are not matched yet (theorem path_fwd), in the
  // graph along successors of the matched node (theorem succ_corres); each arrival at `output` is matched backwards.
  NodeId search_output(PatternId output, Frame* frame) {
    struct Pair {
      PatternId pattern;
      NodeId node;
    };
    std::vector<Pair> stack;
    auto push_successors = [&](PatternId pattern, NodeId node) {
      for (PatternId successor : rule_.successors[pattern]) {
        if (find_or_none(successor, frame) != kNoNode || !reaches(successor, output)) {
          continue;
        }
        std::span<const Use> uses = graph_.uses(node);
        for (std::size_t u = uses.size(); u-- > 0;) {
          NodeId user = uses[u].user;
          if (!is_matched_inside(user) && may_fit(successor, user)) {
            stack.push_back({successor, user});
          }
        }
        return;  // the first unmatched successor
      }
    };
    std::size_t bound = trail_.size();
    for (std::size_t t = 0; t < bound; ++t) {
      // Entries of other instances of a variadic are not shared between branches.
      if (owner_[trail_[t].pattern] == kNone || trail_[t].frame == frame) {
        push_successors(trail_[t].pattern, trail_[t].node);
      }
      while (!stack.empty()) {
        Pair top = stack.back();
        stack.pop_back();
        if (top.pattern != output) {
          push_successors(top.pattern, top.node);
        } else if (!is_matched_inside(top.node) && solve(output, top.node, frame)) {
          return top.node;
        }
      }
    }
    return kNoNode;
  }

  NodeId find_or_none(PatternId pattern, const Frame* frame) const {
    PatternId owner = owner_[pattern];
    for (const Frame* f = frame; f != nullptr && owner != kNone; f = f->outer) {
      if (f->variadic == owner) {
        return find(pattern, frame);
      }
    }
    return owner == kNone ? match_.nodes[pattern] : kNoNode;
  }

  // Is `pattern` a part of `output`?
  bool reaches(PatternId pattern, PatternId output) {
    if (part_of_.empty()) {
      part_of_.resize(rule_.patterns.size());
    }
    std::vector<bool>& parts = part_of_[output];
    if (parts.empty()) {
      parts.resize(rule_.patterns.size());
      std::vector<PatternId> pending{output};
      while (!pending.empty()) {
        PatternId next = pending.back();
        pending.pop_back();
        if (!parts[next]) {
          parts[next] = true;
          std::vector<PatternId> below = direct_subpatterns(rule_, next);
          pending.insert(pending.end(), below.begin(), below.end());
        }
      }
    }
    return parts[pattern];
  }

  bool may_fit(PatternId pattern, NodeId node) const {
    const Pattern& p = rule_.pattern(pattern);
    if (p.kind == PatternKind::Call) {
      return graph_.kind(node) == NodeKind::Call && (!p.op || *p.op == graph_.op(node));
    }
    return p.kind != PatternKind::Projection || graph_.kind(node) == NodeKind::Projection;
  }

  // --- variadic outputs (section 4.3.2): as many branches as match, each a fresh instance, undone on failure

  bool match_variadic_output(PatternId variadic, NodeId first_output) {
    const Pattern& p = rule_.pattern(variadic);
    Frame* outer = &frames_.front();
    Frame* frame = open_instance(variadic, 0, outer);
    if (p.first.empty() ? !solve(p.operands[0], first_output, frame) : !match_first_instance(p, first_output, frame)) {
      return false;
    }
    match_.outputs.push_back(first_output);
    for (std::int64_t index = 1;; ++index) {
      frame = open_instance(variadic, index, outer);
      NodeId found = next_branch(p, frame);
      if (found == kNoNode) {
        match_.instances[variadic].pop_back();
        break;
      }
      match_.outputs.push_back(found);
    }
    match_.nodes[variadic] = first_output;
    return match_.outputs.size() >= p.min_length;
  }

  // The named first patterns are instance 0.
  bool match_first_instance(const Pattern& p, NodeId first_output, Frame* frame) {
    if (!solve(p.first[0], first_output, &frames_.front())) {
      return false;
    }
    for (std::size_t k = 0; k < p.first.size(); ++k) {
      NodeId node = match_.nodes[p.first[k]];
      if (node == kNoNode) {
        return false;
      }
      *slot(p.templates[k], frame) = node;
    }
    return true;
  }

  // Candidates are the successors of shared matched nodes; each is tried once over all branches, in order, so that n branches
  // cost O(n).
  NodeId next_branch(const Pattern& p, Frame* frame) {
    if (frame->index == 1) {
      collect_candidates(p);
    }
    while (next_candidate_ < candidates_.size()) {
      NodeId candidate = candidates_[next_candidate_++];
      if (!is_matched_inside(candidate) && solve(p.operands[0], candidate, frame)) {
        return candidate;
      }
    }
    return kNoNode;
  }

  void collect_candidates(const Pattern& p) {
    candidates_.clear();
    next_candidate_ = 0;
    std::vector<std::pair<PatternId, NodeId>> stack;
    std::vector<bool> entered(rule_.patterns.size());
    for (const Bound& bound : trail_) {
      PatternId shared = bound.pattern;
      if (owner_[shared] == kNone && reaches(shared, p.operands[0]) && !entered[shared]) {
        entered[shared] = true;
        stack.emplace_back(shared, bound.node);
        // The first shared node decides where branches are looked for: all branches use it.
        break;
      }
    }
    while (!stack.empty()) {
      auto [pattern, node] = stack.back();
      stack.pop_back();
      if (pattern == p.operands[0]) {
        candidates_.push_back(node);
        continue;
      }
      for (PatternId successor : rule_.successors[pattern]) {
        if (owner_[successor] == kNone) {
          continue;
        }
        std::span<const Use> uses = graph_.uses(node);
        for (std::size_t u = uses.size(); u-- > 0;) {
          if (may_fit(successor, uses[u].user)) {
            stack.emplace_back(successor, uses[u].user);
          }
        }
        break;
      }
    }
  }

  // --- what holds of the whole match

  bool constraints_hold() {
    for (AttrId condition : rule_.constraints) {
      if (!holds(rule_, condition, {}, *this)) {
        return fail(rule_.source_outputs[0], match_.outputs[0],
                    [&] { return "condition does not hold: " + print_attr(rule_, condition); }, condition);
      }
    }
    return true;
  }

  // Condition 4: no edge leaves the inside of the match, outputs excepted.
  bool inside_is_private() {
    for (const Bound& bound : trail_) {
      if (bound.input || is_output(bound.node)) {
        continue;
      }
      if (graph_.output_count(bound.node) != 0) {
        return fail(bound.pattern, bound.node, [&] { return fmt::format("'{}' is an output of the model", graph_.name(bound.node)); });
      }
      for (const Use& use : graph_.uses(bound.node)) {
        if (!is_matched_inside(use.user)) {
          return fail(bound.pattern, bound.node, [&] {
            return fmt::format("'{}' is also used by '{}', outside of the match", graph_.name(bound.node), graph_.name(use.user));
          });
        }
      }
    }
    return true;
  }

  bool is_output(NodeId node) const {
    return std::find(match_.outputs.begin(), match_.outputs.end(), node) != match_.outputs.end();
  }

  // With several outputs, an input may depend on an output through the rest of the graph; replacing would then make a cycle.
  // A search upwards from the inputs, which ends at the match's own inputs' other operands; single outputs need none.
  bool makes_cycle() {
    if (match_.outputs.size() < 2) {
      return false;
    }
    std::vector<NodeId> pending;
    for (const Bound& bound : trail_) {
      if (bound.input) {
        pending.push_back(bound.node);
      }
    }
    std::uint64_t lowest = UINT64_MAX;
    for (NodeId output : match_.outputs) {
      lowest = std::min(lowest, graph_.position(output));
    }
    std::vector<NodeId> visited;
    bool found = false;
    while (!pending.empty() && !found) {
      NodeId node = pending.back();
      pending.pop_back();
      // Positions grow along edges: nothing in front of every output depends on one.
      if (graph_.position(node) < lowest || marks_[node] == epoch_ + kVisited) {
        continue;
      }
      found = is_matched_inside(node);
      if (!found) {
        visited.push_back(node);
        marks_[node] = epoch_ + kVisited;
        for (NodeId operand : graph_.operands(node)) {
          if (operand != kNoNode) {
            pending.push_back(operand);
          }
        }
      }
    }
    for (NodeId node : visited) {
      marks_[node] = 0;
    }
    return found;
  }

  static constexpr std::uint64_t kVisited = std::uint64_t{1} << 62;

  struct Bound {
    PatternId pattern;
    NodeId node;
    Frame* frame;
    bool input;
  };

  const Graph& graph_;
  const Rule& rule_;
  std::vector<PatternId> owner_;
  std::vector<std::size_t> place_;
  std::vector<std::vector<bool>> part_of_;
  Match match_;
  std::vector<Bound> trail_;
  std::deque<Goal> goals_;
  std::deque<Frame> frames_;
  const Frame* current_ = nullptr;
  std::vector<std::uint64_t> marks_;
  std::uint64_t epoch_ = 0;
  std::vector<NodeId> candidates_;
  std::size_t next_candidate_ = 0;
};

Matcher::Matcher(const Graph& graph, const Rule& rule) : impl_(std::make_unique<Impl>(graph, rule)) {}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
std::optional<Match> Matcher::match_at(NodeId first_output) { return impl_->match_at(first_output); }
const Matcher::Failure& Matcher::best_failure() const { return impl_->best_; }
void Matcher::explain(bool on) { impl_->explain_ = on; }

std::optional<AttrValue> MatchedAttributes::access(PatternId pattern, Symbol name, const SymbolEnv& symbols) const {
  return access_match(graph_, rule_, match_, pattern, name, symbols);
}

std::optional<AttrValue> access_match(const Graph& graph, const Rule& rule, const Match& match, PatternId pattern,
                                      Symbol name, const SymbolEnv& symbols) {
  const Pattern& p = rule.pattern(pattern);
  if (p.kind == PatternKind::Variadic && name == Symbol("length") && match.nodes[pattern] != kNoNode) {
    return AttrValue(static_cast<std::int64_t>(match.instances[pattern].size()));
  }
  NodeId node = match.nodes[pattern];
  if (p.kind == PatternKind::Instance) {
    auto selected = eval_attr(rule, p.selector, symbols, MatchedAttributes(graph, rule, match));
    auto index = selected ? selected->int64() : std::nullopt;
    const auto& instances = match.instances[p.operands[0]];
    if (!index || *index < 0 || *index >= static_cast<std::int64_t>(instances.size())) {
      return std::nullopt;
    }
    const std::vector<PatternId>& templates = rule.pattern(p.operands[0]).templates;
    auto place = std::find(templates.begin(), templates.end(), p.operands[1]) - templates.begin();
    node = instances[static_cast<std::size_t>(*index)].nodes[static_cast<std::size_t>(place)];
  }
  return node == kNoNode ? std::nullopt : node_attribute(graph, node, name);
}

}  // namespace vouch
