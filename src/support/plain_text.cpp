#include "support/plain_text.h"

#include <fmt/format.h>

#include <optional>

#include "support/displayable.h"

namespace vouch {

bool reads_as_it_looks(const SourceRef& source, Diagnostics& diagnostics) {
  std::string_view text = source->text();
  for (std::size_t at = 0; at < text.size();) {
    if ((text[at] >= ' ' && text[at] <= '~') || text[at] == '\n') {  // most are
      ++at;
      continue;
    }
    std::size_t length = character_length(text.substr(at));
    auto code = length == 0 ? std::nullopt : std::optional(code_point(text.substr(at, length)));
    bool ends_line = text.substr(at, 2) == "\r\n";
    if (code && (ends_line || !is_hidden(*code))) {
      at += length;
      continue;
    }
    auto here = static_cast<std::uint32_t>(at);
    std::string what = code ? fmt::format("the character U+{:04X}, which does not show", static_cast<std::uint32_t>(*code))
                            : fmt::format("the byte {:#04x}, which is no UTF-8", static_cast<unsigned char>(text[at]));
    diagnostics.error(source, {here, here + 1}, fmt::format("expected a text that reads as it looks, found {}", what),
                      "remove it; lines end with LF or CR LF");
    return false;
  }
  return true;
}

}  // namespace vouch
