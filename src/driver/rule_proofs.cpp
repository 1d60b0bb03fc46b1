#include "driver/rule_proofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/file.h"
#include "support/hash.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

const std::vector<std::string>& axioms_of_reals() {
  static const std::vector<std::string> axioms = {"ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec",
                                                  "Classical_Prop.classic",
                                                  "FunctionalExtensionality.functional_extensionality_dep"};
  return axioms;
}

bool write_rule_proof(const std::string& folder, const std::string& rule, const CoqRule& proof, std::vector<RuleProof>& all,
                      Diagnostics& diagnostics) {
  RuleProof entry{rule, folder, {}, {}, proof.theorems, proof.stated, proof.distinct, proof.reason, {}};
  if (!proof.text.empty()) {
    entry.file = rule + ".v";
    entry.hash = content_hash(proof.text);
    if (!write_file(folder + "/" + entry.file, proof.text, diagnostics, Survives::ProcessEnd)) {
      return false;
    }
  }
  all.push_back(std::move(entry));
  return true;
}

bool write_rule_proofs(const std::string& folder, const std::vector<RuleProof>& all, Diagnostics& diagnostics) {
  Json rules = Json::array();
  for (const RuleProof& proof : all) {
    Json entry{{"rule", proof.rule}, {"distinct", proof.distinct}};
    if (proof.file.empty()) {
      entry["reason"] = proof.reason;
    } else {
      entry["file"] = proof.file;
      entry["hash"] = proof.hash;
      entry["stated"] = proof.stated;
      entry["theorems"] = proof.theorems;
    }
    rules.push_back(entry);
  }
  return write_file(folder + "/" + std::string(kRuleProofs), Json{{"rules", rules}}.dump(2) + "\n", diagnostics,
                    Survives::ProcessEnd);
}

std::vector<RuleProof> read_rule_proofs(const std::string& folder, Diagnostics& diagnostics) {
  std::string path = folder + "/" + std::string(kRuleProofs);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return {};
  }
  std::optional<std::string> text = read_file(path, diagnostics);
  Json all = text ? Json::parse(*text, nullptr, false) : Json();
  auto is_entry = [](const Json& e) {
    return e.is_object() && e.value("rule", Json()).is_string() &&
           (!e.contains("file") ||
            (e["file"].is_string() && e.value("hash", Json()).is_string() && e.value("theorems", Json()).is_array()));
  };
  if (!all.is_object() || !all.value("rules", Json()).is_array() ||
      !std::all_of(all["rules"].begin(), all["rules"].end(), is_entry)) {
    diagnostics.error_at(path, "this is no list of proofs");
    return {};
  }
  std::vector<RuleProof> out;
  for (const Json& e : all["rules"]) {
    RuleProof proof;
    proof.rule = e["rule"];
    proof.folder = folder;
    proof.file = e.value("file", "");
    proof.hash = e.value("hash", "");
    proof.reason = e.value("reason", "");
    proof.distinct = e.value("distinct", std::size_t{0});
    proof.stated = e.value("stated", std::size_t{0});
    for (const Json& name : e.value("theorems", Json::array())) {
      proof.theorems.push_back(name.is_string() ? name.get<std::string>() : "");
    }
    out.push_back(std::move(proof));
  }
  return out;
}

void verify_rule_proof(const std::string& library, RuleProof& proof) {
  Diagnostics diagnostics;
  if (proof.file.empty()) {
    proof.answer.message = "no proof: " + proof.reason;
    return;
  }
  std::optional<std::string> text = read_file(proof.folder + "/" + proof.file, diagnostics);
  if (!text) {
    proof.answer.message = diagnostics.text();
    return;
  }
  proof.answer = check_theorems(library, *text, proof.theorems);
  if (!proof.answer.accepted) {
    return;
  }
  for (const std::string& axiom : axiom_names(proof.answer.axioms)) {
    const std::vector<std::string>& known = axioms_of_reals();
    if (std::find(known.begin(), known.end(), axiom) == known.end()) {
      proof.answer.accepted = false;
      proof.answer.message = fmt::format("it rests on {}, which is no axiom of the reals", axiom);
    }
  }
  if (content_hash(*text) != proof.hash) {
    proof.answer.accepted = false;
    proof.answer.message = proof.file + " is not as it was written";
  }
}

void print_rule_proofs(const std::vector<RuleProof>& all) {
  std::size_t width = 4;
  for (const RuleProof& proof : all) {
    width = std::max(width, proof.rule.size());
  }
  fmt::print("{:<{}}  verdict     time  instances  axioms\n", "rule", width);
  for (const RuleProof& proof : all) {
    std::string verdict = proof.file.empty() ? "no proof" : proof.answer.accepted ? "proven" : "FAILED";
    std::size_t axioms = axiom_names(proof.answer.axioms).size();
    fmt::print("{:<{}}  {:<9} {:>5.2f} s  {:>4}/{:<4}  {}\n", proof.rule, width, verdict, proof.answer.seconds, proof.stated,
               proof.distinct,
               !proof.answer.accepted ? "-"
               : axioms == 0          ? "none"
                                      : "of the reals");
    if (!proof.answer.accepted) {
      fmt::print("    {}\n", proof.answer.message);
    }
  }
}

}  // namespace vouch
