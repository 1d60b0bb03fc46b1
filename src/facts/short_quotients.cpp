#include "facts/short_quotients.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "term/print.h"

namespace vouch {
namespace {

// The factors of a product of sizes; nothing for what is none.
std::optional<std::vector<Term>> factors(Term term, const Facts& facts) {
  std::vector<Monomial> sum = monomials(term);
  bool product = sum.size() == 1 && sum[0].coefficient == 1;
  bool sizes = product && std::all_of(sum[0].atoms.begin(), sum[0].atoms.end(), [&](Term a) {
                 return a.kind() == TermKind::IntVar && std::find(facts.begin(), facts.end(), ge(a, 1)) != facts.end();
               });
  return sizes ? std::optional(sum[0].atoms) : std::nullopt;
}

Term product(const std::vector<Term>& factors) { return from_monomials({{1, factors}}); }

struct Parts {
  Term factor, dividend, divisor;
};

std::optional<Parts> parts(Term quotient, const Facts& facts) {
  auto dividend = quotient.kind() == TermKind::FloorDiv ? factors(quotient.arg(0), facts) : std::nullopt;
  auto divisor = dividend ? factors(quotient.arg(1), facts) : std::nullopt;
  if (!divisor) {
    return std::nullopt;
  }
  std::vector<Term> shared;
  for (Term factor : std::vector<Term>(*divisor)) {
    auto at = std::find(dividend->begin(), dividend->end(), factor);
    if (at != dividend->end()) {
      dividend->erase(at);
      divisor->erase(std::find(divisor->begin(), divisor->end(), factor));
      shared.push_back(factor);
    }
  }
  return divisor->empty() ? std::nullopt : std::optional(Parts{product(shared), product(*dividend), product(*divisor)});
}

class Quotients {
 public:
  Quotients(const Substitution& equals, const Facts& facts) : equals_(equals), facts_(facts) {}

  void look_at(Term term) {
    if (!seen_.insert(term).second) {
      return;
    }
    for (Term arg : term.args()) {
      look_at(arg);
    }
    if (auto found = parts(substitute(term, equals_), facts_)) {
      add(term, *found);
    }
  }

  std::vector<ShortQuotient> take() {
    std::erase_if(found_, [](const ShortQuotient& q) {
      return std::all_of(q.written.begin(), q.written.end(), [](const auto& one) { return one.factor == Term(1); });
    });
    return std::move(found_);
  }

 private:
  void add(Term written, const Parts& parts) {
    auto known = std::find_if(found_.begin(), found_.end(),
                              [&](const ShortQuotient& q) { return q.dividend == parts.dividend && q.divisor == parts.divisor; });
    if (known == found_.end()) {
      Symbol name(fmt::format("{} / {}", print_term(parts.dividend), print_term(parts.divisor)));
      known = found_.insert(known, {name, parts.dividend, parts.divisor, {}});
    }
    known->written.push_back({written, parts.factor});
  }

  const Substitution& equals_;
  const Facts& facts_;
  std::unordered_set<Term> seen_;
  std::vector<ShortQuotient> found_;
};

}  // namespace

std::vector<ShortQuotient> short_quotients(const std::vector<Term>& terms, const Substitution& equals, const Facts& facts) {
  Quotients quotients(equals, facts);
  for (Term term : terms) {
    quotients.look_at(term);
  }
  return quotients.take();
}

Term with_names(Term term, const std::vector<ShortQuotient>& quotients) {
  if (quotients.empty() || term.args().empty()) {
    return term;
  }
  if (term.kind() == TermKind::FloorDiv) {
    for (const ShortQuotient& q : quotients) {
      bool same = std::any_of(q.written.begin(), q.written.end(), [&](const ShortQuotient::Written& one) {
        return term.arg(0) == one.factor * q.dividend && term.arg(1) == one.factor * q.divisor;
      });
      if (same) {
        return int_var(q.name);
      }
    }
  }
  return with_arguments(term, [&](Term arg) { return with_names(arg, quotients); });
}

}  // namespace vouch
