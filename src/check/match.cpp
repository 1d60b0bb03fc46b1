// Matching of summands: bijections between their domains under which their atoms agree.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "check/equality.h"
#include "term/print.h"

namespace vouch {

std::string skeleton(AtomRef a) {
  switch (a->kind) {
    case AtomKind::Read: return fmt::format("[{}", a->symbol.name());
    case AtomKind::RealVar: return fmt::format("v{}", a->symbol.name());
    case AtomKind::Whole: return "n";
    case AtomKind::Function: return fmt::format("f{}/{}", a->name, a->args.size());
    case AtomKind::Reduction: return fmt::format("r{}", static_cast<int>(a->reduction));
    case AtomKind::Group: return "g";
    case AtomKind::Sign: return "s";
  }
  return {};
}

namespace {

std::vector<std::string> skeleton_of(const Summand& s) {
  std::vector<std::string> out;
  for (const Factor& f : s.factors) {
    out.push_back(fmt::format("{}^{}", skeleton(f.atom), f.exponent));
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool alike(const NormalForm& a, const NormalForm& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Summand& x, const Summand& y) { return skeleton_of(x) == skeleton_of(y); });
}

// Either order of the two operands means the same.
bool commutes(AtomRef a) {
  return a->kind == AtomKind::Function && a->args.size() == 2 &&
         (a->name == "add" || a->name == "mul" || a->name == fn_name(Fn::Max) || a->name == fn_name(Fn::Min));
}

bool mentions_any(Term term, const std::vector<Symbol>& names) {
  return std::any_of(names.begin(), names.end(), [&](Symbol n) { return mentions(term, n); });
}

}  // namespace

bool Equality::equal(const NormalForm& a, const NormalForm& b, const Context& context) {
  remainder_.clear();
  if (equal_as_written(a, b, context)) {
    return true;
  }
  NormalForm difference = simplified(a, context);
  for (const Summand& s : forms_.scaled(-1, simplified(b, context))) {
    difference.push_back(s);
  }
  return vanishes(forms_.merged(difference), context, 0);
}

// Most rules leave most of an element as it is: a match without simplification is tried first, since it costs so little.
bool Equality::equal_as_written(const NormalForm& a, const NormalForm& b, const Context& context) {
  std::size_t fuel = std::exchange(fuel_, std::min<std::size_t>(fuel_, 40));
  as_written_ = true;
  bool equal = vanishes(difference_of(a, b), context, 0);
  as_written_ = false;
  fuel_ = fuel;
  return equal;
}

NormalForm Equality::difference_of(const NormalForm& a, const NormalForm& b) const {
  NormalForm difference = a;
  NormalForm minus = forms_.scaled(-1, b);
  difference.insert(difference.end(), minus.begin(), minus.end());
  return forms_.merged(difference);
}

bool Equality::vanishes(NormalForm form, const Context& context, int depth) {
  constexpr int kMostRounds = 60;
  constexpr int kDeepest = 8;
  if (depth > kDeepest) {
    return false;
  }
  for (int round = 0; !form.empty(); ++round) {
    if (round == kMostRounds || fuel_ == 0) {
      return false;
    }
    struct Pair {
      std::size_t i, j, cost;
    };
    std::vector<Pair> pairs;
    std::vector<std::vector<std::string>> skeletons;
    for (const Summand& s : form) {
      skeletons.push_back(skeleton_of(s));
    }
    for (std::size_t i = 0; i < form.size(); ++i) {
      for (std::size_t j = i + 1; j < form.size(); ++j) {
        if (skeletons[i] == skeletons[j]) {
          bool opposite = form[i].coefficient + form[j].coefficient == 0;
          std::size_t apart = form[i].guards.size() > form[j].guards.size() ? form[i].guards.size() - form[j].guards.size()
                                                                            : form[j].guards.size() - form[i].guards.size();
          pairs.push_back({i, j, (opposite ? 0U : 1000U) + apart});
        }
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.cost < b.cost; });
    std::optional<NormalForm> next;
    for (bool partial : {false, true}) {
      if (partial && as_written_) {
        break;
      }
      for (const Pair& p : pairs) {
        auto left = match(form[p.i], form[p.j], context, partial, depth);
        if (!left) {
          continue;
        }
        NormalForm rest;
        for (std::size_t k = 0; k < form.size(); ++k) {
          if (k != p.i && k != p.j) {
            rest.push_back(form[k]);
          }
        }
        for (const Summand& s : *left) {
          NormalForm here = as_written_ ? NormalForm{s} : simplified(s, context);
          rest.insert(rest.end(), here.begin(), here.end());
        }
        next = forms_.merged(rest);
        break;
      }
      if (next) {
        break;
      }
    }
    if (!next) {
      return !as_written_ && split_and_vanish(form, context, depth);
    }
    form = std::move(*next);
  }
  return true;
}

// By cases on a guard that mentions nothing bound; then on a minimum, maximum or choice among sizes.
bool Equality::split_and_vanish(const NormalForm& form, const Context& context, int depth) {
  auto remember = [&] {
    if (remainder_.empty()) {
      remainder_ = forms_.text(form);
    }
    return false;
  };
  constexpr int kMostSplits = 8;
  if (depth >= kMostSplits) {
    return remember();
  }
  std::optional<Literal> by;
  for (const Summand& s : form) {
    for (const Literal& g : s.guards) {
      std::vector<Symbol> names = free_symbols(g);
      if (!by && std::none_of(s.bound.begin(), s.bound.end(), [&](Symbol b) { return has_symbol(names, b); })) {
        by = g;
      }
    }
  }
  if (!by) {
    by = open_choice(form);
  }
  if (!by) {
    return remember();
  }
  for (const Literal& half : {*by, FormBuilder::negated(*by)}) {
    Context here = context.with({half});
    if (!contradicts(here) && !vanishes(simplified(form, here), here, depth + 1)) {
      return remember();
    }
  }
  return true;
}

// A comparison that decides a minimum, maximum or choice without bound indices inside of the form.
std::optional<Literal> Equality::open_choice(const NormalForm& form) {
  std::optional<Literal> found;
  for (const Summand& s : form) {
    auto look = [&](Term t) {
      for (Term atom : deep_atoms(t)) {
        if (found || mentions_any(atom, s.bound) || !tensors_read(atom).empty()) {
          continue;
        }
        bool local = std::any_of(symbols_of(atom).begin(), symbols_of(atom).end(),
                                 [](Symbol n) { return n.name().find('\'') != std::string::npos; });
        if (local) {
          continue;
        }
        if (atom.kind() == TermKind::IntMin || atom.kind() == TermKind::IntMax) {
          found = Literal{le(atom.arg(0), atom.arg(1)), nullptr, 0};
        } else if (atom.kind() == TermKind::IntSelect) {
          found = Literal{atom.arg(0), nullptr, 0};
        }
      }
      return t;
    };
    (void)forms_.mapped(s, look);
    if (found) {
      return found;
    }
  }
  return found;
}

// --- equations between indices

void Equality::equations(AtomRef a, AtomRef b, std::vector<Term>& out) {
  if (a->kind != b->kind || a->indices.size() != b->indices.size() || a->args.size() != b->args.size() ||
      a->bound.size() != b->bound.size()) {
    return;
  }
  for (std::size_t k = 0; k < a->indices.size(); ++k) {
    out.push_back(a->indices[k] - b->indices[k]);
  }
  Substitution rename;
  for (std::size_t k = 0; k < a->bound.size(); ++k) {
    rename.emplace(b->bound[k], int_var(a->bound[k]));
  }
  bool crossed = commutes(a) && !(alike(a->args[0], b->args[0]) && alike(a->args[1], b->args[1])) &&
                 alike(a->args[0], b->args[1]) && alike(a->args[1], b->args[0]);
  for (std::size_t k = 0; k < a->args.size(); ++k) {
    equations(a->args[k], forms_.substituted(b->args[crossed ? 1 - k : k], rename), out);
  }
}

void Equality::equations(const NormalForm& a, const NormalForm& b, std::vector<Term>& out) {
  if (a.size() != 1 || b.size() != 1 || a[0].factors.size() != b[0].factors.size() || a[0].bound.size() != b[0].bound.size()) {
    return;
  }
  Substitution rename;
  for (std::size_t k = 0; k < a[0].bound.size(); ++k) {
    rename.emplace(b[0].bound[k], int_var(a[0].bound[k]));
  }
  for (std::size_t k = 0; k < a[0].factors.size(); ++k) {
    AtomRef x = a[0].factors[k].atom;
    AtomRef y = b[0].factors[k].atom;
    if (skeleton(x) == skeleton(y)) {
      equations(x, forms_.substituted(y, rename), out);
    }
  }
}

// Equations (terms that are 0) solved for unknowns: where one has coefficient 1 and stands alone, as a quotient of unknowns,
// or as the last digit of a mixed radix number. What is found is checked by whoever asks.
Equality::Map Equality::solve(std::vector<Term> equations, const std::vector<Symbol>& unknowns_given,
                              const std::vector<Literal>& guards) {
  std::vector<Symbol> unknowns = unknowns_given;
  Map found;
  std::vector<std::pair<Term, Term>> quotients;
  auto open = [&](Term t) { return mentions_any(t, unknowns); };
  constexpr int kMostRounds = 24;
  for (int round = 0; round < kMostRounds; ++round) {
    bool changed = false;
    std::vector<Term> rest;
    for (Term e : equations) {
      for (const auto& [atom, value] : quotients) {
        e = replaced(e, atom, value);
      }
      e = without_remainders(substitute(e, found));
      if (open(e)) {
        rest.push_back(e);
      }
    }
    equations = std::move(rest);
    for (std::size_t k = 0; k < equations.size() && !changed; ++k) {
      std::vector<Monomial> ms = monomials(equations[k]);
      std::vector<Term> atoms;
      for (const Monomial& m : ms) {
        for (Term a : m.atoms) {
          if (open(a) && std::find(atoms.begin(), atoms.end(), a) == atoms.end()) {
            atoms.push_back(a);
          }
        }
      }
      for (Term a : atoms) {
        auto unit = std::find_if(ms.begin(), ms.end(), [&](const Monomial& m) { return m.atoms == std::vector{a}; });
        auto uses = std::count_if(ms.begin(), ms.end(), [&](const Monomial& m) {
          return std::find(m.atoms.begin(), m.atoms.end(), a) != m.atoms.end();
        });
        if (unit == ms.end() || uses != 1 || (unit->coefficient != 1 && unit->coefficient != -1)) {
          continue;
        }
        Term value = int_const(-unit->coefficient) * (equations[k] - int_const(unit->coefficient) * a);
        if (atoms.size() == 1) {
          if (a.kind() == TermKind::IntVar) {
            found[a->symbol] = value;
            std::erase(unknowns, a->symbol);
          } else {
            quotients.emplace_back(a, value);
          }
          changed = true;
          break;
        }
        // a + (a multiple of the bound of a) == known: quotient and remainder.
        if (a.kind() != TermKind::IntVar) {
          continue;
        }
        auto bound = upper_bound(a, guards, unknowns);
        if (!bound) {
          continue;
        }
        std::vector<Monomial> unknown_part;
        for (const Monomial& m : monomials(value)) {
          if (std::any_of(m.atoms.begin(), m.atoms.end(), open)) {
            unknown_part.push_back({-m.coefficient, m.atoms});
          }
        }
        Term multiple = from_monomials(unknown_part);
        Term known = value + multiple;
        auto [whole, left] = divide(multiple, *bound);
        if (left != Term(0) || open(known)) {
          continue;
        }
        Term quotient = floor_div(known, *bound);
        found[a->symbol] = known - *bound * quotient;
        std::erase(unknowns, a->symbol);
        equations.push_back(whole - quotient);
        changed = true;
        break;
      }
    }
    if (!changed) {
      break;
    }
  }
  for (int k = 0; k < 3; ++k) {
    for (auto& [name, value] : found) {
      value = without_remainders(substitute(value, found));
    }
  }
  std::erase_if(found, [&](const auto& entry) { return mentions_any(entry.second, unknowns_given); });
  return found;
}

// n of a guard a <= n - 1.
std::optional<Term> Equality::upper_bound(Term a, const std::vector<Literal>& guards, const std::vector<Symbol>& unknowns) {
  for (const Literal& g : guards) {
    if (g.sign || g.fact.kind() != TermKind::IntLe) {
      continue;
    }
    Term n = g.fact.arg(1) - g.fact.arg(0) + a + 1;
    if (!mentions_any(n, unknowns) && !mentions(n, a->symbol)) {
      return n;
    }
  }
  return std::nullopt;
}

// --- matching

std::vector<Equality::Pairing> Equality::pairings(const Summand& a, const Summand& b) const {
  constexpr std::size_t kMost = 24;
  std::vector<std::pair<Pairing, std::vector<Factor>>> open{{{}, b.factors}};
  for (const Factor& f : a.factors) {
    std::vector<std::pair<Pairing, std::vector<Factor>>> next;
    for (const auto& [done, left] : open) {
      for (std::size_t k = 0; k < left.size() && next.size() < kMost; ++k) {
        if (left[k].exponent == f.exponent && skeleton(left[k].atom) == skeleton(f.atom)) {
          next.push_back({done, left});
          next.back().first.emplace_back(f, left[k]);
          next.back().second.erase(next.back().second.begin() + static_cast<std::ptrdiff_t>(k));
        }
      }
    }
    open = std::move(next);
  }
  std::vector<Pairing> out;
  for (auto& [done, left] : open) {
    out.push_back(std::move(done));
  }
  return out;
}

std::optional<NormalForm> Equality::match(const Summand& a, const Summand& b_given, const Context& context, bool partial,
                                          int depth) {
  Summand b = forms_.with_fresh_bound(b_given);
  for (const Pairing& pairing : pairings(a, b)) {
    std::vector<Term> equal;
    for (const auto& [x, y] : pairing) {
      equations(x.atom, y.atom, equal);
    }
    Map phi = solve(equal, b.bound, b.guards);
    Map psi = solve(equal, a.bound, a.guards);
    std::vector<Symbol> open_b;
    std::vector<Symbol> open_a;
    std::copy_if(b.bound.begin(), b.bound.end(), std::back_inserter(open_b), [&](Symbol s) { return !phi.contains(s); });
    std::copy_if(a.bound.begin(), a.bound.end(), std::back_inserter(open_a), [&](Symbol s) { return !psi.contains(s); });
    constexpr std::size_t kMostOpen = 4;
    if (open_a.size() != open_b.size() || open_a.size() > kMostOpen) {
      continue;
    }
    std::vector<std::size_t> order(open_a.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      if (fuel_ == 0) {
        return std::nullopt;
      }
      --fuel_;
      Map phi_all = phi;
      Map psi_all = psi;
      for (std::size_t k = 0; k < order.size(); ++k) {
        phi_all[open_b[k]] = int_var(open_a[order[k]]);
        psi_all[open_a[order[k]]] = int_var(open_b[k]);
      }
      auto resolve = [](Map& map) {
        for (auto& [name, value] : map) {
          value = without_remainders(substitute(value, map));
        }
      };
      resolve(phi_all);
      resolve(psi_all);
      if (auto left = match_by(a, b, pairing, phi_all, psi_all, context, partial, depth)) {
        return left;
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return std::nullopt;
}

// phi: indices of b by those of a; psi: the other way. Where both guards hold, phi and psi must be inverse and atoms agree.
std::optional<NormalForm> Equality::match_by(const Summand& a, const Summand& b, const Pairing& pairing, const Map& phi,
                                             const Map& psi, const Context& context, bool partial, int depth) {
  auto closed = [](const Map& map, const std::vector<Symbol>& names) {
    return std::none_of(map.begin(), map.end(), [&](const auto& entry) { return mentions_any(entry.second, names); });
  };
  if (!closed(phi, b.bound) || !closed(psi, a.bound)) {
    return std::nullopt;
  }
  auto missing = [&](const std::vector<Literal>& from, const Map& map, const Context& where) {
    std::vector<Literal> out;
    for (const Literal& g : from) {
      Literal mapped = forms_.substituted(g, map);
      if (!(mapped.sign == nullptr && is_true(mapped.fact)) && !entails(where, mapped)) {
        out.push_back(mapped);
      }
    }
    return out;
  };
  Context in_a = context.with(a.guards);
  Context in_b = context.with(b.guards);
  std::vector<Literal> missing_a = missing(b.guards, phi, in_a);
  if (!missing_a.empty() && !partial) {
    return std::nullopt;
  }
  std::vector<Literal> missing_b = missing(a.guards, psi, in_b);
  if (!missing_b.empty() && !partial) {
    return std::nullopt;
  }
  Context both_a = in_a.with(missing_a);
  Context both_b = in_b.with(missing_b);
  if ((!missing_a.empty() || !missing_b.empty()) && (contradicts(both_a) || contradicts(both_b))) {
    return std::nullopt;
  }
  auto inverse = [&](const std::vector<Symbol>& names, const Map& there, const Map& back, const Context& where) {
    return std::all_of(names.begin(), names.end(), [&](Symbol s) {
      auto at = there.find(s);
      return at != there.end() && equal_indices(without_remainders(substitute(at->second, back)), int_var(s), where.facts);
    });
  };
  if (!inverse(a.bound, psi, phi, both_a) || !inverse(b.bound, phi, psi, both_b)) {
    return std::nullopt;
  }
  for (const auto& [x, y] : pairing) {
    if (!equal_atoms(x.atom, forms_.substituted(y.atom, phi), both_a, depth)) {
      return std::nullopt;
    }
  }
  NormalForm left;
  auto add = [&](const Rational& coefficient, const Summand& like, std::vector<Literal> guards) {
    left.push_back(forms_.make(coefficient, like.bound, std::move(guards), like.factors));
  };
  auto joined = [](std::vector<Literal> guards, const std::vector<Literal>& more) {
    guards.insert(guards.end(), more.begin(), more.end());
    return guards;
  };
  if (a.coefficient + b.coefficient != 0) {
    add(a.coefficient + b.coefficient, a, joined(a.guards, missing_a));
  }
  std::vector<Literal> before;
  for (const Literal& g : missing_a) {
    add(a.coefficient, a, joined(joined(a.guards, before), {FormBuilder::negated(g)}));
    before.push_back(g);
  }
  before.clear();
  for (const Literal& g : missing_b) {
    add(b.coefficient, b, joined(joined(b.guards, before), {FormBuilder::negated(g)}));
    before.push_back(g);
  }
  return left;
}

bool Equality::equal_indices(Term a, Term b, const Facts& facts) {
  if (a == b || arithmetic_.entails(facts, eq(a, b))) {
    return true;
  }
  if (as_written_) {
    return false;
  }
  Term simpler = simplified_index(a - b, facts);
  return simpler == Term(0) || (simpler != a - b && arithmetic_.entails(facts, eq(simpler, 0)));
}

bool Equality::equal_atoms(AtomRef a, AtomRef b, const Context& context) { return equal_atoms(a, b, context, 1); }

bool Equality::equal_atoms(AtomRef a, AtomRef b, const Context& context, int depth) {
  if (a == b) {
    return true;
  }
  if (a->kind != b->kind || a->symbol != b->symbol || a->name != b->name || a->reduction != b->reduction ||
      a->indices.size() != b->indices.size() || a->args.size() != b->args.size()) {
    return false;
  }
  for (std::size_t k = 0; k < a->indices.size(); ++k) {
    if (!equal_indices(a->indices[k], b->indices[k], context.facts)) {
      return false;
    }
  }
  if (a->kind == AtomKind::Reduction) {
    bool extremum = a->reduction == Reduction::Max || a->reduction == Reduction::Min;
    return extremum && !as_written_ ? equal_extrema(a, b, context, depth) : equal_ordered(a, b, context, depth);
  }
  auto same = [&](const NormalForm& x, const NormalForm& y) { return equal_inside(x, y, context, depth); };
  bool in_order = true;
  for (std::size_t k = 0; in_order && k < a->args.size(); ++k) {
    in_order = same(a->args[k], b->args[k]);
  }
  if (in_order) {
    return true;
  }
  return commutes(a) && same(a->args[0], b->args[1]) && same(a->args[1], b->args[0]);
}

// Reductions that keep their order: the same box, guards and bodies, index by index.
bool Equality::equal_ordered(AtomRef a, AtomRef b, const Context& context, int depth) {
  a = apart(a, context);
  if (a->bound.size() != b->bound.size()) {
    return false;
  }
  Substitution rename;
  for (std::size_t k = 0; k < a->bound.size(); ++k) {
    rename.emplace(b->bound[k], int_var(a->bound[k]));
  }
  std::vector<Literal> theirs;
  for (const Literal& g : b->guards) {
    theirs.push_back(forms_.substituted(g, rename));
  }
  Context in_a = context.with(a->guards);
  Context in_b = context.with(theirs);
  bool same_domain = std::all_of(theirs.begin(), theirs.end(), [&](const Literal& g) { return entails(in_a, g); }) &&
                     std::all_of(a->guards.begin(), a->guards.end(), [&](const Literal& g) { return entails(in_b, g); });
  if (!same_domain) {
    return false;
  }
  return equal_inside(a->args[0], forms_.substituted(b->args[0], rename), in_a, depth);
}

bool Equality::equal_inside(const NormalForm& a, const NormalForm& b, const Context& context, int depth) {
  NormalForm difference = as_written_ ? difference_of(a, b) : difference_of(simplified(a, context), simplified(b, context));
  return vanishes(std::move(difference), context, depth + 1);
}

}  // namespace vouch
