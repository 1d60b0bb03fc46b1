// All rules under rules/ but the unsound ones.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "rule/parse.h"

namespace vouch {

inline std::vector<Rule> shipped_rules() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(VOUCH_ROOT "/rules")) {
    if (entry.path().extension() == ".gsl" && entry.path().string().find("/unsound/") == std::string::npos) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Rule> all;
  for (const std::string& file : files) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    Diagnostics diagnostics;
    auto rules = parse_rules(std::make_shared<Source>(file, text.str()), diagnostics);
    EXPECT_TRUE(rules) << diagnostics.text();
    if (rules) {
      std::move(rules->begin(), rules->end(), std::back_inserter(all));
    }
  }
  return all;
}

}  // namespace vouch
