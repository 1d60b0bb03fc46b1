#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> pooling_ops() {
  return {};
}

}  // namespace vouch
