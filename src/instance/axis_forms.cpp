#include "instance/axis_forms.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vouch {
namespace {

const AttrDef* declaration(const Pattern& call, Symbol name) {
  if (!call.op) {
    return nullptr;
  }
  const std::vector<AttrDef>& attributes = op_def(*call.op).attributes;
  auto found = std::find_if(attributes.begin(), attributes.end(), [&](const AttrDef& attr) { return attr.name == name.name(); });
  return found == attributes.end() ? nullptr : &*found;
}

// The same value means the same to both, absent or given.
bool same_declaration(const AttrDef* a, const AttrDef* b) {
  return a != nullptr && b != nullptr && a->type == b->type && a->length == b->length && a->domain == b->domain &&
         a->each_if_absent == b->each_if_absent && a->implied_if_absent == b->implied_if_absent && a->choices == b->choices &&
         a->otherwise.index() == b->otherwise.index();
}

// What `* as p` hands on.
template <class Visit>
void for_each_handed_on(const Rule& rule, const Visit& visit) {
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    const Pattern& p = rule.pattern(id);
    for (const PatternAttr& attr : p.attributes) {
      const AttrExpr& e = rule.attr(attr.value);
      if (p.kind == PatternKind::Call && e.kind == AttrKind::Access && e.name == attr.name) {
        visit(e.pattern, attr.name, p, &attr);
      }
    }
    if (p.kind == PatternKind::Call && p.attributes_as != kNone && p.op) {
      for (const AttrDef& attr : op_def(*p.op).attributes) {
        visit(p.attributes_as, Symbol(attr.name), p, nullptr);
      }
    }
  }
}

}  // namespace

LookedAt looked_at(const Rule& rule) {
  std::vector<bool> handed_on(rule.attrs.size());
  LookedAt out;
  for_each_handed_on(rule, [&](PatternId from, Symbol name, const Pattern& to, const PatternAttr* written) {
    bool same = same_declaration(declaration(rule.pattern(from), name), declaration(to, name));
    if (written != nullptr) {
      handed_on[written->value] = same;
    } else if (!same) {
      out.insert({from, name});
    }
  });
  for (AttrId id = 0; id < rule.attrs.size(); ++id) {
    const AttrExpr& e = rule.attr(id);
    if (e.kind == AttrKind::Access && !handed_on[id]) {
      out.insert({e.pattern, e.name});
    }
  }
  return out;
}

AxisForm form_of_attribute(const Rule& rule, const LookedAt& looked_at, PatternId call, Symbol name) {
  const AttrDef* declared = declaration(rule.pattern(call), name);
  bool has_order =
      declared == nullptr || declared->domain == AttrDomain::OrderedAxes || declared->domain == AttrDomain::PlainAxes;
  if (has_order || looked_at.contains({call, name})) {
    return AxisForm::Full;
  }
  AxisForm form = AxisForm::Canonical;
  for_each_handed_on(rule, [&](PatternId from, Symbol handed, const Pattern&, const PatternAttr*) {
    form = from == call && handed == name ? AxisForm::AnyOrder : form;
  });
  return form;
}

namespace {

bool is_read(const Rule& rule, PatternId input) {
  return std::any_of(rule.attrs.begin(), rule.attrs.end(), [&](const AttrExpr& e) {
    return e.kind == AttrKind::Access && e.pattern == input && e.name == Symbol("value");
  });
}

bool is_result(const Rule& rule, PatternId input) {
  return std::any_of(rule.patterns.begin(), rule.patterns.end(),
                     [&](const Pattern& p) {
                       return p.kind != PatternKind::Call &&
                              std::find(p.operands.begin(), p.operands.end(), input) != p.operands.end();
                     }) ||
         std::find(rule.target_outputs.begin(), rule.target_outputs.end(), input) != rule.target_outputs.end();
}

// The lists that a call takes besides its axes, one element for each: with them permuted as the axes are, it is the same call.
bool is_with_axes(const Rule& rule, PatternId list, PatternId axes) {
  if (!rule.is_input(list) || is_read(rule, list) || is_result(rule, list) || !rule.pattern(list).attributes.empty()) {
    return false;
  }
  return std::all_of(rule.patterns.begin(), rule.patterns.end(), [&](const Pattern& p) {
    bool uses = std::find(p.operands.begin(), p.operands.end(), list) != p.operands.end();
    return !uses || (p.op && op_def(*p.op).traits.lists_alike &&
                     std::find(p.operands.begin(), p.operands.end(), axes) != p.operands.end());
  });
}

// Axes in an order of their own, where the lists beside them follow it and nothing else looks at either.
bool order_is_free(const Rule& rule, PatternId axes) {
  return std::all_of(rule.patterns.begin(), rule.patterns.end(), [&](const Pattern& p) {
    if (std::find(p.operands.begin(), p.operands.end(), axes) == p.operands.end()) {
      return true;
    }
    bool alike = p.op && op_def(*p.op).traits.lists_alike;
    for (std::size_t k = 0; alike && k < p.operands.size(); ++k) {
      OperandDomain domain = op_def(*p.op).operands[k].domain;
      bool absent = p.operands[k] == kNone;
      alike = absent || (domain == OperandDomain::List ? is_with_axes(rule, p.operands[k], axes) : true);
    }
    return alike;
  });
}

}  // namespace

AxisForm form_of_operand(const Rule& rule, PatternId input) {
  if (is_read(rule, input) || is_result(rule, input)) {
    return AxisForm::Full;
  }
  if (order_is_free(rule, input)) {
    return AxisForm::AnyOrder;
  }
  std::size_t uses = 0;
  for (const Pattern& p : rule.patterns) {
    for (std::size_t k = 0; k < p.operands.size(); ++k) {
      if (p.operands[k] != input) {
        continue;
      }
      bool known = p.kind == PatternKind::Call && p.op && k < op_def(*p.op).operands.size();
      OperandDomain domain = known ? op_def(*p.op).operands[k].domain : OperandDomain::Elements;
      if (domain != OperandDomain::Axes && domain != OperandDomain::NewAxes) {
        return AxisForm::Full;
      }
      ++uses;
    }
  }
  return uses == 1 ? AxisForm::Canonical : AxisForm::AnyOrder;
}

namespace {

// Each axis from either end.
void add_signs(const std::vector<std::int64_t>& axes, std::int64_t rank, std::vector<std::vector<std::int64_t>>& out) {
  for (std::uint32_t signs = 0; signs < (1U << axes.size()); ++signs) {
    std::vector<std::int64_t> list = axes;
    for (std::size_t k = 0; k < list.size(); ++k) {
      list[k] -= (signs >> k & 1U) != 0 ? rank : 0;
    }
    out.push_back(std::move(list));
  }
}

}  // namespace

std::vector<std::vector<std::int64_t>> axis_lists(std::size_t rank, AxisForm form) {
  std::vector<std::vector<std::int64_t>> out;
  auto r = static_cast<std::int64_t>(rank);
  for (std::uint32_t set = 0; set < (1U << rank); ++set) {
    std::vector<std::int64_t> axes;
    for (std::int64_t axis = 0; axis < r; ++axis) {
      if ((set >> axis & 1U) != 0) {
        axes.push_back(axis);
      }
    }
    if (form == AxisForm::Canonical) {
      out.push_back(std::move(axes));
    } else if (form == AxisForm::AnyOrder) {
      add_signs(axes, r, out);
    } else {
      do {
        add_signs(axes, r, out);
      } while (std::next_permutation(axes.begin(), axes.end()));
    }
  }
  return out;
}

static std::vector<std::vector<std::int64_t>> made_axis_lists(std::size_t most, AxisForm form) {
  if (form == AxisForm::Canonical) {
    return axis_lists(most, form);
  }
  // A list may be one of distinct axes at one rank only: (2, -2) at rank 3.
  std::set<std::vector<std::int64_t>> all;
  for (std::size_t rank = 0; rank <= most; ++rank) {
    for (std::vector<std::int64_t>& list : axis_lists(rank, form)) {
      all.insert(std::move(list));
    }
  }
  return {all.begin(), all.end()};
}

const std::vector<std::vector<std::int64_t>>& axis_lists_to_rank(std::size_t most, AxisForm form) {
  thread_local std::map<std::pair<std::size_t, AxisForm>, std::vector<std::vector<std::int64_t>>> known;
  auto [at, is_new] = known.try_emplace({most, form});
  if (is_new) {
    at->second = made_axis_lists(most, form);
  }
  return at->second;
}

}  // namespace vouch
