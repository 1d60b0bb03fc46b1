// Matching of summands: bijections between their domains under which their atoms agree.
#include <algorithm>
#include <numeric>

#include "algebra/equality.h"
#include "term/print.h"

namespace vouch {

std::vector<Equality::Pairing> Equality::pairings(const Summand& a, const Summand& b) const {
  constexpr std::size_t kMost = 24;
  std::vector<std::pair<Pairing, std::vector<Factor>>> open{{{}, b.factors}};
  for (const Factor& f : a.factors) {
    std::vector<std::pair<Pairing, std::vector<Factor>>> next;
    for (const auto& [done, left] : open) {
      for (std::size_t k = 0; k < left.size() && next.size() < kMost; ++k) {
        if (left[k].exponent == f.exponent && same_skeleton(left[k].atom, f.atom)) {
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

namespace {

std::vector<Symbol> not_in(const Substitution& map, const std::vector<Symbol>& names) {
  std::vector<Symbol> out;
  std::copy_if(names.begin(), names.end(), std::back_inserter(out), [&](Symbol s) { return !map.contains(s); });
  return out;
}

}  // namespace

bool add_quotients(const std::vector<Term>& equations, const std::vector<Symbol>& unknowns, Substitution& found) {
  const std::size_t before = found.size();
  for (Term equation : equations) {
    Term e = without_remainders(substitute(equation, found));
    for (Symbol i : unknowns) {
      std::vector<Monomial> ms = monomials(e);
      auto at = std::find_if(ms.begin(), ms.end(), [&](const Monomial& m) { return m.atoms == std::vector{int_var(i)}; });
      Integer m = at == ms.end() ? Integer(0) : at->coefficient;
      Term rest = e - int_const(m) * int_var(i);
      if (m != 0 && abs(m) != 1 && !mentions_any(rest, unknowns)) {
        found.try_emplace(i, m > 0 ? floor_div(-rest, int_const(m)) : floor_div(rest, int_const(-m)));
      }
    }
  }
  return found.size() != before;
}

std::optional<NormalForm> Equality::match(const Summand& a, const Summand& b, const Context& context, bool partial, int depth) {
  for (const Pairing& pairing : pairings(a, b)) {
    std::vector<Term> equal;
    for (const auto& [x, y] : pairing) {
      equations(x.atom, y.atom, equal);
    }
    Map phi = solve(equal, b.bound, b.guards);
    Map psi = solve(equal, a.bound, a.guards);
    std::vector<Symbol> open_b = not_in(phi, b.bound);
    std::vector<Symbol> open_a = not_in(psi, a.bound);
    if (partial && open_a.size() != open_b.size()) {
      add_quotients(equal, open_b, phi);
      add_quotients(equal, open_a, psi);
      open_b = not_in(phi, b.bound);
      open_a = not_in(psi, a.bound);
    }
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
  // There and back is where one was: where it is not, nothing is matched.
  auto add_inverse = [&](const std::vector<Symbol>& names, const Map& there, const Map& back, const Context& where,
                         std::vector<Literal>& out) {
    Context both = where.with(out);
    return std::all_of(names.begin(), names.end(), [&](Symbol s) {
      auto at = there.find(s);
      Term again = at == there.end() ? Term() : without_remainders(substitute(at->second, back));
      if (again && !equal_indices(again, int_var(s), both.facts)) {
        out.push_back({eq(again, int_var(s)), nullptr, 0});
        return partial;
      }
      return at != there.end();
    });
  };
  if (!add_inverse(a.bound, psi, phi, in_a, missing_a) || !add_inverse(b.bound, phi, psi, in_b, missing_b)) {
    return std::nullopt;
  }
  Context both_a = in_a.with(missing_a);
  Context both_b = in_b.with(missing_b);
  if ((!missing_a.empty() || !missing_b.empty()) && (contradicts(both_a) || contradicts(both_b))) {
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
  if (!is_zero(plus(a.coefficient, b.coefficient))) {
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

}  // namespace vouch
