#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "driver/commands.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "rewrite/overlap.h"
#include "rule/print.h"
#include "support/displayable.h"
#include "support/how_many.h"

namespace vouch {
namespace {

constexpr std::size_t kMostListed = 100'000;
constexpr std::size_t kMostCompared = 10'000'000;  // patterns, for each of both questions: seconds

struct Relations {
  std::vector<UndoingPair> undoing;
  bool all_undoing = true;
  std::vector<std::size_t> repeating;
  std::vector<Overlap> overlaps;
  bool all_overlaps = true;
};

Relations relations_of(const std::vector<Rule>& rules) {
  Relations out;
  ComparisonBudget undoing(kMostCompared);
  ComparisonBudget meeting(kMostCompared);
  out.undoing = undoing_pairs(rules, kMostListed, &undoing);
  out.all_undoing = !undoing.ended() && out.undoing.size() != kMostListed;
  out.repeating = repeating_rules(rules);
  out.overlaps = critical_overlaps(rules, kMostListed, &meeting);
  out.all_overlaps = !meeting.ended() && out.overlaps.size() != kMostListed;
  return out;
}

const char* unless_all(bool all) { return all ? "" : ", or more that are not listed"; }

std::string place_of(const Rule& rule) {
  return rule.source ? fmt::format("{}:{}", rule.source->name(), rule.source->locate(rule.span.begin).line) : std::string();
}

std::string written_at(const Rule& rule, PatternId pattern) {
  constexpr std::size_t kLongest = 70;
  return shortened(print_pattern(rule, pattern), kLongest);
}

void print_relations(const std::vector<Rule>& rules, const Relations& relations) {
  fmt::print("{}\n", how_many(rules.size(), "rule"));
  fmt::print("\n{} rule(s) keep or write what they match, and may fire on it for ever\n", relations.repeating.size());
  for (std::size_t rule : relations.repeating) {
    fmt::print("  {} ({})\n", rules[rule].name, place_of(rules[rule]));
  }
  fmt::print("\n{} pair(s) undo each other{}, where their conditions and computed attributes allow it\n",
             relations.undoing.size(), unless_all(relations.all_undoing));
  for (const UndoingPair& pair : relations.undoing) {
    const Rule& first = rules[pair.first];
    if (pair.first == pair.second) {
      fmt::print("  {} ({}) undoes itself\n", first.name, place_of(first));
    } else {
      fmt::print("  {} ({}) is undone by {} ({})\n", first.name, place_of(first), rules[pair.second].name,
                 place_of(rules[pair.second]));
    }
  }
  fmt::print("\n{} critical overlap(s){}: where both match, what fires first may decide\n", relations.overlaps.size(),
             unless_all(relations.all_overlaps));
  for (const Overlap& overlap : relations.overlaps) {
    const Rule& first = rules[overlap.first];
    fmt::print("  {} and {}, at {}\n", first.name, overlap.first == overlap.second ? "itself" : rules[overlap.second].name,
               written_at(first, overlap.at));
  }
}

nlohmann::ordered_json json_of(const std::vector<Rule>& rules, const Relations& relations) {
  nlohmann::ordered_json out{{"vouch_rules", 1},
                             {"all_undoing", relations.all_undoing},
                             {"all_overlaps", relations.all_overlaps},
                             {"rules", nlohmann::ordered_json::array()},
                             {"repeating", nlohmann::ordered_json::array()},
                             {"undoing", nlohmann::ordered_json::array()},
                             {"overlaps", nlohmann::ordered_json::array()}};
  for (const Rule& rule : rules) {
    out["rules"].push_back({{"name", rule.name}, {"place", place_of(rule)}});
  }
  for (std::size_t rule : relations.repeating) {
    out["repeating"].push_back(rules[rule].name);
  }
  for (const UndoingPair& pair : relations.undoing) {
    out["undoing"].push_back({rules[pair.first].name, rules[pair.second].name});
  }
  for (const Overlap& overlap : relations.overlaps) {
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
  Relations relations = relations_of(*rules);
  if (!json_alone(command.json)) {
    print_relations(*rules, relations);
  }
  if (!command.json.empty() && !give_json(command.json, json_of(*rules, relations), diagnostics)) {
    return give_up(diagnostics);
  }
  return ExitCode::Ok;
}

}  // namespace vouch
