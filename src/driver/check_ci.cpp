// Verdicts for continuous integration: SARIF and JUnit.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "driver/check_report.h"
#include "driver/xml.h"
#include "rule/print.h"
#include "support/displayable.h"
#include "support/hash.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kInputError = "input-error";
constexpr std::string_view kUnexpected = "unexpected";

// What stands in SARIF's table of rules: our verdicts, each with its meaning.
Json sarif_kinds() {
  const std::pair<std::string_view, std::string_view> kinds[] = {
      {"unsound", "The two sides of the rewrite rule differ on a concrete input."},
      {"ill-typed", "The target of the rewrite rule is not legal where its source is."},
      {"vacuous", "No input satisfies the source of the rewrite rule."},
      {"unknown", "The rewrite rule is neither proven nor refuted."},
      {kUnexpected, "The verdict differs from the rule's `expect`."},
      {kInputError, "The rule file cannot be read."}};
  Json all = Json::array();
  for (const auto& [id, text] : kinds) {
    all.push_back({{"id", id}, {"shortDescription", {{"text", text}}}});
  }
  return all;
}

Json sarif_place(const Source& source, Span span) {
  LineColumn begin = source.locate(span.begin);
  LineColumn end = source.locate(std::max(span.begin, span.end));
  return {{{"physicalLocation",
            {{"artifactLocation", {{"uri", displayable(source.name())}}},
             {"region",
              {{"startLine", begin.line}, {"startColumn", begin.column}, {"endLine", end.line}, {"endColumn", end.column}}}}}}};
}

std::string_view kind_of(const CheckedRule& checked) {
  return as_expected(checked) ? verdict_name(checked.verdict.verdict) : kUnexpected;
}

// Why a rule does not pass, in a sentence and what shows it.
std::string why(const CheckedRule& checked) {
  const RuleVerdict& v = checked.verdict;
  std::string text = fmt::format("rule '{}' is {}", v.rule, verdict_name(v.verdict));
  text += as_expected(checked) ? "" : fmt::format(", not '{}' as it says", expectation_name(checked.rule->expectation));
  text += v.reason.empty() ? "" : ": " + v.reason;
  text += checked.shown.empty() ? "" : "\n" + checked.shown;
  for (const std::string& condition : checked.conditions) {
    text += fmt::format("{} where {};\n", checked.repair_proven ? "repaired by" : "not refuted any more with", condition);
  }
  return displayable(text);
}

Json sarif_of(const CheckedRule& checked) {
  Json out{{"ruleId", kind_of(checked)},
           {"level", !checked.shown.empty() || !as_expected(checked) ? "error" : "warning"},
           {"message", {{"text", why(checked)}}}};
  if (checked.rule->source) {
    out["locations"] = sarif_place(*checked.rule->source, checked.rule->span);
  }
  out["partialFingerprints"] = {{"vouchRule/v1", content_hash(checked.verdict.rule + "\n" + content_hash(*checked.rule))}};
  return out;
}

Json sarif_of(const Diagnostic& diagnostic) {
  std::string hint = diagnostic.hint.empty() ? "" : "\n" + diagnostic.hint;
  Json out{{"ruleId", kInputError},
           {"level", "error"},
           {"message", {{"text", displayable((diagnostic.source ? "" : diagnostic.place + ": ") + diagnostic.message + hint)}}}};
  if (diagnostic.source) {
    out["locations"] = sarif_place(*diagnostic.source, diagnostic.span);
  }
  return out;
}

std::string file_of(const CheckedRule& checked) { return checked.rule->source ? checked.rule->source->name() : "rules"; }

// One suite: a file's cases as XML, counted.
struct Suite {
  std::string cases;
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  double seconds = 0;

  void add(const CheckedRule& checked) {
    double time = checked.verdict.milliseconds / 1000;
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", xml_text(file_of(checked)),
                         xml_text(checked.verdict.rule), time);
    if (passes(checked)) {
      cases += "/>\n";
    } else {
      cases += fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n", kind_of(checked),
                           xml_text(fmt::format("{} is {}", checked.verdict.rule, verdict_name(checked.verdict.verdict))),
                           xml_text(why(checked)));
      ++failures;
    }
    ++tests;
    seconds += time;
  }

  void add(const Diagnostic& diagnostic) {
    cases += fmt::format(
        "    <testcase classname=\"{0}\" name=\"(read)\" time=\"0\">\n      <error type=\"{1}\" message=\"{2}\">{3}</error>\n"
        "    </testcase>\n",
        xml_text(diagnostic.source ? diagnostic.source->name() : diagnostic.place), kInputError, xml_text(diagnostic.message),
        xml_text(print_diagnostic(diagnostic)));
    ++tests;
    ++errors;
  }
};

}  // namespace

Json check_sarif(const CheckReport& report) {
  Json results = Json::array();
  for (const CheckedRule& checked : report.rules) {
    if (!passes(checked)) {
      results.push_back(sarif_of(checked));
    }
  }
  for (const Diagnostic& diagnostic : report.input != nullptr ? report.input->all() : std::vector<Diagnostic>{}) {
    results.push_back(sarif_of(diagnostic));
  }
  Json driver{{"name", "vouch"}, {"version", VOUCH_VERSION}, {"rules", sarif_kinds()}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", {{{"tool", {{"driver", driver}}}, {"columnKind", "utf16CodeUnits"}, {"results", results}}}}};
}

std::string check_junit(const CheckReport& report) {
  std::map<std::string, Suite> suites;
  for (const CheckedRule& checked : report.rules) {
    suites[file_of(checked)].add(checked);
  }
  for (const Diagnostic& diagnostic : report.input != nullptr ? report.input->all() : std::vector<Diagnostic>{}) {
    suites[diagnostic.source ? diagnostic.source->name() : diagnostic.place].add(diagnostic);
  }
  std::string body;
  Suite all;
  for (const auto& [file, suite] : suites) {
    body += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{:.3f}\">\n{}  </testsuite>\n",
        xml_text(file), suite.tests, suite.failures, suite.errors, suite.seconds, suite.cases);
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.seconds += suite.seconds;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vouch check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "time=\"{:.3f}\">\n{}</testsuites>\n",
      all.tests, all.failures, all.errors, all.seconds, body);
}

}  // namespace vouch
