#include "support/hash.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace vouch {
namespace {

std::string hex(const unsigned char* bytes, unsigned int count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(std::size_t{2} * count);
  for (unsigned int k = 0; k < count; ++k) {
    out += kDigits[bytes[k] >> 4U];
    out += kDigits[bytes[k] & 15U];
  }
  return out;
}

// Found once: each look is dearer than the hash of a short text.
const EVP_MD* sha256() {
  static EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found != nullptr ? found : EVP_sha256();
}

}  // namespace

std::string content_hash(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, sha256(), nullptr);
  return hex(digest.data(), size);
}

std::string keyed_hash(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       digest.data(), &size);
  return hex(digest.data(), size);
}

}  // namespace vouch
