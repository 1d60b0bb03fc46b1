// Extrema over a merged axis, as those over the axes that were merged.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "algebra/congruence.h"
#include "facts/index_terms.h"
#include "term/comparison.h"
#include "term/parts.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// Each p of 0 <= p < n * m, where m >= 1, is m * w + v for one w of 0 <= w < n and one v of 0 <= v < m. So an extremum over p,
// whatever its guard and its body look at, is one over w and v.
class AxesApart {
 public:
  AxesApart(Equality& equality, Arithmetic& arithmetic) : equality_(equality), arithmetic_(arithmetic) {}

  Term apart(Term term, const Facts& facts) {
    Scope scope{facts, {}};
    return apart(term, scope);
  }

 private:
  struct Scope {
    const Facts& facts;
    std::unordered_map<Term, Term> known;
  };
  // Of an index among what is bound.
  struct Digits {
    std::size_t at;
    Term size;
    Term count;
  };

  // Indices are simplified, and what is bound has a name of its own, so that facts speak of one index each.
  Term apart(Term term, Scope& scope) {
    if (auto found = scope.known.find(term); found != scope.known.end()) {
      return found->second;
    }
    Term out = term.sort() == Sort::Int          ? equality_.simplified_index(without_remainders(term), scope.facts)
               : term.kind() == TermKind::Reduce ? reduction(term, scope)
                                                 : with_arguments(term, [&](Term arg) { return apart(arg, scope); });
    scope.known.emplace(term, out);
    return out;
  }

  Term reduction(Term term, Scope& scope) {
    std::vector<BoundIndex> bound;
    Substitution renamed;
    for (std::size_t k = 0; k < term->bound.size(); ++k) {
      bound.push_back({fresh(), apart(term.arg(2 + k), scope)});
      renamed.emplace(term->bound[k], int_var(bound.back().name));
    }
    Term guard = substitute(term.arg(1), renamed);
    Term body = substitute(term.arg(0), renamed);
    const bool extremum = term->reduction == Reduction::Max || term->reduction == Reduction::Min;
    constexpr std::size_t kMostAxes = 16;
    for (;;) {
      Facts inside = scope.facts;
      for (const BoundIndex& index : bound) {
        inside.push_back(le(0, int_var(index.name)));
        inside.push_back(lt(int_var(index.name), index.extent));
      }
      guard = apart(guard, inside);
      body = apart(body, inside);
      auto digits = extremum && bound.size() < kMostAxes ? digits_in(bound, guard, body, scope.facts) : std::nullopt;
      if (!digits) {
        return reduce(term->reduction, bound, guard, body);
      }
      const BoundIndex which{fresh(), digits->count};
      const BoundIndex where{fresh(), digits->size};
      const Substitution index{{bound[digits->at].name, digits->size * int_var(which.name) + int_var(where.name)}};
      guard = substitute(guard, index);
      body = substitute(body, index);
      bound[digits->at] = where;
      bound.insert(bound.begin() + static_cast<std::ptrdiff_t>(digits->at), which);
    }
  }

  // An index of which a quotient is looked at, over a whole number of its divisors; these do not vary.
  std::optional<Digits> digits_in(const std::vector<BoundIndex>& bound, Term guard, Term body, const Facts& facts) {
    std::vector<Term> quotients;
    std::unordered_set<Term> seen;
    add_quotients(guard, quotients, seen);
    add_quotients(body, quotients, seen);
    for (Term quotient : quotients) {
      const Term size = quotient.arg(1);
      auto index =
          std::find_if(bound.begin(), bound.end(), [&](const BoundIndex& b) { return quotient.arg(0) == int_var(b.name); });
      if (index == bound.end() || mentions_any(size, names_)) {
        continue;
      }
      const Division parts = divide(index->extent, size);
      if (parts.rest == Term(0) && parts.whole != Term(1) && arithmetic_.entails(facts, ge(size, 1))) {
        return Digits{static_cast<std::size_t>(index - bound.begin()), size, parts.whole};
      }
    }
    return std::nullopt;
  }

  // Not those of what is data: indices that are bound there have any names.
  static void add_quotients(Term term, std::vector<Term>& out, std::unordered_set<Term>& seen) {
    if (term.kind() == TermKind::IntOf || !seen.insert(term).second) {
      return;
    }
    if (term.kind() == TermKind::FloorDiv) {
      out.push_back(term);
    }
    for (Term arg : term.args()) {
      add_quotients(arg, out, seen);
    }
  }

  Symbol fresh() {
    names_.emplace_back(fmt::format("\u2261axis {}", names_.size()));
    return names_.back();
  }

  Equality& equality_;
  Arithmetic& arithmetic_;
  std::vector<Symbol> names_;  // of all that is bound
};

// A reduction of which scalars decide over what it goes, and that looks at a quotient.
bool chooses_across_axes(Term term) {
  auto is_quotient = [](Term part) { return part.kind() == TermKind::FloorDiv || part.kind() == TermKind::FloorMod; };
  return !everywhere(term, [&](Term part) {
    return part.kind() != TermKind::Reduce || !speaks_of_scalars(part.arg(1)) ||
           everywhere(part, [&](Term inside) { return !is_quotient(inside); });
  });
}

}  // namespace

bool Congruence::congruent_by_axes(Term a, Term b, const Facts& facts) {
  if (!chooses_across_axes(a) && !chooses_across_axes(b)) {
    return false;
  }
  AxesApart axes(equality_, arithmetic_);
  return congruent(axes.apart(a, facts), axes.apart(b, facts), facts);
}

}  // namespace vouch
