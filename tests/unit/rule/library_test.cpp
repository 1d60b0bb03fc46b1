// Every shipped rule file parses, passes the static checks, and prints to a text that reads back to the same rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
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

class RuleFile : public ::testing::TestWithParam<std::string> {};

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
    EXPECT_TRUE(same_rule(rule, reread->at(0))) << printed;
    EXPECT_EQ(print_rule(reread->at(0)), printed);
    EXPECT_EQ(content_hash(reread->at(0)), content_hash(rule));
    auto canonical = parse_rules(std::make_shared<Source>("canonical", canonical_text(rule)), again);
    ASSERT_TRUE(canonical) << again.text() << canonical_text(rule);
    EXPECT_EQ(content_hash(canonical->at(0)), content_hash(rule));
  }
}

// ../data/gsl-rules.md of the sources: 19 rules, six of them wrong as published.
TEST(PublishedLibrary, IsWhole) {
  std::set<std::string> found;
  std::size_t wrong = 0;
  for (const std::string& file : rule_files()) {
    bool shipped = file.find("/rules/gsl/") != std::string::npos;
    bool refuted = file.ends_with("/rules/unsound/gsl.gsl");
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    Diagnostics diagnostics;
    auto rules = parse_rules(std::make_shared<Source>(file, text.str()), diagnostics);
    ASSERT_TRUE(rules) << diagnostics.text();
    for (const Rule& rule : *rules) {
      wrong += refuted;
      if (shipped) {
        found.insert(rule.name);
      }
    }
  }
  EXPECT_EQ(found,
            (std::set<std::string>{"trans_trans", "split_concat", "split_concat_variadic", "bias_add_add", "diamond_conv_add",
                                   "two_conv_add", "conv_shortcut_add", "lower_batch_norm", "lower_layer_norm", "conv_mul",
                                   "merge_element_wise", "merge_element_wise_variadic", "dispatch_tuple", "parallel_two_conv",
                                   "parallel_conv_variadic", "parallel_conv_expand_kernels", "parallel_group_conv_variadic",
                                   "parallel_dense", "parallel_dense_variadic"}));
  EXPECT_EQ(wrong, 6U);
}

INSTANTIATE_TEST_SUITE_P(Library, RuleFile, ::testing::ValuesIn(rule_files()), [](const auto& one) {
  std::string name = std::filesystem::path(one.param).stem().string();
  return std::to_string(one.index) + "_" + name;
});

}  // namespace
}  // namespace vouch
