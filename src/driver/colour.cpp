#include "driver/colour.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace vouch {
namespace {

bool wanted() {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return (none == nullptr || *none == '\0') && !dumb && isatty(STDOUT_FILENO) == 1;
}

}  // namespace

std::string coloured(std::string_view text, Colour colour) {
  static const bool colours = wanted();
  constexpr int kCodes[] = {32, 31, 33};  // ECMA-48: green, red, yellow
  return colours ? fmt::format("\033[{}m{}\033[0m", kCodes[static_cast<std::size_t>(colour)], text) : std::string(text);
}

}  // namespace vouch
