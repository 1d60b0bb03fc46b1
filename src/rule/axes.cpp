#include "rule/axes.h"

#include <fmt/format.h>

#include <algorithm>

namespace vouch {

const AxisLayout* layout_of(const Rule& rule, PatternId pattern) {
  auto found =
      std::find_if(rule.layouts.begin(), rule.layouts.end(), [&](const AxisLayout& layout) { return layout.pattern == pattern; });
  return found == rule.layouts.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> role_in(const Rule& rule, const AxisLayout& layout, Symbol name) {
  auto found =
      std::find_if(layout.roles.begin(), layout.roles.end(), [&](std::uint32_t role) { return rule.roles[role].name == name; });
  return found == layout.roles.end() ? std::nullopt : std::optional(*found);
}

std::uint32_t axes_together(const AxisLayout& layout, const AxisNumbers& numbers) {
  std::uint32_t all = 0;
  for (std::uint32_t role : layout.roles) {
    all += numbers[role];
  }
  return all;
}

std::vector<std::int64_t> axes_of_role(const AxisLayout& layout, std::uint32_t role, const AxisNumbers& numbers) {
  std::int64_t before = 0;
  for (std::size_t k = 0; layout.roles[k] != role; ++k) {
    before += numbers[layout.roles[k]];
  }
  std::vector<std::int64_t> axes;
  for (std::uint32_t k = 0; k < numbers[role]; ++k) {
    axes.push_back(before + k);
  }
  return axes;
}

namespace {

bool only_names_axes_as_operand(const Rule& rule, PatternId constant) {
  std::size_t uses = 0;
  for (const Pattern& p : rule.patterns) {
    for (std::size_t k = 0; k < p.operands.size(); ++k) {
      if (p.operands[k] != constant) {
        continue;
      }
      bool known = p.kind == PatternKind::Call && p.op && k < op_def(*p.op).operands.size();
      OperandDomain domain = known ? op_def(*p.op).operands[k].domain : OperandDomain::Elements;
      if (domain != OperandDomain::Axes && domain != OperandDomain::NewAxes) {
        return false;
      }
      ++uses;
    }
  }
  const std::vector<PatternId>& outputs = rule.target_outputs;
  return uses == 1 && std::find(outputs.begin(), outputs.end(), constant) == outputs.end();
}

bool only_names_axes_as_attribute(const Pattern& p, Symbol name) {
  return p.op && std::any_of(op_def(*p.op).attributes.begin(), op_def(*p.op).attributes.end(), [&](const AttrDef& attr) {
           return attr.name == name.name() && (attr.domain == AttrDomain::Axes || attr.domain == AttrDomain::NewAxes);
         });
}

bool is_looked_at(const Rule& rule, PatternId pattern, Symbol attribute) {
  return std::any_of(
             rule.attrs.begin(), rule.attrs.end(),
             [&](const AttrExpr& e) { return e.kind == AttrKind::Access && e.pattern == pattern && e.name == attribute; }) ||
         std::any_of(rule.patterns.begin(), rule.patterns.end(), [&](const Pattern& p) { return p.attributes_as == pattern; });
}

}  // namespace

bool only_names_axes(const Rule& rule, PatternId pattern, Symbol attribute) {
  const Pattern& p = rule.pattern(pattern);
  bool names = p.kind == PatternKind::Const ? attribute.name() == "value" && only_names_axes_as_operand(rule, pattern)
                                            : p.kind == PatternKind::Call && only_names_axes_as_attribute(p, attribute);
  return names && !is_looked_at(rule, pattern, attribute);
}

bool names_axes(const Rule& rule, const AttrExpr& role, const AttrValue& found, const AxisNumbers& numbers) {
  const AxisLayout* layout = layout_of(rule, role.pattern);
  auto place = layout != nullptr ? role_in(rule, *layout, role.name) : std::nullopt;
  const AttrTuple* items = found.tuple();
  if (!place || items == nullptr || items->size() != numbers[*place]) {
    return false;
  }
  std::vector<std::int64_t> axes;
  for (const AttrValue& item : *items) {
    auto axis = item.int64();
    if (!axis) {
      return false;
    }
    axes.push_back(*axis < 0 ? *axis + axes_together(*layout, numbers) : *axis);
  }
  std::sort(axes.begin(), axes.end());
  return axes == axes_of_role(*layout, *place, numbers);
}

bool are_claimed(const Rule& rule, const AxisNumbers& numbers) {
  return std::equal(numbers.begin(), numbers.end(), rule.roles.begin(), rule.roles.end(),
                    [](std::uint32_t number, const AxisRole& role) { return role.from <= number && number <= role.to; });
}

std::uint32_t most_axes(const Rule& rule, const AxisLayout& layout, std::uint32_t usual) {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  for (std::uint32_t role : layout.roles) {
    least += rule.roles[role].from;
    most += rule.roles[role].to;
  }
  return most <= kMaxRank ? most : std::max(usual, least);
}

namespace {

class NumberWalk {
 public:
  NumberWalk(const Rule& rule, const std::vector<std::uint32_t>& most, const std::function<bool(const AxisNumbers&)>& visit)
      : rule_(rule), most_(most), visit_(visit) {
    for (const AxisRole& role : rule.roles) {
      numbers_.push_back(role.from);
    }
  }

  bool run() {
    fits() ? void(from(0)) : void(left_out_ = true);
    return !left_out_;
  }

 private:
  // Roles before `role` have their number, the others their least: where more of one do not fit, still more do not.
  bool from(std::size_t role) {
    if (role == rule_.roles.size()) {
      return visit_(numbers_);
    }
    const AxisRole& of = rule_.roles[role];
    bool go_on = true;
    for (std::uint32_t number = of.from; go_on && number <= of.to; ++number) {
      numbers_[role] = number;
      if (!fits()) {
        left_out_ = true;
        break;
      }
      go_on = from(role + 1);
    }
    numbers_[role] = of.from;
    return go_on;
  }

  bool fits() const {
    for (std::size_t k = 0; k < rule_.layouts.size(); ++k) {
      if (axes_together(rule_.layouts[k], numbers_) > most_[k]) {
        return false;
      }
    }
    return true;
  }

  const Rule& rule_;
  const std::vector<std::uint32_t>& most_;
  const std::function<bool(const AxisNumbers&)>& visit_;
  AxisNumbers numbers_;
  bool left_out_ = false;
};

}  // namespace

bool for_each_axis_numbers(const Rule& rule, const std::vector<std::uint32_t>& most,
                           const std::function<bool(const AxisNumbers&)>& visit) {
  return NumberWalk(rule, most, visit).run();
}

std::string axes_text(const Rule& rule, const AxisNumbers& numbers) {
  std::string out;
  for (std::size_t role = 0; role < std::min(numbers.size(), rule.roles.size()); ++role) {
    out += fmt::format("{}{} {}", role == 0 ? "" : ", ", rule.roles[role].name.name(), numbers[role]);
  }
  return numbers.size() <= rule.roles.size() ? out : out + fmt::format(", and {} more", numbers.size() - rule.roles.size());
}

void order_axes(Rule& rule) {
  auto place = [&](const AxisLayout& layout) {
    return std::find(rule.source_order.begin(), rule.source_order.end(), layout.pattern);
  };
  std::stable_sort(rule.layouts.begin(), rule.layouts.end(),
                   [&](const AxisLayout& a, const AxisLayout& b) { return place(a) < place(b); });
  std::vector<std::uint32_t> order;
  for (const AxisLayout& layout : rule.layouts) {
    for (std::uint32_t role : layout.roles) {
      if (std::find(order.begin(), order.end(), role) == order.end()) {
        order.push_back(role);
      }
    }
  }
  std::vector<AxisRole> roles;
  for (std::uint32_t role : order) {
    roles.push_back(rule.roles[role]);
  }
  for (AxisLayout& layout : rule.layouts) {
    for (std::uint32_t& role : layout.roles) {
      role = static_cast<std::uint32_t>(std::find(order.begin(), order.end(), role) - order.begin());
    }
  }
  rule.roles = std::move(roles);
}

}  // namespace vouch
