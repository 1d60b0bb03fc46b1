// Maxima and minima: determined by the sets of values they range over.
#include <algorithm>
#include <deque>
#include <iterator>

#include "algebra/equality.h"
#include "term/print.h"

namespace vouch {

// Without guards in the bodies and without reductions of the same kind inside: both move into the domain.
std::optional<std::vector<Equality::Piece>> Equality::pieces(AtomRef a, const Context& context) {
  a = apart(a, context);
  std::vector<Piece> out;
  std::deque<Piece> open{{a->bound, a->guards, a->args[0]}};
  constexpr std::size_t kMost = 64;
  for (std::size_t steps = 0; !open.empty(); ++steps) {
    if (steps == kMost) {
      return std::nullopt;
    }
    Piece piece = std::move(open.front());
    open.pop_front();
    Context inside = context.with(piece.guards);
    if (contradicts(inside)) {
      continue;
    }
    piece.body = simplified(piece.body, inside);
    if (auto g = free_guard({piece.body}, {})) {
      for (const Literal& h : {*g, FormBuilder::negated(*g)}) {
        open.push_back(piece);
        open.back().guards.push_back(h);
      }
      continue;
    }
    if (is_one_atom(piece.body, AtomKind::Reduction) && piece.body[0].factors[0].atom->reduction == a->reduction) {
      const Atom& below = *apart(piece.body[0].factors[0].atom, inside);
      piece.bound.insert(piece.bound.end(), below.bound.begin(), below.bound.end());
      piece.guards.insert(piece.guards.end(), below.guards.begin(), below.guards.end());
      piece.body = below.args[0];
      open.push_back(std::move(piece));
      continue;
    }
    if (auto periods = by_periods(piece, context)) {
      open.push_back(std::move(*periods));
      continue;
    }
    // The largest of some is one of them, whichever it is.
    std::string_view chosen = fn_name(a->reduction == Reduction::Max ? Fn::Max : Fn::Min);
    bool extremum = a->reduction == Reduction::Max || a->reduction == Reduction::Min;
    if (extremum && is_one_atom(piece.body, AtomKind::Function) && piece.body[0].factors[0].atom->name == chosen) {
      for (const NormalForm& one : piece.body[0].factors[0].atom->args) {
        open.push_back({piece.bound, piece.guards, one});
      }
      continue;
    }
    out.push_back(std::move(piece));
  }
  return out;
}

// Every value of the one occurs among the values of the other, and the other way round. (Where one has no value at all
// the other has none either.)
bool Equality::equal_extrema(AtomRef a, AtomRef b, const Context& context, int depth) {
  auto mine = pieces(a, context);
  auto theirs = mine ? pieces(b, context) : std::nullopt;
  return theirs && covers(*mine, *theirs, context, depth) && covers(*theirs, *mine, context, depth);
}

bool Equality::covers(const std::vector<Piece>& values, const std::vector<Piece>& by, const Context& context, int depth) {
  struct Work {
    Piece piece;
    int splits;
  };
  std::deque<Work> open;
  for (const Piece& p : values) {
    open.push_back({p, 0});
  }
  constexpr int kMostSplits = 6;
  while (!open.empty()) {
    Work work = std::move(open.front());
    open.pop_front();
    if (contradicts(context.with(work.piece.guards))) {
      continue;
    }
    if (work.splits > kMostSplits || fuel_ == 0) {
      return false;
    }
    bool done = false;
    for (const Piece& p : by) {
      std::vector<Piece> left;
      if (covered(work.piece, p, context, depth, left)) {
        for (Piece& rest : left) {
          open.push_back({std::move(rest), work.splits + 1});
        }
        done = true;
        break;
      }
    }
    if (!done) {
      return false;
    }
  }
  return true;
}

namespace {

// Candidates for an index that nothing determines: the ends of its range.
void add_ends(Symbol index, const std::vector<Literal>& guards, std::vector<Term>& out) {
  for (const Literal& g : guards) {
    if (g.sign || g.fact.kind() != TermKind::IntLe) {
      continue;
    }
    Term room = g.fact.arg(1) - g.fact.arg(0);
    std::optional<Term> end;
    if (!mentions(room - int_var(index), index)) {
      end = int_var(index) - room;
    } else if (!mentions(room + int_var(index), index)) {
      end = room + int_var(index);
    }
    if (end && std::find(out.begin(), out.end(), *end) == out.end()) {
      out.push_back(*end);
    }
  }
}

}  // namespace

// The ends of an index's range, and where another index is what remains of a sum with it, those that that one's range leaves it.
std::vector<Term> Equality::ends_by(Symbol index, const std::vector<Symbol>& unknowns, const std::vector<Literal>& guards,
                                    const std::vector<Term>& equations, const Map& known) {
  std::vector<Term> ends;
  add_ends(index, guards, ends);
  for (Term equation : equations) {
    Term e = without_remainders(substitute(equation, known));
    for (Symbol other : mentions(e, index) ? unknowns : std::vector<Symbol>()) {
      auto rest = other == index || known.contains(other) ? std::nullopt : solved_for(other, e, 0);
      if (!rest) {
        continue;
      }
      std::vector<Literal> mapped;
      std::transform(guards.begin(), guards.end(), std::back_inserter(mapped), [&](const Literal& g) {
        return forms_.substituted(g, Substitution{{other, *rest}});
      });
      add_ends(index, mapped, ends);
    }
  }
  return ends;
}

// An index of `by` for each index of `value`, by equations between the bodies; `left` is where it is out of range.
bool Equality::covered(const Piece& value, const Piece& by, const Context& context, int depth, std::vector<Piece>& left) {
  Substitution rename;
  std::vector<Symbol> unknowns;
  for (Symbol b : by.bound) {
    unknowns.push_back(forms_.fresh(b));
    rename.emplace(b, int_var(unknowns.back()));
  }
  std::vector<Literal> guards;
  for (const Literal& g : by.guards) {
    guards.push_back(forms_.substituted(g, rename));
  }
  NormalForm body = forms_.substituted(by.body, rename);
  std::vector<Term> equal;
  equations(value.body, body, equal);
  std::vector<Map> maps{solve(equal, unknowns, guards)};
  for (Symbol u : unknowns) {
    std::vector<Map> next;
    for (const Map& map : maps) {
      if (map.contains(u)) {
        next.push_back(map);
        continue;
      }
      for (Term end : ends_by(u, unknowns, guards, equal, map)) {
        Map more = map;
        more[u] = without_remainders(substitute(end, map));
        std::vector<Term> rest;
        for (Term e : equal) {
          rest.push_back(without_remainders(substitute(e, more)));
        }
        Map solved = solve(rest, unknowns, guards);
        more.insert(solved.begin(), solved.end());
        next.push_back(std::move(more));
      }
    }
    constexpr std::size_t kMostMaps = 32;
    next.resize(std::min(next.size(), kMostMaps));
    maps = std::move(next);
  }
  if (value.bound.size() == unknowns.size()) {  // index by index, where equations are not solved for want of unit coefficients
    Map same;
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      same.emplace(unknowns[k], int_var(value.bound[k]));
    }
    maps.push_back(std::move(same));
  }
  const std::size_t by_quotients = maps.size();
  if (Map quotients = solve(equal, unknowns, guards); add_quotients(equal, unknowns, quotients)) {
    maps.push_back(std::move(quotients));
  }
  Context inside = context.with(value.guards);
  for (std::size_t at = 0; at < maps.size(); ++at) {
    Map& map = maps[at];
    if (fuel_ == 0) {
      return false;
    }
    --fuel_;
    for (auto& [name, term] : map) {
      term = without_remainders(substitute(term, map));
    }
    bool total = std::all_of(unknowns.begin(), unknowns.end(), [&](Symbol u) { return map.contains(u); }) &&
                 std::none_of(map.begin(), map.end(), [&](const auto& entry) {
                   return std::any_of(unknowns.begin(), unknowns.end(), [&](Symbol u) { return mentions(entry.second, u); });
                 });
    if (!total) {
      continue;
    }
    std::vector<Literal> missing;
    for (const Literal& g : guards) {
      Literal mapped = forms_.substituted(g, map);
      if (!(mapped.sign == nullptr && is_true(mapped.fact)) && !entails(inside, mapped)) {
        missing.push_back(mapped);
      }
    }
    for (Term equation : at >= by_quotients ? equal : std::vector<Term>()) {
      Term e = without_remainders(substitute(equation, map));
      if (!arithmetic_.entails(inside.with(missing).facts, eq(e, 0))) {
        missing.push_back({eq(e, 0), nullptr, 0});
      }
    }
    Context both = inside.with(missing);
    if (!missing.empty() && contradicts(both)) {
      continue;
    }
    NormalForm difference = simplified(value.body, both);
    for (const Summand& s : forms_.scaled(-1, simplified(forms_.substituted(body, map), both))) {
      difference.push_back(s);
    }
    if (!vanishes(forms_.merged(difference), both, depth + 1)) {
      continue;
    }
    std::vector<Literal> before;
    for (const Literal& g : missing) {
      Piece rest = value;
      rest.guards.insert(rest.guards.end(), before.begin(), before.end());
      rest.guards.push_back(FormBuilder::negated(g));
      left.push_back(std::move(rest));
      before.push_back(g);
    }
    return true;
  }
  return false;
}

namespace {

// The least values of an index by the guards that limit it from below; nothing if it also occurs where it cannot be solved for.
std::optional<std::vector<Term>> least_values(Symbol index, const std::vector<Literal>& guards) {
  std::vector<Term> out;
  for (const Literal& g : guards) {
    if (g.sign || !mentions(g.fact, index)) {
      continue;
    }
    if (g.fact.kind() != TermKind::IntLe) {
      return std::nullopt;
    }
    Term room = g.fact.arg(1) - g.fact.arg(0);
    Term factor = 0;
    for (const Monomial& m : monomials(room)) {
      auto at = std::find(m.atoms.begin(), m.atoms.end(), int_var(index));
      if (at != m.atoms.end()) {
        Monomial rest = m;
        rest.atoms.erase(rest.atoms.begin() + (at - m.atoms.begin()));
        factor = factor + from_monomials({rest});
      }
    }
    std::vector<Monomial> ms = monomials(factor);
    Term rest = room - factor * int_var(index);
    if (ms.size() != 1 || mentions(factor, index) || mentions(rest, index)) {
      return std::nullopt;
    }
    if (ms[0].coefficient.sign() > 0) {
      out.push_back(factor == Term(1) ? -rest : floor_div(-rest + factor - 1, factor));
    }
  }
  return out;
}

}  // namespace

bool Equality::has_point(const Summand& summand, const Context& context) {
  Summand fresh = context.speaks_of(summand.bound) ? forms_.with_fresh_bound(summand) : summand;
  Atom domain;
  domain.kind = AtomKind::Reduction;
  domain.bound = fresh.bound;
  domain.guards = fresh.guards;
  return has_value(domain, context);
}

// Is there a value whatever the sizes are? By cases on the choices that the facts make (a last window may be left out).
bool Equality::has_value(const Atom& extremum, const Context& context) {
  for (Term fact : context.facts) {
    std::vector<Term> atoms = deep_atoms(fact);
    auto choice = std::find_if(atoms.begin(), atoms.end(), [](Term a) { return a.kind() == TermKind::IntSelect; });
    if (choice == atoms.end()) {
      continue;
    }
    auto holds_where = [&](bool taken) {
      Context here = context;
      for (Term& each : here.facts) {
        each = replaced(each, *choice, choice->arg(taken ? 1 : 2));
      }
      here.facts.push_back(without_remainders(taken ? choice->arg(0) : negate(choice->arg(0))));
      return contradicts(here) || has_value(extremum, here);
    };
    return holds_where(true) && holds_where(false);
  }
  return reaches_value(extremum, context);
}

// Each index is tried at the largest of its lower limits, whichever that is.
bool Equality::reaches_value(const Atom& extremum, const Context& context) {
  if (extremum.bound.empty()) {
    return extremum.guards.empty();
  }
  for (Symbol index : extremum.bound) {
    std::vector<Literal> here;
    for (const Literal& g : extremum.guards) {
      std::vector<Symbol> names = free_symbols(g);
      auto others = std::count_if(extremum.bound.begin(), extremum.bound.end(), [&](Symbol b) { return has_symbol(names, b); });
      if (g.sign || others == 0 || (has_symbol(names, index) && others > 1)) {
        return false;
      }
      if (has_symbol(names, index)) {
        here.push_back(g);
      }
    }
    auto limits = least_values(index, here);
    if (!limits || limits->empty()) {
      return false;
    }
    for (Term limit : *limits) {
      Context largest = context;
      for (Term other : *limits) {
        largest.facts.push_back(le(other, limit));
      }
      bool all = contradicts(largest) || std::all_of(here.begin(), here.end(), [&](const Literal& g) {
                   return arithmetic_.entails(largest.facts, without_remainders(substitute(g.fact, index, limit)));
                 });
      bool divides =
          std::all_of(divisors_of(limit).begin(), divisors_of(limit).end(), [&](Term m) { return arithmetic_.is_positive(m); });
      if (!all || !divides) {
        return false;
      }
    }
  }
  return true;
}

// The summand that is an extremum times a number, if there is one: which of the two functions it is then.
static std::optional<std::size_t> extremum_among(const NormalForm& form, Reduction wanted) {
  for (std::size_t k = 0; k < form.size(); ++k) {
    const Summand& s = form[k];
    bool lone = s.bound.empty() && s.guards.empty() && s.factors.size() == 1 && s.factors[0].exponent == 1 &&
                s.factors[0].atom->kind == AtomKind::Reduction;
    Reduction other = wanted == Reduction::Max ? Reduction::Min : Reduction::Max;
    if (lone && s.factors[0].atom->reduction == (s.coefficient.sign() > 0 ? wanted : other)) {
      return k;
    }
  }
  return std::nullopt;
}

std::optional<NormalForm> Equality::moved_inside(const std::string& name, const std::vector<NormalForm>& args,
                                                 const Context& context) {
  bool max = name == fn_name(Fn::Max);
  if (!max && name != fn_name(Fn::Min)) {
    return std::nullopt;
  }
  Reduction reduction = max ? Reduction::Max : Reduction::Min;
  for (std::size_t k = 0; k < args.size(); ++k) {
    auto at = extremum_among(args[k], reduction);
    bool alone = at && args[k].size() == 1 && is_one(args[k][0].coefficient);
    if (!at || (!alone && forms_.algebra() == Algebra::Exact)) {
      continue;
    }
    const Summand& summand = args[k][*at];
    const Atom& extremum = *forms_.with_fresh_bound(summand.factors[0].atom);
    if (!has_value(extremum, context)) {
      continue;
    }
    NormalForm body = args[k];
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(*at));
    std::vector<NormalForm> inner = args;
    inner[k] = forms_.sum(body, forms_.scaled(summand.coefficient, extremum.args[0]));
    return forms_.reduction(reduction, extremum.bound, extremum.guards, forms_.largest(name, inner));
  }
  return std::nullopt;
}

}  // namespace vouch
