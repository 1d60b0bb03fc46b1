// Stores and conversions of elements, as uninterpreted functions of the numbers that they are given (instance/stores.h says of
// what).
#pragma once

#include <functional>
#include <string>

#include "tensor/dtype.h"
#include "term/term.h"

namespace vouch {

// The numbers of the functions: stores into the types of an instance, as they come up; conversions after them, a row for those
// that are functions of the number alone, then one for each type of floats that become integers; the rounding of a number that
// was no float: an attribute, an integer that float32 has; and the number that a rule computes where floats may give -0, which is
// no number: it is 0.
inline constexpr int kFloatCount = 8;
inline constexpr int kConversions = kDTypeCount;
inline constexpr int kRounding = kConversions + (1 + kFloatCount) * kDTypeCount;
inline constexpr int kUnsigned = kRounding + 1;

bool is_store(Fn fn);
bool is_conversion(Fn fn);
Fn conversion(DType source, DType to);
// The type that a conversion gives.
DType converted_type(Fn fn);
// The type that it takes, where the elements that come of it depend on that: of a float that becomes an integer.
DType source_type(Fn fn);
// `float32 to int8`; of a store `stored`, and the number of its type.
std::string store_text(Fn fn);

// The term over the reals: every store is what was stored; or every one of these.
Term without_stores(Term term);
Term without_stores(Term term, const std::function<bool(Fn store)>& which);

}  // namespace vouch
