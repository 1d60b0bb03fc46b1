#include "facts/kept_arithmetic.h"

#include <utility>

namespace vouch {

static Ids ids_of(const Facts& facts) {
  Ids ids;
  ids.reserve(facts.size());
  for (Term fact : facts) {
    ids.push_back(fact.id());
  }
  return ids;
}

std::unique_ptr<Arithmetic> KeptArithmetic::take(const Facts& base) {
  auto known = kept_.extract(ids_of(base));
  if (known.empty()) {
    return std::make_unique<Arithmetic>(base);
  }
  known.mapped()->begin_proof();
  return std::move(known.mapped());
}

void KeptArithmetic::keep(const Facts& base, std::unique_ptr<Arithmetic> arithmetic) {
  constexpr std::size_t kMost = 1000;
  if (arithmetic->exhausted() || arithmetic->unknowns() > 0) {
    return;
  }
  if (kept_.size() == kMost) {
    kept_.clear();
  }
  kept_.insert_or_assign(ids_of(base), std::move(arithmetic));
}

}  // namespace vouch
