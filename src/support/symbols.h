// Lists of names.
#pragma once

#include <algorithm>
#include <vector>

#include "support/symbol.h"

namespace vouch {

inline bool contains(const std::vector<Symbol>& names, Symbol name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace vouch
