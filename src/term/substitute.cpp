#include "term/substitute.h"

#include <algorithm>
#include <set>

#include "support/fault.h"
#include "support/symbols.h"

namespace vouch {

static Term rebuild_reduction(Term term, const std::vector<Symbol>& names, const std::vector<Term>& args) {
  std::vector<BoundIndex> indices;
  for (std::size_t i = 0; i < names.size(); ++i) {
    indices.push_back({names[i], args[i + 2]});
  }
  return reduce(term->reduction, indices, args[1], args[0]);
}

Term rebuild(Term term, const std::vector<Term>& args) {
  ensure(args.size() == term.args().size(), "as many arguments as before");
  switch (term.kind()) {
    case TermKind::IntConst:
    case TermKind::IntVar:
    case TermKind::BoolConst:
    case TermKind::RealConst:
    case TermKind::RealVar: return term;
    case TermKind::IntAdd: return sum_of(args);
    case TermKind::IntMul: return product_of(args);
    case TermKind::FloorDiv: return floor_div(args[0], args[1]);
    case TermKind::FloorMod: return floor_mod(args[0], args[1]);
    case TermKind::IntMin: return int_min(args[0], args[1]);
    case TermKind::IntMax: return int_max(args[0], args[1]);
    case TermKind::IntSelect: return int_select(args[0], args[1], args[2]);
    case TermKind::IntOf: return int_of(args[0]);
    case TermKind::IntLe: return le(args[0], args[1]);
    case TermKind::IntEq: return eq(args[0], args[1]);
    case TermKind::RealLt: return real_lt(args[0], args[1]);
    case TermKind::RealLe: return real_le(args[0], args[1]);
    case TermKind::RealEq: return real_eq(args[0], args[1]);
    case TermKind::And: return all_of(args);
    case TermKind::Or: return any_of(args);
    case TermKind::Not: return negate(args[0]);
    case TermKind::RealOf: return real_of(args[0]);
    case TermKind::Read: return read(term->symbol, args);
    case TermKind::RealAdd: return args[0] + args[1];
    case TermKind::RealSub: return args[0] - args[1];
    case TermKind::RealMul: return args[0] * args[1];
    case TermKind::RealDiv: return args[0] / args[1];
    case TermKind::RealNeg: return -args[0];
    case TermKind::Call: return call(term->fn, args);
    case TermKind::Select: return select(args[0], args[1], args[2]);
    case TermKind::Reduce: return rebuild_reduction(term, term->bound, args);
  }
  fault("a term of no kind");
}

Symbol fresh_name(Symbol name, const std::function<bool(Symbol)>& taken) {
  Symbol candidate = name;
  for (int i = 1; taken(candidate); ++i) {
    candidate = Symbol(name.name() + "_" + std::to_string(i));
  }
  return candidate;
}

namespace {

class Substituter {
 public:
  explicit Substituter(const Substitution& replacements) : replacements_(replacements) {}

  Term visit(Term term) {
    if (term.kind() == TermKind::IntVar || term.kind() == TermKind::RealVar) {
      return variable(term);
    }
    if (term.args().empty()) {
      return term;
    }
    if (auto known = memo_.find(term); known != memo_.end()) {
      return known->second;
    }
    Term result =
        term.kind() == TermKind::Reduce ? reduction(term) : with_arguments(term, [this](Term arg) { return visit(arg); });
    memo_.emplace(term, result);
    return result;
  }

 private:
  Term variable(Term term) const {
    auto found = replacements_.find(term->symbol);
    if (found == replacements_.end()) {
      return term;
    }
    if (found->second.sort() == term.sort()) {
      return found->second;
    }
    ensure(term.sort() == Sort::Real && found->second.sort() == Sort::Int, "a scalar term in place of an integer variable");
    return real_of(found->second);
  }

  Term reduction(Term term) {
    Substitution inner;
    std::set<Symbol> incoming;  // free in some replacement that takes part
    bool shadowed =
        std::any_of(term->bound.begin(), term->bound.end(), [this](Symbol name) { return replacements_.contains(name); });
    bool touched = false;
    for (Symbol name : free_variables(term)) {
      auto found = replacements_.find(name);
      if (found == replacements_.end()) {
        continue;
      }
      touched = true;
      if (contains(term->bound, name)) {
        continue;  // free in an extent only
      }
      inner.insert(*found);
      for (Symbol free : free_variables(found->second)) {
        incoming.insert(free);
      }
    }
    if (!touched) {
      return term;
    }
    bool captures = std::any_of(term->bound.begin(), term->bound.end(), [&](Symbol name) { return incoming.contains(name); });
    if (!shadowed && !captures) {
      return with_arguments(term, [this](Term arg) { return visit(arg); });
    }
    return renamed_reduction(term, std::move(inner), incoming);
  }

  // Bound indices in `incoming` get new names; extents are outside of their scope.
  Term renamed_reduction(Term term, Substitution inner, const std::set<Symbol>& incoming) {
    std::vector<Symbol> taken = free_variables(term.arg(1));
    std::vector<Symbol> body_names = free_variables(term.arg(0));
    taken.insert(taken.end(), body_names.begin(), body_names.end());
    taken.insert(taken.end(), term->bound.begin(), term->bound.end());
    std::vector<Symbol> names;
    for (Symbol name : term->bound) {
      names.push_back(name);
      if (incoming.contains(name)) {
        names.back() = fresh_name(name, [&](Symbol s) { return incoming.contains(s) || contains(taken, s); });
        taken.push_back(names.back());
        inner.insert_or_assign(name, int_var(names.back()));
      }
    }
    Substituter within(inner);
    std::vector<Term> args = {within.visit(term.arg(0)), within.visit(term.arg(1))};
    for (std::size_t i = 2; i < term.args().size(); ++i) {
      args.push_back(visit(term.arg(i)));
    }
    return rebuild_reduction(term, names, args);
  }

  const Substitution& replacements_;
  std::unordered_map<Term, Term> memo_;
};

class ReadReplacer {
 public:
  explicit ReadReplacer(const ReadReplacement& replacement) : replacement_(replacement) {}

  Term visit(Term term) {
    if (term.args().empty() && term.kind() != TermKind::Read) {
      return term;
    }
    if (auto known = memo_.find(term); known != memo_.end()) {
      return known->second;
    }
    Term result = term.kind() == TermKind::Reduce && !tensors_read(term).empty()
                      ? reduction(term)
                      : with_arguments(term, [this](Term arg) { return visit(arg); });
    if (result.kind() == TermKind::Read && term.kind() == TermKind::Read) {
      result = replacement_(result->symbol, result.args()).value_or(result);
    }
    memo_.emplace(term, result);
    return result;
  }

 private:
  // Inside, bound indices have names that no replacement can bring in by itself; afterwards they get their old names
  // back unless a replacement did bring those in.
  Term reduction(Term term) {
    ++depth_;
    std::vector<Symbol> hidden;
    Substitution hide;
    for (Symbol name : term->bound) {
      hidden.emplace_back(name.name() + "'" + std::to_string(depth_));
      hide.insert_or_assign(name, int_var(hidden.back()));
    }
    Term body = visit(substitute(term.arg(0), hide));
    Term guard = visit(substitute(term.arg(1), hide));
    --depth_;
    std::vector<Symbol> free = free_variables(body);
    std::vector<Symbol> guard_free = free_variables(guard);
    free.insert(free.end(), guard_free.begin(), guard_free.end());
    std::vector<Symbol> names;
    Substitution show;
    for (std::size_t i = 0; i < hidden.size(); ++i) {
      names.push_back(fresh_name(term->bound[i], [&](Symbol s) { return contains(free, s) || contains(names, s); }));
      show.insert_or_assign(hidden[i], int_var(names.back()));
    }
    std::vector<Term> args = {substitute(body, show), substitute(guard, show)};
    for (std::size_t i = 2; i < term.args().size(); ++i) {
      args.push_back(visit(term.arg(i)));
    }
    return rebuild_reduction(term, names, args);
  }

  const ReadReplacement& replacement_;
  std::unordered_map<Term, Term> memo_;
  int depth_ = 0;
};

class BoundFreshener {
 public:
  explicit BoundFreshener(const std::function<bool(Symbol)>& taken) : taken_(taken) {}

  Term visit(Term term) {
    if (term.args().empty()) {
      return term;
    }
    if (auto known = memo_.find(term); known != memo_.end()) {
      return known->second;
    }
    Term result = with_arguments(term, [this](Term arg) { return visit(arg); });
    if (result.kind() == TermKind::Reduce) {
      result = renamed(result);
    }
    memo_.emplace(term, result);
    return result;
  }

 private:
  Term renamed(Term term) const {
    std::vector<Symbol> inside = free_variables(term.arg(0));
    std::vector<Symbol> guard_names = free_variables(term.arg(1));
    inside.insert(inside.end(), guard_names.begin(), guard_names.end());
    std::vector<Symbol> names;
    Substitution renaming;
    for (Symbol old : term->bound) {
      names.push_back(fresh_name(old, [&](Symbol s) {
        return taken_(s) || contains(names, s) || (s != old && (contains(inside, s) || contains(term->bound, s)));
      }));
      renaming.insert_or_assign(old, int_var(names.back()));
    }
    std::vector<Term> args(term.args().begin(), term.args().end());
    args[0] = substitute(args[0], renaming);
    args[1] = substitute(args[1], renaming);
    return names == term->bound ? term : rebuild_reduction(term, names, args);
  }

  const std::function<bool(Symbol)>& taken_;
  std::unordered_map<Term, Term> memo_;
};

}  // namespace

Term freshen_bound(Term term, const std::function<bool(Symbol)>& taken) { return BoundFreshener(taken).visit(term); }

Term substitute(Term term, const Substitution& replacements) {
  return replacements.empty() ? term : Substituter(replacements).visit(term);
}

Term substitute(Term term, Symbol name, Term replacement) { return substitute(term, Substitution{{name, replacement}}); }

Term replace_reads(Term term, const ReadReplacement& replacement) { return ReadReplacer(replacement).visit(term); }

}  // namespace vouch
