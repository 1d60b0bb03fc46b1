// Every shipped rule file parses, passes the static checks, and prints to a text that reads back to the same rule.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "rule/parse.h"
#include "rule/print.h"

namespace vouch {
namespace {

std::vector<std::string> rule_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(VOUCH_ROOT "/rules")) {
    if (entry.path().extension() == ".gsl") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class RuleFile : public testing::TestWithParam<std::string> {};

TEST_P(RuleFile, ParsesAndPrintsBack) {
  std::stringstream text;
  text << std::ifstream(GetParam()).rdbuf();
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>(GetParam(), text.str()), diagnostics);
  ASSERT_TRUE(rules) << diagnostics.text();
  EXPECT_FALSE(rules->empty());
  for (const Rule& rule : *rules) {
    std::string printed = print_rule(rule);
    Diagnostics again;
    auto reread = parse_rules(std::make_shared<Source>("printed", printed), again);
    ASSERT_TRUE(reread) << again.text() << printed;
    EXPECT_EQ(print_rule(reread->at(0)), printed);
  }
}

INSTANTIATE_TEST_SUITE_P(Library, RuleFile, testing::ValuesIn(rule_files()), [](const auto& one) {
  std::string name = std::filesystem::path(one.param).stem().string();
  return std::to_string(one.index) + "_" + name;
});

}  // namespace
}  // namespace vouch
