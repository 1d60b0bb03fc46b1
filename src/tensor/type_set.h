// Sets of element types.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace vouch {

class TypeSet {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(std::initializer_list<DType> types) {
    for (DType type : types) {
      bits_ |= bit(type);
    }
  }
  static constexpr TypeSet all() {
    TypeSet out;
    out.bits_ = (1U << static_cast<unsigned>(kDTypeCount)) - 1U;
    return out;
  }

  constexpr bool contains(DType type) const { return (bits_ & bit(type)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr TypeSet operator|(TypeSet other) const { return of(bits_ | other.bits_); }
  constexpr TypeSet operator&(TypeSet other) const { return of(bits_ & other.bits_); }
  constexpr TypeSet operator-(TypeSet other) const { return of(bits_ & ~other.bits_); }
  friend constexpr bool operator==(TypeSet, TypeSet) = default;
  friend constexpr auto operator<=>(TypeSet, TypeSet) = default;

  // In the order of DType.
  std::vector<DType> types() const;
  // `numbers`, `floats`, `int32, int64`, …
  std::string text() const;

 private:
  static constexpr TypeSet of(std::uint32_t bits) {
    TypeSet out;
    out.bits_ = bits;
    return out;
  }
  static constexpr std::uint32_t bit(DType type) { return 1U << static_cast<unsigned>(type); }

  std::uint32_t bits_ = 0;
};

inline constexpr TypeSet kFloats{DType::Float32, DType::Float64, DType::Float16, DType::BFloat16};
inline constexpr TypeSet kNarrowFloats{DType::Float16, DType::BFloat16};
inline constexpr TypeSet kSignedIntegers{DType::Int8, DType::Int16, DType::Int32, DType::Int64};
inline constexpr TypeSet kUnsignedIntegers{DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64};
inline constexpr TypeSet kIntegers = kSignedIntegers | kUnsignedIntegers;
inline constexpr TypeSet kNumbers = kFloats | kIntegers;
inline constexpr TypeSet kBool{DType::Bool};
inline constexpr TypeSet kFourBits{DType::Int4, DType::UInt4};
inline constexpr TypeSet kFloats8{DType::Float8E4M3FN, DType::Float8E4M3FNUZ, DType::Float8E5M2, DType::Float8E5M2FNUZ};
inline constexpr TypeSet kStorage = kFourBits | kFloats8;
inline constexpr TypeSet kPlainTypes = kNumbers | kBool;
inline constexpr TypeSet kAllTypes = TypeSet::all();

}  // namespace vouch
