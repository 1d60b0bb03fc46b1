#include "algebra/store_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "support/fault.h"
#include "term/substitute.h"
#include "term/uninterpreted.h"

namespace vouch {

static_assert(kRounding < kUninterpretedCount);

bool is_store(Fn fn) {
  auto number = uninterpreted_number(fn);
  return number && (*number < kConversions || *number == kRounding);
}

bool is_conversion(Fn fn) {
  auto number = uninterpreted_number(fn);
  return number && *number >= kConversions && *number != kRounding;
}

DType converted_type(Fn fn) {
  ensure(is_conversion(fn), "a conversion is expected");
  return static_cast<DType>((*uninterpreted_number(fn) - kConversions) % kDTypeCount);
}

DType source_type(Fn fn) {
  ensure(is_conversion(fn), "a conversion is expected");
  return static_cast<DType>((*uninterpreted_number(fn) - kConversions) / kDTypeCount);
}

std::string store_text(Fn fn) {
  if (fn == uninterpreted(kRounding)) {
    return "rounded";
  }
  if (is_store(fn)) {
    return fmt::format("stored{}", *uninterpreted_number(fn));
  }
  DType from = source_type(fn);
  DType to = converted_type(fn);
  return from == to ? fmt::format("to {}", dtype_name(to)) : fmt::format("{} to {}", dtype_name(from), dtype_name(to));
}

namespace {

class WithoutStores {
 public:
  explicit WithoutStores(std::function<bool(Fn)> which) : which_(std::move(which)) {}

  Term of(Term term) {
    if (term.args().empty()) {
      return term;
    }
    auto [at, is_new] = known_.try_emplace(term);
    if (!is_new) {
      return at->second;
    }
    Term out = computed(term);
    known_.insert_or_assign(term, out);
    return out;
  }

 private:
  Term computed(Term term) {
    if (term.kind() == TermKind::Call && is_store(term->fn) && which_(term->fn)) {
      return of(term.arg(0));
    }
    std::vector<Term> args;
    for (Term arg : term.args()) {
      args.push_back(of(arg));
    }
    return std::equal(args.begin(), args.end(), term.args().begin()) ? term : rebuild(term, args);
  }

  std::function<bool(Fn)> which_;
  std::unordered_map<Term, Term> known_;
};

}  // namespace

Term without_stores(Term term) {
  return without_stores(term, [](Fn) { return true; });
}

Term without_stores(Term term, const std::function<bool(Fn)>& which) { return WithoutStores(which).of(term); }

}  // namespace vouch
