#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> slicing_ops() {
  return {};
}

}  // namespace vouch
