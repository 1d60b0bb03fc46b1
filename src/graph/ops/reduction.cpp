#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> reduction_ops() {
  return {};
}

}  // namespace vouch
