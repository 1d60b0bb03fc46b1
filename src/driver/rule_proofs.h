// Coq files for sound rules: written by `vouch check --coq DIR`, checked by `vouch verify DIR`.
//
// DIR holds for each rule its text, RULE.gsl, and, where there is a proof, RULE.v. DIR/proofs.json lists the rules: which of a
// rule's instances were to be stated, what was. `verify` makes all of it anew from the rule's text and believes nothing else.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/check.h"
#include "driver/coq.h"
#include "driver/rule_asked.h"
#include "rule/ast.h"
#include "support/diagnostic.h"
#include "theorem/coq_export.h"

namespace vouch {

struct RuleProof {
  std::string rule;
  std::string text;  // of the rule
  RuleRecipe recipe;
  CoqRule coq;
};
using RuleProofs = std::map<std::string, RuleProof>;  // by rule

inline constexpr std::string_view kRuleProofs = "proofs.json";

// What its theorems are about: `any`, `reals`; `none` if it has none.
std::string scalars_text(const CoqRule& rule);

// The file for a rule, made from its text alone, as `verify` will make it again.
std::optional<RuleProof> rule_proof(const std::string& rule, const std::string& text, const RuleRecipe& recipe,
                                    Diagnostics& diagnostics);

// Writes the rules' files and lists them; other rules that the folder lists stay.
bool write_rule_proofs(const std::string& folder, const RuleProofs& proofs, Diagnostics& diagnostics);

struct RuleCheck {
  std::string folder;
  std::string rule;
  RuleAsked asked;
  std::optional<CoqRule> coq;            // what its text gives; nothing if that cannot be had
  std::vector<std::string> differences;  // pairs that do not match
};
// The rules that a folder lists. `covered` is told every path that a rule accounts for. Errors: a list that is none.
std::vector<RuleCheck> check_rule_proofs(const std::string& folder, std::set<std::string>& covered, Diagnostics& diagnostics);

// Runs Coq on the rule's file: every theorem must be there, and rest on nothing but the axioms of the reals. Where it holds of
// elements alone, the message says why not of operators by name: for both together Coq gets a fifth of the time.
CoqAnswer verify_rule_proof(const std::string& library, const CoqRule& rule, const CoqLimits& limits);
// How many of its theorems of operators by name that answer accepts.
std::size_t proven_by_name(const CoqRule& rule, const CoqAnswer& answer);
// The axioms that the standard library's real numbers bring; nothing else is accepted.
const std::vector<std::string>& axioms_of_reals();

}  // namespace vouch
