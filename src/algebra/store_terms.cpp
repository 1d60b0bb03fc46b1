#include "algebra/store_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "support/fault.h"
#include "term/substitute.h"
#include "term/uninterpreted.h"

namespace vouch {

static_assert(kUnsigned < kUninterpretedCount);

namespace {

constexpr std::array<DType, kFloatCount> kFloatTypes{DType::Float32,    DType::Float64,       DType::Float16,
                                                     DType::BFloat16,   DType::Float8E4M3FN,  DType::Float8E4M3FNUZ,
                                                     DType::Float8E5M2, DType::Float8E5M2FNUZ};

}  // namespace

bool is_store(Fn fn) {
  auto number = uninterpreted_number(fn);
  return number && (*number < kConversions || *number >= kRounding);
}

bool is_conversion(Fn fn) {
  auto number = uninterpreted_number(fn);
  return number && *number >= kConversions && *number < kRounding;
}

DType converted_type(Fn fn) {
  ensure(is_conversion(fn), "a conversion is expected");
  return static_cast<DType>((*uninterpreted_number(fn) - kConversions) % kDTypeCount);
}

DType source_type(Fn fn) {
  ensure(is_conversion(fn), "a conversion is expected");
  int row = (*uninterpreted_number(fn) - kConversions) / kDTypeCount;
  return row == 0 ? converted_type(fn) : kFloatTypes[static_cast<std::size_t>(row - 1)];
}

Fn conversion(DType source, DType to) {
  int row = 0;
  if (source != to) {
    auto at = std::find(kFloatTypes.begin(), kFloatTypes.end(), source);
    ensure(at != kFloatTypes.end() && !is_float(to), "a conversion that depends on its source is of floats to others");
    row = 1 + static_cast<int>(at - kFloatTypes.begin());
  }
  return uninterpreted(kConversions + row * kDTypeCount + static_cast<int>(to));
}

std::string store_text(Fn fn) {
  if (fn == uninterpreted(kRounding)) {
    return "rounded";
  }
  if (fn == uninterpreted(kUnsigned)) {
    return "unsigned";
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
    return with_arguments(term, [this](Term arg) { return of(arg); });
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
