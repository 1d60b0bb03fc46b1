#include "refute/mutate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "graph/op_kin.h"
#include "rule/axes.h"
#include "rule/parse.h"
#include "rule/print.h"

namespace vouch {
namespace {

Mutation kind_of(AttrRole role) {
  switch (role) {
    case AttrRole::Axis: return Mutation::Axis;
    case AttrRole::Step: return Mutation::Stride;
    case AttrRole::Padding: return Mutation::Pad;
    case AttrRole::Group: return Mutation::Group;
    case AttrRole::Flag:
    case AttrRole::Other: break;
  }
  return Mutation::Offset;
}

AttrRole role_among(OpId op, std::string_view attribute) {
  const std::vector<AttrDef>& declared = op_def(op).attributes;
  auto found = std::find_if(declared.begin(), declared.end(), [&](const AttrDef& def) { return def.name == attribute; });
  return found == declared.end() ? AttrRole::Other : role_of(*found);
}

class Mutator {
 public:
  explicit Mutator(const Rule& rule) : rule_(rule), seen_{content_hash(rule)} { find_target(); }

  std::vector<Mutant> run() {
    for (PatternId id : target_) {
      mutate_pattern(id);
    }
    drop_constraints();
    return std::move(found_);
  }

 private:
  void find_target() {
    for (PatternId id : rule_.target_order) {
      if (!rule_.in_source[id]) {
        target_.push_back(id);
      }
    }
  }

  // Keeps the changed rule if it is well-formed and new. Its text is read again: so it passes every static check.
  void keep(Mutation kind, std::string what, const std::function<void(Rule&)>& change) {
    Rule changed = rule_;
    changed.name = fmt::format("{}_mutant_{}", rule_.name, found_.size() + 1);
    changed.expectation = Expectation::None;
    change(changed);
    finish_rule(changed);
    drop_unused_inputs(changed);
    Diagnostics diagnostics;
    auto reread = parse_rules(std::make_shared<Source>("mutant", print_rule(changed)), diagnostics);
    if (reread && reread->size() == 1 && seen_.insert(content_hash(reread->at(0))).second) {
      found_.push_back({std::move(reread->at(0)), kind, std::move(what)});
    }
  }

  static void drop_unused_inputs(Rule& rule) {
    std::vector<bool> used(rule.patterns.size());
    std::vector<PatternId> open = rule.target_outputs;
    while (!open.empty()) {
      PatternId next = open.back();
      open.pop_back();
      if (next != kNone && !used[next]) {
        used[next] = true;
        for (PatternId part : direct_subpatterns(rule, next)) {
          open.push_back(part);
        }
      }
    }
    for (PatternId id = 0; id < rule.patterns.size(); ++id) {
      bool dropped = std::find(rule.dropped.begin(), rule.dropped.end(), id) != rule.dropped.end();
      PatternKind kind = rule.pattern(id).kind;
      if (rule.in_source[id] && (kind == PatternKind::Wildcard || kind == PatternKind::Variable) && !used[id] && !dropped) {
        rule.dropped.push_back(id);
      }
    }
  }

  std::string label(PatternId id) const {
    const Pattern& p = rule_.pattern(id);
    return p.op ? std::string(op_def(*p.op).name) : p.name.empty() ? "the target" : p.name.name();
  }

  static AttrId add(Rule& rule, AttrExpr expr) {
    rule.attrs.push_back(std::move(expr));
    return static_cast<AttrId>(rule.attrs.size() - 1);
  }
  static AttrId literal(Rule& rule, std::int64_t value) {
    AttrExpr expr;
    expr.kind = AttrKind::Value;
    expr.value = AttrValue(value);
    return add(rule, std::move(expr));
  }
  static AttrId plus(Rule& rule, AttrId a, std::int64_t b) {
    AttrExpr expr;
    expr.kind = AttrKind::Binary;
    expr.binary = BinaryOp::Add;
    AttrId one = literal(rule, b);
    expr.args = {a, one};
    return add(rule, std::move(expr));
  }

  void mutate_pattern(PatternId id) {
    const Pattern& p = rule_.pattern(id);
    if (p.kind == PatternKind::Call || p.kind == PatternKind::Tuple) {
      swap_operands(id);
    }
    if (p.kind == PatternKind::Call && p.op) {
      for (OpId other : kin_of(*p.op)) {
        keep(Mutation::ReductionKind, fmt::format("{} becomes {}", label(id), op_def(other).name),
             [&](Rule& rule) { rule.patterns[id].op = other; });
      }
    }
    for (std::size_t k = 0; k < p.attributes.size(); ++k) {
      const PatternAttr& attr = p.attributes[k];
      std::string_view name = attr.name.name();
      if (p.kind == PatternKind::Call) {
        mutate_call_attribute(id, k, p.op ? role_among(*p.op, name) : AttrRole::Other);
      } else if (p.kind == PatternKind::Const && name == "value") {
        mutate_value(id, k, Mutation::Constant);
      } else if (p.kind == PatternKind::Projection) {
        mutate_value(id, k, Mutation::Offset);
      }
    }
  }

  void swap_operands(PatternId id) {
    const Pattern& p = rule_.pattern(id);
    for (std::size_t k = 0; k + 1 < p.operands.size(); ++k) {
      if (p.operands[k] == p.operands[k + 1] || p.operands[k] == kNone || p.operands[k + 1] == kNone) {
        continue;
      }
      keep(Mutation::OperandOrder, fmt::format("operands {} and {} of {} exchanged", k + 1, k + 2, label(id)),
           [&](Rule& rule) { std::swap(rule.patterns[id].operands[k], rule.patterns[id].operands[k + 1]); });
    }
  }

  void mutate_call_attribute(PatternId id, std::size_t k, AttrRole role) {
    Mutation kind = kind_of(role);
    const PatternAttr& attr = rule_.pattern(id).attributes[k];
    mutate_value(id, k, kind);
    if (role == AttrRole::Step || role == AttrRole::Padding || role == AttrRole::Group) {  // forgotten: the operator's default
      keep(kind, fmt::format("{}: {} forgotten", label(id), attr.name.name()), [&](Rule& rule) {
        auto& list = rule.patterns[id].attributes;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
      });
    }
  }

  // Changes the expression itself, or one place inside of it.
  void mutate_value(PatternId id, std::size_t k, Mutation kind) {
    const PatternAttr& attr = rule_.pattern(id).attributes[k];
    std::vector<AttrId> path{attr.value};
    mutate_inside(id, k, kind, path);
  }

  // `path`: from the attribute's expression down to the one that is changed; what lies on it is copied.
  void mutate_inside(PatternId id, std::size_t k, Mutation kind, std::vector<AttrId>& path) {
    constexpr std::size_t kDeepest = 6;
    const AttrExpr& e = rule_.attr(path.back());
    std::string where = fmt::format("{}: {}", label(id), rule_.pattern(id).attributes[k].name.name());
    std::string text = print_attr(rule_, path.back());
    auto replace = [&](Mutation how, const std::string& what, const std::function<AttrId(Rule&)>& make) {
      keep(how, fmt::format("{}: {} {}", where, text, what),
           [&](Rule& rule) { rule.patterns[id].attributes[k].value = rebuilt(rule, path, make(rule)); });
    };
    switch (e.kind) {
      case AttrKind::Value: mutate_literal(e, kind, replace); break;
      case AttrKind::Access:
      case AttrKind::Project:
      case AttrKind::Symbol: replace(kind, "plus 1", [&](Rule& rule) { return plus(rule, path.back(), 1); }); break;
      case AttrKind::Binary: mutate_binary(e, replace); break;
      case AttrKind::Reduce:
        for (Reduction other : {Reduction::Sum, Reduction::Max}) {
          if (other != e.reduction) {
            replace(Mutation::ReductionKind, "with another reduction", [&](Rule& rule) {
              AttrExpr changed = e;
              changed.reduction = other;
              return add(rule, std::move(changed));
            });
          }
        }
        break;
      case AttrKind::Tuple: mutate_tuple(e, kind, replace); break;
      case AttrKind::Axes: mutate_axes(e, kind, replace); break;
      case AttrKind::Any:
      case AttrKind::Absent:
      case AttrKind::Unary:
      case AttrKind::VarTuple:
      case AttrKind::Each:
      case AttrKind::Conditional: break;
    }
    for (std::size_t arg = 0; arg < e.args.size() && path.size() < kDeepest; ++arg) {
      path.push_back(e.args[arg]);
      mutate_inside(id, k, kind, path);
      path.pop_back();
    }
  }

  static void mutate_literal(const AttrExpr& e, Mutation kind, const auto& replace) {
    if (auto whole = e.value.int64()) {
      for (std::int64_t change : {1, -1}) {
        replace(kind, fmt::format("becomes {}", *whole + change), [&](Rule& rule) { return literal(rule, *whole + change); });
      }
    } else if (const Term* number = e.value.number(); number && is_const(*number)) {
      replace(kind, "doubled", [&](Rule& rule) {
        AttrExpr changed = e;
        changed.value = AttrValue(real_const((*number)->value * 2));
        return add(rule, std::move(changed));
      });
    } else if (e.value.tuple()) {
      mutate_items(e, kind, replace);
    }
  }

  static void mutate_items(const AttrExpr& e, Mutation kind, const auto& replace) {
    auto with = [&](AttrTuple items) {
      return [&e, items](Rule& rule) {
        AttrExpr changed = e;
        changed.value = AttrValue(items);
        return add(rule, std::move(changed));
      };
    };
    const AttrTuple& items = *e.value.tuple();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (auto whole = items[i].int64()) {
        AttrTuple changed = items;
        changed[i] = AttrValue(*whole + 1);
        replace(kind, fmt::format("with item {} plus 1", i), with(std::move(changed)));
      }
      if (i + 1 < items.size() && !(items[i] == items[i + 1])) {
        AttrTuple changed = items;
        std::swap(changed[i], changed[i + 1]);
        replace(kind, fmt::format("with items {} and {} exchanged", i, i + 1), with(std::move(changed)));
      }
    }
  }

  // As if another group of axes of the same tensor had been meant.
  void mutate_axes(const AttrExpr& e, Mutation kind, const auto& replace) const {
    const AxisLayout* layout = layout_of(rule_, e.pattern);
    for (std::uint32_t role : layout != nullptr ? layout->roles : std::vector<std::uint32_t>()) {
      if (rule_.roles[role].name != e.name) {
        replace(kind, fmt::format("with the axes of {}", rule_.roles[role].name.name()), [&](Rule& rule) {
          AttrExpr changed = e;
          changed.name = rule_.roles[role].name;
          return add(rule, std::move(changed));
        });
      }
    }
  }

  static void mutate_tuple(const AttrExpr& e, Mutation kind, const auto& replace) {
    for (std::size_t i = 0; i + 1 < e.args.size(); ++i) {
      if (e.args[i] != e.args[i + 1]) {
        replace(kind, fmt::format("with items {} and {} exchanged", i, i + 1), [&](Rule& rule) {
          AttrExpr changed = e;
          std::swap(changed.args[i], changed.args[i + 1]);
          return add(rule, std::move(changed));
        });
      }
    }
  }

  static void mutate_binary(const AttrExpr& e, const auto& replace) {
    static constexpr std::array<std::pair<BinaryOp, BinaryOp>, 8> kConfused{{{BinaryOp::Add, BinaryOp::Sub},
                                                                             {BinaryOp::Sub, BinaryOp::Add},
                                                                             {BinaryOp::Mul, BinaryOp::Add},
                                                                             {BinaryOp::Div, BinaryOp::Mul},
                                                                             {BinaryOp::FloorDiv, BinaryOp::Mul},
                                                                             {BinaryOp::Min, BinaryOp::Max},
                                                                             {BinaryOp::Max, BinaryOp::Min},
                                                                             {BinaryOp::Mod, BinaryOp::FloorDiv}}};
    for (const auto& confused : kConfused) {
      BinaryOp from = confused.first;
      BinaryOp to = confused.second;
      if (e.binary == from) {
        replace(Mutation::Offset, fmt::format("with {} for {}", binary_op_text(to), binary_op_text(from)), [&](Rule& rule) {
          AttrExpr changed = e;
          changed.binary = to;
          return add(rule, std::move(changed));
        });
      }
    }
    if (e.binary == BinaryOp::Permute || e.binary == BinaryOp::Concat || e.binary == BinaryOp::Sub) {
      replace(Mutation::OperandOrder, "with its parts exchanged", [&](Rule& rule) {
        AttrExpr changed = e;
        std::swap(changed.args[0], changed.args[1]);
        return add(rule, std::move(changed));
      });
    }
  }

  // Copies the expressions along the path, the last replaced.
  static AttrId rebuilt(Rule& rule, const std::vector<AttrId>& path, AttrId last) {
    AttrId current = last;
    for (std::size_t at = path.size() - 1; at-- > 0;) {
      AttrExpr copy = rule.attrs[path[at]];
      auto place = std::find(copy.args.begin(), copy.args.end(), path[at + 1]);
      *place = current;
      current = add(rule, std::move(copy));
    }
    return current;
  }

  void drop_constraints() {
    for (std::size_t k = 0; k < rule_.constraints.size(); ++k) {
      keep(Mutation::DroppedConstraint, fmt::format("without where {}", print_attr(rule_, rule_.constraints[k])),
           [&](Rule& rule) { rule.constraints.erase(rule.constraints.begin() + static_cast<std::ptrdiff_t>(k)); });
    }
    for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
      const Pattern& p = rule_.pattern(id);
      for (std::size_t k = 0; rule_.in_source[id] && k < p.attributes.size(); ++k) {
        if (p.kind == PatternKind::Projection) {
          continue;
        }
        keep(Mutation::DroppedConstraint, fmt::format("{} may have any {}", label(id), p.attributes[k].name.name()),
             [&](Rule& rule) {
               auto& list = rule.patterns[id].attributes;
               list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
             });
      }
    }
  }

  const Rule& rule_;
  std::set<std::string> seen_;  // content hashes
  std::vector<PatternId> target_;
  std::vector<Mutant> found_;
};

}  // namespace

std::string_view mutation_name(Mutation kind) {
  static constexpr std::array<std::string_view, kMutationCount> kNames{"another axis",       "another stride", "other padding",
                                                                       "another group",      "operand order",  "offset",
                                                                       "dropped constraint", "reduction kind", "constant"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Mutant> mutants(const Rule& rule) { return Mutator(rule).run(); }

}  // namespace vouch
