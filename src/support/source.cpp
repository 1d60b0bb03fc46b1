#include "support/source.h"

#include <algorithm>
#include <utility>

namespace vouch {

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') {
      line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
}

LineColumn Source::locate(std::uint32_t offset) const {
  auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  auto line = static_cast<std::uint32_t>(next - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

std::string_view Source::line(std::uint32_t line) const {
  if (line == 0 || line > line_starts_.size()) {
    return {};
  }
  std::string_view rest = std::string_view(text_).substr(line_starts_[line - 1]);
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') {
    rest.remove_suffix(1);
  }
  return rest;
}

}  // namespace vouch
