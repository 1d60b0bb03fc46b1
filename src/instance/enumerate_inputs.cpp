// The inputs of an instance: their ranks, element types and known elements.
#include <fmt/format.h>

#include <algorithm>

#include "graph/operand_types.h"
#include "instance/empty_inputs.h"
#include "instance/enumerate.h"
#include "rule/axes.h"

namespace vouch {

std::optional<AttrValue> Enumerator::demanded(const Task& task, std::string_view name) {
  for (const PatternAttr& attr : rule_.pattern(task.pattern).attributes) {
    if (attr.name == Symbol(name)) {
      auto value = eval_symbolic(rule_, attr.value, symbols_of(task), state_.access_with());
      if (!value) {
        impossible_ = true;
      }
      return value;
    }
  }
  return std::nullopt;
}

TypeSet Enumerator::types_asked_of(PatternId input) const {
  TypeSet out = kAllTypes;
  for (PatternId user : rule_.source_order) {
    const Pattern& p = rule_.pattern(user);
    if (p.kind != PatternKind::Call || !p.op || !choices_above_[user].empty()) {
      continue;
    }
    for (std::size_t k = 0; k < p.operands.size(); ++k) {
      out = p.operands[k] == input ? out & operand_types(*p.op).of(k) : out;
    }
  }
  return out;
}

void Enumerator::step_input(const Task& task, std::size_t at) {
  const Pattern& p = rule_.pattern(task.pattern);
  InputNeeds needs;
  needs.kind = p.kind;
  needs.role = roles_[task.pattern];
  needs.types = types_asked_of(task.pattern);
  needs.type_is_asked = std::any_of(rule_.attrs.begin(), rule_.attrs.end(), [&](const AttrExpr& e) {
    return e.kind == AttrKind::Access && e.pattern == task.pattern && e.name == Symbol("dtype");
  });
  needs.max_rank = options_.max_rank;
  needs.form = needs.role == ElementRole::Axes ? form_of_operand(rule_, task.pattern) : AxisForm::Full;
  impossible_ = false;
  auto shape = demanded(task, "shape");
  auto dtype = demanded(task, "dtype");
  auto rank = demanded(task, "rank");
  needs.value = demanded(task, "value");
  if (impossible_ || (shape && !is_any(*shape) && !shape->tuple())) {
    return reject(fmt::format("what {} demands has no value", name_of(task)));
  }
  if (shape && shape->tuple()) {
    needs.shape = *shape->tuple();
  }
  if (dtype && !is_any(*dtype)) {
    needs.dtype = dtype->string() ? parse_dtype(*dtype->string()) : std::nullopt;
  }
  if (auto number = rank ? rank->int64() : std::nullopt; number && *number < 0) {
    return reject(fmt::format("no tensor has rank {}", *number));
  } else if (number.value_or(0) > kMaxRank || (needs.shape && needs.shape->size() > kMaxRank)) {
    return not_covered(fmt::format("{} has more than {} axes", name_of(task), kMaxRank));
  }
  bool claimed = rank && rank->int64();
  if (claimed) {
    needs.min_rank = needs.max_rank = static_cast<std::uint32_t>(*rank->int64());
  }
  for (const RankClaim& claim : rule_.ranks) {
    if (claim.input == task.pattern) {
      claimed = true;
      needs.min_rank = claim.from;
      needs.max_rank = most_claimed(claim);
    }
  }
  const AxisLayout* layout = layout_of(rule_, task.pattern);
  if (layout != nullptr) {
    std::uint32_t axes = axes_together(*layout, state_.axis_numbers);
    if (claimed && (axes < needs.min_rank || axes > needs.max_rank)) {
      return reject(fmt::format("{} has another number of axes than its roles", name_of(task)));
    }
    needs.min_rank = needs.max_rank = axes;
  }
  if (is_list_of_sizes(task)) {
    return step_sizes(task, at);
  }
  if (needs.role >= ElementRole::Pairs && !needs.shape && !needs.value) {
    result_.bounds.insert(fmt::format("lists to {}", 2 * options_.max_rank));
  } else if (needs.role == ElementRole::Accessed && p.kind == PatternKind::Const) {
    result_.bounds.insert(fmt::format("read lists to {}", longest_read(options_)));
  } else if (needs.role == ElementRole::Factors && p.kind == PatternKind::Const) {
    result_.bounds.insert(fmt::format("factors to {}", kMostFactors));
  }
  Mark here = mark();
  bool empty_too = task.variadic == kNone && spoken_of_as_empty_[task.pattern];
  const bool fixed = demands_are_fixed(p);
  const std::vector<InputOption> of_this_time = fixed ? std::vector<InputOption>() : options_of(needs, empty_too);
  const std::vector<InputOption>& options = fixed ? fixed_options(task.pattern, needs, empty_too) : of_this_time;
  for (std::size_t k = 0; k < options.size(); ++k) {
    const InputOption& option = options[k];
    option_of_[task.pattern] = fixed && task.variadic == kNone ? static_cast<std::uint32_t>(k) : kNoOption;
    if (!length_fits(task, option) || mixes_floats(option) || is_ruled_out(at)) {
      continue;
    }
    add_input(task, option, at);
    advance(at);
    undo(here);
    state_.node_of[task.pattern] = kNoInstanceNode;
    if (!more(at)) {
      return;
    }
  }
}

std::vector<InputOption> Enumerator::options_of(const InputNeeds& needs, bool empty_too) const {
  std::vector<InputOption> options = input_options(needs, options_);
  return empty_too ? with_empty_axes(std::move(options)) : options;
}

// Numbers and what is computed of them alone.
bool Enumerator::is_fixed(AttrId id) const {
  const AttrExpr& e = rule_.attr(id);
  switch (e.kind) {
    case AttrKind::Value:
    case AttrKind::Any:
    case AttrKind::Absent:
    case AttrKind::Unary:
    case AttrKind::Binary:
    case AttrKind::Tuple:
    case AttrKind::Project:
    case AttrKind::Conditional: return std::all_of(e.args.begin(), e.args.end(), [&](AttrId arg) { return is_fixed(arg); });
    case AttrKind::Access:
    case AttrKind::Symbol:
    case AttrKind::Axes:
    case AttrKind::VarTuple:
    case AttrKind::Reduce:
    case AttrKind::Each: return false;
  }
  return false;
}

bool Enumerator::demands_are_fixed(const Pattern& input) const {
  return std::all_of(input.attributes.begin(), input.attributes.end(),
                     [&](const PatternAttr& attr) { return is_fixed(attr.value); });
}

const std::vector<InputOption>& Enumerator::fixed_options(PatternId input, const InputNeeds& needs, bool empty_too) {
  auto [at, is_new] = fixed_options_.try_emplace({input, empty_too});
  if (is_new) {
    at->second = options_of(needs, empty_too);
  }
  return at->second;
}

bool Enumerator::mixes_floats(const InputOption& option) const {
  const std::vector<InputTensor>& inputs = state_.instance.inputs;
  return !classes_.mixes_floats() && is_float(option.dtype) &&
         std::any_of(inputs.begin(), inputs.end(), [&](const InputTensor& input) {
           return is_float(input.type.dtype()) && input.type.dtype() != option.dtype;
         });
}

bool Enumerator::length_fits(const Task& task, const InputOption& option) const {
  if (task.variadic != kNone || !option.contents) {
    return true;
  }
  auto as_long = [&](PatternId other) {
    InstanceNodeId id = other == kNone || other == task.pattern ? kNoInstanceNode : state_.node_of[other];
    const InstanceNode* node = id == kNoInstanceNode ? nullptr : &state_.instance.nodes[id];
    bool list = node != nullptr && node->kind == InstanceNode::Kind::Input && node->contents;
    return !list || node->contents->size() == option.contents->size();
  };
  return std::all_of(rule_.source_order.begin(), rule_.source_order.end(), [&](PatternId id) {
    const Pattern& p = rule_.pattern(id);
    bool beside = p.kind == PatternKind::Call && p.op && op_def(*p.op).traits.lists_alike && p.owner == kNone &&
                  choices_above_[id].empty() && std::find(p.operands.begin(), p.operands.end(), task.pattern) != p.operands.end();
    return !beside || std::all_of(p.operands.begin(), p.operands.end(), as_long);
  });
}

bool Enumerator::is_list_of_sizes(const Task& task) const {
  if (!options_.symbolic_length || task.variadic != kNone || rule_.pattern(task.pattern).kind != PatternKind::Const) {
    return false;
  }
  for (const PatternAttr& attr : rule_.pattern(task.pattern).attributes) {
    if (rule_.attr(attr.value).kind != AttrKind::Any) {
      return false;
    }
  }
  return std::any_of(rule_.source_order.begin(), rule_.source_order.end(), [&](PatternId id) {
    const Pattern& p = rule_.pattern(id);
    return p.kind == PatternKind::Call && p.op && op_def(*p.op).traits.along == Along::CutBySizes && p.operands.size() == 2 &&
           p.operands[1] == task.pattern;
  });
}

void Enumerator::step_sizes(const Task& task, std::size_t at) {
  Mark here = mark();
  ListFamily sizes = any_sizes(name_of(task));
  InputTensor input;
  input.name = Symbol(name_of(task));
  input.pattern = task.pattern;
  input.type = Type::tensor(DType::Int64, {sizes.length});
  state_.label.push_back(fmt::format("{}: int64 rank 1, of any length", input.name.name()));
  InstanceNode node;
  node.type = input.type;
  node.input = state_.instance.inputs.size();
  node.list = std::move(sizes);
  state_.instance.inputs.push_back(std::move(input));
  bind(task, state_.add(std::move(node)), at);
  advance(at);
  undo(here);
  state_.node_of[task.pattern] = kNoInstanceNode;
}

void Enumerator::add_input(const Task& task, const InputOption& option, std::size_t at) {
  InputTensor input;
  input.name = Symbol(name_of(task));
  input.pattern = task.pattern;
  if (is_every(task)) {
    input.family = index_of(task);
    input.again = task.branch == kOtherBranch;
  } else if (task.variadic != kNone) {
    input.branch = task.branch;
  }
  std::vector<Term> extents;
  for (std::size_t axis = 0; axis < option.extents.size(); ++axis) {
    extents.push_back(option.extents[axis] ? *option.extents[axis]
                                           : new_symbol_of(task, names_.of_axis(input.name, axis), SymbolKind::Size, 1));
    assume(ge(extents.back(), option.extents[axis] && is_const(extents.back()) ? 0 : 1), "sizes are at least 1");
  }
  input.type = Type::tensor(option.dtype, extents);
  input.fill = option.fill;
  input.rounded = option.rounded;
  if (option.contents) {
    input.contents = known_elements(task, option, input.name);
  }
  std::string known;
  for (std::size_t k = 0; input.contents && k < input.contents->size(); ++k) {
    Term element = (*input.contents)[k];
    known += (k == 0 ? " (" : ", ") + (is_const(element) ? to_text(element->value) : std::string("?"));
  }
  std::string label = input.name.name();
  label.append(": ").append(dtype_name(option.dtype)).append(" rank ").append(std::to_string(extents.size()));
  state_.label.push_back(known.empty() ? std::move(label) : label.append(known).append(")"));
  InstanceNode node;
  node.type = input.type;
  node.input = state_.instance.inputs.size();
  node.contents = input.contents;
  state_.instance.inputs.push_back(std::move(input));
  bind(task, state_.add(std::move(node)), at);
}

Term Enumerator::new_fraction_of(const Task& task, Symbol symbol) {
  std::vector<Term> parts;
  for (const char* part : {"up", "down"}) {
    parts.push_back(new_symbol_of(task, Symbol(fmt::format("{} {}", symbol.name(), part)), SymbolKind::Element, 1));
    assume(ge(parts.back(), 1), "factors are positive");
  }
  return real_of(parts[0]) / real_of(parts[1]);
}

std::vector<Term> Enumerator::known_elements(const Task& task, const InputOption& option, Symbol name) {
  std::vector<Term> out;
  for (std::size_t k = 0; k < option.contents->size(); ++k) {
    const auto& given = (*option.contents)[k];
    bool negative = given && *given == negative_element();
    if (given && !negative) {
      out.push_back(*given);
      continue;
    }
    Symbol symbol = names_.of_element(name, k);
    if (roles_[task.pattern] == ElementRole::Factors) {
      out.push_back(new_fraction_of(task, symbol));
      continue;
    }
    if (is_float(option.dtype)) {
      out.push_back(new_symbol_of(task, symbol, SymbolKind::Real));
      continue;
    }
    out.push_back(new_symbol_of(task, symbol, SymbolKind::Element));
    if (negative) {
      out.back() = -out.back();
    }
    if (roles_[task.pattern] == ElementRole::Steps) {
      state_.tried_otherwise.insert(negative ? le(out.back(), -1) : ge(out.back(), 1));
    }
    if (option.dtype == DType::Bool) {
      assume(in_range(out.back(), 2), "truth values are 0 or 1");
    }
    if (roles_[task.pattern] == ElementRole::Shape) {
      assume(ge(out.back(), 1), "sizes are at least 1");
    }
  }
  return out;
}

}  // namespace vouch
