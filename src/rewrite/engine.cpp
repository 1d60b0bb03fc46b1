#include "rewrite/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "graph/order.h"
#include "rewrite/index.h"
#include "rewrite/termination.h"

namespace vouch {
namespace {

class Engine {
 public:
  Engine(Graph& graph, const RuleSet& rules, const RewriteOptions& options)
      : graph_(graph),
        set_(rules),
        rules_(rules.rules()),
        options_(options),
        index_(rules.index()),
        admissions_(rules_.size()),
        matcher_(graph),
        applier_(graph, options.apply),
        watch_(rules_, options.most_generations, graph.live_count()) {
    result_.fired.resize(rules_.size());
  }

  RewriteResult run() {
    graph_.begin_rewriting();
    for (bool changed = true; changed && result_.cycle.empty();) {
      ++result_.sweeps;
      changed = sweep();
    }
    return std::move(result_);
  }

 private:
  bool sweep() {
    steps_before_ = result_.steps;
    result_.refusals.clear();
    refusal_index_.clear();
    matcher_.begin_sweep();
    reverse_post_order(graph_, order_);
    sweep_limit_ = static_cast<NodeId>(graph_.id_limit());
    for (std::size_t at = 0; at < order_.size() && result_.cycle.empty(); ++at) {
      if (at % 1024 == 1023 && options_.on_progress) {
        options_.on_progress(at + 1, order_.size());
      }
      queue_.clear();
      try_rules(order_[at]);
      settle();
    }
    return !may_be_last();
  }

  // Rewrites at what came of a rewrite and around it, until nothing there matches.
  void settle() {
    for (std::size_t at = 0; at < queue_.size() && result_.cycle.empty(); ++at) {
      try_rules(queue_[at]);
    }
  }

  // Of several rules that may fire here the one that saves most, the first of equals.
  void try_rules(NodeId node) {
    if (!graph_.is_live(node) || !index_.may_match(graph_, node)) {
      return;
    }
    index_.find(graph_, node, found_, scratch_);
    if (found_.empty()) {
      return;
    }
    std::erase_if(found_, [&](std::uint32_t rule) { return (options_.phases & phase_bit(rules_[rule].phase)) == 0; });
    std::optional<std::uint32_t> best = found_.size() == 1 ? std::optional(found_[0]) : cheapest(node);
    if (best) {
      try_rule(*best, node);
    }
  }

  // The first that may fire is weighed only if another may: it is then matched again.
  std::optional<std::uint32_t> cheapest(NodeId node) {
    std::optional<std::uint32_t> first;
    weighed_.clear();
    for (std::uint32_t rule : found_) {
      const AdmittedMatch* admitted = admit(rule, node);
      if (admitted != nullptr && first) {
        weigh(rule, *admitted);
      } else if (admitted != nullptr) {
        first = rule;
      }
    }
    if (weighed_.empty()) {
      return first;
    }
    weigh(*first, *admit(*first, node));
    std::rotate(weighed_.begin(), weighed_.end() - 1, weighed_.end());
    return least_of_weighed(node);
  }

  void weigh(std::uint32_t rule, const AdmittedMatch& admitted) {
    auto change = applier_.change(admitted, error_);
    weighed_.push_back({rule, change ? std::optional(change->total()) : std::nullopt, change ? std::string() : error_});
  }

  std::optional<std::uint32_t> least_of_weighed(NodeId node) {
    const Weighed* best = nullptr;
    for (Weighed& one : weighed_) {
      if (!one.change) {
        refuse(one.rule, node, std::move(one.why_not));
      } else if (best == nullptr || *one.change < *best->change) {
        best = &one;
      }
    }
    return best == nullptr ? std::nullopt : std::optional(best->rule);
  }

  Admission& admission(std::size_t rule) {
    if (admissions_[rule] == nullptr) {
      options_.admissions.ask_soon(rule, [this] { return matching_rules(); });
      admissions_[rule] = options_.admissions ? &options_.admissions(rule) : &nothing_;
    }
    return *admissions_[rule];
  }

  std::vector<std::size_t> matching_rules() {
    std::set<std::size_t> matching;
    Matcher matcher(graph_);
    matcher.begin_sweep();
    std::vector<std::uint32_t> found;
    for (NodeId node : order_) {
      if (!graph_.is_live(node) || !index_.may_match(graph_, node)) {
        continue;
      }
      index_.find(graph_, node, found, scratch_);
      for (std::uint32_t rule : found) {
        bool may_ask = admissions_[rule] == nullptr && (options_.phases & phase_bit(rules_[rule].phase)) != 0;
        if (may_ask && !matching.contains(rule) && matcher.match_at(set_.plan(rule), node) != nullptr) {
          matching.insert(rule);
        }
      }
    }
    return {matching.begin(), matching.end()};
  }

  // Valid until the next call; null, and noted why, where the rule does not match or may not fire.
  const AdmittedMatch* admit(std::size_t rule, NodeId node) {
    const RulePlan& plan = set_.plan(rule);
    const Match* match = matcher_.match_at(plan, node);
    if (match == nullptr) {
      return nullptr;
    }
    admitted_ = admission(rule).admit(graph_, plan, *match);
    if (!admitted_) {
      if (may_be_last()) {
        refuse(rule, node, admission(rule).why_not(graph_, plan, *match));
      }
      return nullptr;
    }
    return &*admitted_;
  }

  bool try_rule(std::size_t rule, NodeId node) {
    const AdmittedMatch* found = admit(rule, node);
    if (found == nullptr) {
      return false;
    }
    const AdmittedMatch& admitted = *found;
    const RulePlan& plan = admitted.plan();
    const Match* match = &admitted.match();
    replaced_.clear();
    if (options_.on_step) {
      for (NodeId output : match->outputs) {
        replaced_.push_back(graph_.name(output));
      }
    }
    watch_.before(graph_, *match, rule);
    auto live = static_cast<std::int64_t>(graph_.live_count());
    const Application* application = applier_.apply(admitted, error_);
    if (application == nullptr) {
      refuse(rule, node, error_);
      return false;
    }
    ++result_.fired[rule];
    ++result_.steps;
    result_.cycle = watch_.after(graph_, *application, static_cast<std::int64_t>(graph_.live_count()) - live);
    if (result_.steps > options_.most_steps && result_.cycle.empty()) {
      result_.cycle = fmt::format("stopped after {} steps, last {} at '{}'", result_.steps, rules_[rule].name,
                                  graph_.name(application->results[0]));
    }
    requeue(*match, *application);
    if (options_.on_step) {
      options_.on_step({rule, &plan, match, application, &replaced_, admitted.grounds()});
    }
    applier_.drop_unread();
    return true;
  }

  // New nodes, and users of the results that this sweep has behind it: those that a rewrite of this sweep made, and with several
  // outputs any. A sweep meets operands before users, so the others are still to come.
  void requeue(const Match& match, const Application& application) {
    for (NodeId fresh : application.new_nodes) {
      if (graph_.is_live(fresh)) {
        queue_.push_back(fresh);
        matcher_.note_new_node(fresh);
      }
    }
    constexpr std::size_t kMostRequeued = 16;  // the next sweep visits the rest
    for (NodeId result : application.results) {
      std::span<const Use> uses = graph_.uses(result);
      for (std::size_t u = 0; u < std::min(uses.size(), kMostRequeued); ++u) {
        if (uses[u].user >= sweep_limit_ || match.outputs.size() > 1) {
          queue_.push_back(uses[u].user);
        }
      }
    }
  }

  // A sweep that changed something is followed by another, which tries all again: what it refuses is not told. Until then each
  // rule is tried once at a node.
  bool may_be_last() const { return result_.steps == steps_before_; }

  void refuse(std::size_t rule, NodeId node, std::string reason) {
    if (!may_be_last()) {
      return;
    }
    auto [at, is_new] = refusal_index_.emplace(std::pair(rule, reason), result_.refusals.size());
    if (is_new) {
      result_.refusals.push_back({rule, graph_.name(node), std::move(reason), 1});
    } else {
      ++result_.refusals[at->second].count;
    }
  }

  Graph& graph_;
  const RuleSet& set_;
  const std::vector<Rule>& rules_;
  const RewriteOptions& options_;
  const RuleIndex& index_;
  RuleIndex::Scratch scratch_;
  std::vector<Admission*> admissions_;  // had when a rule is first tried
  Admission nothing_ = Admission::by_scopes(nullptr, "nothing says that it is proven");
  Matcher matcher_;
  Applier applier_;
  TerminationWatch watch_;
  std::vector<NodeId> order_;
  std::vector<NodeId> queue_;
  std::vector<std::uint32_t> found_;
  std::vector<std::string> replaced_;
  std::string error_;
  NodeId sweep_limit_ = 0;
  std::optional<AdmittedMatch> admitted_;
  struct Weighed {
    std::uint32_t rule;
    std::optional<double> change;  // of the model's cost; nothing where the rule does not apply
    std::string why_not;
  };
  std::vector<Weighed> weighed_;  // at the node at hand
  std::size_t steps_before_ = 0;  // this sweep
  std::map<std::pair<std::size_t, std::string>, std::size_t> refusal_index_;
  RewriteResult result_;
};

}  // namespace

Admissions all_unproven() {
  auto everywhere = std::make_shared<Admission>(Admission::unproven());
  return [everywhere](std::size_t) -> Admission& { return *everywhere; };
}

RewriteResult rewrite(Graph& graph, const RuleSet& rules, const RewriteOptions& options) {
  return Engine(graph, rules, options).run();
}

RewriteResult rewrite(Graph& graph, const std::vector<Rule>& rules, const RewriteOptions& options) {
  return rewrite(graph, RuleSet(rules), options);
}

}  // namespace vouch
