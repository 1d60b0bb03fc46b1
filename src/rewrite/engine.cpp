#include "rewrite/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "graph/order.h"

namespace vouch {
namespace {

// The call that a first output is, looking through alternatives to none: only a plain call is indexed.
std::optional<OpId> root_operator(const Rule& rule) {
  PatternId root = rule.source_outputs[0];
  const Pattern* p = &rule.pattern(root);
  if (p->kind == PatternKind::Variadic) {
    p = &rule.pattern(p->first.empty() ? p->operands[0] : p->first[0]);
  }
  return p->kind == PatternKind::Call ? p->op : std::nullopt;
}

class Engine {
 public:
  Engine(Graph& graph, const std::vector<Rule>& rules, const RewriteOptions& options)
      : graph_(graph), rules_(rules), options_(options), by_operator_(op_count()) {
    for (std::size_t r = 0; r < rules.size(); ++r) {
      matchers_.emplace_back(graph, rules[r]);
      if (auto op = root_operator(rules[r])) {
        by_operator_[*op].push_back(r);
      } else {
        anywhere_.push_back(r);
      }
    }
    result_.fired.resize(rules.size());
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
    std::size_t before = result_.steps;
    std::vector<NodeId> order = reverse_post_order(graph_);
    std::size_t visited = 0;
    for (NodeId node : order) {
      if (options_.on_progress && ++visited % 1024 == 0) {
        options_.on_progress(visited, order.size());
      }
      settle(node);
      if (!result_.cycle.empty()) {
        break;
      }
    }
    return result_.steps != before;
  }

  // Rewrites at a node, then at what came of it and around it, until nothing there matches.
  void settle(NodeId start) {
    queue_.push_back(start);
    while (!queue_.empty() && result_.cycle.empty()) {
      NodeId node = queue_.front();
      queue_.pop_front();
      if (graph_.is_live(node)) {
        try_rules(node);
      }
    }
    queue_.clear();
  }

  void try_rules(NodeId node) {
    if (graph_.kind(node) == NodeKind::Call) {
      for (std::size_t r : by_operator_[graph_.op(node)]) {
        if (try_rule(r, node)) {
          return;
        }
      }
    }
    for (std::size_t r : anywhere_) {
      if (try_rule(r, node)) {
        return;
      }
    }
  }

  bool try_rule(std::size_t r, NodeId node) {
    auto match = matchers_[r].match_at(node);
    if (!match) {
      return false;
    }
    if (options_.gate) {
      if (auto refused = options_.gate(r, *match)) {
        refuse(r, node, std::move(*refused));
        return false;
      }
    }
    RewriteStep step;
    step.rule = r;
    std::uint32_t generation = 0;
    for (NodeId output : match->outputs) {
      step.replaced.push_back(graph_.name(output));
      generation = std::max(generation, generation_of(output));
    }
    std::size_t live = graph_.live_count();
    std::string error;
    auto application = apply_match(graph_, rules_[r], *match, options_.apply, error);
    if (!application) {
      refuse(r, node, std::move(error));
      return false;
    }
    // A rewrite that shrinks the graph cannot go on for ever: it makes nothing younger.
    record(r, *application, generation + (graph_.live_count() < live ? 0 : 1));
    step.match = std::move(*match);
    step.application = std::move(*application);
    if (options_.on_step) {
      options_.on_step(step);
    }
    return true;
  }

  std::uint32_t generation_of(NodeId node) const { return node < generation_.size() ? generation_[node] : 0; }

  void record(std::size_t r, const Application& application, std::uint32_t generation) {
    ++result_.fired[r];
    ++result_.steps;
    generation_.resize(graph_.id_limit());
    for (NodeId fresh : application.new_nodes) {
      generation_[fresh] = generation;
      if (graph_.is_live(fresh)) {
        queue_.push_back(fresh);
      }
    }
    // Users of the results see new operands.
    for (NodeId result : application.results) {
      std::span<const Use> uses = graph_.uses(result);
      constexpr std::size_t kMostRequeued = 16;  // later sweeps visit the rest
      for (std::size_t u = 0; u < std::min(uses.size(), kMostRequeued); ++u) {
        queue_.push_back(uses[u].user);
      }
    }
    recent_.push_back(r);
    if (recent_.size() > 32) {
      recent_.pop_front();
    }
    if (generation > options_.most_generations || result_.steps > options_.most_steps) {
      report_cycle(application);
    }
  }

  void report_cycle(const Application& application) {
    std::set<std::string> names;
    for (std::size_t r : recent_) {
      names.insert(rules_[r].name);
    }
    result_.cycle = fmt::format("the rules do not end: {} keep rewriting what they wrote, last at '{}'",
                                fmt::join(names, ", "), graph_.name(application.results[0]));
  }

  void refuse(std::size_t r, NodeId node, std::string reason) {
    auto [at, is_new] = refusal_index_.emplace(std::pair(r, reason), result_.refusals.size());
    if (is_new) {
      result_.refusals.push_back({r, graph_.name(node), std::move(reason), 1});
    } else {
      ++result_.refusals[at->second].count;
    }
  }

  Graph& graph_;
  const std::vector<Rule>& rules_;
  const RewriteOptions& options_;
  std::vector<Matcher> matchers_;
  std::vector<std::vector<std::size_t>> by_operator_;
  std::vector<std::size_t> anywhere_;
  std::vector<std::uint32_t> generation_;
  std::deque<NodeId> queue_;
  std::deque<std::size_t> recent_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> refusal_index_;
  RewriteResult result_;
};

}  // namespace

RewriteResult rewrite(Graph& graph, const std::vector<Rule>& rules, const RewriteOptions& options) {
  return Engine(graph, rules, options).run();
}

}  // namespace vouch
