#include "driver/check_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "driver/colour.h"
#include "driver/counterexample_file.h"
#include "driver/json_output.h"
#include "driver/standard_streams.h"
#include "io/whole_json.h"
#include "refute/show.h"
#include "support/how_many.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

std::string scope_words(const RuleVerdict& v) {
  return fmt::format("{}{}{}, {}", v.any_rank ? std::string("any rank") : fmt::format("ranks to {}", v.max_rank),
                     v.bounds.empty() ? "" : ", ", fmt::join(v.bounds, ", "), how_many(v.instances, "instance"));
}

bool is_refuted(Verdict verdict) { return verdict == Verdict::Unsound || verdict == Verdict::IllTyped; }

Colour colour_of(Verdict verdict) { return is_sound(verdict) ? Colour::Good : is_refuted(verdict) ? Colour::Bad : Colour::Open; }

// As `refute --save` writes it, so that `replay` reads it, with the text for people.
Json counterexample_json(const CheckedRule& checked) {
  Json out = whole_json(checked.counterexample);
  out = out.is_object() ? out : Json::object();
  out["text"] = checked.shown;
  return out;
}

Json rule_json(const CheckedRule& checked) {
  const RuleVerdict& v = checked.verdict;
  Json out;
  out["name"] = v.rule;
  if (checked.rule->source) {
    out["file"] = checked.rule->source->name();
    out["line"] = checked.rule->source->locate(checked.rule->span.begin).line;
  }
  out["verdict"] = is_sound(v.verdict) ? "sound" : std::string(verdict_name(v.verdict));
  if (is_sound(v.verdict)) {
    out["algebra"] = v.verdict == Verdict::SoundExact ? "exact" : "real";
  }
  if (checked.rule->expectation != Expectation::None) {
    out["expected"] = expectation_name(checked.rule->expectation);
    out["as_expected"] = as_expected(checked);
  }
  out["ranks"] = v.any_rank ? std::string("any") : fmt::format("0..{}", v.max_rank);
  out["bounds"] = v.bounds;
  out["dtypes"] = v.dtypes;
  out["alike"] = v.alike;
  if (!v.excluded.empty()) {
    out["excluded"] = v.excluded;
  }
  out["instances"] = v.instances;
  out["evidence"] = is_sound(v.verdict)      ? Json::array({"solver"})
                    : !checked.shown.empty() ? Json::array({"counterexample"})
                                             : Json::array();
  out["kept"] = checked.kept;
  out["time_ms"] = v.milliseconds;
  out["queries"] = v.queries;
  out["slowest_query_ms"] = v.slowest_query_ms;
  if (!checked.shown.empty()) {
    out["counterexample"] = counterexample_json(checked);
  }
  if (!checked.conditions.empty()) {
    out["condition"] = checked.conditions;
    out["condition_proven"] = checked.repair_proven;
  }
  if (v.verdict == Verdict::Unknown || v.verdict == Verdict::Vacuous) {
    out["reason"] = v.reason;
    out["instance"] = v.instance;
    out["remainder"] = v.remainder;
  }
  return out;
}

}  // namespace

CheckedRule checked_rule(const Rule& rule, RuleVerdict verdict) {
  CheckedRule out;
  out.rule = &rule;
  if (verdict.counterexample) {
    Diagnostics unprintable;
    out.counterexample = print_counterexample(verdict.rule, *verdict.counterexample, unprintable).value_or("");
    out.shown = show_counterexample(*verdict.counterexample, rule);
  }
  out.verdict = std::move(verdict);
  out.verdict.scopes = {};  // thousands, where nothing fires
  return out;
}

std::string_view expectation_name(Expectation expectation) {
  switch (expectation) {
    case Expectation::None: return "";
    case Expectation::Sound: return "sound";
    case Expectation::SoundExact: return "sound exact";
    case Expectation::SoundReal: return "sound real";
    case Expectation::Unsound: return "unsound";
    case Expectation::IllTyped: return "ill_typed";
    case Expectation::Vacuous: return "vacuous";
    case Expectation::Unknown: return "unknown";
  }
  return "";
}

bool as_expected(const CheckedRule& checked) {
  Verdict verdict = checked.verdict.verdict;
  switch (checked.rule->expectation) {
    case Expectation::None: return true;
    case Expectation::Sound: return is_sound(verdict);
    case Expectation::SoundExact: return verdict == Verdict::SoundExact;
    case Expectation::SoundReal: return verdict == Verdict::SoundReal;
    case Expectation::Unsound: return verdict == Verdict::Unsound;
    case Expectation::IllTyped: return verdict == Verdict::IllTyped;
    case Expectation::Vacuous: return verdict == Verdict::Vacuous;
    case Expectation::Unknown: return verdict == Verdict::Unknown;
  }
  return true;
}

bool passes(const CheckedRule& checked) {
  return checked.rule->expectation == Expectation::None ? is_sound(checked.verdict.verdict) : as_expected(checked);
}

ExitCode code_of(const CheckReport& report) {
  if (report.input != nullptr && report.input->has_errors()) {
    return ExitCode::BadInput;
  }
  ExitCode code = ExitCode::Ok;
  for (const CheckedRule& checked : report.rules) {
    if (is_refuted(checked.verdict.verdict) || !as_expected(checked)) {
      return ExitCode::Refuted;
    }
    code = is_sound(checked.verdict.verdict) ? code : ExitCode::Undecided;
  }
  return code;
}

void print_repair(const CheckedRule& c) {
  for (std::size_t k = 0; k < c.conditions.size(); ++k) {
    fmt::print("{:<40} {:<11} where {};\n", k == 0 ? c.verdict.rule : "", k == 0 ? "repaired by" : "", c.conditions[k]);
  }
  if (!c.conditions.empty()) {
    fmt::print("{:<40} {}\n", "",
               c.repair_proven ? "the repaired rule is proven sound" : "not refuted any more, but not proven either");
    flush_output();
  }
}

void print_verdict(const CheckedRule& checked, bool verbose) {
  const RuleVerdict& v = checked.verdict;
  std::string detail = is_sound(v.verdict) ? scope_words(v) : is_refuted(v.verdict) ? "" : v.reason;
  std::string word = coloured(fmt::format("{:<14}", verdict_name(v.verdict)), colour_of(v.verdict));
  detail += !checked.kept ? "" : detail.empty() ? "(kept)" : " (kept)";
  fmt::print("{:<40} {} {:6.0f} ms{}{}\n", v.rule, word, v.milliseconds, detail.empty() ? "" : "  ", detail);
  if (!as_expected(checked)) {
    fmt::print("  {}: the rule says 'expect {};'\n", coloured("not as expected", Colour::Bad),
               expectation_name(checked.rule->expectation));
  }
  fmt::print("{}", checked.shown);
  if (verbose && v.verdict == Verdict::Unknown && !v.instance.empty()) {
    fmt::print("  at {}\n", v.instance);
    if (!v.remainder.empty()) {
      fmt::print("  left of source - target: {}\n", v.remainder);
    }
  }
  flush_output();
}

void print_summary(const CheckReport& report) {
  std::map<Verdict, std::size_t> counts;
  double total = 0;
  std::size_t unexpected = 0;
  std::size_t kept = 0;
  for (const CheckedRule& checked : report.rules) {
    ++counts[checked.verdict.verdict];
    total += checked.verdict.milliseconds;
    kept += checked.kept ? 1 : 0;
    unexpected += as_expected(checked) ? 0 : 1;
  }
  std::string text;
  for (const auto& [verdict, count] : counts) {
    text += (text.empty() ? "" : ", ") + coloured(fmt::format("{} {}", count, verdict_name(verdict)), colour_of(verdict));
  }
  std::string wrong = unexpected == 0 ? "" : coloured(fmt::format(", {} not as expected", unexpected), Colour::Bad);
  std::string known = kept == 0 ? "" : fmt::format(", {} kept", kept);
  if (report.rules.empty()) {
    bool unread = report.input != nullptr && report.input->has_errors();
    fmt::print("{}\n", unread ? "no rule could be read" : "no rules");
    return;
  }
  fmt::print("{}: {}{}{} ({:.0f} ms)\n", how_many(report.rules.size(), "rule"), text, wrong, known, total);
}

Json check_json(const CheckReport& report) {
  Json all{{"vouch_check", 1}, {"rules", Json::array()}};
  for (const CheckedRule& checked : report.rules) {
    all["rules"].push_back(rule_json(checked));
  }
  all["errors"] = report.input != nullptr ? diagnostics_json(*report.input) : Json::array();
  all["exit"] = static_cast<int>(code_of(report));
  return all;
}

Json check_badge(const CheckReport& report) {
  std::size_t passed = 0;
  bool refuted = report.input != nullptr && report.input->has_errors();
  for (const CheckedRule& checked : report.rules) {
    passed += passes(checked) ? 1 : 0;
    refuted = refuted || !as_expected(checked) || (!passes(checked) && is_refuted(checked.verdict.verdict));
  }
  bool all = passed == report.rules.size() && !refuted;
  std::string message = report.input != nullptr && report.input->has_errors()
                            ? how_many(report.input->error_count(), "error")
                            : fmt::format("{} of {} as they should be", passed, how_many(report.rules.size(), "rule"));
  return {{"schemaVersion", 1},
          {"label", "vouch"},
          {"message", message},
          {"color", all       ? "brightgreen"
                    : refuted ? "red"
                              : "yellow"}};
}

}  // namespace vouch
