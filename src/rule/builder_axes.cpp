// Roles of axes as they are built (rule/axes.h).
#include <algorithm>

#include "rule/builder.h"
#include "support/fault.h"

namespace vouch {
namespace {

// Of the role with this name, which is added if there is none.
std::uint32_t role_named(Rule& rule, const RuleBuilder::Role& role) {
  Symbol name(role.name);
  auto found = std::find_if(rule.roles.begin(), rule.roles.end(), [&](const AxisRole& known) { return known.name == name; });
  auto place = static_cast<std::uint32_t>(found - rule.roles.begin());
  if (found == rule.roles.end()) {
    rule.roles.push_back({name, 0, kMaxRank, role.span});
  }
  AxisRole& known = rule.roles[place];
  known.from = role.from.value_or(known.from);
  known.to = role.to.value_or(known.to);
  return place;
}

}  // namespace

AttrId RuleBuilder::axes_of(PatternId pattern, std::string_view role) {
  ensure(pattern < rule_.patterns.size(), "a role is asked of an earlier pattern");
  AttrExpr attr;
  attr.kind = AttrKind::Axes;
  attr.pattern = pattern;
  attr.name = Symbol(role);
  return add(std::move(attr));
}

void RuleBuilder::axes(PatternId pattern, const std::vector<Role>& roles, Span span) {
  AxisLayout layout{pattern, {}, kNone, span};
  AttrId together = kNone;
  for (const Role& role : roles) {
    layout.roles.push_back(role_named(rule_, role));
    AttrId number = at(span, unary(UnaryOp::Length, at(span, axes_of(pattern, role.name))));
    together = together == kNone ? number : at(span, binary(BinaryOp::Add, together, number));
  }
  together = together == kNone ? at(span, value(AttrValue(0))) : together;
  AttrId rank = at(span, access(pattern, "rank"));
  layout.condition = at(span, binary(BinaryOp::Eq, rank, together));
  where(layout.condition);
  rule_.layouts.push_back(std::move(layout));
}

}  // namespace vouch
