// Proofs of equality of sums: lists of terms that cancel in pairs.
#include <fmt/format.h>

#include <algorithm>

#include "term/print.h"
#include "theorem/coq_proof.h"

namespace vouch {
namespace {

bool is_zero(Term t) { return t.kind() == TermKind::RealConst && t->value == 0; }

}  // namespace

std::optional<CoqProof::Raws> CoqProof::raws(Term t, const Substitution& by) {
  constexpr std::size_t kMost = 64;
  auto joined = [&](Raws a, const Raws& b) -> std::optional<Raws> {
    a.insert(a.end(), b.begin(), b.end());
    return a.size() > kMost ? std::nullopt : std::optional(a);
  };
  auto negated = [](Raws list) {
    for (Raw& r : list) {
      r.coefficient = -r.coefficient;
    }
    return list;
  };
  auto times = [&](const Raws& a, const Raws& b) -> std::optional<Raws> {
    Raws out;
    for (const Raw& x : a) {
      for (const Raw& y : b) {
        Raw left = renamed(x);
        Raw right = renamed(y);
        left.coefficient *= right.coefficient;
        left.bound.insert(left.bound.end(), right.bound.begin(), right.bound.end());
        left.guards.insert(left.guards.end(), right.guards.begin(), right.guards.end());
        left.leaves.insert(left.leaves.end(), right.leaves.begin(), right.leaves.end());
        out.push_back(std::move(left));
      }
    }
    return out.size() > kMost ? std::nullopt : std::optional(out);
  };
  auto guarded = [](Raws list, Term guard) {
    for (Raw& r : list) {
      r.guards.insert(r.guards.begin(), guard);
    }
    return list;
  };
  auto leaf = [&](Term term, bool inverse) { return Raws{Raw{1, {}, {}, {{term, by, inverse}}}}; };
  switch (t.kind()) {
    case TermKind::RealConst: return Raws{Raw{t->value, {}, {}, {}}};
    case TermKind::RealAdd:
    case TermKind::RealSub:
    case TermKind::RealMul: {
      auto a = raws(t.arg(0), by);
      auto b = raws(t.arg(1), by);
      if (!a || !b) {
        return std::nullopt;
      }
      return t.kind() == TermKind::RealMul ? times(*a, *b) : joined(*a, t.kind() == TermKind::RealAdd ? *b : negated(*b));
    }
    case TermKind::RealNeg: {
      auto a = raws(t.arg(0), by);
      return a ? std::optional(negated(*a)) : std::nullopt;
    }
    case TermKind::RealDiv: {
      auto a = raws(t.arg(0), by);
      bool number = t.arg(1).kind() == TermKind::RealConst && !is_zero(t.arg(1));
      return a ? times(*a, number ? Raws{Raw{1 / t.arg(1)->value, {}, {}, {}}} : leaf(t.arg(1), true)) : std::nullopt;
    }
    case TermKind::Select: {
      Term guard = substitute(t.arg(0), by);
      Raws out;
      for (bool wanted : {true, false}) {
        Term branch = t.arg(wanted ? 1 : 2);
        if (is_zero(branch)) {
          continue;
        }
        auto here = raws(branch, by);
        auto all = here ? joined(out, guarded(*here, wanted ? guard : negate(guard))) : std::nullopt;
        if (!all) {
          return std::nullopt;
        }
        out = *all;
      }
      return out;
    }
    case TermKind::Reduce: {
      if (!is_sum_over_box(t)) {
        return leaf(t, false);
      }
      Substitution inner = by;
      std::vector<std::pair<Symbol, Term>> bound;
      for (std::size_t k = 0; k < t->bound.size(); ++k) {
        Symbol index(fmt::format("{}~{}", t->bound[k].name(), ++counter_));
        bound.emplace_back(index, substitute(t.arg(k + 2), by));
        inner.insert_or_assign(t->bound[k], int_var(index));
      }
      auto body = raws(t.arg(0), inner);
      if (!body) {
        return std::nullopt;
      }
      for (Raw& r : *body) {
        if (!is_true(t.arg(1))) {
          r.guards.insert(r.guards.begin(), substitute(t.arg(1), inner));
        }
        r.bound.insert(r.bound.begin(), bound.begin(), bound.end());
        r = renamed(r);
      }
      return body;
    }
    case TermKind::Call:
      if (auto n = small_power(t)) {
        auto base = raws(t.arg(0), by);
        std::optional<Raws> out = Raws{Raw{1, {}, {}, {}}};
        for (int k = 0; base && out && k < *n; ++k) {
          out = times(*base, *out);
        }
        return base ? out : std::nullopt;
      }
      return leaf(t, false);
    default: return leaf(t, false);
  }
}

// With bound indices of its own.
CoqProof::Raw CoqProof::renamed(const Raw& raw) {
  Substitution by;
  Raw out = raw;
  for (auto& [index, extent] : out.bound) {
    std::string name(index.name());
    Symbol other(fmt::format("{}~{}", name.substr(0, name.find('~')), ++counter_));
    by.emplace(index, int_var(other));
    index = other;
  }
  if (by.empty()) {
    return out;
  }
  for (auto& [index, extent] : out.bound) {
    extent = substitute(extent, by);
  }
  for (Term& guard : out.guards) {
    guard = substitute(guard, by);
  }
  for (Leaf& leaf : out.leaves) {
    for (auto& [name, value] : leaf.by) {
      value = substitute(value, by);
    }
  }
  return out;
}

std::string CoqProof::deep(Term t, const CoqEnvironment& env, const std::vector<Symbol>& bound) {
  auto leaf = [&](const std::string& text) { return fmt::format("(Leaf (fun v : env => {}%R))", text); };
  auto inner = [&](std::size_t k) { return deep(t.arg(k), env, bound); };
  switch (t.kind()) {
    case TermKind::RealAdd: return fmt::format("(Add {} {})", inner(0), inner(1));
    case TermKind::RealSub: return fmt::format("(Sub {} {})", inner(0), inner(1));
    case TermKind::RealMul: return fmt::format("(Mul {} {})", inner(0), inner(1));
    case TermKind::RealNeg: return fmt::format("(Opp {})", inner(0));
    case TermKind::RealDiv:
      return fmt::format("(Mul {} {})", inner(0), leaf(fmt::format("(/ {})", printer_.scalar(t.arg(1), env))));
    case TermKind::Select: {
      std::string guard = printer_.guard(t.arg(0), env);
      if (is_zero(t.arg(2)) && !is_zero(t.arg(1))) {
        return fmt::format("(When (fun v : env => {}%Z) {})", guard, inner(1));
      }
      return fmt::format("(Choose (fun v : env => {}%Z) {} {})", guard, inner(1), inner(2));
    }
    case TermKind::Call:
      if (auto n = small_power(t)) {
        std::string out = leaf("1");
        for (int k = 0; k < *n; ++k) {
          out = fmt::format("(Mul {} {})", inner(0), out);
        }
        return out;
      }
      return leaf(printer_.scalar(t, env));
    case TermKind::Reduce: break;
    default: return leaf(printer_.scalar(t, env));
  }
  if (!is_sum_over_box(t)) {
    return leaf(printer_.scalar(t, env));
  }
  return deep_sum(t, env, bound);
}

std::string CoqProof::deep_sum(Term t, CoqEnvironment env, std::vector<Symbol> bound) {
  std::string head;
  std::string tail;
  auto number = [&] {
    for (std::size_t k = 0; k < bound.size(); ++k) {
      env[bound[k]] = fmt::format("(v # {})", bound.size() - 1 - k);
    }
  };
  for (std::size_t k = 0; k < t->bound.size(); ++k) {
    head += fmt::format("(Total (fun v : env => {}%Z) ", printer_.integer(t.arg(k + 2), env));
    bound.push_back(t->bound[k]);
    number();
    tail += ")";
  }
  std::string body = deep(t.arg(0), env, bound);
  if (!is_true(t.arg(1))) {
    body = fmt::format("(When (fun v : env => {}%Z) {})", printer_.guard(t.arg(1), env), body);
  }
  return head + body + tail;
}

bool CoqProof::terms(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  auto left = raws(a.term, a.by);
  auto right = raws(b.term, b.by);
  if (!left || !right) {
    reason_ = "too many terms";
    return false;
  }
  Raws list = *left;
  for (Raw& r : *right) {
    r.coefficient = -r.coefficient;
    list.push_back(r);
  }
  line(fmt::format("difference {} {}.", deep(a.term, environment(a.by), {}), deep(b.term, environment(b.by), {})));
  constexpr int kMostRounds = 80;
  for (int round = 0; !list.empty(); ++round) {
    if (round == kMostRounds) {
      return false;
    }
    if (drop_dead(list, facts) || cancel_some(list, facts, false) || cancel_some(list, facts, true)) {
      continue;
    }
    reason_ = fmt::format("{} terms are left, the first: {}", list.size(), shown(list[0]));
    return false;
  }
  line("reflexivity.");
  return true;
}

std::string CoqProof::shown(const Raw& raw) {
  std::string out;
  for (const auto& [index, extent] : raw.bound) {
    out += fmt::format("{} < {}, ", print_term(int_var(index)), print_term(extent));
  }
  for (Term guard : raw.guards) {
    out += fmt::format("[{}] ", print_term(guard));
  }
  for (const Leaf& leaf : raw.leaves) {
    out += fmt::format("{}({})", leaf.inverse ? "1/" : "", print_term(substitute(leaf.term, leaf.by)));
  }
  return out;
}

Facts CoqProof::facts_of(const Raw& raw, const Facts& facts) {
  Facts out = facts;
  for (const auto& [index, extent] : raw.bound) {
    out.push_back(in_range(int_var(index), extent));
  }
  out.insert(out.end(), raw.guards.begin(), raw.guards.end());
  return out;
}

CoqEnvironment CoqProof::numbered(const Raw& raw) {
  CoqEnvironment env;
  for (std::size_t k = 0; k < raw.bound.size(); ++k) {
    env[raw.bound[k].first] = fmt::format("(v # {})", raw.bound.size() - 1 - k);
  }
  return env;
}

std::string CoqProof::intros(const Raw& raw, const std::string& here) {
  std::string out = "intros";
  for (const auto& [index, extent] : raw.bound) {
    out += fmt::format(" {0} {0}_in", names_.of(index));
  }
  return out + " " + here + ".";
}

bool CoqProof::drop_dead(Raws& list, const Facts& facts) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    bool zero = list[i].coefficient == 0;
    if (!zero && (list[i].guards.empty() || !facts_.contradicts(facts_of(list[i], facts)))) {
      continue;
    }
    line(fmt::format("drop {}%nat. {{ {} {} }}", i, intros(list[i], fresh("here")), zero ? "ring." : "exfalso; integers."));
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

bool CoqProof::cancel_some(Raws& list, const Facts& facts, bool partial) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      if (list[i].coefficient + list[j].coefficient != 0 || list[i].leaves.size() != list[j].leaves.size()) {
        continue;
      }
      Mark before = mark();
      std::optional<Split> split;
      if (cancel(list[i], list[j], i, j, facts, partial ? &split : nullptr)) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(j));
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
      undo(before);
      if (split) {
        split_term(list, split->second ? j : i, split->guard);
        return true;
      }
    }
  }
  return false;
}

// The term at `i` by cases on a guard over its indices.
void CoqProof::split_term(Raws& list, std::size_t i, Term guard) {
  Raw raw = list[i];
  line(fmt::format("split_term {}%nat (fun v : env => {}%Z).", i, printer_.guard(guard, numbered(raw))));
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
  Raw with = renamed_with(raw, guard);
  Raw without = renamed_with(raw, negate(guard));
  list.insert(list.begin(), {with, without});
}

CoqProof::Raw CoqProof::renamed_with(const Raw& raw, Term guard) {
  Raw out = raw;
  out.guards.insert(out.guards.begin(), guard);
  return renamed(out);
}

}  // namespace vouch
