// `1 rule`, `2 rules`: for messages.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

inline std::string how_many(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace vouch
