#include "driver/rule_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "driver/folder_check.h"
#include "driver/report_lines.h"
#include "support/how_many.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

std::size_t named_outputs(const RuleFound& one) { return one.check.coq ? proven_by_name(*one.check.coq, one.answer) : 0; }

// What of a rule is not all that there is to prove; first what `check` asks of.
std::vector<std::string> asked_lines(const RuleFound& found) {
  std::vector<std::string> out = found.check.asked.fewer;
  out.insert(out.end(), found.check.asked.remarks.begin(), found.check.asked.remarks.end());
  return out;
}

std::string ranks_text(const RuleFound& found) { return fmt::format("0..{}", found.check.asked.recipe.max_rank); }

// With its folder where another one has a rule of that name.
std::string row_name(const RuleFound& one, const VerifyFindings& found) {
  bool alone = std::none_of(found.rules.begin(), found.rules.end(), [&](const RuleFound& other) {
    return other.check.rule == one.check.rule && other.check.folder != one.check.folder;
  });
  return one.check.rule + (alone ? "" : " in " + printable(one.check.folder));
}

}  // namespace

std::string rule_verdict(const RuleFound& found) {
  CoqWord word = found.word();
  return word == CoqWord::Fails   ? "FAILED"
         : !found.has_proof()     ? "no proof"
         : found.is_in_part()     ? "in part"
         : word == CoqWord::Holds ? "proven"
                                  : "undecided";
}

std::string asked_summary(const VerifyFindings& found) {
  std::size_t stated = 0;
  std::size_t distinct = 0;
  std::vector<std::string> fewer;
  for (const RuleFound& one : found.rules) {
    stated += one.check.coq ? one.check.coq->stated : 0;
    distinct += one.check.coq ? one.check.coq->distinct : 0;
    if (!one.check.asked.fewer.empty()) {
      fewer.push_back(one.check.rule);
    }
  }
  std::string out = fmt::format("instances stated: {} of {} that differ\n", stated, distinct);
  return fewer.empty() ? out
                       : out + fmt::format("asked of less than 'vouch check --coq' asks of: {}: {}\n",
                                           how_many(fewer.size(), "rule"), fmt::join(fewer, ", "));
}

std::string asked_of_rules(const VerifyFindings& found) {
  std::string out;
  for (const RuleFound& one : found.rules) {
    out += fmt::format("  {:<24}{}: ranks {}, {} of {} instances stated, {} looked at at most\n", one.check.rule,
                       rule_verdict(one), ranks_text(one), one.check.coq ? one.check.coq->stated : 0,
                       one.check.coq ? one.check.coq->distinct : 0, one.check.asked.recipe.instances);
    for (const std::string& line : asked_lines(one)) {
      out += indented(line);
    }
  }
  return out.empty() ? "" : "Theorems about rules, and what was asked:\n" + out;
}

std::string by_name_summary(const VerifyFindings& found) {
  std::size_t all = 0;
  std::map<std::string, std::size_t> others;
  for (const RuleFound& one : found.rules) {
    if (!one.check.coq || one.word() != CoqWord::Holds) {
      continue;
    }
    const CoqRule& rule = *one.check.coq;
    bool every = named_outputs(one) == rule.outputs;
    all += every ? 1 : 0;
    if (!every) {
      ++others[named_outputs(one) < rule.by_name.size() ? "Coq does not accept it" : rule.why_unnamed];
    }
  }
  std::string out = fmt::format("stated by operators' names, as index kernels: {}", how_many(all, "rule"));
  for (const auto& [why, count] : others) {
    out += fmt::format("\n  of elements alone, in whole or in part: {}: {}", count, why);
  }
  return out + "\n";
}

std::string rule_rows(const VerifyFindings& found) {
  std::size_t width = 4;
  for (const RuleFound& one : found.rules) {
    width = std::max(width, row_name(one, found).size());
  }
  std::string out = fmt::format("{:<{}}  verdict     time  ranks  instances  by name  scalars  axioms\n", "rule", width);
  for (const RuleFound& one : found.rules) {
    std::size_t axioms = axiom_names(one.answer.axioms).size();
    std::string time = one.kept ? "   kept" : fmt::format("{:>5.2f} s", one.answer.seconds);
    out += fmt::format("{:<{}}  {:<9} {}  {:<5}  {:>4}/{:<4}  {:>3}/{:<3}  {:<7}  {}\n", row_name(one, found), width,
                       rule_verdict(one), time, ranks_text(one), one.check.coq ? one.check.coq->stated : 0,
                       one.check.coq ? one.check.coq->distinct : 0, named_outputs(one),
                       one.check.coq ? one.check.coq->outputs : 0, one.check.coq ? scalars_text(*one.check.coq) : "none",
                       one.word() != CoqWord::Holds ? "-"
                       : axioms == 0                ? "none"
                                                    : "of the reals");
    for (const std::string& line : asked_lines(one)) {
      out += indented(line);
    }
    for (const std::string& line : reasons(one.check.differences, one.answer)) {
      out += indented(line);
    }
  }
  return out;
}

Json rules_json(const VerifyFindings& found) {
  Json rules = Json::array();
  for (const RuleFound& one : found.rules) {
    rules.push_back({{"rule", one.check.rule},
                     {"folder", one.check.folder},
                     {"verdict", rule_verdict(one)},
                     {"proven", one.has_proof() && one.word() == CoqWord::Holds},
                     {"has_proof", one.has_proof()},
                     {"asked",
                      {{"ranks", one.check.asked.recipe.max_rank},
                       {"instances", one.check.asked.recipe.instances},
                       {"theorems", one.check.asked.recipe.theorems}}},
                     {"remarks", asked_lines(one)},
                     {"stated", one.check.coq ? one.check.coq->stated : 0},
                     {"distinct", one.check.coq ? one.check.coq->distinct : 0},
                     {"by_name", named_outputs(one)},
                     {"outputs", one.check.coq ? one.check.coq->outputs : 0},
                     {"why_unnamed", one.check.coq ? one.check.coq->why_unnamed : ""},
                     {"scalars", one.check.coq ? scalars_text(*one.check.coq) : "none"},
                     {"why_reals", one.check.coq ? one.check.coq->why_reals : ""},
                     {"axioms", axiom_names(one.answer.axioms)},
                     {"kept", one.kept},
                     {"time_ms", one.answer.seconds * 1000},
                     {"message", fmt::format("{}", fmt::join(reasons(one.check.differences, one.answer), "\n"))}});
  }
  return rules;
}

}  // namespace vouch
