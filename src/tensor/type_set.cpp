#include "tensor/type_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

namespace vouch {

std::vector<DType> TypeSet::types() const {
  std::vector<DType> out;
  for (int k = 0; k < kDTypeCount; ++k) {
    if (contains(static_cast<DType>(k))) {
      out.push_back(static_cast<DType>(k));
    }
  }
  return out;
}

std::string TypeSet::text() const {
  constexpr std::pair<TypeSet, std::string_view> kNamed[] = {{kAllTypes, "any type"},
                                                             {kPlainTypes, "any but storage types"},
                                                             {kNumbers, "numbers"},
                                                             {kFloats, "floats"},
                                                             {kIntegers, "integers"}};
  for (const auto& [set, name] : kNamed) {
    if (*this == set) {
      return std::string(name);
    }
  }
  std::vector<std::string_view> names;
  for (DType type : types()) {
    names.push_back(dtype_name(type));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace vouch
