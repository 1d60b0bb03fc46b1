#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> shape_ops() {
  return {};
}

}  // namespace vouch
