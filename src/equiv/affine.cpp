#include "equiv/affine.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::size_t kMostSummands = 128;

struct Summand {
  std::vector<Term> parameters;  // factors
  std::vector<Term> data;
  std::vector<BoundIndex> bound;
  Term guard = bool_const(true);
};
using Sum = std::vector<Summand>;

Term product(const std::vector<Term>& factors) {
  Term out = real_const(1);
  for (Term factor : factors) {
    out = out == real_const(1) ? factor : out * factor;
  }
  return out;
}

// Variables in the order in which they appear.
void appearances(Term term, std::vector<Symbol>& out) {
  if (term.kind() == TermKind::IntVar) {
    if (std::find(out.begin(), out.end(), term->symbol) == out.end()) {
      out.push_back(term->symbol);
    }
    return;
  }
  for (Term arg : term.args()) {
    appearances(arg, out);
  }
}

class Expander {
 public:
  explicit Expander(const std::function<bool(Symbol)>& is_data) : is_data_(is_data) {}

  std::optional<Sum> expand(Term term) {
    if (!depends_on_data(term)) {
      return parameter_sum(term);
    }
    switch (term.kind()) {
      case TermKind::RealAdd: return joined(expand(term.arg(0)), expand(term.arg(1)));
      case TermKind::RealSub: return joined(expand(term.arg(0)), negated(expand(term.arg(1))));
      case TermKind::RealNeg: return negated(expand(term.arg(0)));
      case TermKind::RealMul: return multiplied(expand(term.arg(0)), expand(term.arg(1)));
      case TermKind::RealDiv:
        return depends_on_data(term.arg(1)) ? atom(term) : multiplied(expand(term.arg(0)), inverse(term.arg(1)));
      case TermKind::Select: return depends_on_data(term.arg(0)) ? atom(term) : selected(term);
      case TermKind::Reduce: return term->reduction == Reduction::Sum ? summed(term) : atom(term);
      default: return atom(term);
    }
  }

  bool depends_on_data(Term term) {
    auto [at, is_new] = depends_.try_emplace(term, false);
    if (!is_new) {
      return at->second;
    }
    bool own = term.kind() == TermKind::Read && is_data_(term->symbol);
    bool depends = own || std::any_of(term.args().begin(), term.args().end(), [&](Term arg) { return depends_on_data(arg); });
    depends_[term] = depends;
    return depends;
  }

 private:
  // Sums of parameters are split, too: what cancels is to be measured against its summands.
  std::optional<Sum> parameter_sum(Term term) {
    switch (term.kind()) {
      case TermKind::RealAdd: return joined(parameter_sum(term.arg(0)), parameter_sum(term.arg(1)));
      case TermKind::RealSub: return joined(parameter_sum(term.arg(0)), negated(parameter_sum(term.arg(1))));
      case TermKind::RealNeg: return negated(parameter_sum(term.arg(0)));
      case TermKind::RealMul: return multiplied(parameter_sum(term.arg(0)), parameter_sum(term.arg(1)));
      case TermKind::RealDiv: return multiplied(parameter_sum(term.arg(0)), inverse(term.arg(1)));
      case TermKind::RealConst:
        if (term->value == 0) {
          return Sum();
        }
        break;
      default: break;
    }
    Summand s;
    s.parameters.push_back(term);
    return Sum{std::move(s)};
  }

  static std::optional<Sum> inverse(Term divisor) {
    Summand s;
    s.parameters.push_back(real_const(1) / divisor);
    return Sum{std::move(s)};
  }

  static std::optional<Sum> atom(Term term) {
    Summand s;
    s.data.push_back(term);
    return Sum{std::move(s)};
  }

  static std::optional<Sum> joined(std::optional<Sum> a, std::optional<Sum> b) {
    if (!a || !b || a->size() + b->size() > kMostSummands) {
      return std::nullopt;
    }
    std::move(b->begin(), b->end(), std::back_inserter(*a));
    return a;
  }

  static std::optional<Sum> negated(std::optional<Sum> a) {
    for (std::size_t k = 0; a && k < a->size(); ++k) {
      (*a)[k].parameters.push_back(real_const(-1));
    }
    return a;
  }

  std::optional<Sum> multiplied(std::optional<Sum> a, std::optional<Sum> b) {
    if (!a || !b || a->size() * b->size() > kMostSummands) {
      return std::nullopt;
    }
    Sum out;
    for (const Summand& x : *a) {
      for (const Summand& y : *b) {
        Summand both = renamed_apart(x);
        Summand other = renamed_apart(y);
        both.parameters.insert(both.parameters.end(), other.parameters.begin(), other.parameters.end());
        both.data.insert(both.data.end(), other.data.begin(), other.data.end());
        both.bound.insert(both.bound.end(), other.bound.begin(), other.bound.end());
        both.guard = vouch::both(both.guard, other.guard);
        out.push_back(std::move(both));
      }
    }
    return out;
  }

  // Bound indices get names that nothing else has.
  Summand renamed_apart(Summand s) {
    Substitution fresh;
    for (BoundIndex& index : s.bound) {
      Symbol name(fmt::format("%apart{}", next_++));
      fresh.emplace(index.name, int_var(name));
      index.name = name;
    }
    return substituted(std::move(s), fresh);
  }

  static Summand substituted(Summand s, const Substitution& names) {
    for (auto* factors : {&s.parameters, &s.data}) {
      for (Term& factor : *factors) {
        factor = substitute(factor, names);
      }
    }
    for (BoundIndex& index : s.bound) {
      index.extent = substitute(index.extent, names);
    }
    s.guard = substitute(s.guard, names);
    return s;
  }

  std::optional<Sum> selected(Term term) {
    auto then = expand(term.arg(1));
    auto otherwise = expand(term.arg(2));
    for (auto* branch : {&then, &otherwise}) {
      Term guard = branch == &then ? term.arg(0) : negate(term.arg(0));
      for (std::size_t k = 0; *branch && k < (*branch)->size(); ++k) {
        (**branch)[k].guard = both((**branch)[k].guard, guard);
      }
    }
    return joined(std::move(then), std::move(otherwise));
  }

  std::optional<Sum> summed(Term term) {
    Substitution fresh;
    std::vector<BoundIndex> bound;
    for (std::size_t k = 0; k < term->bound.size(); ++k) {
      if (term.arg(2 + k) == Term(1)) {
        fresh.emplace(term->bound[k], Term(0));
        continue;
      }
      Symbol name(fmt::format("%apart{}", next_++));
      fresh.emplace(term->bound[k], int_var(name));
      bound.push_back({name, term.arg(2 + k)});
    }
    auto inner = expand(substitute(term.arg(0), fresh));
    Term guard = substitute(term.arg(1), fresh);
    for (std::size_t k = 0; inner && k < inner->size(); ++k) {
      Summand& s = (*inner)[k];
      s.bound.insert(s.bound.begin(), bound.begin(), bound.end());
      s.guard = both(s.guard, guard);
    }
    return inner;
  }

  const std::function<bool(Symbol)>& is_data_;
  std::unordered_map<Term, bool> depends_;
  std::size_t next_ = 0;
};

std::vector<Term> conjuncts(Term guard) {
  if (guard.kind() != TermKind::And) {
    return {guard};
  }
  std::vector<Term> out;
  for (Term arg : guard.args()) {
    std::vector<Term> inner = conjuncts(arg);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

bool is_subset(const std::vector<Symbol>& some, const std::vector<Symbol>& all) {
  return std::all_of(some.begin(), some.end(), [&](Symbol s) { return std::find(all.begin(), all.end(), s) != all.end(); });
}

// A coefficient is 0 where its guard fails, and elements that are read have values: there the guard, or the conjuncts that depend
// on nothing but what the coefficient does, can be the coefficient's. Functions of data may be undefined where the guard fails.
Coefficient take_guard(DataPart& part, Coefficient coefficient, GuardsOf guards) {
  bool is_total = std::all_of(part.factors.begin(), part.factors.end(), [](Term f) { return f.kind() == TermKind::Read; });
  std::vector<Symbol> free = free_variables(coefficient);
  Term taken = bool_const(true);
  Term left = bool_const(true);
  for (Term conjunct : is_total ? conjuncts(part.guard) : std::vector<Term>{part.guard}) {
    bool moves = is_total && (guards == GuardsOf::Coefficients || is_subset(free_variables(conjunct), free));
    (moves ? taken : left) = both(moves ? taken : left, conjunct);
  }
  part.guard = left;
  return is_true(taken) ? coefficient : select(taken, coefficient, real_const(0));
}

// With bound indices named as they appear in what depends on data. One that does not appear there sums parameters.
std::pair<DataPart, Coefficient> canonical(Summand s, GuardsOf guards) {
  std::vector<Symbol> order;
  std::stable_sort(s.data.begin(), s.data.end(),
                   [](Term a, Term b) { return a.kind() != b.kind() ? a.kind() < b.kind() : a->symbol < b->symbol; });
  for (Term factor : s.data) {
    appearances(factor, order);
  }
  DataPart part;
  Substitution names;
  std::vector<BoundIndex> of_parameters;
  for (Symbol name : order) {
    auto at = std::find_if(s.bound.begin(), s.bound.end(), [&](const BoundIndex& index) { return index.name == name; });
    if (at != s.bound.end()) {
      names.emplace(name, int_var(fmt::format("%{}", part.extents.size())));
      part.extents.push_back(at->extent);
    }
  }
  for (const BoundIndex& index : s.bound) {
    if (!names.contains(index.name)) {
      of_parameters.push_back(index);
    }
  }
  for (Term factor : s.data) {
    part.factors.push_back(substitute(factor, names));
  }
  Term coefficient = product(s.parameters);
  part.guard = substitute(s.guard, names);
  if (!of_parameters.empty()) {
    coefficient = reduce(Reduction::Sum, of_parameters, s.guard, coefficient);
    part.guard = bool_const(true);
  }
  coefficient = take_guard(part, substitute(coefficient, names), guards);
  return {std::move(part), coefficient};
}

}  // namespace

bool operator<(const DataPart& a, const DataPart& b) {
  auto all = [](const DataPart& part) {
    std::vector<Term> out(part.factors);
    out.insert(out.end(), part.extents.begin(), part.extents.end());
    out.push_back(part.guard);
    return out;
  };
  std::vector<Term> x = all(a);
  std::vector<Term> y = all(b);
  return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), [](Term s, Term t) { return compare(s, t) < 0; });
}

std::optional<AffineForm> affine_form(Term scalar, const std::function<bool(Symbol)>& is_data, GuardsOf guards) {
  Expander expander(is_data);
  auto sum = expander.expand(scalar);
  if (!sum) {
    return std::nullopt;
  }
  AffineForm out;
  for (Summand& s : *sum) {
    auto [part, coefficient] = canonical(std::move(s), guards);
    out[std::move(part)].push_back(coefficient);
  }
  return out;
}

}  // namespace vouch
