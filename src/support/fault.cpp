#include "support/fault.h"

#include <cstdio>
#include <cstdlib>

namespace vouch {

void fault(std::string_view what, CodePlace where) {
  std::fflush(stdout);
  std::fprintf(stderr, "internal fault: %.*s (%s:%u)\n", static_cast<int>(what.size()), what.data(), where.file, where.line);
  std::fflush(stderr);
  std::_Exit(4);
}

}  // namespace vouch
