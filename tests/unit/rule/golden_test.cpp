// Golden tests of what a user is told about a bad rule: tests/golden/rule/bad-*.txt hold a rule text, a line `----`, and
// the messages expected. VOUCH_REWRITE_GOLDEN=1 writes what is found instead; review the difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "rule/parse.h"

namespace vouch {
namespace {

constexpr std::string_view kSeparator = "----\n";

std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(VOUCH_ROOT "/tests/golden/rule")) {
    if (entry.path().filename().string().starts_with("bad-")) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class BadRule : public ::testing::TestWithParam<std::string> {};

TEST_P(BadRule, IsExplained) {
  std::stringstream file;
  file << std::ifstream(GetParam()).rdbuf();
  std::string whole = file.str();
  std::size_t cut = whole.find(kSeparator);
  std::string text = whole.substr(0, cut);
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("bad.gsl", text), diagnostics);
  EXPECT_FALSE(rules.has_value());
  EXPECT_TRUE(diagnostics.has_errors());
  if (std::getenv("VOUCH_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(GetParam()) << text << kSeparator << diagnostics.text();
    return;
  }
  ASSERT_NE(cut, std::string::npos) << "no line ---- in " << GetParam();
  EXPECT_EQ(diagnostics.text(), whole.substr(cut + kSeparator.size()));
}

INSTANTIATE_TEST_SUITE_P(Golden, BadRule, ::testing::ValuesIn(golden_files()), [](const auto& one) {
  std::string name = std::filesystem::path(one.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(BadRules, AreThere) { EXPECT_GE(golden_files().size(), 60U); }

}  // namespace
}  // namespace vouch
