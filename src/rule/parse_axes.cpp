// Roles of axes: `axes x = (batch, k 1..2), w = (k, n);`.
#include <fmt/format.h>

#include <algorithm>

#include "rule/axes.h"
#include "rule/parser.h"

namespace vouch {

void RuleParser::parse_axes() {
  do {
    parse_layout();
  } while (accept(","));
  expect(";", "at the end of the item");
}

void RuleParser::parse_layout() {
  std::uint32_t begin = here();
  PatternId tensor = parse_reference();
  expect("=", "after the tensor");
  expect("(", "before the roles of its axes");
  std::vector<RuleBuilder::Role> roles;
  while (!failing_ && !at(")")) {
    if (auto role = parse_role()) {
      roles.push_back(*role);
    }
    if (!at(")")) {
      expect(",", "or ')' after a role");
    }
  }
  expect(")", "after the roles of its axes");
  if (!failing_) {
    builder_->axes(tensor, roles, span_from(begin));
  }
}

// `k`, `k 1`, `k 1..2`, `k 1..`; what another tensor has said of it may be left out.
std::optional<RuleBuilder::Role> RuleParser::parse_role() {
  auto name = expect_new_name("a name for a role of axes");
  if (!name) {
    return std::nullopt;
  }
  RuleBuilder::Role role{name->text, {}, {}, name->span};
  if (at_kind(TokenKind::Int)) {
    role.from = role.to = expect_small_int("a number of axes");
    if (accept("..")) {
      role.to = at_kind(TokenKind::Int) ? expect_small_int("the highest number of axes") : std::optional(kMaxRank);
    }
  }
  const std::vector<AxisRole>& known = builder_->rule().roles;
  auto found = std::find_if(known.begin(), known.end(), [&](const AxisRole& r) { return r.name.name() == name->text; });
  if (role.from && found != known.end() && (found->from != *role.from || found->to != *role.to)) {
    report(span_from(name->span.begin), fmt::format("the role '{}' has another number of axes already", name->text),
           "a role has as many axes in each tensor: say how many once");
  }
  return role;
}

}  // namespace vouch
