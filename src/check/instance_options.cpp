#include "check/instance_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace vouch {
namespace {

ElementRole role_of_operand(const OpDef& def, std::size_t operand) {
  if (operand >= def.operands.size()) {
    return ElementRole::Opaque;
  }
  std::string_view name = def.operands[operand].name;
  if (name == "shape") {
    return def.name == "Reshape" ? ElementRole::Shape : ElementRole::List;
  }
  if (name == "axes" || (name == "axis" && def.name == "CumSum")) {
    return ElementRole::Axes;
  }
  for (std::string_view list : {"split", "starts", "ends", "steps", "pads", "repeats", "sizes", "output_shape"}) {
    if (name == list && def.operands[operand].kind != OperandKind::Tuple) {
      return ElementRole::List;
    }
  }
  return ElementRole::Opaque;
}

}  // namespace

std::vector<ElementRole> element_roles(const Rule& rule) {
  std::vector<ElementRole> roles(rule.patterns.size(), ElementRole::Opaque);
  auto raise = [&](PatternId id, ElementRole role) { roles[id] = std::max(roles[id], role); };
  for (const Pattern& p : rule.patterns) {
    if (p.kind == PatternKind::Call && p.op) {
      for (std::size_t k = 0; k < p.operands.size(); ++k) {
        raise(p.operands[k], role_of_operand(op_def(*p.op), k));
      }
    }
  }
  for (const AttrExpr& e : rule.attrs) {
    if (e.kind == AttrKind::Access && e.name == Symbol("value")) {
      raise(e.pattern, ElementRole::Accessed);
    }
  }
  return roles;
}

namespace {

using Open = std::optional<Term>;

// Lists that operators want as data: all elements open, or one of them 0 or -1 where these have meanings of their own.
std::vector<std::vector<Open>> list_forms(const InputNeeds& needs, std::uint32_t max_rank) {
  std::vector<std::vector<Open>> out;
  bool shape = needs.role == ElementRole::Shape;
  std::size_t longest = shape ? max_rank : 2 * max_rank;
  for (std::size_t length = shape ? 0 : 1; length <= longest; ++length) {
    out.emplace_back(length);
    for (std::size_t at = 0; shape && at < length; ++at) {
      for (std::int64_t special : {0, -1}) {
        std::vector<Open> form(length);
        form[at] = Term(special);
        out.push_back(form);
        for (std::size_t other = 0; special == 0 && length <= 3 && other < length; ++other) {
          if (other != at) {
            std::vector<Open> both = form;
            both[other] = Term(-1);
            out.push_back(std::move(both));
          }
        }
      }
    }
  }
  return out;
}

// Lists of axes: each single one, counted from either end, and every set of several in order.
std::vector<std::vector<std::int64_t>> axis_lists(std::size_t rank) {
  std::vector<std::vector<std::int64_t>> out;
  auto r = static_cast<std::int64_t>(rank);
  for (std::int64_t axis = -r; axis < r; ++axis) {
    out.push_back({axis});
  }
  for (std::uint32_t set = 1; set < (1U << rank); ++set) {
    std::vector<std::int64_t> axes;
    for (std::int64_t axis = 0; axis < r; ++axis) {
      if ((set >> axis & 1U) != 0) {
        axes.push_back(axis);
      }
    }
    if (axes.size() > 1) {
      out.push_back(std::move(axes));
    }
  }
  return out;
}

class InputEnumerator {
 public:
  InputEnumerator(const InputNeeds& needs, const InstanceOptions& options) : needs_(needs), options_(options) {}

  std::vector<InputOption> run() {
    if (needs_.value && !is_any(*needs_.value)) {
      return given_value();
    }
    if (needs_.role >= ElementRole::List && !needs_.shape) {
      return lists();
    }
    return by_rank();
  }

 private:
  std::vector<DType> dtypes() const { return needs_.dtype ? std::vector{*needs_.dtype} : options_.dtypes; }

  // A constant of a known value: a number also fills an axis (as matching has it); a tuple is a list.
  std::vector<InputOption> given_value() {
    for (DType dtype : dtypes()) {
      const AttrValue& value = *needs_.value;
      if (const Term* number = value.number()) {
        bool whole = number->sort() == Sort::Int || (is_const(*number) && is_integral((*number)->value));
        if (!whole && !is_float(dtype)) {
          continue;
        }
        Term element = is_float(dtype) && number->sort() == Sort::Int ? real_of(*number) : *number;
        add_filled(dtype, element);
      } else if (const AttrTuple* items = value.tuple()) {
        add_tuple(dtype, *items);
      }
    }
    return std::move(out_);
  }

  // All elements are this number, whatever the shape.
  void add_filled(DType dtype, Term element) {
    if (needs_.shape) {
      std::vector<Open> extents;
      for (const AttrValue& extent : *needs_.shape) {
        if (!is_any(extent) && (!extent.number() || extent.number()->sort() != Sort::Int)) {
          return;
        }
        extents.push_back(is_any(extent) ? Open() : Open(*extent.number()));
      }
      out_.push_back({dtype, std::move(extents), {}, element});
      return;
    }
    for (std::uint32_t rank = needs_.min_rank; rank <= needs_.max_rank; ++rank) {
      if (rank == 0) {
        out_.push_back({dtype, {}, std::vector<Open>{element}, {}});
      } else if (rank == 1 && needs_.role != ElementRole::Opaque) {
        for (std::size_t length = 1; length <= 2; ++length) {
          out_.push_back({dtype, {Term(static_cast<std::int64_t>(length))}, std::vector<Open>(length, element), {}});
        }
      } else {
        out_.push_back({dtype, std::vector<Open>(rank), {}, element});
      }
    }
  }

  void add_tuple(DType dtype, const AttrTuple& items) {
    if (needs_.role >= ElementRole::List && dtype != DType::Int64) {
      return;
    }
    std::vector<Open> elements;
    for (const AttrValue& item : items) {
      if (!is_any(item) && (!item.number() || item.number()->sort() == Sort::Bool)) {
        return;
      }
      bool integer = is_any(item) || item.number()->sort() == Sort::Int;
      if (!integer && !is_float(dtype)) {
        return;
      }
      elements.push_back(is_any(item)                 ? Open()
                         : is_float(dtype) && integer ? Open(real_of(*item.number()))
                                                      : Open(*item.number()));
    }
    out_.push_back({dtype, {Term(static_cast<std::int64_t>(items.size()))}, std::move(elements), {}});
  }

  std::vector<InputOption> lists() {
    if (needs_.role == ElementRole::Axes) {
      for (std::vector<std::int64_t>& axes : axis_lists(options_.max_rank)) {
        std::vector<Open> elements(axes.begin(), axes.end());
        out_.push_back({DType::Int64, {Term(static_cast<std::int64_t>(axes.size()))}, std::move(elements), {}});
      }
      return std::move(out_);
    }
    for (std::vector<Open>& form : list_forms(needs_, options_.max_rank)) {
      auto length = static_cast<std::int64_t>(form.size());
      out_.push_back({DType::Int64, {Term(length)}, std::move(form), {}});
    }
    return std::move(out_);
  }

  std::vector<InputOption> by_rank() {
    for (DType dtype : dtypes()) {
      if (needs_.shape) {
        std::vector<Open> extents;
        for (const AttrValue& extent : *needs_.shape) {
          if (!is_any(extent) && (!extent.number() || extent.number()->sort() != Sort::Int)) {
            return {};
          }
          extents.push_back(is_any(extent) ? Open() : Open(*extent.number()));
        }
        add_shaped(dtype, std::move(extents));
        continue;
      }
      for (std::uint32_t rank = needs_.min_rank; rank <= needs_.max_rank; ++rank) {
        add_shaped(dtype, std::vector<Open>(rank));
      }
    }
    return std::move(out_);
  }

  void add_shaped(DType dtype, std::vector<Open> extents) {
    bool known = needs_.role == ElementRole::Accessed && needs_.kind == PatternKind::Const;
    if (known && extents.empty()) {
      out_.push_back({dtype, {}, std::vector<Open>(1), {}});
      return;
    }
    if (known && extents.size() == 1 && !extents[0]) {
      for (std::size_t length = 1; length <= 3; ++length) {
        out_.push_back({dtype, {Term(static_cast<std::int64_t>(length))}, std::vector<Open>(length), {}});
      }
      return;
    }
    out_.push_back({dtype, std::move(extents), {}, {}});
  }

  const InputNeeds& needs_;
  const InstanceOptions& options_;
  std::vector<InputOption> out_;
};

// --- attributes

using Options = std::vector<std::optional<AttrValue>>;
using MakeSymbol = std::function<Term(std::string suffix, Sort sort)>;

AttrValue open_list(std::size_t length, const MakeSymbol& symbol) {
  AttrTuple items;
  for (std::size_t k = 0; k < length; ++k) {
    items.emplace_back(symbol(fmt::format("[{}]", k), Sort::Int));
  }
  return AttrValue(std::move(items));
}

std::optional<std::size_t> declared_length(const AttributeNeeds& needs) {
  std::size_t spatial = needs.rank >= 2 ? needs.rank - 2 : 0;
  switch (needs.def->length) {
    case AttrLength::Any: return std::nullopt;
    case AttrLength::Spatial: return spatial;
    case AttrLength::SpatialPairs: return 2 * spatial;
    case AttrLength::Rank: return needs.rank;
  }
  return std::nullopt;
}

bool is_axis(const AttrDef& def) { return def.name.find("axis") != std::string_view::npos; }

void add_numbers(const AttributeNeeds& needs, Options& out) {
  std::string_view name = needs.def->name;
  if (is_axis(*needs.def)) {
    auto most = static_cast<std::int64_t>(needs.max_rank);
    for (std::int64_t axis = -most - 1; axis <= most; ++axis) {
      out.emplace_back(AttrValue(axis));
    }
    return;
  }
  std::int64_t most = name == "num_outputs" || name == "indices_or_sections" ? 4 : 1;
  for (std::int64_t value = most == 1 ? 0 : 1; value <= most; ++value) {
    out.emplace_back(AttrValue(value));
  }
  if (const auto* usual = std::get_if<std::int64_t>(&needs.def->otherwise); usual && (*usual < 0 || *usual > 1)) {
    out.emplace_back(AttrValue(*usual));
  }
}

void add_number_lists(const AttributeNeeds& needs, Options& out) {
  if (needs.def->name == "perm" || needs.def->name == "broadcast_dimensions") {
    std::vector<std::int64_t> perm(needs.rank);
    std::iota(perm.begin(), perm.end(), 0);
    do {
      out.emplace_back(AttrValue::of_ints(perm));
    } while (std::next_permutation(perm.begin(), perm.end()));
    return;
  }
  for (const std::vector<std::int64_t>& axes : axis_lists(needs.max_rank)) {
    out.emplace_back(AttrValue::of_ints(axes));
  }
}

void add_lists(const AttributeNeeds& needs, const MakeSymbol& symbol, Options& out) {
  auto length = declared_length(needs);
  if (needs.number) {
    return add_number_lists(needs, out);
  }
  if (length) {
    out.emplace_back(open_list(*length, symbol));
    if (needs.forms && needs.def->length == AttrLength::SpatialPairs && needs.def->type == AttrType::IntOrInts) {
      out.emplace_back(open_list(*length / 2, symbol));
    }
    return;
  }
  for (std::size_t k = needs.def->type == AttrType::IntOrInts ? 1 : 0; k <= needs.max_rank; ++k) {
    out.emplace_back(open_list(k, symbol));
  }
}

}  // namespace

std::vector<InputOption> input_options(const InputNeeds& needs, const InstanceOptions& options) {
  return InputEnumerator(needs, options).run();
}

ChoicesFollowFrom choices_follow_from(const AttributeNeeds& needs) {
  switch (needs.def->type) {
    case AttrType::IntOrInts:
    case AttrType::Ints:
      return declared_length(needs) && !needs.number ? ChoicesFollowFrom::FirstOperand : ChoicesFollowFrom::AllOperands;
    case AttrType::Int: return needs.number && is_axis(*needs.def) ? ChoicesFollowFrom::LargestRank : ChoicesFollowFrom::Nothing;
    case AttrType::Float:
    case AttrType::String:
    case AttrType::DType:
    case AttrType::Floats:
    case AttrType::Strings:
    case AttrType::Tensor:
    case AttrType::Graph:
    case AttrType::Tuple: break;
  }
  return ChoicesFollowFrom::Nothing;
}

std::vector<std::optional<AttrValue>> attribute_options(const AttributeNeeds& needs, const MakeSymbol& symbol) {
  Options out;
  const AttrDef& def = *needs.def;
  bool may_miss = std::holds_alternative<Absent>(def.otherwise) && !needs.must_exist;
  // Absent lists of known length stand for some value of the list, but where leaving them out means something else.
  bool other_meaning = def.length == AttrLength::Any || def.name == "output_shape" || def.name == "perm";
  if (may_miss && other_meaning) {
    out.emplace_back(std::nullopt);
  }
  switch (def.type) {
    case AttrType::Int:
      if (needs.number) {
        add_numbers(needs, out);
      } else {
        out.emplace_back(AttrValue(symbol("", Sort::Int)));
      }
      break;
    case AttrType::Float: out.emplace_back(AttrValue(symbol("", Sort::Real))); break;
    case AttrType::String:
      for (std::string_view choice : def.choices) {
        out.emplace_back(AttrValue(std::string(choice)));
      }
      break;
    case AttrType::DType:
      for (DType dtype : {DType::Float32, DType::Int64, DType::Bool}) {
        out.emplace_back(AttrValue(std::string(dtype_name(dtype))));
      }
      break;
    case AttrType::IntOrInts:
      if (def.length == AttrLength::Any) {
        add_numbers(needs, out);
      } else if (needs.forms) {
        out.emplace_back(AttrValue(symbol("", Sort::Int)));
      }
      add_lists({&def, needs.rank, needs.max_rank, false, needs.must_exist, needs.forms}, symbol, out);
      break;
    case AttrType::Ints: add_lists(needs, symbol, out); break;
    case AttrType::Floats:
    case AttrType::Strings:
    case AttrType::Tensor:
    case AttrType::Graph:
    case AttrType::Tuple: break;
  }
  return out;
}

}  // namespace vouch
