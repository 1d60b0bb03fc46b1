#include <fmt/format.h>

#include <algorithm>

#include "rule/axes.h"
#include "rule/verify_parts.h"

namespace vouch {
namespace {

class AxesCheck {
 public:
  AxesCheck(const Rule& rule, const Unreadable& unreadable, RuleReport& report)
      : rule_(rule), whole_(!unreadable.any), is_placeholder_(placeholders(rule, unreadable)), report_(report) {}

  void run() {
    for (const AxisRole& role : rule_.roles) {
      check_range(role);
    }
    if (rule_.roles.size() > kMostRoles) {
      report_.error(rule_.roles[kMostRoles].span,
                    fmt::format("a rule has up to {} roles of axes, found {}", kMostRoles, rule_.roles.size()));
    }
    for (const AxisLayout& layout : rule_.layouts) {
      if (!is_placeholder_[layout.pattern]) {
        check_pattern(layout);
        check_roles(layout);
      }
    }
  }

 private:
  void check_range(const AxisRole& role) {
    if (role.from > role.to) {
      report_.error(role.span, fmt::format("no number lies between {} and {}", role.from, role.to),
                    fmt::format("write {} {}..{}", role.name.name(), role.to, role.from));
    } else if (role.to > kMaxRank) {
      report_.error(role.span, fmt::format("a tensor has 0 to {} axes, found {}", kMaxRank, role.to));
    }
  }

  void check_pattern(const AxisLayout& layout) {
    const Pattern& p = rule_.pattern(layout.pattern);
    bool tensor = p.kind == PatternKind::Wildcard || p.kind == PatternKind::Const || p.kind == PatternKind::Variable ||
                  p.kind == PatternKind::Call || p.kind == PatternKind::Projection;
    if (!tensor || p.owner != kNone || (whole_ && !rule_.in_source[layout.pattern])) {
      report_.error(layout.span,
                    fmt::format("roles are given to axes of one tensor of the source, and {} is none",
                                pattern_words(rule_, layout.pattern)),
                    "name an input, a call or a projection of the source, outside of variadics");
    }
    if (layout_of(rule_, layout.pattern) != &layout) {
      report_.error(layout.span, fmt::format("the axes of {} have roles already", pattern_words(rule_, layout.pattern)));
    }
  }

  void check_roles(const AxisLayout& layout) {
    std::uint32_t least = 0;
    for (auto role = layout.roles.begin(); role != layout.roles.end(); ++role) {
      const AxisRole& of = rule_.roles[*role];
      least += of.from;
      if (std::find(layout.roles.begin(), role, *role) != role) {
        report_.error(layout.span,
                      fmt::format("{} has the role '{}' twice", pattern_words(rule_, layout.pattern), of.name.name()),
                      "the axes of a role stand beside each other: give the others another role");
      }
      if (is_attribute(rule_.pattern(layout.pattern), of.name.name())) {
        report_.error(layout.span,
                      fmt::format("'{}' is an attribute of {}", of.name.name(), pattern_words(rule_, layout.pattern)),
                      "give the role another name");
      }
    }
    if (least > kMaxRank) {
      report_.error(layout.span, fmt::format("a tensor has 0 to {} axes, and these roles have at least {}", kMaxRank, least));
    }
  }

  static bool is_attribute(const Pattern& p, std::string_view name) {
    static constexpr std::string_view kOfTensors[] = {"shape", "rank", "dtype", "length", "value", "index"};
    bool own = p.kind == PatternKind::Call && p.op &&
               std::any_of(op_def(*p.op).attributes.begin(), op_def(*p.op).attributes.end(),
                           [&](const AttrDef& attr) { return attr.name == name; });
    return own || std::find(std::begin(kOfTensors), std::end(kOfTensors), name) != std::end(kOfTensors);
  }

  static constexpr std::size_t kMostRoles = 8;

  const Rule& rule_;
  bool whole_;  // every part of the rule was read
  std::vector<bool> is_placeholder_;
  RuleReport& report_;
};

}  // namespace

void verify_axes(const Rule& rule, const Unreadable& unreadable, RuleReport& report) {
  AxesCheck(rule, unreadable, report).run();
}

}  // namespace vouch
