// Coq files for sound rules: written by `vouch check --coq DIR`, checked by `vouch verify DIR`.
//
// DIR/proofs.json lists for each rule its file, the file's hash, the theorems in it, and how many of the rule's instances
// they state; or why there is no file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "check/coq_export.h"
#include "driver/coq.h"
#include "support/diagnostic.h"

namespace vouch {

struct RuleProof {
  std::string rule;
  std::string folder;
  std::string file;  // empty if there is none
  std::string hash;
  std::vector<std::string> theorems;
  std::size_t stated = 0;
  std::size_t distinct = 0;
  std::string reason;
  CoqAnswer answer;  // once it was checked
};

inline constexpr std::string_view kRuleProofs = "proofs.json";

// Writes DIR/RULE.v and lists it.
bool write_rule_proof(const std::string& folder, const std::string& rule, const CoqRule& proof, std::vector<RuleProof>& all,
                      Diagnostics& diagnostics);
bool write_rule_proofs(const std::string& folder, const std::vector<RuleProof>& all, Diagnostics& diagnostics);
// Nothing (and no error) if the folder has none.
std::vector<RuleProof> read_rule_proofs(const std::string& folder, Diagnostics& diagnostics);
// Runs Coq on the file: every theorem that is listed must be there, and rest on nothing but the axioms of the reals.
void verify_rule_proof(const std::string& library, RuleProof& proof);
// The axioms that the standard library's real numbers bring; nothing else is accepted.
const std::vector<std::string>& axioms_of_reals();
void print_rule_proofs(const std::vector<RuleProof>& all);

}  // namespace vouch
