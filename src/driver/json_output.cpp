#include "driver/json_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/file.h"

namespace vouch {

nlohmann::ordered_json diagnostics_json(const Diagnostics& diagnostics) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Diagnostic& one : diagnostics.all()) {
    nlohmann::ordered_json& out = all.emplace_back();
    out["severity"] = one.severity == Severity::Error ? "error" : one.severity == Severity::Warning ? "warning" : "note";
    out["message"] = one.message;
    if (!one.hint.empty()) {
      out["hint"] = one.hint;
    }
    if (!one.source) {
      out["place"] = one.place;
      continue;
    }
    LineColumn begin = one.source->locate(one.span.begin);
    LineColumn end = one.source->locate(std::max(one.span.begin, one.span.end));
    out["file"] = one.source->name();
    out["line"] = begin.line;
    out["column"] = begin.column;
    out["end_line"] = end.line;
    out["end_column"] = end.column;
  }
  return all;
}

bool give_json(const std::string& file, const nlohmann::ordered_json& value, Diagnostics& diagnostics) {
  if (file.empty()) {
    return true;
  }
  std::string text = value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (json_alone(file)) {
    fmt::print("{}", text);
    return true;
  }
  return write_file(file, text, diagnostics);
}

}  // namespace vouch
