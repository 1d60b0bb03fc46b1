#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> normalization_ops() {
  return {};
}

}  // namespace vouch
