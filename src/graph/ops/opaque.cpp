#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> opaque_ops() {
  return {};
}

}  // namespace vouch
