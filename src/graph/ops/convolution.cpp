#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> convolution_ops() {
  return {};
}

}  // namespace vouch
