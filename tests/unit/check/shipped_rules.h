// All rules under rules/ but the unsound ones.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
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

// Every fourth of them; in the long suite, which sets VOUCH_ALL, all.
inline std::vector<Rule> some_shipped_rules() {
  std::vector<Rule> all = shipped_rules();
  if (std::getenv("VOUCH_ALL") != nullptr) {
    return all;
  }
  std::vector<Rule> some;
  for (std::size_t k = 0; k < all.size(); k += 4) {
    some.push_back(std::move(all[k]));
  }
  return some;
}

}  // namespace vouch
