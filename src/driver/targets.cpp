#include "driver/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "imp/print_versions.h"

namespace vouch {
namespace {

bool is_targets(const std::vector<std::string>& words) {
  return !words.empty() && words.front() == array::kGenericVersion &&
         std::adjacent_find(words.begin(), words.end(), [](const auto& a, const auto& b) {
           return array::version_number(a) >= array::version_number(b);
         }) == words.end();
}

}  // namespace

std::optional<std::vector<std::string>> targets_of(const std::string& text, Diagnostics& diagnostics) {
  std::vector<std::string> words;
  for (std::size_t at = 0; !text.empty() && at <= text.size();) {
    std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::sort(words.begin(), words.end(),
            [](const auto& a, const auto& b) { return array::version_number(a) < array::version_number(b); });
  if (!words.empty() && !is_targets(words)) {
    diagnostics.error_at("--targets", fmt::format("expected 'generic' and processors, each once, found '{}'", text),
                         "for example --targets generic,avx2,avx512");
    return std::nullopt;
  }
  return words;
}

std::optional<std::vector<std::string>> read_targets(const nlohmann::ordered_json& json) {
  std::vector<std::string> words;
  if (!json.is_array() || !std::all_of(json.begin(), json.end(), [](const auto& word) { return word.is_string(); })) {
    return std::nullopt;
  }
  words = json.get<std::vector<std::string>>();
  return is_targets(words) ? std::optional(std::move(words)) : std::nullopt;
}

}  // namespace vouch
