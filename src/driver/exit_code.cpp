#include "driver/exit_code.h"

#include <fmt/format.h>

#include "support/diagnostic.h"

namespace vouch {

ExitCode give_up(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", diagnostics.text());
  return ExitCode::BadInput;
}

}  // namespace vouch
