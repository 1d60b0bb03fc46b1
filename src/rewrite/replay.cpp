// Replaying a trace: every recorded match is checked and applied; nothing is searched.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>

#include "graph/op_table.h"
#include "rewrite/check_match.h"
#include "rewrite/trace.h"

namespace vouch {
namespace {

// The match that a step records. Nothing if it does not fit the rule's form, or names nodes that the graph never had.
class RecordedMatch {
 public:
  RecordedMatch(const Graph& graph, const RulePlan& plan, const TraceStep& step) : graph_(graph), plan_(plan), step_(step) {}

  std::optional<Match> read() {
    const Rule& rule = *plan_.rule;
    match_.nodes.assign(rule.patterns.size(), kNoNode);
    match_.lists.assign(rule.patterns.size(), kNone);
    match_.frames.resize(1);
    match_.outputs = step_.outputs;
    match_.output_counts = step_.output_counts;
    match_.axis_numbers = step_.axis_numbers;
    for (const auto& [pattern, node] : step_.nodes) {
      if (pattern >= rule.patterns.size() || plan_.owner[pattern] != kNone || !known(node)) {
        return std::nullopt;
      }
      match_.nodes[pattern] = node;
      if (rule.pattern(pattern).kind == PatternKind::Variadic) {
        match_.lists[pattern] = new_list();
      }
    }
    for (const TraceStep::Instance& instance : step_.instances) {
      if (!add_instance(instance)) {
        return std::nullopt;
      }
    }
    return read_operators() && all_known(step_.outputs) ? std::optional(std::move(match_)) : std::nullopt;
  }

 private:
  bool known(NodeId node) const { return node == kNoNode || node < graph_.id_limit(); }
  bool all_known(const std::vector<NodeId>& nodes) const {
    for (NodeId node : nodes) {
      if (node == kNoNode || !known(node)) {
        return false;
      }
    }
    return true;
  }

  std::uint32_t new_list() {
    match_.instances.emplace_back();
    return static_cast<std::uint32_t>(match_.instances.size() - 1);
  }

  bool add_instance(const TraceStep::Instance& instance) {
    const Rule& rule = *plan_.rule;
    bool fits = instance.variadic < rule.patterns.size() && rule.pattern(instance.variadic).kind == PatternKind::Variadic &&
                rule.in_source[instance.variadic] && instance.outer < match_.frames.size() &&
                instance.templates.size() == rule.pattern(instance.variadic).templates.size();
    if (!fits) {
      return false;
    }
    PatternId owner = plan_.owner[instance.variadic];
    std::uint32_t home = owner == kNone ? 0 : match_.frame_of(owner, instance.outer);
    if ((owner == kNone) != (instance.outer == 0) || home == kNone) {
      return false;
    }
    std::uint32_t& list = owner == kNone ? match_.lists[instance.variadic]
                                         : match_.cells[match_.frames[home].first_cell + plan_.place[instance.variadic]].list;
    if (list == kNone) {
      list = new_list();
    }
    auto frame = static_cast<std::uint32_t>(match_.frames.size());
    auto cell = static_cast<std::uint32_t>(match_.cells.size());
    std::vector<std::uint32_t>& instances = match_.instances[list];
    match_.frames.push_back({instance.variadic, instance.outer, static_cast<std::uint32_t>(instances.size()), cell});
    instances.push_back(frame);
    for (std::size_t k = 0; k < instance.templates.size(); ++k) {
      if (!known(instance.templates[k])) {
        return false;
      }
      match_.cells.push_back({instance.templates[k], kNone});
    }
    open_nested_lists(frame);
    return true;
  }

  // A nested variadic that matched an empty tuple has a list, too.
  void open_nested_lists(std::uint32_t frame) {
    const Pattern& variadic = plan_.rule->pattern(match_.frames[frame].variadic);
    for (std::size_t k = 0; k < variadic.templates.size(); ++k) {
      Match::Cell& cell = match_.cells[match_.frames[frame].first_cell + k];
      if (cell.node != kNoNode && plan_.rule->pattern(variadic.templates[k]).kind == PatternKind::Variadic) {
        cell.list = new_list();
      }
    }
  }

  bool read_operators() {
    if (step_.operators.size() != plan_.op_variables) {
      return false;
    }
    for (const std::string& name : step_.operators) {
      auto op = find_op(name);
      if (!op && !name.empty()) {
        return false;
      }
      match_.operators.push_back(op.value_or(kNoOperator));
    }
    return true;
  }

  const Graph& graph_;
  const RulePlan& plan_;
  const TraceStep& step_;
  Match match_;
};

// Rules by name and content; several may have one name.
class NamedRules {
 public:
  explicit NamedRules(const std::vector<Rule>& rules) {
    for (const Rule& rule : rules) {
      by_name_.emplace(rule.name, &rule);
    }
  }

  const Rule* find(const std::string& name, const std::string& content) {
    auto [at, end] = by_name_.equal_range(name);
    auto found = std::find_if(at, end, [&](const auto& entry) { return hashes_.of(*entry.second) == content; });
    return found == end ? nullptr : found->second;
  }
  ContentHashes& hashes() { return hashes_; }

 private:
  std::multimap<std::string, const Rule*> by_name_;
  ContentHashes hashes_;
};

class Replay {
 public:
  Replay(Graph& graph, const std::vector<Rule>& rules, const Admissions& admissions, Trace& done, Diagnostics& diagnostics,
         const ReplayWatch& watch, NamedRules& named, BodyPath path = {})
      : graph_(graph),
        rules_(rules),
        admissions_(admissions),
        done_(done),
        diagnostics_(diagnostics),
        applier_(graph, {}),
        limits_(fold_limits(graph)),
        watch_(watch),
        named_(named),
        path_(std::move(path)) {
    graph.begin_rewriting();
  }

  // Steps from `at` on that are of this graph and of those within; `at` is then behind them.
  bool steps(const std::vector<AnyStep>& all, std::size_t& at) {
    while (at < all.size() && is_within(body_of(all[at]))) {
      bool here = body_of(all[at]).size() == path_.size();
      if (here ? !any_step(at + 1, all[at]) : !within(all, at)) {
        return false;
      }
      at += here ? 1 : 0;
    }
    return true;
  }

  bool end(const std::string& recorded) {
    place_ = "the end";
    done_.end = state_hash(graph_);
    return done_.end == recorded || refuse("the graph is not the one that the trace ended with");
  }

 private:
  bool is_within(const BodyPath& path) const {
    return path.size() >= path_.size() && std::equal(path_.begin(), path_.end(), path.begin());
  }

  bool any_step(std::size_t number, const AnyStep& any) {
    const auto* recorded = std::get_if<TraceStep>(&any);
    return recorded != nullptr ? step(number, *recorded) : pass(number, std::get<PassStep>(any));
  }

  // The steps in a body, one after the other: they begin with the body as it is and give the one that takes its place.
  bool within(const std::vector<AnyStep>& all, std::size_t& at) {
    const BodyPlace place = body_of(all[at])[path_.size()];
    place_ = fmt::format("step {}", at + 1);
    std::vector<BodyPlace> known = rewritable_bodies(graph_);
    if (std::find(known.begin(), known.end(), place) == known.end()) {
      return refuse(fmt::format("node {} has no body '{}' that may be rewritten", place.call, place.attribute));
    }
    const Graph& before = *body_at(graph_, place);
    auto body = std::make_shared<Graph>(before);
    BodyPath path = path_;
    path.push_back(place);
    Diagnostics inner;
    bool done = Replay(*body, rules_, admissions_, done_, inner, watch_, named_, path).steps(all, at);
    for (Diagnostic problem : inner.all()) {
      problem.place = fmt::format("{} in {}", problem.place, place_text(graph_, place));
      diagnostics_.add(std::move(problem));
    }
    if (done && !same_interface(before, *body)) {
      return refuse("the body takes or gives other types than it did");
    }
    if (done) {
      graph_.set_body(place.call, Symbol(place.attribute), std::move(body));
    }
    return done;
  }

  bool step(std::size_t number, const TraceStep& recorded) {
    place_ = fmt::format("step {} ({})", number, recorded.rule);
    const Rule* rule = named_.find(recorded.rule, recorded.rule_hash);
    if (rule == nullptr) {
      return refuse("there is no rule of this name and content",
                    "give the rule files that the run was given; if they changed, run again");
    }
    std::unique_ptr<RulePlan>& plan = plans_[rule];
    if (!plan) {
      plan = std::make_unique<RulePlan>(plan_rule(*rule));
    }
    auto match = RecordedMatch(graph_, *plan, recorded).read();
    if (!match) {
      return refuse("the recorded match does not fit the rule or the graph");
    }
    std::string why;
    if (!is_match(graph_, *plan, *match, why)) {
      return refuse("this is no match: " + why);
    }
    return apply(*plan, *match, *rule, recorded);
  }

  bool pass(std::size_t number, const PassStep& recorded) {
    place_ = fmt::format("step {} ({})", number, pass_name(recorded.pass));
    bool watched = watch_.on_change && path_.empty();
    std::optional<Graph> before = watched ? std::optional(graph_) : std::nullopt;
    std::size_t changes = run_pass(graph_, recorded.pass, limits_, watch_.on_fold);
    if (before && changes != 0) {
      watch_.on_change(*before, graph_, nullptr, recorded.pass);
    }
    done_.steps.emplace_back(PassStep{recorded.pass, changes, path_});
    return changes == recorded.changes || refuse(fmt::format("{} changes recorded, {} made", recorded.changes, changes));
  }

  bool refuse(std::string message, std::string hint = {}) {
    diagnostics_.error_at(place_, std::move(message), std::move(hint));
    return false;
  }

  bool apply(const RulePlan& plan, const Match& match, const Rule& rule, const TraceStep& recorded) {
    auto number = static_cast<std::size_t>(&rule - rules_.data());
    auto admitted = admissions_(number).admit(graph_, plan, match);
    if (!admitted) {
      return refuse("the rule may not fire here: " + admissions_(number).why_not(graph_, plan, match));
    }
    std::vector<std::string> replaced;
    for (NodeId output : match.outputs) {
      replaced.push_back(graph_.name(output));
    }
    std::string error;
    bool watched = watch_.on_change && path_.empty();
    std::optional<Graph> before = watch_.on_step || watched ? std::optional(graph_) : std::nullopt;
    const Application* application = applier_.apply(*admitted, error);
    if (application == nullptr) {
      return refuse("the target cannot be built: " + error);
    }
    RewriteStep step{number, &plan, &match, application, &replaced, admitted->grounds()};
    if (watch_.on_step) {
      watch_.on_step(*before, graph_, step);
    }
    if (watched) {
      watch_.on_change(*before, graph_, &step, {});
    }
    TraceStep done = trace_step(graph_, rules_, step, &named_.hashes());
    done.body = path_;
    done_.steps.emplace_back(done);
    bool same = done.results == recorded.results && done.output_names == recorded.output_names &&
                done.new_nodes.size() == recorded.new_nodes.size();
    for (std::size_t k = 0; same && k < done.new_nodes.size(); ++k) {
      same = done.new_nodes[k].id == recorded.new_nodes[k].id && done.new_nodes[k].form == recorded.new_nodes[k].form;
    }
    applier_.drop_unread();
    return same || refuse("other nodes came out than were recorded");
  }

  Graph& graph_;
  const std::vector<Rule>& rules_;
  const Admissions& admissions_;
  Trace& done_;
  Diagnostics& diagnostics_;
  Applier applier_;
  FoldLimits limits_;
  const ReplayWatch& watch_;
  NamedRules& named_;
  std::map<const Rule*, std::unique_ptr<RulePlan>> plans_;
  std::string place_;
  BodyPath path_;
};

// All that will be asked is known beforehand.
void ask_soon(const std::vector<Rule>& rules, const std::vector<AnyStep>& steps, const Admissions& admissions) {
  std::set<std::string_view> named;
  for (const AnyStep& step : steps) {
    if (const auto* rewrite = std::get_if<TraceStep>(&step)) {
      named.insert(rewrite->rule);
    }
  }
  std::vector<std::size_t> asked;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    if (named.contains(rules[rule].name)) {
      asked.push_back(rule);
    }
  }
  for (std::size_t rule : asked) {
    admissions.ask_soon(rule, [&] { return asked; });
  }
}

}  // namespace

bool replay_steps(Graph& graph, const std::vector<Rule>& rules, const std::vector<AnyStep>& steps, const Admissions& admissions,
                  Trace& done, Diagnostics& diagnostics, const ReplayWatch& watch) {
  std::size_t at = 0;
  ask_soon(rules, steps, admissions);
  NamedRules named(rules);
  return Replay(graph, rules, admissions, done, diagnostics, watch, named).steps(steps, at);
}

bool replay(Graph& graph, const std::vector<Rule>& rules, const Trace& trace, const Admissions& admissions, Trace& done,
            Diagnostics& diagnostics, const ReplayWatch& watch) {
  ask_soon(rules, trace.steps, admissions);
  NamedRules named(rules);
  Replay run(graph, rules, admissions, done, diagnostics, watch, named);
  std::size_t at = 0;
  if (!run.steps(trace.steps, at)) {
    return false;
  }
  return run.end(trace.end);
}

}  // namespace vouch
