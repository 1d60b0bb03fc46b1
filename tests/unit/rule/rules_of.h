// Rules from their text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "rule/parse.h"

namespace vouch {

inline std::vector<Rule> rules_of(const std::string& text) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("test.gsl", text), diagnostics);
  EXPECT_TRUE(rules.has_value()) << diagnostics.text();
  return rules.value_or(std::vector<Rule>());
}

}  // namespace vouch
