#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> contraction_ops() {
  return {};
}

}  // namespace vouch
