// How the checks of a rule report; only verify*.cpp include this.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "rule/ast.h"
#include "support/diagnostic.h"

namespace vouch {

class RuleReport {
 public:
  RuleReport(const Rule& rule, Diagnostics& diagnostics) : rule_(rule), diagnostics_(diagnostics) {}

  void error(Span span, std::string message, std::string hint = {}) {
    if (rule_.source) {
      diagnostics_.error(rule_.source, span, std::move(message), std::move(hint));
    } else {
      diagnostics_.error_at(fmt::format("rule '{}'", rule_.name), std::move(message), std::move(hint));
    }
  }

  static std::string did_you_mean(std::string_view word, const std::vector<std::string>& known, std::string_view what) {
    if (auto near = suggest(word, known)) {
      return fmt::format("did you mean '{}'?", *near);
    }
    return known.empty() ? fmt::format("{}: none", what) : fmt::format("{}: {}", what, fmt::join(known, ", "));
  }

 private:
  const Rule& rule_;
  Diagnostics& diagnostics_;
};

// `'x'`, `Conv`, `this pattern`: for messages.
std::string pattern_words(const Rule& rule, PatternId pattern);

}  // namespace vouch
