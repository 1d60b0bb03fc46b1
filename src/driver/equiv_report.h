// What `vouch equiv` found, for people and for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "equiv/equiv.h"

namespace vouch {

std::string verdict_text(const EquivResult& result);
std::string equiv_text(const EquivResult& result);
nlohmann::ordered_json equiv_json(const EquivResult& result);

// One of a list, as JUnit's XML has it.
struct JudgedPair {
  std::string a;
  std::string b;
  std::string verdict;
  std::string text;
  bool equal = false;
  double seconds = 0;
};
std::string junit_text(const std::vector<JudgedPair>& pairs);

}  // namespace vouch
