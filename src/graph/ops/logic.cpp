#include "graph/ops/themes.h"

namespace vouch {

std::vector<OpDef> logic_ops() {
  return {};
}

}  // namespace vouch
