#include "driver/language_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "array/parse.h"
#include "check/check.h"
#include "driver/index_commands.h"
#include "driver/operator_reference.h"
#include "graph/op_table.h"
#include "rule/parse.h"
#include "rule/print.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

Span word_at(std::string_view text, std::uint32_t offset) {
  std::uint32_t begin = offset;
  std::uint32_t end = offset;
  while (begin > 0 && is_word(text[begin - 1])) {
    --begin;
  }
  while (end < text.size() && is_word(text[end])) {
    ++end;
  }
  return {begin, end};
}

std::string_view in(std::string_view text, Span span) { return text.substr(span.begin, span.end - span.begin); }

SourceRef source_of(const Document& document) { return std::make_shared<Source>(document.uri, document.text); }

void read(const Document& document, Diagnostics& diagnostics) {
  switch (document.language) {
    case TextLanguage::Rules: parse_good_rules(source_of(document), diagnostics); break;
    case TextLanguage::IndexNotation: read_index_kernel(source_of(document), {}, diagnostics); break;
    case TextLanguage::Program: array::parse_program(source_of(document), diagnostics); break;
  }
}

// Where the name is given last before the place: after one of the words that give names, or after `kernel` and in binders.
std::optional<Span> defined_before(std::string_view text, std::string_view name, std::size_t before) {
  static const std::set<std::string_view> kGiving = {"let",    "attr", "operator", "variadic", "rule",
                                                     "kernel", "size", "map",      "generate"};
  std::optional<Span> found;
  std::string_view last;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    Span span = word_at(text, static_cast<std::uint32_t>(at));
    std::string_view word = in(text, span);
    if (word == name && kGiving.contains(last) && (span.begin <= before || !found)) {
      found = span;
    }
    last = word;
    at = span.end;
  }
  return found;
}

}  // namespace

TextLanguage language_called(std::string_view name, std::string_view uri) {
  constexpr std::string_view kOfExtension = "vouch-";
  name.remove_prefix(name.starts_with(kOfExtension) ? kOfExtension.size() : 0);
  bool ours = name == "gsl" || name == "tk" || name == "fun";
  return language_of(ours ? fmt::format(".{}", name) : std::string(uri));
}

Json document_diagnostics(const Document& document) {
  Diagnostics diagnostics;
  read(document, diagnostics);
  const TextPlaces places(document.text);
  Json all = Json::array();
  for (const Diagnostic& one : diagnostics.all()) {
    std::string hint = one.hint.empty() ? "" : "\n" + one.hint;
    std::string place = one.source || one.place.empty() ? "" : one.place + ": ";
    int severity = one.severity == Severity::Error ? 1 : one.severity == Severity::Warning ? 2 : 3;
    all.push_back({{"range", places.range(one.source ? one.span : Span{})},
                   {"severity", severity},
                   {"source", "vouch"},
                   {"message", place + one.message + hint}});
  }
  return all;
}

Json hover(const Document& document, TextPosition position) {
  Span span = word_at(document.text, offset_of(document.text, position));
  auto op = find_op(in(document.text, span));
  if (!op || document.language != TextLanguage::Rules) {
    return nullptr;
  }
  return {{"contents", {{"kind", "markdown"}, {"value", operator_page(op_def(*op))}}},
          {"range", TextPlaces(document.text).range(span)}};
}

Json definition(const Document& document, TextPosition position) {
  Span span = word_at(document.text, offset_of(document.text, position));
  auto found = span.begin == span.end ? std::nullopt : defined_before(document.text, in(document.text, span), span.begin);
  return found ? Json{{"uri", document.uri}, {"range", TextPlaces(document.text).range(*found)}} : Json(nullptr);
}

Json completions(const Document& document) {
  constexpr int kFunction = 3;
  constexpr int kVariable = 6;
  constexpr int kProperty = 10;
  Json all = Json::array();
  std::set<std::string> known;
  auto add = [&](const std::string& label, int kind, const std::string& detail) {
    if (known.insert(label).second) {
      all.push_back({{"label", label}, {"kind", kind}, {"detail", detail}});
    }
  };
  if (document.language == TextLanguage::Rules) {
    for (const std::string& name : op_names()) {
      const OpDef& def = op_def(*find_op(name));
      add(name, kFunction, operator_signature(def));
      for (const AttrDef& attr : def.attributes) {
        add(std::string(attr.name), kProperty, "attribute");
      }
    }
  }
  for (std::size_t at = 0; at < document.text.size();) {
    Span span = word_at(document.text, static_cast<std::uint32_t>(at));
    if (span.begin < span.end && std::isdigit(static_cast<unsigned char>(document.text[span.begin])) == 0) {
      add(std::string(in(document.text, span)), kVariable, "");
    }
    at = span.end + 1;
  }
  return all;
}

Json formatting_edits(const Document& document) {
  std::string formatted = format_text(document.text, document.language);
  if (formatted == document.text) {
    return Json::array();
  }
  Span whole{0, static_cast<std::uint32_t>(document.text.size())};
  return Json::array({{{"range", TextPlaces(document.text).range(whole)}, {"newText", formatted}}});
}

// An entry for each rule that can be read, from it and its place; what cannot is among the diagnostics.
template <class Entry>
static Json of_rules(const Document& document, const Entry& entry) {
  Json all = Json::array();
  if (document.language != TextLanguage::Rules) {
    return all;
  }
  const TextPlaces places(document.text);
  Diagnostics ignored;
  for (const Rule& rule : parse_good_rules(source_of(document), ignored)) {
    all.push_back(entry(rule, places.range(rule.span)));
  }
  return all;
}

Json symbols(const Document& document) {
  constexpr int kFunction = 12;
  return of_rules(document, [&](const Rule& rule, const Json& range) {
    return Json{{"name", rule.name}, {"kind", kFunction}, {"range", range}, {"selectionRange", range}};
  });
}

Json VerdictLenses::of(const Document& document) {
  return of_rules(document, [&](const Rule& rule, const Json& range) {
    std::string hash = content_hash(rule);
    rules_[hash] = print_rule(rule);
    return Json{{"range", range}, {"data", hash}};
  });
}

std::string VerdictLenses::rule_of(const Json& lens) const {
  bool good = lens.is_object() && lens.contains("data") && lens["data"].is_string();
  auto found = good ? rules_.find(lens["data"].get<std::string>()) : rules_.end();
  return found == rules_.end() ? std::string() : found->second;
}

Json VerdictLenses::resolve(Json lens, const std::string& rule) {
  std::string& verdict = verdicts_[rule];
  if (verdict.empty()) {
    Diagnostics ours;
    auto rules = parse_rules(std::make_shared<Source>("rule", rule), ours);
    verdict = rules && rules->size() == 1 ? std::string(verdict_name(check_rule(rules->front(), {}).verdict)) : "unknown";
  }
  lens["command"] = {{"title", verdict}, {"command", ""}};
  return lens;
}

}  // namespace vouch
