// A rule from the items between its braces.
#pragma once

#include <gtest/gtest.h>

#include "rule/parse.h"

namespace vouch {

inline Rule rule_of(const std::string& items) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("test.gsl", "rule r {\n" + items + "\n}\n"), diagnostics);
  EXPECT_TRUE(rules && rules->size() == 1) << diagnostics.text();
  return rules ? std::move(rules->at(0)) : Rule{};
}

}  // namespace vouch
