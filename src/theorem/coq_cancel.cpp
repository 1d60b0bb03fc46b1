// Two terms of a sum that cancel: the search for the bijection, and what Coq is told of it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "theorem/coq_proof.h"

namespace vouch {
namespace {

using Pairing = std::vector<std::size_t>;  // position among the leaves of b for each of a's

// Index terms that are to be equal.
void equations(Term x, const Substitution& by_x, Term y, const Substitution& by_y, std::vector<Term>& out) {
  if (!same_kind(x, y)) {
    return;
  }
  Substitution inner_x = by_x;
  Substitution inner_y = by_y;
  for (std::size_t k = 0; k < x->bound.size(); ++k) {
    Symbol common(fmt::format("common~{}", k));
    inner_x.insert_or_assign(x->bound[k], int_var(common));
    inner_y.insert_or_assign(y->bound[k], int_var(common));
  }
  for (std::size_t k = 0; k < x.args().size(); ++k) {
    if (x.arg(k).sort() == Sort::Int && y.arg(k).sort() == Sort::Int && x.kind() != TermKind::Reduce) {
      out.push_back(substitute(x.arg(k), inner_x) - substitute(y.arg(k), inner_y));
    } else if (x.arg(k).sort() == Sort::Real && y.arg(k).sort() == Sort::Real) {
      equations(x.arg(k), inner_x, y.arg(k), inner_y, out);
    }
  }
}

std::vector<Symbol> names_of(const std::vector<std::pair<Symbol, Term>>& bound) {
  std::vector<Symbol> out;
  for (const auto& [index, extent] : bound) {
    out.push_back(index);
  }
  return out;
}

void equalities_of(Term guard, std::vector<Term>& out) {
  if (guard.kind() == TermKind::And) {
    for (Term part : guard.args()) {
      equalities_of(part, out);
    }
  } else if (guard.kind() == TermKind::IntEq) {
    out.push_back(guard.arg(0) - guard.arg(1));
  }
}

}  // namespace

std::vector<Pairing> CoqProof::pairings(const Raw& a, const Raw& b) {
  constexpr std::size_t kMost = 24;
  std::vector<Pairing> open{{}};
  for (const Leaf& x : a.leaves) {
    std::vector<Pairing> next;
    for (const Pairing& done : open) {
      for (std::size_t k = 0; k < b.leaves.size() && next.size() < kMost; ++k) {
        bool free = std::find(done.begin(), done.end(), k) == done.end();
        if (free && b.leaves[k].inverse == x.inverse && (same_kind(x.term, b.leaves[k].term) || x.inverse)) {
          next.push_back(done);
          next.back().push_back(k);
        }
      }
    }
    open = std::move(next);
  }
  return open;
}

// An index of an axis of one element that no equation speaks of is 0.
Substitution CoqProof::solved(const std::vector<Term>& equations, const Raw& raw, const Facts& facts) {
  std::vector<Term> all = equations;
  std::vector<Literal> guards;
  for (const auto& [index, extent] : raw.bound) {
    guards.push_back({facts_.prepared(lt(int_var(index), extent)), nullptr, 0});
  }
  for (Term guard : raw.guards) {
    equalities_of(guard, all);
  }
  for (Term& e : all) {
    e = facts_.prepared(e);
  }
  Substitution out = facts_.matching().solve(all, names_of(raw.bound), guards);
  for (const auto& [index, extent] : raw.bound) {
    if (!out.contains(index) && facts_.equal(extent, int_const(1), facts)) {
      out.emplace(index, int_const(0));
    }
  }
  return out;
}

bool CoqProof::cancel(const Raw& a, const Raw& b, std::size_t i, std::size_t j, const Facts& facts, std::optional<Split>* split) {
  for (const Pairing& pairing : pairings(a, b)) {
    std::vector<Term> equal;
    for (std::size_t k = 0; k < pairing.size(); ++k) {
      const Leaf& y = b.leaves[pairing[k]];
      equations(a.leaves[k].term, a.leaves[k].by, y.term, y.by, equal);
    }
    Substitution phi = solved(equal, b, facts);
    Substitution psi = solved(equal, a, facts);
    std::vector<Symbol> open_a = names_of(a.bound);
    std::vector<Symbol> open_b = names_of(b.bound);
    std::erase_if(open_a, [&](Symbol s) { return psi.contains(s); });
    std::erase_if(open_b, [&](Symbol s) { return phi.contains(s); });
    constexpr std::size_t kMostOpen = 4;
    if (open_a.size() != open_b.size() || open_a.size() > kMostOpen) {
      continue;
    }
    std::vector<std::size_t> order(open_a.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      if (fuel_-- <= 0) {
        return false;
      }
      Substitution there = phi;
      Substitution back = psi;
      for (std::size_t k = 0; k < order.size(); ++k) {
        there[open_b[k]] = int_var(open_a[order[k]]);
        back[open_a[order[k]]] = int_var(open_b[k]);
      }
      for (Substitution* map : {&there, &back}) {
        for (auto& [name, value] : *map) {
          value = substitute(value, *map);
        }
      }
      Mark before = mark();
      if (cancel_by(a, b, pairing, there, back, i, j, facts, split)) {
        return true;
      }
      undo(before);
      if (split && *split) {
        return false;
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return false;
}

// The first part of the domain that the map is not known to reach.
std::optional<Term> CoqProof::missing(const Raw& to, const Substitution& map, const Facts& facts) {
  for (const auto& [index, extent] : to.bound) {
    for (Term bound : {le(0, int_var(index)), lt(int_var(index), extent)}) {
      Term here = substitute(bound, map);
      if (!facts_.entails(facts, here)) {
        return here;
      }
    }
  }
  for (Term guard : to.guards) {
    Term here = substitute(guard, map);
    if (!facts_.entails(facts, here)) {
      return here;
    }
  }
  return std::nullopt;
}

bool CoqProof::cancel_by(const Raw& a, const Raw& b, const Pairing& pairing, const Substitution& phi, const Substitution& psi,
                         std::size_t i, std::size_t j, const Facts& facts, std::optional<Split>* split) {
  std::vector<Symbol> of_a = names_of(a.bound);
  std::vector<Symbol> of_b = names_of(b.bound);
  auto closed = [](const Substitution& map, const std::vector<Symbol>& names) {
    return std::none_of(map.begin(), map.end(), [&](const auto& entry) { return mentions_any(entry.second, names); });
  };
  if (!closed(phi, of_b) || !closed(psi, of_a)) {
    return false;
  }
  Facts in_a = facts_of(a, facts);
  Facts in_b = facts_of(b, facts);
  std::optional<Term> lost_a = missing(b, phi, in_a);
  std::optional<Term> lost_b = missing(a, psi, in_b);
  if (lost_a || lost_b) {
    return note_split(lost_a, in_a, lost_b, in_b, split);
  }
  auto inverse = [&](const std::vector<Symbol>& names, const Substitution& there, const Substitution& back, const Facts& where) {
    return std::all_of(names.begin(), names.end(), [&](Symbol s) {
      return there.contains(s) && facts_.equal(substitute(there.at(s), back), int_var(s), where);
    });
  };
  if (!inverse(of_a, psi, phi, in_a) || !inverse(of_b, phi, psi, in_b)) {
    return false;
  }
  for (std::size_t k = 0; k < pairing.size(); ++k) {
    const Leaf& y = b.leaves[pairing[k]];
    Substitution by = composed(y.by, phi);
    if (!facts_.same(substitute(a.leaves[k].term, a.leaves[k].by), substitute(y.term, by), in_a)) {
      return false;
    }
  }
  return say_cancel(a, b, pairing, phi, psi, i, j, in_a);
}

// A split is of use if the guard can hold and can fail.
bool CoqProof::note_split(const std::optional<Term>& lost_a, const Facts& in_a, const std::optional<Term>& lost_b,
                          const Facts& in_b, std::optional<Split>* split) {
  if (!split) {
    return false;
  }
  for (bool second : {false, true}) {
    const std::optional<Term>& lost = second ? lost_b : lost_a;
    if (!lost) {
      continue;
    }
    Facts more = second ? in_b : in_a;
    more.push_back(*lost);
    if (!facts_.contradicts(more) && splits_left_-- > 0) {
      *split = Split{*lost, second};
      return false;
    }
    return false;
  }
  return false;
}

Substitution CoqProof::composed(const Substitution& by, const Substitution& map) {
  Substitution out = by;
  for (auto& [name, value] : out) {
    value = substitute(value, map);
  }
  return out;
}

std::string CoqProof::map_text(const Raw& from, const Raw& to, const Substitution& map) {
  std::string out;
  for (const auto& [index, extent] : to.bound) {
    out += (out.empty() ? "" : "; ") + printer_.integer(map.at(index), numbered(from));
  }
  return out.empty() ? "(fun v : env => (nil : env))" : fmt::format("(fun v : env => [{}]%Z)", out);
}

bool CoqProof::say_cancel(const Raw& a, const Raw& b, const Pairing& pairing, const Substitution& phi, const Substitution& psi,
                          std::size_t i, std::size_t j, const Facts& in_a) {
  std::string there = map_text(a, b, phi);
  line(fmt::format("cancel {}%nat {}%nat {} {}.", i, j - 1, there, map_text(b, a, psi)));
  bool done = braced([&] {
    line(intros(a, fresh("here")) + " fulfil.");
    std::string w;
    for (std::size_t k = a.bound.size(); k-- > 0;) {
      w += (w.empty() ? "" : "; ") + names_.of(a.bound[k].first);
    }
    w = w.empty() ? "(nil : env)" : fmt::format("[{}]", w);
    for (std::size_t k = 0; k < pairing.size(); ++k) {
      const Leaf& x = a.leaves[k];
      const Leaf& y = b.leaves[pairing[k]];
      CoqSide old{y.term, composed(y.by, phi)};
      if (environment_text(x.term, x.by, {}) == environment_text(old.term, old.by, {})) {
        continue;
      }
      std::string same = fresh("same");
      line(fmt::format("leaf {} (fun v : env => {}%R) (rev_append ({} {}) nil) (fun v : env => {}%R) {}.", same,
                       environment_text(y.term, y.by, numbered(b)), there, w, environment_text(x.term, x.by, numbered(a)), w));
      if (!braced([&] { return equal({x.term, x.by}, old, in_a); })) {
        return false;
      }
      line(fmt::format("use {}.", same));
    }
    line("algebra.");
    return true;
  });
  if (done) {
    line(fmt::format("{{ {} fulfil. }}", intros(b, fresh("here"))));
  }
  return done;
}

std::string CoqProof::environment_text(Term term, const Substitution& by, const CoqEnvironment& numbers) {
  CoqEnvironment env;
  for (const auto& [symbol, value] : by) {
    env.emplace(symbol, printer_.integer(value, numbers));
  }
  return printer_.scalar(term, env);
}

}  // namespace vouch
