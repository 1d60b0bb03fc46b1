#include "driver/decimals.h"

#include <fmt/format.h>

#include <algorithm>

namespace vouch {
namespace {

constexpr std::string_view kDigits = "0123456789";

// Where a quotient that begins here ends; nothing where none does. Parts of names are none.
std::size_t quotient_end(std::string_view text, std::size_t begin) {
  auto after_digits = [&](std::size_t at) { return std::min(text.find_first_not_of(kDigits, at), text.size()); };
  std::size_t slash = after_digits(begin);
  bool alone = begin == 0 || std::string_view(" (-").find(text[begin - 1]) != std::string_view::npos;
  if (!alone || slash == begin || slash == text.size() || text[slash] != '/') {
    return begin;
  }
  std::size_t end = after_digits(slash + 1);
  bool ends = end == text.size() || std::string_view(" ,;)}").find(text[end]) != std::string_view::npos;
  return ends && end > slash + 1 ? end : begin;
}

}  // namespace

std::string with_decimals(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = quotient_end(text, at);
    if (end == at) {
      out += text[at++];
      continue;
    }
    std::string quotient(text.substr(at, end - at));
    out += fmt::format("{:.7g}", std::stod(quotient) / std::stod(quotient.substr(quotient.find('/') + 1)));
    at = end;
  }
  return out;
}

}  // namespace vouch
