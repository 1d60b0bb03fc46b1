// A term from its text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "term/parse.h"

namespace vouch {

inline Term parsed(std::string text) {
  Diagnostics diagnostics;
  auto term = parse_term(std::make_shared<Source>("term", std::move(text)), diagnostics);
  EXPECT_TRUE(term.has_value()) << diagnostics.text();
  return term.value_or(Term(0));
}

}  // namespace vouch
