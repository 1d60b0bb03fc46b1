#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rule/axes.h"
#include "rule/printer.h"

namespace vouch {

// What a layout asks of a rank is said by its item.
bool RulePrinter::is_of_layout(AttrId condition) const {
  return std::any_of(rule_.layouts.begin(), rule_.layouts.end(),
                     [&](const AxisLayout& layout) { return layout.condition == condition; });
}

const std::string& RulePrinter::role_name(std::uint32_t role) {
  auto known = role_names_.find(role);
  return known != role_names_.end() ? known->second
                                    : role_names_.emplace(role, claim(rule_.roles[role].name.name(), "r_")).first->second;
}

// After the tensor's definition; how many axes a role has where it is named first.
void RulePrinter::print_layout(PatternId id, int indent, std::string& out) {
  const AxisLayout* layout = layout_of(rule_, id);
  if (layout == nullptr) {
    return;
  }
  std::vector<std::string> roles;
  for (std::uint32_t role : layout->roles) {
    const AxisRole& of = rule_.roles[role];
    bool again = role_names_.contains(role);
    bool open = of.from == 0 && of.to == kMaxRank;
    std::string number = again || open       ? ""
                         : of.from == of.to  ? fmt::format(" {}", of.from)
                         : of.to == kMaxRank ? fmt::format(" {}..", of.from)
                                             : fmt::format(" {}..{}", of.from, of.to);
    roles.push_back(role_name(role) + number);
  }
  out += fmt::format("{:{}}axes {} = ({});\n", "", indent, use(id), fmt::join(roles, ", "));
}

std::string RulePrinter::axes(const AttrExpr& expr) {
  auto role = role_in(rule_, *layout_of(rule_, expr.pattern), expr.name);
  return fmt::format("{}.{}", use(expr.pattern), role_name(*role));
}

}  // namespace vouch
