#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "driver/commands.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "rewrite/overlap.h"
#include "rule/print.h"
#include "support/displayable.h"

namespace vouch {
namespace {

constexpr std::size_t kMostRules = 2500;  // every pair is compared
constexpr std::size_t kMostOverlaps = 100'000;

std::string place_of(const Rule& rule) {
  return rule.source ? fmt::format("{}:{}", rule.source->name(), rule.source->locate(rule.span.begin).line) : std::string();
}

std::string written_at(const Rule& rule, PatternId pattern) {
  constexpr std::size_t kLongest = 70;
  return shortened(print_pattern(rule, pattern), kLongest);
}

void print_relations(const std::vector<Rule>& rules, const std::vector<UndoingPair>& undoing,
                     const std::vector<std::size_t>& repeating, const std::vector<Overlap>& overlaps) {
  fmt::print("{} rules\n", rules.size());
  fmt::print("\n{} rule(s) keep or write what they match, and may fire on it for ever\n", repeating.size());
  for (std::size_t rule : repeating) {
    fmt::print("  {} ({})\n", rules[rule].name, place_of(rules[rule]));
  }
  fmt::print("\n{} pair(s) undo each other, where their conditions and computed attributes allow it\n", undoing.size());
  for (const UndoingPair& pair : undoing) {
    const Rule& first = rules[pair.first];
    if (pair.first == pair.second) {
      fmt::print("  {} ({}) undoes itself\n", first.name, place_of(first));
    } else {
      fmt::print("  {} ({}) is undone by {} ({})\n", first.name, place_of(first), rules[pair.second].name,
                 place_of(rules[pair.second]));
    }
  }
  fmt::print("\n{} critical overlap(s){}: where both match, what fires first may decide\n", overlaps.size(),
             overlaps.size() == kMostOverlaps ? ", or more that are not listed" : "");
  for (const Overlap& overlap : overlaps) {
    const Rule& first = rules[overlap.first];
    fmt::print("  {} and {}, at {}\n", first.name, overlap.first == overlap.second ? "itself" : rules[overlap.second].name,
               written_at(first, overlap.at));
  }
}

nlohmann::ordered_json json_of(const std::vector<Rule>& rules, const std::vector<UndoingPair>& undoing,
                               const std::vector<std::size_t>& repeating, const std::vector<Overlap>& overlaps) {
  nlohmann::ordered_json out{{"all_overlaps", overlaps.size() != kMostOverlaps},
                             {"rules", nlohmann::ordered_json::array()},
                             {"repeating", nlohmann::ordered_json::array()},
                             {"undoing", nlohmann::ordered_json::array()},
                             {"overlaps", nlohmann::ordered_json::array()}};
  for (const Rule& rule : rules) {
    out["rules"].push_back({{"name", rule.name}, {"place", place_of(rule)}});
  }
  for (std::size_t rule : repeating) {
    out["repeating"].push_back(rules[rule].name);
  }
  for (const UndoingPair& pair : undoing) {
    out["undoing"].push_back({rules[pair.first].name, rules[pair.second].name});
  }
  for (const Overlap& overlap : overlaps) {
    out["overlaps"].push_back({{"first", rules[overlap.first].name},
                               {"second", rules[overlap.second].name},
                               {"at", written_at(rules[overlap.first], overlap.at)}});
  }
  return out;
}

}  // namespace

ExitCode relate_rules(const RulesCommand& command) {
  Diagnostics diagnostics;
  auto rules = load_rules(command.rules, diagnostics);
  if (!rules) {
    return give_up(diagnostics);
  }
  if (rules->size() > kMostRules) {
    diagnostics.error_at("rules",
                         fmt::format("{} rules are more than {}, of which every pair is compared", rules->size(), kMostRules),
                         "name files of fewer rules");
    return give_up(diagnostics);
  }
  std::vector<UndoingPair> undoing = undoing_pairs(*rules);
  std::vector<std::size_t> repeating = repeating_rules(*rules);
  std::vector<Overlap> overlaps = critical_overlaps(*rules, kMostOverlaps);
  if (!json_alone(command.json)) {
    print_relations(*rules, undoing, repeating, overlaps);
  }
  if (!command.json.empty() && !give_json(command.json, json_of(*rules, undoing, repeating, overlaps), diagnostics)) {
    return give_up(diagnostics);
  }
  return ExitCode::Ok;
}

}  // namespace vouch
