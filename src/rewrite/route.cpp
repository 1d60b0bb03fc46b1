#include "rewrite/route.h"

#include <algorithm>
#include <functional>

namespace vouch {
namespace {

bool is_choice(PatternKind kind) { return kind == PatternKind::Alternative || kind == PatternKind::Conditional; }

// Part of every match of its user, whatever options that match takes.
bool is_certain_part(const Rule& rule, PatternId user) {
  const Pattern& p = rule.pattern(user);
  return !is_choice(p.kind) && !(p.kind == PatternKind::Variadic && p.min_length == 0);
}

struct Reach {
  std::vector<bool> all;
  std::vector<bool> certain;
};

// What is matched with a pattern: the whole of it and, of that, what no option can leave out.
Reach reach_of(const Rule& rule, PatternId root) {
  Reach reach{std::vector<bool>(rule.patterns.size()), std::vector<bool>(rule.patterns.size())};
  auto walk = [&](std::vector<bool>& seen, bool certain) {
    std::vector<PatternId> pending{root};
    while (!pending.empty()) {
      PatternId next = pending.back();
      pending.pop_back();
      if (seen[next]) {
        continue;
      }
      seen[next] = true;
      if (!certain || is_certain_part(rule, next)) {
        std::vector<PatternId> below = direct_subpatterns(rule, next);
        pending.insert(pending.end(), below.begin(), below.end());
      }
    }
  };
  walk(reach.all, false);
  walk(reach.certain, true);
  return reach;
}

Hop hop_to(const Rule& rule, PatternId user, PatternId used) {
  const Pattern& p = rule.pattern(user);
  Hop hop;
  hop.pattern = user;
  hop.same_node = is_choice(p.kind);
  bool fixed = p.kind == PatternKind::Tuple || p.kind == PatternKind::Projection ||
               (p.kind == PatternKind::Call && p.op && !op_def(*p.op).traits.commutative);
  hop.any_operand = !fixed;
  hop.operand = static_cast<std::uint32_t>(std::find(p.operands.begin(), p.operands.end(), used) - p.operands.begin());
  return hop;
}

using IsStart = std::function<bool(PatternId)>;

// Down from `target` through parts that every match has; each start is found by one shortest path.
std::vector<Route> certain_routes(const Rule& rule, PatternId target, const IsStart& is_start) {
  constexpr std::size_t kMostRoutes = 8;
  std::vector<PatternId> parent(rule.patterns.size(), kNone);
  std::vector<bool> seen(rule.patterns.size());
  std::vector<PatternId> queue{target};
  std::vector<Route> routes;
  seen[target] = true;
  for (std::size_t at = 0; at < queue.size() && routes.size() < kMostRoutes; ++at) {
    PatternId next = queue[at];
    if (next != target && is_start(next)) {
      Route route{next, {}};
      for (PatternId from = next; from != target; from = parent[from]) {
        route.hops.push_back(hop_to(rule, parent[from], from));
      }
      routes.push_back(std::move(route));
      continue;
    }
    if (!is_certain_part(rule, next) || rule.pattern(next).kind == PatternKind::Instance) {
      continue;
    }
    for (PatternId part : direct_subpatterns(rule, next)) {
      if (!seen[part]) {
        seen[part] = true;
        parent[part] = next;
        queue.push_back(part);
      }
    }
  }
  return routes;
}

// Every path from every start, options included; bounded, for rules that branch without measure.
std::vector<Route> all_routes(const Rule& rule, PatternId target, const IsStart& is_start) {
  constexpr std::size_t kMostRoutes = 256;
  struct Step {
    PatternId pattern;
    std::vector<PatternId> below;
    std::size_t next = 0;
  };
  std::vector<Route> routes;
  std::vector<Step> path{{target, direct_subpatterns(rule, target)}};
  while (!path.empty() && routes.size() < kMostRoutes) {
    Step& top = path.back();
    if (top.next == top.below.size()) {
      path.pop_back();
      continue;
    }
    PatternId part = top.below[top.next++];
    if (rule.pattern(part).kind == PatternKind::Instance) {
      continue;
    }
    if (!is_start(part)) {
      path.push_back({part, direct_subpatterns(rule, part)});
      continue;
    }
    Route route{part, {}};
    PatternId used = part;
    for (std::size_t k = path.size(); k-- > 0;) {
      route.hops.push_back(hop_to(rule, path[k].pattern, used));
      used = path[k].pattern;
    }
    routes.push_back(std::move(route));
  }
  return routes;
}

// Inner vertices have few users, inputs may have many: they come first.
void order_routes(const RulePlan& plan, std::vector<Route>& routes) {
  std::stable_sort(routes.begin(), routes.end(),
                   [&](const Route& a, const Route& b) { return !plan.is_input(a.start) && plan.is_input(b.start); });
}

struct Routes {
  std::vector<Route> routes;
  bool any = true;
};

Routes find_routes(const RulePlan& plan, PatternId target, const IsStart& certain, const IsStart& possible) {
  Routes found{certain_routes(*plan.rule, target, certain), true};
  if (found.routes.empty()) {
    found = {all_routes(*plan.rule, target, possible), false};
  }
  order_routes(plan, found.routes);
  return found;
}

// Of what is matched before, does `sought` use only the start of its routes? Then a candidate that fails once fails always.
bool depends_on_start_only(const RulePlan& plan, PatternId sought, const std::vector<Route>& routes,
                           const std::function<bool(PatternId)>& before) {
  const Rule& rule = *plan.rule;
  if (routes.size() != 1 || plan.op_variables != 0) {
    return false;
  }
  PatternId start = routes[0].start;
  auto foreign = [&](PatternId used) { return used != start && before(used); };
  std::vector<bool> seen(rule.patterns.size());
  std::vector<PatternId> pending{sought};
  while (!pending.empty()) {
    PatternId next = pending.back();
    pending.pop_back();
    const Pattern& p = rule.pattern(next);
    if (foreign(next) || p.kind == PatternKind::Instance) {
      return false;
    }
    if (seen[next] || next == start) {
      continue;
    }
    seen[next] = true;
    std::vector<AttrId> exprs;
    for (const PatternAttr& attr : p.attributes) {
      exprs.push_back(attr.value);
    }
    if (p.selector != kNone) {
      exprs.push_back(p.selector);
    }
    for (AttrId expr : exprs) {
      std::vector<PatternId> used = patterns_of_attr(rule, expr);
      if (std::any_of(used.begin(), used.end(), foreign)) {
        return false;
      }
    }
    std::vector<PatternId> below = direct_subpatterns(rule, next);
    pending.insert(pending.end(), below.begin(), below.end());
  }
  return true;
}

// Branches meet in what stands outside of the variadic, matched with its first branch or before.
void plan_branches(const RulePlan& plan, OutputPlan& out, const Matched& matched) {
  const Pattern& variadic = plan.rule->pattern(out.output);
  std::vector<bool> own(plan.rule->patterns.size());
  for (PatternId id : variadic.templates) {
    own[id] = true;
  }
  own[out.output] = true;
  auto shared = [&](PatternId id) { return !own[id] && plan.owner[id] == kNone && matched.by[id] != kNone; };
  auto surely = [&](PatternId id) { return shared(id) && matched.certain[id]; };
  Routes branch = find_routes(plan, variadic.operands[0], surely, shared);
  out.branch_routes = std::move(branch.routes);
  out.any_branch_route = branch.any;
  out.branch_context_free = depends_on_start_only(plan, variadic.operands[0], out.branch_routes, shared);
}

}  // namespace

std::vector<PatternId> patterns_of_attr(const Rule& rule, AttrId attr) {
  std::vector<PatternId> out;
  std::vector<AttrId> pending{attr};
  while (!pending.empty()) {
    const AttrExpr& expr = rule.attr(pending.back());
    pending.pop_back();
    pending.insert(pending.end(), expr.args.begin(), expr.args.end());
    if (expr.kind != AttrKind::Access) {
      continue;
    }
    const Pattern* p = &rule.pattern(expr.pattern);
    out.push_back(expr.pattern);
    while (p->kind == PatternKind::Instance) {
      out.push_back(p->operands[0]);
      pending.push_back(p->selector);
      p = &rule.pattern(p->operands[0]);
    }
  }
  return out;
}

OutputPlan plan_output(const RulePlan& plan, std::uint32_t k, Matched& matched) {
  const Rule& rule = *plan.rule;
  OutputPlan out;
  out.output = rule.source_outputs[k];
  const Pattern& p = rule.pattern(out.output);
  bool variadic = p.kind == PatternKind::Variadic;
  out.sought = !variadic ? out.output : p.first.empty() ? p.operands[0] : p.first[0];
  Reach reach = reach_of(rule, out.output);
  if (k > 0) {
    // Templates belong to their branches; only what stands outside of variadics is shared by outputs.
    auto before = [&](PatternId id) { return plan.owner[id] == kNone && matched.by[id] != kNone; };
    auto surely = [&](PatternId id) { return before(id) && matched.certain[id]; };
    Routes found = find_routes(plan, out.sought, surely, before);
    out.routes = std::move(found.routes);
    out.any_route = found.any;
    out.context_free = depends_on_start_only(plan, out.sought, out.routes, before);
  }
  for (std::size_t id = 0; id < reach.all.size(); ++id) {
    if (reach.all[id] && matched.by[id] == kNone) {
      matched.by[id] = k;
    }
    matched.certain[id] = matched.certain[id] || reach.certain[id];
  }
  if (variadic) {
    plan_branches(plan, out, matched);
  }
  return out;
}

}  // namespace vouch
