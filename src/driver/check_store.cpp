#include "driver/check_store.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "rule/print.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "vouch verdicts 1";

Json entry_json(const CheckedRule& checked) {
  const RuleVerdict& v = checked.verdict;
  return {{"verdict", verdict_name(v.verdict)},
          {"reason", v.reason},
          {"instance", v.instance},
          {"remainder", v.remainder},
          {"max_rank", v.max_rank},
          {"any_rank", v.any_rank},
          {"dtypes", v.dtypes},
          {"alike", v.alike},
          {"excluded", v.excluded},
          {"bounds", v.bounds},
          {"instances", v.instances},
          {"vacuous", v.vacuous},
          {"queries", v.queries},
          {"unknown_queries", v.unknown_queries},
          {"slowest_query_ms", v.slowest_query_ms},
          {"milliseconds", v.milliseconds},
          {"counterexample", checked.counterexample},
          {"shown", checked.shown},
          {"conditions", checked.conditions},
          {"repair_proven", checked.repair_proven}};
}

// What was sealed is ours, so its form is that of above; anything else is as good as none.
std::optional<CheckedRule> read_entry(const Json& json, const Rule& rule) {
  CheckedRule out;
  RuleVerdict& v = out.verdict;
  auto kind = find_verdict(json.value("verdict", ""));
  if (!kind) {
    return std::nullopt;
  }
  out.rule = &rule;
  v.rule = rule.name;
  v.verdict = *kind;
  json.at("reason").get_to(v.reason);
  json.at("instance").get_to(v.instance);
  json.at("remainder").get_to(v.remainder);
  json.at("max_rank").get_to(v.max_rank);
  json.at("any_rank").get_to(v.any_rank);
  json.at("dtypes").get_to(v.dtypes);
  json.at("alike").get_to(v.alike);
  json.at("excluded").get_to(v.excluded);
  json.at("bounds").get_to(v.bounds);
  json.at("instances").get_to(v.instances);
  json.at("vacuous").get_to(v.vacuous);
  json.at("queries").get_to(v.queries);
  json.at("unknown_queries").get_to(v.unknown_queries);
  json.at("slowest_query_ms").get_to(v.slowest_query_ms);
  json.at("milliseconds").get_to(v.milliseconds);
  json.at("counterexample").get_to(out.counterexample);
  json.at("shown").get_to(out.shown);
  json.at("conditions").get_to(out.conditions);
  json.at("repair_proven").get_to(out.repair_proven);
  out.kept = true;
  return out;
}

}  // namespace

CheckStore::CheckStore(const std::string& folder, const CheckOptions& options, bool repair, Diagnostics& diagnostics)
    : folder_(folder, ".verdict", diagnostics),
      common_(fmt::format("{}\n{}\nrank {} instances {} refute {} repair {} seed {}\n", kFormat, checker_version(),
                          options.instances.max_rank, options.most_instances, options.refute, repair, options.seed)) {}

std::string CheckStore::subject(const Rule& rule) const { return common_ + print_rule(rule); }

std::optional<CheckedRule> CheckStore::find(const Rule& rule) const {
  auto json = folder_.find(subject(rule));
  try {
    return json ? read_entry(*json, rule) : std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

bool CheckStore::keep(const CheckedRule& checked, Diagnostics& diagnostics) const {
  return folder_.keep(subject(*checked.rule), entry_json(checked), diagnostics);
}

}  // namespace vouch
