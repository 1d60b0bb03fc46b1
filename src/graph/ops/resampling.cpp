#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> resampling_ops() {
  return {};
}

}  // namespace vouch
