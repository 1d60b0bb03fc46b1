#include "support/hash.h"

// SHA-256 itself, without the providers that OpenSSL 3 looks it up in, which takes 5 million instructions of a short command.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>
#include <initializer_list>

namespace vouch {
namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

std::string hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (unsigned char byte : digest) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

// Of the texts one after the other.
Digest sha256(std::initializer_list<std::string_view> texts) {
  SHA256_CTX state;
  SHA256_Init(&state);
  for (std::string_view text : texts) {
    SHA256_Update(&state, text.data(), text.size());
  }
  Digest digest{};
  SHA256_Final(digest.data(), &state);
  return digest;
}

std::string_view text_of(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

}  // namespace

std::string content_hash(std::string_view text) { return hex(sha256({text})); }

std::string keyed_hash(std::string_view key, std::string_view text) {
  Digest short_key{};
  std::string inner(SHA256_CBLOCK, '\x36');
  std::string outer(SHA256_CBLOCK, '\x5c');
  if (key.size() > inner.size()) {
    short_key = sha256({key});
    key = text_of(short_key);
  }
  for (std::size_t k = 0; k < key.size(); ++k) {
    inner[k] = static_cast<char>(inner[k] ^ key[k]);
    outer[k] = static_cast<char>(outer[k] ^ key[k]);
  }
  return hex(sha256({outer, text_of(sha256({inner, text}))}));
}

}  // namespace vouch
