// The texts of the Coq library that this command was built with.
#pragma once

#include <span>
#include <string_view>

namespace vouch {

struct LibraryText {
  std::string_view name;  // below the library's folder
  std::string_view hash;  // `content_hash` of the text
};

std::span<const LibraryText> library_texts();

}  // namespace vouch
