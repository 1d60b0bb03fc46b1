#include "support/hash.h"

#include <fmt/format.h>

#include <cstdint>

namespace vouch {

static std::uint64_t fnv1a(std::string_view text, std::uint64_t seed) {
  std::uint64_t h = 0xcbf29ce484222325ULL ^ seed;
  for (unsigned char c : text) {
    h = (h ^ c) * 0x100000001b3ULL;
  }
  // The finaliser of MurmurHash3 (Appleby 2011): every input bit reaches every output bit.
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

std::string content_hash(std::string_view text) {
  return fmt::format("{:016x}{:016x}", fnv1a(text, 0), fnv1a(text, 0x9e3779b97f4a7c15ULL));
}

}  // namespace vouch
