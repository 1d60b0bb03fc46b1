#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> activation_ops() {
  return {};
}

}  // namespace vouch
