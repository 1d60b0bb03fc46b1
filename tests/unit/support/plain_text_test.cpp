#include "support/plain_text.h"

#include <gtest/gtest.h>

namespace vouch {
namespace {

std::string refusal(const std::string& text) {
  Diagnostics diagnostics;
  bool good = reads_as_it_looks(std::make_shared<Source>("t", text), diagnostics);
  EXPECT_EQ(good, !diagnostics.has_errors());
  return good ? "" : diagnostics.text();
}

TEST(PlainText, IsWhatShows) {
  for (const char* text : {"", "a\n", "a\r\nb\r\n", "\ta b\n", "größer → 中文 𝛼\n", "~\n"}) {
    EXPECT_EQ(refusal(text), "") << text;
  }
}

TEST(PlainText, HiddenCharactersAreNamedWithTheirPlace) {
  EXPECT_NE(refusal("a\nb \xE2\x80\xAE").find("t:2:3: error: expected a text that reads as it looks, found the character U+202E"),
            std::string::npos);
  EXPECT_NE(refusal("a\xFF").find("the byte 0xff, which is no UTF-8"), std::string::npos);
  // A return without a new line, a form feed, an escape, a delete, NEL, no width, a separator of lines, an order of bytes, a tag;
  // an overlong slash, a surrogate, half a character.
  for (const std::string& text :
       {std::string("a\rb\n"), std::string("\f"), std::string("\x1b[2J"), std::string("\x7f"), std::string("\xC2\x85"),
        std::string("\xE2\x80\x8B"), std::string("\xE2\x80\xA8"), std::string("\xEF\xBB\xBF"), std::string("\xF3\xA0\x81\x81"),
        std::string("\xC0\xAF"), std::string("\xED\xA0\x80"), std::string("\xE2\x80"), std::string("a\0", 2)}) {
    EXPECT_NE(refusal(text), "") << text;
  }
}

}  // namespace
}  // namespace vouch
