#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> unary_ops() {
  return {};
}

}  // namespace vouch
