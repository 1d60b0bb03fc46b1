// Source texts and places in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vouch {

// Half-open range of byte offsets in one source text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

// Both count from 1; the column counts bytes.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// A named text, immutable, shared by every tree that was parsed from it.
class Source {
 public:
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  LineColumn locate(std::uint32_t offset) const;
  // The line's text without its end; `line` counts from 1.
  std::string_view line(std::uint32_t line) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

using SourceRef = std::shared_ptr<const Source>;

}  // namespace vouch
