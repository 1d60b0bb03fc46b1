// What `vouch check` found, and its forms: for people, as JSON, as SARIF and JUnit for continuous integration, as a badge.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"
#include "driver/exit_code.h"
#include "support/diagnostic.h"

namespace vouch {

// What is known of one rule in the end.
struct CheckedRule {
  const Rule* rule = nullptr;
  RuleVerdict verdict;                  // where it is kept, its counterexample is in the next two alone
  std::string counterexample;           // as `refute --save` writes it; empty if there is none
  std::string shown;                    // the same for people
  std::vector<std::string> conditions;  // that repair a refuted rule
  bool repair_proven = false;
  bool finished = false;      // no repair is to be looked for any more
  bool kept = false;          // from a store (driver/check_store.h)
  bool contradicted = false;  // the store has another verdict
};
// What was found of the rule, with its counterexample as text.
CheckedRule checked_rule(const Rule& rule, RuleVerdict verdict);

struct CheckReport {
  std::vector<CheckedRule> rules;
  const Diagnostics* input = nullptr;  // what is wrong with the files
};

// The word after `expect` ("sound exact"); empty for None.
std::string_view expectation_name(Expectation expectation);
// Is the verdict what the rule's `expect` says? Where it says nothing, yes.
bool as_expected(const CheckedRule& checked);
// For continuous integration: what `expect` says, or else sound.
bool passes(const CheckedRule& checked);
// Sound, or what `expect` says: 0. A verdict that differs from `expect`, or a refuted rule: 1. See driver/exit_code.h.
ExitCode code_of(const CheckReport& report);

void print_verdict(const CheckedRule& checked, bool verbose);
void print_repair(const CheckedRule& checked);
void print_summary(const CheckReport& report);

// docs/schemas/check.json describes it.
nlohmann::ordered_json check_json(const CheckReport& report);
// SARIF 2.1.0 (OASIS, 2020): one result for each rule that does not pass and each error of a file.
nlohmann::ordered_json check_sarif(const CheckReport& report);
// JUnit XML as Jenkins, GitLab and GitHub's reporters read it: a suite for each file, a case for each rule.
std::string check_junit(const CheckReport& report);
// A badge for shields.io's endpoint: {"schemaVersion", "label", "message", "color"}.
nlohmann::ordered_json check_badge(const CheckReport& report);

}  // namespace vouch
