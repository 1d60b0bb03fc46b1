#include "rule/verify.h"

#include "rule/verify_parts.h"

namespace vouch {

std::vector<bool> placeholders(const Rule& rule, const Unreadable& unreadable) {
  std::vector<bool> is_placeholder(rule.patterns.size());
  for (PatternId id : unreadable.patterns) {
    is_placeholder[id] = true;
  }
  return is_placeholder;
}

static void verify_forms(const Rule& rule, const Unreadable& unreadable, Diagnostics& diagnostics) {
  std::vector<bool> is_placeholder = placeholders(rule, unreadable);
  std::vector<bool> in_target(rule.patterns.size());
  for (PatternId id : rule.target_order) {
    in_target[id] = true;
  }
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    if (!is_placeholder[id]) {
      verify_pattern_form(rule, id, in_target[id], diagnostics);
    }
  }
  for (AttrId id = 0; id < rule.attrs.size(); ++id) {
    PatternId accessed = rule.attr(id).pattern;
    if (accessed == kNone || !is_placeholder[denoted_variadic(rule, accessed)]) {
      verify_attr_form(rule, id, diagnostics);
    }
  }
}

bool verify_rule(const Rule& rule, const Unreadable& unreadable, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.error_count();
  RuleReport report(rule, diagnostics);
  verify_forms(rule, unreadable, diagnostics);
  verify_structure(rule, unreadable, report);
  verify_references(rule, unreadable, report);
  verify_axes(rule, unreadable, report);
  return diagnostics.error_count() == errors;
}

bool verify_rule(const Rule& rule, Diagnostics& diagnostics) { return verify_rule(rule, {}, diagnostics); }

}  // namespace vouch
