// Rules from their text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "rule/parse.h"
#include "rule/print.h"

namespace vouch {

inline std::vector<Rule> rules_of(const std::string& text) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("test.gsl", text), diagnostics);
  EXPECT_TRUE(rules.has_value()) << diagnostics.text();
  return rules.value_or(std::vector<Rule>());
}

// The rule of these items.
inline Rule one_rule_of(const std::string& items) {
  std::vector<Rule> rules = rules_of("rule r {\n" + items + "}\n");
  return rules.empty() ? Rule() : std::move(rules.front());
}

// And what is printed of it is read as the same rule.
inline Rule printed_back(const std::string& items) {
  Rule rule = one_rule_of(items);
  std::string printed = print_rule(rule);
  std::vector<Rule> again = rules_of(printed);
  EXPECT_TRUE(!again.empty() && same_rule(rule, again.front())) << printed;
  return rule;
}

}  // namespace vouch
