#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> gathering_ops() {
  return {};
}

}  // namespace vouch
