#include "support/hash.h"

#include <gtest/gtest.h>

namespace vouch {
namespace {

// FIPS 180-4's examples, as NIST publishes them.
TEST(ContentHash, IsSha256) {
  EXPECT_EQ(content_hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(content_hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// RFC 4231, test case 2.
TEST(KeyedHash, IsHmacSha256) {
  EXPECT_EQ(keyed_hash("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace vouch
