#include "driver/rule_proofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "driver/folder_check.h"
#include "facts/arithmetic.h"
#include "io/file.h"
#include "io/whole_json.h"
#include "rule/parse.h"
#include "support/hash.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProofsFormat = 4;
constexpr std::uint64_t kMostRuleBytes = 1 << 20;
constexpr std::uint64_t kMostListBytes = 64 << 20;

std::map<std::string, std::string> files_of(const RuleProof& proof) {
  std::map<std::string, std::string> files{{proof.rule + ".gsl", proof.text}};
  if (!proof.coq.text.empty()) {
    files[proof.rule + ".v"] = proof.coq.text + proof.coq.operators;
  }
  return files;
}

Json entry_of(const RuleProof& proof) {
  Json files = Json::object();
  for (const auto& [file, text] : files_of(proof)) {
    files[file] = content_hash(text);
  }
  return {{"rule", proof.rule},
          {"recipe",
           {{"theorems", proof.recipe.theorems}, {"instances", proof.recipe.instances}, {"max_rank", proof.recipe.max_rank}}},
          {"distinct", proof.coq.distinct},
          {"stated", proof.coq.stated},
          {"theorems", proof.coq.theorems},
          {"by_name", proof.coq.by_name},
          {"outputs", proof.coq.outputs},
          {"why_unnamed", proof.coq.why_unnamed},
          {"scalars", scalars_text(proof.coq)},
          {"why_reals", proof.coq.why_reals},
          {"reason", proof.coq.reason},
          {"files", files}};
}

std::string print_list(const std::map<std::string, Json>& entries) {
  Json rules = Json::array();
  for (const auto& [rule, entry] : entries) {
    rules.push_back(entry);
  }
  return Json{{"format", kProofsFormat}, {"rules", rules}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Letters, digits, `_` and `-`, as the parser of rules has them: it names files.
bool is_rule_name(const Json& name) {
  auto plain = [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
  };
  const auto* text = name.get_ptr<const std::string*>();
  return text != nullptr && !text->empty() && std::all_of(text->begin(), text->end(), plain);
}

std::optional<RuleRecipe> read_recipe(const Json& entry) {
  auto recipe = entry.find("recipe");
  if (recipe == entry.end() || !recipe->is_object()) {
    return std::nullopt;
  }
  auto number = [&](const char* name, std::size_t most) -> std::optional<std::size_t> {
    auto found = recipe->find(name);
    bool good = found != recipe->end() && found->is_number_unsigned() && found->get<std::size_t>() <= most;
    return good ? std::optional(found->get<std::size_t>()) : std::nullopt;
  };
  auto theorems = number("theorems", kMostRecipe.theorems);
  auto instances = number("instances", kMostRecipe.instances);
  auto rank = number("max_rank", kMostRecipe.max_rank);
  return theorems && instances && rank ? std::optional(RuleRecipe{*theorems, *instances, static_cast<std::uint32_t>(*rank)})
                                       : std::nullopt;
}

// The entries of a list by rule; what else its text says is an error.
std::optional<std::map<std::string, Json>> read_list(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  Json all = whole_json(path, text, diagnostics);
  std::map<std::string, Json> entries;
  bool good = all.is_object() && all.contains("rules") && all["rules"].is_array();
  for (const Json& entry : good ? all["rules"] : Json::array()) {
    good = good && entry.is_object() && entry.contains("rule") && is_rule_name(entry["rule"]) && read_recipe(entry);
    if (good) {
      entries[entry["rule"].get<std::string>()] = entry;
    }
  }
  if (!good) {
    diagnostics.error_at(path, "this is no list of proofs", "remove it, and 'vouch check --coq' writes a new one");
    return std::nullopt;
  }
  if (std::string written = print_list(entries); written != text) {
    diagnostics.error_at(path, "this is no list of proofs as 'vouch check --coq' writes it; " + first_difference(written, text));
    return std::nullopt;
  }
  return entries;
}

void compare_entry(const Json& listed, const Json& expected, RuleCheck& check) {
  for (const auto& [member, value] : expected.items()) {
    auto found = listed.find(member);
    if (found == listed.end() || *found != value) {
      check.differences.push_back(fmt::format("{}: its '{}' is not what the rule's text gives", kRuleProofs, member));
    }
  }
  for (const auto& [member, value] : listed.items()) {
    if (!expected.contains(member)) {
      check.differences.push_back(fmt::format("{}: nothing accounts for its '{}'", kRuleProofs, member));
    }
  }
}

std::optional<Rule> parse_one(const std::string& rule, const std::string& text, Diagnostics& diagnostics) {
  auto rules = parse_rules(std::make_shared<Source>(rule + ".gsl", text), diagnostics);
  if (!rules) {
    return std::nullopt;
  }
  if (rules->size() != 1 || rules->front().name != rule) {
    diagnostics.error_at(rule + ".gsl", fmt::format("expected the rule '{}' alone, found {}", rule,
                                                    rules->empty() ? "none" : fmt::format("'{}'", rules->front().name)));
    return std::nullopt;
  }
  return std::move(rules->front());
}

void check_rule_proof(const Json& entry, std::set<std::string>& covered, RuleCheck& check) {
  check.asked.recipe = *read_recipe(entry);
  std::string path = check.folder + "/" + check.rule + ".gsl";
  FileBytes text = read_regular(path, kMostRuleBytes);
  Diagnostics diagnostics;
  auto proof = text.bytes ? rule_proof(check.rule, *text.bytes, check.asked.recipe, diagnostics) : std::nullopt;
  if (!proof) {
    check.differences.push_back("the rule's text cannot be had: " + (text.bytes ? diagnostics.text() : text.why));
    return;
  }
  check.coq = proof->coq;
  check.asked = rule_asked(*parse_one(check.rule, *text.bytes, diagnostics), proof->recipe, proof->coq);
  for (const auto& [file, expected] : files_of(*proof)) {
    covered.insert(file);
    FileBytes found = read_regular(check.folder + "/" + file, expected.size() + kMostRuleBytes);
    if (found.bytes != expected) {
      check.differences.push_back(fmt::format("{}: it is not what the rule's text gives; {}", file,
                                              found.bytes ? first_difference(expected, *found.bytes) : found.why));
    }
  }
  compare_entry(entry, entry_of(*proof), check);
}

}  // namespace

const std::vector<std::string>& axioms_of_reals() {
  static const std::vector<std::string> axioms = {"ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec",
                                                  "Classical_Prop.classic",
                                                  "FunctionalExtensionality.functional_extensionality_dep"};
  return axioms;
}

std::string scalars_text(const CoqRule& rule) {
  return rule.text.empty() ? "none" : rule.scalars == CoqScalars::Any ? "any" : "reals";
}

std::optional<RuleProof> rule_proof(const std::string& rule, const std::string& text, const RuleRecipe& recipe,
                                    Diagnostics& diagnostics) {
  auto parsed = parse_one(rule, text, diagnostics);
  if (!parsed) {
    return std::nullopt;
  }
  CoqOptions options;
  options.most_theorems = recipe.theorems;
  options.instances.most = recipe.instances;
  options.instances.max_rank = recipe.max_rank;
  Arithmetic::begin_rule(0);  // what was asked before has no part in it
  return RuleProof{rule, text, recipe, coq_rule(*parsed, options)};
}

bool write_rule_proofs(const std::string& folder, const RuleProofs& proofs, Diagnostics& diagnostics) {
  std::string path = fmt::format("{}/{}", folder, kRuleProofs);
  std::error_code ignored;
  std::map<std::string, Json> entries;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    auto text = read_file(path, diagnostics, kMostListBytes);
    auto known = text ? read_list(path, *text, diagnostics) : std::nullopt;
    if (!known) {
      return false;
    }
    entries = std::move(*known);
  }
  for (const auto& [rule, proof] : proofs) {
    std::filesystem::remove(fmt::format("{}/{}.v", folder, rule), ignored);
    for (const auto& [file, text] : files_of(proof)) {
      if (!write_file(folder + "/" + file, text, diagnostics, Survives::ProcessEnd)) {
        return false;
      }
    }
    entries[rule] = entry_of(proof);
  }
  return write_file(path, print_list(entries), diagnostics, Survives::ProcessEnd);
}

std::vector<RuleCheck> check_rule_proofs(const std::string& folder, std::set<std::string>& covered, Diagnostics& diagnostics) {
  std::string path = fmt::format("{}/{}", folder, kRuleProofs);
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    return {};
  }
  covered.insert(std::string(kRuleProofs));
  FileBytes text = read_regular(path, kMostListBytes);
  if (!text.bytes) {
    diagnostics.error_at(path, "the list of proofs cannot be had: " + text.why);
    return {};
  }
  std::vector<RuleCheck> checks;
  auto entries = read_list(path, *text.bytes, diagnostics);
  for (const auto& [rule, entry] : entries ? *entries : std::map<std::string, Json>{}) {
    checks.push_back({folder, rule, {}, {}, {}});
    check_rule_proof(entry, covered, checks.back());
  }
  return checks;
}

namespace {

CoqAnswer asked(const std::string& library, const std::string& text, const std::vector<std::string>& theorems,
                const CoqLimits& limits) {
  CoqAnswer answer = check_theorems(library, text, theorems, limits);
  for (const std::string& axiom : axiom_names(answer.axioms)) {
    const std::vector<std::string>& known = axioms_of_reals();
    if (answer.word == CoqWord::Holds && std::find(known.begin(), known.end(), axiom) == known.end()) {
      answer.word = CoqWord::Fails;
      answer.message = fmt::format("it rests on {}, which is no axiom of the reals", axiom);
    }
  }
  return answer;
}

}  // namespace

CoqAnswer verify_rule_proof(const std::string& library, const CoqRule& rule, const CoqLimits& limits) {
  if (rule.operators.empty()) {
    return asked(library, rule.text, rule.theorems, limits);
  }
  std::vector<std::string> all = rule.theorems;
  all.insert(all.end(), rule.by_name.begin(), rule.by_name.end());
  constexpr int kShareByName = 5;  // of the time: where Coq takes long for it, what is said of elements is not kept waiting
  CoqLimits by_name = limits;
  by_name.time = std::max(std::chrono::seconds(1), limits.time / kShareByName);
  CoqAnswer whole = asked(library, rule.text + rule.operators, all, by_name);
  if (whole.word == CoqWord::Holds) {
    return whole;
  }
  CoqAnswer of_elements = asked(library, rule.text, rule.theorems, limits);
  if (of_elements.word == CoqWord::Holds) {
    of_elements.message = "of elements alone: Coq does not accept what is said of operators by name; " + whole.message;
  }
  return of_elements;
}

std::size_t proven_by_name(const CoqRule& rule, const CoqAnswer& answer) {
  return answer.word == CoqWord::Holds && answer.message.empty() ? rule.by_name.size() : 0;
}

}  // namespace vouch
