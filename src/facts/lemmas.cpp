#include "facts/lemmas.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "term/substitute.h"

namespace vouch {
namespace {

// right - left of `left <= right`.
Term slack(Term fact) { return fact.arg(1) - fact.arg(0); }

using Product = std::vector<Term>;
struct ByStructure {
  bool operator()(const Product& a, const Product& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), TermOrder());
  }
};

struct ByUniversal {
  bool operator()(const std::pair<const Universal*, Term>& a, const std::pair<const Universal*, Term>& b) const {
    return a.first != b.first ? a.first < b.first : compare(a.second, b.second) < 0;
  }
};

class Lemmas {
 public:
  Lemmas(const FamilyFacts& families, const std::function<bool(Term)>& is_positive)
      : families_(families), is_positive_(is_positive) {
    for (const Universal& u : families.universals) {
      for (Term atom : occurrences(u.guard).atoms) {
        auto item = as_family_item(atom);
        if (item && item->branch == int_var(u.index)) {
          universals_of_[item->name].push_back(&u);
        }
      }
    }
  }

  Facts run(const Facts& facts) {
    for (Term fact : facts) {
      state(fact);
      take_facts(fact);
    }
    for (std::size_t k = 0; k < atoms_.size(); ++k) {  // lemmas may bring atoms of their own
      atom_lemmas(atoms_[k]);
    }
    bound_lemmas();
    product_lemmas();
    return std::move(stated_);
  }

 private:
  void take_facts(Term fact) {
    if (fact.kind() == TermKind::IntLe) {
      facts_.push_back(slack(fact));
    } else if (fact.kind() == TermKind::IntEq) {
      equalities_.push_back(slack(fact));
    } else if (fact.kind() == TermKind::And) {
      for (Term part : fact.args()) {
        take_facts(part);
      }
    }
  }

  void state(Term fact) {
    const Occurrences& here = occurrences(fact);
    for (Term atom : here.atoms) {
      if (seen_.insert(atom).second) {
        atoms_.push_back(atom);
      }
    }
    products_.insert(here.products.begin(), here.products.end());
    stated_.push_back(fact);
  }

  void add(Term fact) {
    if (!is_true(fact)) {
      state(fact);
    }
  }

  // --- lemmas

  void atom_lemmas(Term a) {
    switch (a.kind()) {
      case TermKind::FloorDiv: return quotient_lemmas(a);
      case TermKind::IntMin:
        add(le(a, a.arg(0)));
        add(le(a, a.arg(1)));
        add(either(eq(a, a.arg(0)), eq(a, a.arg(1))));
        return;
      case TermKind::IntMax:
        add(le(a.arg(0), a));
        add(le(a.arg(1), a));
        add(either(eq(a, a.arg(0)), eq(a, a.arg(1))));
        return;
      case TermKind::IntSelect:
        add(either(negate(a.arg(0)), eq(a, a.arg(1))));
        add(either(a.arg(0), eq(a, a.arg(2))));
        return;
      case TermKind::IntOf: return family_lemmas(a);
      default: return;
    }
  }

  // --- families of numbers (family.h)

  void family_lemmas(Term a) {
    auto item = as_family_item(a);
    if (!item) {
      return;
    }
    if (auto sum = families_.families.sums.find(item->name); sum != families_.families.sums.end()) {
      return sum_lemmas(sum->second, item->branch, a);
    }
    if (auto position = families_.families.positions.find(item->name); position != families_.families.positions.end()) {
      return position_lemmas(position->second, item->branch, a);
    }
    auto universals = universals_of_.find(item->name);
    if (universals == universals_of_.end()) {
      return;
    }
    for (const Universal* u : universals->second) {
      if (item->branch != int_var(u->index) && done_.insert({u, item->branch}).second) {
        Term inside = both(le(u->from, item->branch), lt(item->branch, u->length));
        add(either(negate(inside), without_remainders(substitute(u->guard, u->index, item->branch))));
      }
    }
  }

  // P(t) = s(0) + … + s(t - 1), each at least `least`: P(0) = 0, P(t) >= least * t, and for 0 <= x < y
  // P(x) + s(x) + least * (y - x - 1) <= P(y), with equality for y = x + 1.
  void sum_lemmas(const Families::PrefixSum& sum, Term t, Term whole) {
    add(either(ne(t, 0), eq(whole, 0)));
    add(either(lt(t, 0), ge(whole, Term(sum.least) * t)));
    Term first = family_item(sum.item, 0);
    add(either(lt(t, 1), le(first + Term(sum.least) * (t - 1), whole)));
    add(either(ne(t, 1), eq(first, whole)));
    std::vector<Term>& others = sum_arguments_[sum.sum];
    for (Term other : others) {
      step_lemma(sum, other, t);
      step_lemma(sum, t, other);
    }
    others.push_back(t);
  }

  void step_lemma(const Families::PrefixSum& sum, Term x, Term y) {
    Term before = family_item(sum.sum, x) + family_item(sum.item, x);
    Term after = family_item(sum.sum, y);
    Term apart = y - x;
    if (auto steps = const_int(apart)) {
      if (*steps == 1) {
        add(either(lt(x, 0), eq(before, after)));
      } else if (*steps > 1) {
        add(either(lt(x, 0), le(before + Term(sum.least) * (apart - 1), after)));
      }
      return;
    }
    add(either(either(lt(x, 0), ge(x, y)), le(before + Term(sum.least) * (apart - 1), after)));
    add(either(either(lt(x, 0), ne(apart, 1)), eq(before, after)));
  }

  void position_lemmas(const Families::Position& position, Term at, Term found) {
    add(le(0, found));
    add(lt(found, position.length));
    Term before = substitute(position.before, position.index, found);
    Term end = before + substitute(position.size, position.index, found);
    Term inside = both(le(0, at), lt(at, position.total));
    add(either(negate(inside), both(le(before, at), lt(at, end))));
  }

  // q = e // m with m >= 1: m*q <= e < m*q + m, the sign of q is that of e, and m*q is 0 or at least m away from it.
  void quotient_lemmas(Term q) {
    Term e = q.arg(0);
    Term m = q.arg(1);
    if (!is_positive_(m)) {
      return;
    }
    quotients_.push_back(q);
    add(le(m * q, e));
    add(lt(e, m * q + m));
    if (const_int(m)) {
      return;
    }
    Term cases[] = {both(eq(q, 0), eq(m * q, 0)), both(ge(q, 1), ge(m * q, m)), both(le(q, -1), le(m * q, -m))};
    add(any_of(cases));
    add(either(ge(e, 0), lt(q, 0)));
    add(either(lt(e, 0), ge(q, 0)));
    for (Term other : by_divisor_[m]) {
      Term order[] = {both(eq(q, other), eq(m * q, m * other)), both(gt(q, other), ge(m * q, m * other + m)),
                      both(lt(q, other), le(m * q + m, m * other))};
      add(any_of(order));
      if (e + other.arg(0) == Term(-1)) {  // -(-n // m) = (n - 1) // m + 1
        add(eq(q + other, -1));
      }
    }
    by_divisor_[m].push_back(q);
  }

  // e < m * u gives e // m < u; e >= 0 gives e // m >= 0.
  void bound_lemmas() {
    for (Term q : std::vector<Term>(quotients_)) {
      Term e = q.arg(0);
      Term m = q.arg(1);
      if (monomials(m).size() == 1 && monomials(m)[0].atoms.size() >= 2) {
        facts_.push_back(m - 1);
      }
      if (const_int(m)) {
        continue;
      }
      std::optional<Monomial> odd = not_divisible(e, m);
      for (std::size_t k = 0, count = facts_.size(); k < count; ++k) {
        Term quotient_bound = odd && !cancels(facts_[k], *odd) ? Term() : bound_by_equalities(facts_[k] + e + 1, m);
        if (quotient_bound && !contains(deep_atoms(quotient_bound), q)) {
          facts_.push_back(quotient_bound - 1 - q);
          add(lt(q, quotient_bound));
        }
        if (facts_[k] == e) {
          facts_.push_back(q);
          add(ge(q, 0));
        }
      }
    }
  }

  static bool contains(const std::vector<Term>& terms, Term term) {
    return std::find(terms.begin(), terms.end(), term) != terms.end();
  }

  // u with total == m * u, if it is short; else null.
  static Term bound_from(Term total, Term m) {
    auto [bound, rest] = divide(total, m);
    return rest == Term(0) && monomials(bound).size() <= 2 ? bound : Term();
  }

  // The same, where what is known to be 0 may be added: total == w and w == m * u.
  Term bound_by_equalities(Term total, Term m) const {
    Term bound = bound_from(total, m);
    constexpr std::size_t kMostParts = 3;
    for (std::size_t k = 0; !bound && k < equalities_.size() && monomials(total).size() <= kMostParts; ++k) {
      bound = bound_from(total + equalities_[k], m);
      bound = bound ? bound : bound_from(total - equalities_[k], m);
    }
    return bound;
  }

  // A monomial of e that has to be cancelled before m (one monomial) divides the rest.
  static std::optional<Monomial> not_divisible(Term e, Term m) {
    std::vector<Monomial> by = monomials(m);
    if (by.size() != 1) {
      return std::nullopt;
    }
    for (const Monomial& part : monomials(e)) {
      if (!part.atoms.empty() && !without(part.atoms, by[0].atoms)) {
        return part;
      }
    }
    return std::nullopt;
  }

  static bool cancels(Term fact, const Monomial& odd) {
    const std::vector<Monomial>& parts = monomials_of(fact);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Monomial& p) { return p.atoms == odd.atoms && p.coefficient + odd.coefficient == 0; });
  }

  static std::vector<Monomial> nonlinear(Term p) {
    std::vector<Monomial> out;
    for (Monomial& m : monomials(p)) {
      if (m.atoms.size() > 1) {
        out.push_back(std::move(m));
      }
    }
    return out;
  }

  std::size_t new_products(const std::vector<Monomial>& nonlinear_part) const {
    return static_cast<std::size_t>(std::count_if(nonlinear_part.begin(), nonlinear_part.end(),
                                                  [&](const Monomial& m) { return !products_.contains(m.atoms); }));
  }

  // Whether the product of two facts brings at most one product that is not there yet: told before it is multiplied out,
  // since most pairs are of no use and a polynomial product costs more than all else in a query.
  bool may_matter(const std::vector<Monomial>& f, const std::vector<Monomial>& g) const {
    std::vector<Term> fresh;
    bool any = false;
    std::vector<Term> atoms;
    for (const Monomial& a : f) {
      for (const Monomial& b : g) {
        if (a.atoms.size() + b.atoms.size() < 2) {
          continue;
        }
        atoms.clear();
        std::merge(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end(), std::back_inserter(atoms), TermOrder());
        any = true;
        if (atoms == fresh || products_.contains(atoms)) {
          continue;
        }
        if (!fresh.empty()) {
          return false;
        }
        fresh = atoms;
      }
    }
    return any;
  }

  // f >= 0 and g >= 0 give f * g >= 0, where that speaks of products which matter.
  void product_lemmas() {
    if (products_.empty()) {
      return;
    }
    choice_lemmas();
    std::set<Product, ByStructure> wanted = products_;
    std::vector<Term> small;
    for (Term f : facts_) {
      if (!is_const(f) && monomials_of(f).size() <= 4 && std::find(small.begin(), small.end(), f) == small.end()) {
        small.push_back(f);
      }
    }
    std::vector<Term> close;
    std::vector<Term> far;
    for (std::size_t x = 0; x < small.size(); ++x) {
      for (std::size_t y = x; y < small.size(); ++y) {
        if (!may_matter(monomials_of(small[x]), monomials_of(small[y]))) {
          continue;
        }
        Term p = small[x] * small[y];
        std::vector<Monomial> bent = nonlinear(p);
        std::size_t fresh = new_products(bent);
        if (!bent.empty() && fresh == 0) {
          close.push_back(p);
        } else if (fresh == 1 && bent.size() >= 2) {
          far.push_back(p);
        }
      }
    }
    positive_products(small);
    constexpr std::size_t kMostProducts = 120;
    close.insert(close.end(), far.begin(), far.end());
    for (std::size_t k = 0; k < close.size() && k < kMostProducts; ++k) {
      add(ge(close[k], 0));
    }
    cofactor_lemmas(wanted, small);
    equality_lemmas(wanted);
  }

  // A product with the larger of two is that with the one, where it is not the smaller; and with the other likewise.
  void choice_lemmas() {
    constexpr std::size_t kMostChoices = 16;
    std::size_t count = 0;
    for (const Product& p : std::set<Product, ByStructure>(products_)) {
      auto chosen = std::find_if(p.begin(), p.end(), [](Term atom) {
        return atom.kind() == TermKind::IntMin || atom.kind() == TermKind::IntMax || atom.kind() == TermKind::IntSelect;
      });
      if (chosen == p.end() || ++count > kMostChoices) {
        continue;
      }
      Product others = p;
      others.erase(others.begin() + (chosen - p.begin()));
      Term rest = product_of(others);
      auto is = [&](Term one) { return eq(product_of(p), rest * one); };
      bool select = chosen->kind() == TermKind::IntSelect;
      Term u = chosen->arg(select ? 1 : 0);
      Term v = chosen->arg(select ? 2 : 1);
      Term first = select ? chosen->arg(0) : chosen->kind() == TermKind::IntMax ? le(v, u) : le(u, v);
      Term second = select ? negate(chosen->arg(0)) : chosen->kind() == TermKind::IntMax ? le(u, v) : le(v, u);
      add(either(negate(first), is(u)));
      add(either(negate(second), is(v)));
    }
  }

  // What is at least 1 has products of at least 1.
  void positive_products(const std::vector<Term>& small) {
    std::unordered_set<Term> positive;
    for (Term f : small) {
      std::vector<Monomial> ms = monomials(f);
      bool single = ms.size() == 2 && ms[1].atoms.empty() && ms[1].coefficient <= -1 && ms[0].atoms.size() == 1;
      if (single && ms[0].coefficient == 1) {
        positive.insert(ms[0].atoms[0]);
      }
    }
    for (const Product& p : std::set<Product, ByStructure>(products_)) {
      if (std::all_of(p.begin(), p.end(), [&](Term a) { return positive.contains(a); })) {
        add(ge(product_of(p), 1));
      }
    }
  }

  // f >= 0 times a product of non-negative atoms, towards a product of three or more.
  void cofactor_lemmas(const std::set<Product, ByStructure>& wanted, const std::vector<Term>& small) {
    std::unordered_set<Term> non_negative;
    for (Term f : small) {
      std::vector<Monomial> ms = monomials(f);
      bool single = ms.size() == 1 || (ms.size() == 2 && ms[1].atoms.empty() && ms[1].coefficient <= 0);
      if (single && ms[0].atoms.size() == 1 && ms[0].coefficient > 0) {
        non_negative.insert(ms[0].atoms[0]);
      }
    }
    std::unordered_set<Term> done;
    for (const std::vector<Term>& target : wanted) {
      if (target.size() < 3) {
        continue;
      }
      for (Term f : small) {
        for (const Monomial& m : monomials(f)) {
          std::optional<std::vector<Term>> cofactor = without(target, m.atoms);
          if (m.atoms.empty() || !cofactor || cofactor->empty() ||
              !std::all_of(cofactor->begin(), cofactor->end(), [&](Term a) { return non_negative.contains(a); })) {
            continue;
          }
          Term p = f * product_of(*cofactor);
          if (done.size() < 80 && done.insert(p).second) {
            add(ge(p, 0));
          }
        }
      }
    }
  }

  static std::optional<std::vector<Term>> without(std::vector<Term> atoms, const std::vector<Term>& part) {
    for (Term a : part) {
      auto at = std::find(atoms.begin(), atoms.end(), a);
      if (at == atoms.end()) {
        return std::nullopt;
      }
      atoms.erase(at);
    }
    return atoms;
  }

  // An equality times an atom.
  void equality_lemmas(const std::set<Product, ByStructure>& wanted) {
    std::set<Term, TermOrder> factors;
    for (const std::vector<Term>& p : wanted) {
      factors.insert(p.begin(), p.end());
    }
    for (Term e : equalities_) {
      for (Term a : factors) {
        Term p = e * a;
        std::vector<Monomial> bent = nonlinear(p);
        if (!bent.empty() && new_products(bent) <= 1) {
          add(eq(p, 0));
        }
      }
    }
  }

  const FamilyFacts& families_;
  const std::function<bool(Term)>& is_positive_;
  std::unordered_map<Symbol, std::vector<const Universal*>> universals_of_;
  std::set<std::pair<const Universal*, Term>, ByUniversal> done_;
  std::map<Symbol, std::vector<Term>> sum_arguments_;
  std::unordered_set<Term> seen_;
  std::vector<Term> atoms_;
  std::vector<Term> quotients_;
  std::map<Term, std::vector<Term>, TermOrder> by_divisor_;
  std::set<Product, ByStructure> products_;
  std::vector<Term> facts_;       // known to be >= 0
  std::vector<Term> equalities_;  // known to be 0
  Facts stated_;
};

}  // namespace

Facts with_lemmas(const Facts& facts, const FamilyFacts& families, const std::function<bool(Term)>& is_positive) {
  return Lemmas(families, is_positive).run(facts);
}

}  // namespace vouch
