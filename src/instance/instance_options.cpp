#include "instance/instance_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "graph/declared_length.h"
#include "graph/factors.h"
#include "tensor/element.h"

namespace vouch {
namespace {

ElementRole role_of_operand(const OpDef& def, std::size_t operand) {
  if (operand >= def.operands.size()) {
    return ElementRole::Opaque;
  }
  switch (def.operands[operand].domain) {
    case OperandDomain::Elements: return ElementRole::Opaque;
    case OperandDomain::List: return def.traits.lists_alike ? ElementRole::List : ElementRole::Pairs;
    case OperandDomain::Steps: return ElementRole::Steps;
    case OperandDomain::Sizes: return ElementRole::Shape;
    case OperandDomain::Axes:
    case OperandDomain::NewAxes:
    case OperandDomain::OrderedAxes: return ElementRole::Axes;
  }
  return ElementRole::Opaque;
}

// Constants that are joined to a list of sizes are lists of sizes.
void raise_joined_sizes(const Rule& rule, std::vector<ElementRole>& roles) {
  for (auto user = rule.source_order.rbegin(); user != rule.source_order.rend(); ++user) {  // users come after their operands
    const Pattern& p = rule.pattern(*user);
    bool joins = p.kind == PatternKind::Call && p.op && op_def(*p.op).traits.along == Along::Join && p.operands[0] != kNone;
    if (!joins || roles[*user] != ElementRole::Shape || rule.pattern(p.operands[0]).kind != PatternKind::Tuple) {
      continue;
    }
    for (PatternId item : rule.pattern(p.operands[0]).operands) {
      const PatternKind kind = rule.pattern(item).kind;
      if (kind == PatternKind::Const || kind == PatternKind::Call) {
        roles[item] = std::max(roles[item], ElementRole::Shape);
      }
    }
  }
}

}  // namespace

std::vector<ElementRole> element_roles(const Rule& rule) {
  std::vector<ElementRole> roles(rule.patterns.size(), ElementRole::Opaque);
  auto raise = [&](PatternId id, ElementRole role) { roles[id] = std::max(roles[id], role); };
  for (const Pattern& p : rule.patterns) {
    if (p.kind == PatternKind::Call && p.op) {
      for (std::size_t k = 0; k < p.operands.size(); ++k) {
        if (p.operands[k] == kNone) {
          continue;
        }
        raise(p.operands[k], takes_factors(*p.op, k) ? ElementRole::Factors : role_of_operand(op_def(*p.op), k));
      }
    }
  }
  raise_joined_sizes(rule, roles);
  // What is said of every element needs none of them known.
  std::vector<bool> of_every(rule.attrs.size());
  for (const AttrExpr& e : rule.attrs) {
    if (e.kind == AttrKind::Each) {
      of_every[e.args[1]] = true;
    }
  }
  for (AttrId id = 0; id < rule.attrs.size(); ++id) {
    const AttrExpr& e = rule.attr(id);
    if (e.kind == AttrKind::Access && e.name == Symbol("value") && !of_every[id]) {
      raise(e.pattern, ElementRole::Accessed);
    }
  }
  return roles;
}

namespace {

using Open = std::optional<Term>;

// Each element left open, with each sign: a negative one is written as such, for an operator to see it.
std::vector<std::vector<Open>> step_forms(std::uint32_t max_rank) {
  std::vector<std::vector<Open>> out;
  for (std::size_t length = 0; length <= max_rank; ++length) {
    for (std::uint32_t signs = 0; signs < (1U << length); ++signs) {
      std::vector<Open> form(length);
      for (std::size_t at = 0; at < length; ++at) {
        form[at] = (signs >> at & 1U) != 0 ? Open(negative_element()) : Open();
      }
      out.push_back(std::move(form));
    }
  }
  return out;
}

// Lists that operators want as data: all elements open. Where 0 and -1 have meanings of their own, every choice of which are 0
// and which one, if any, is -1.
std::vector<std::vector<Open>> list_forms(const InputNeeds& needs, std::uint32_t max_rank) {
  std::vector<std::vector<Open>> out;
  bool shape = needs.role == ElementRole::Shape;
  std::size_t longest = needs.role == ElementRole::Pairs ? 2 * max_rank : max_rank;
  for (std::size_t length = 0; length <= longest; ++length) {
    for (std::uint32_t zeros = 0; zeros < (shape ? 1U << length : 1U); ++zeros) {
      std::vector<Open> form(length);
      for (std::size_t at = 0; at < length; ++at) {
        form[at] = (zeros >> at & 1U) != 0 ? Open(Term(0)) : Open();
      }
      out.push_back(form);
      for (std::size_t at = 0; shape && at < length; ++at) {
        if (!form[at]) {
          std::vector<Open> inferred = form;
          inferred[at] = Term(-1);
          out.push_back(std::move(inferred));
        }
      }
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
  std::vector<DType> dtypes() const {
    if (needs_.role >= ElementRole::List && !needs_.dtype) {
      return {DType::Int64};
    }
    std::vector<DType> out;
    for (DType tried : options_.dtypes) {
      if (needs_.types.contains(tried)) {
        out.push_back(tried);
      }
    }
    return needs_.dtype ? std::vector{*needs_.dtype} : out;
  }

  // A constant of a known value: a number also fills an axis (as matching has it); a tuple is a list.
  std::vector<InputOption> given_value() {
    for (DType dtype : dtypes()) {
      const AttrValue& value = *needs_.value;
      if (const Term* number = value.number()) {
        bool whole = number->sort() == Sort::Int || (is_const(*number) && is_integral((*number)->value));
        if (!whole && !is_float(dtype)) {
          continue;
        }
        if (auto element = element_of(dtype, *number)) {
          add_filled(dtype, *element);
        }
      } else if (const AttrTuple* items = value.tuple()) {
        add_tuple(dtype, *items);
      }
    }
    for (InputOption& option : out_) {
      option.rounded = needs_.value->number() && is_rounded(option.dtype, *needs_.value->number());
    }
    return std::move(out_);
  }

  // What a number of the rule is as an element: nothing if it is none, or infinite.
  static std::optional<Term> element_of(DType dtype, Term number) {
    if (!is_float(dtype) || !is_const(number) || number.sort() == Sort::Bool) {
      return is_float(dtype) && number.sort() == Sort::Int ? real_of(number) : number;
    }
    auto nearest = nearest_element(dtype, number->value);
    return nearest ? std::optional(real_const(*nearest)) : std::nullopt;
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
        std::size_t most = needs_.role >= ElementRole::List ? options_.max_rank : std::size_t{2};
        for (std::size_t length = 1; length <= most; ++length) {
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

  std::vector<DType> list_types() const {
    if (needs_.dtype) {
      return {*needs_.dtype};
    }
    bool words = needs_.type_is_asked && needs_.types.contains(DType::Int32);
    return words ? std::vector{DType::Int64, DType::Int32} : std::vector{DType::Int64};
  }

  std::vector<std::vector<Open>> forms_of_list() const {
    switch (needs_.role) {
      case ElementRole::Steps: return step_forms(options_.max_rank);
      case ElementRole::Axes: {
        std::vector<std::vector<Open>> out;
        for (const std::vector<std::int64_t>& axes : axis_lists_to_rank(options_.max_rank, needs_.form)) {
          out.emplace_back(axes.begin(), axes.end());
        }
        return out;
      }
      default: return list_forms(needs_, options_.max_rank);
    }
  }

  std::vector<InputOption> lists() {
    for (DType dtype : list_types()) {
      for (std::vector<Open>& form : forms_of_list()) {
        auto length = static_cast<std::int64_t>(form.size());
        out_.push_back({dtype, {Term(length)}, std::move(form), {}});
      }
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
    bool factors = needs_.role == ElementRole::Factors && needs_.kind == PatternKind::Const && is_float(dtype);
    if ((known || factors) && extents.size() == 1 && !extents[0]) {
      for (std::size_t length = 1; length <= (factors ? kMostFactors : longest_read(options_)); ++length) {
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

// All that the domain has at ranks up to `max_rank`; what lies beyond is said in `beyond`.
void add_numbers(const AttributeNeeds& needs, Options& out, std::string& beyond, std::string& bound) {
  auto most = static_cast<std::int64_t>(needs.max_rank);
  std::int64_t from = 0;
  std::int64_t to = 1;
  switch (needs.def->domain) {
    case AttrDomain::Flag: break;
    case AttrDomain::Axis:
    case AttrDomain::Position:
      from = -most - 1;
      to = most + 1;
      if (needs.def->domain == AttrDomain::Position && needs.looked_at) {
        beyond = fmt::format("{} beyond the axes", needs.def->name);
      }
      break;
    case AttrDomain::Count:
      from = 1;
      to = 4;
      bound = fmt::format("results to {}", to);
      break;
    case AttrDomain::Any:
    case AttrDomain::OneElement:
    case AttrDomain::Axes:
    case AttrDomain::NewAxes:
    case AttrDomain::OrderedAxes:
    case AttrDomain::PlainAxes:
    case AttrDomain::Permutation: beyond = fmt::format("other numbers than 0 and 1 as {}", needs.def->name); break;
  }
  for (std::int64_t value = from; value <= to; ++value) {
    out.emplace_back(AttrValue(value));
  }
  if (const auto* usual = std::get_if<std::int64_t>(&needs.def->otherwise); usual && (*usual < from || *usual > to)) {
    out.emplace_back(AttrValue(*usual));
  }
}

void add_number_lists(const AttributeNeeds& needs, Options& out, std::string& beyond) {
  if (needs.def->domain == AttrDomain::Permutation) {
    std::vector<std::int64_t> perm(needs.rank);
    std::iota(perm.begin(), perm.end(), 0);
    do {
      out.emplace_back(AttrValue::of_ints(perm));
    } while (std::next_permutation(perm.begin(), perm.end()));
    return;
  }
  bool plain = needs.def->domain == AttrDomain::PlainAxes;
  bool axes = needs.def->domain == AttrDomain::Axes || needs.def->domain == AttrDomain::NewAxes ||
              needs.def->domain == AttrDomain::OrderedAxes || plain;
  if (!axes) {
    beyond = fmt::format("lists of any numbers as {}", needs.def->name);
  }
  bool of_result = needs.def->domain == AttrDomain::NewAxes || (plain && needs.def->length == AttrLength::Rank);
  std::size_t most = of_result ? std::max(needs.results, needs.max_rank) : needs.max_rank;
  for (const std::vector<std::int64_t>& list : axis_lists_to_rank(most, needs.form)) {
    bool from_the_end = plain && std::any_of(list.begin(), list.end(), [](std::int64_t axis) { return axis < 0; });
    if (!from_the_end && (needs.def->length != AttrLength::Rank || list.size() == needs.rank)) {
      out.emplace_back(AttrValue::of_ints(list));
    }
  }
}

void add_lists(const AttributeNeeds& needs, const MakeSymbol& symbol, Options& out, std::string& beyond, std::string& bound) {
  auto length = declared_length(needs.def->length, needs.rank);
  if (needs.number) {
    return add_number_lists(needs, out, beyond);
  }
  if (length) {
    out.emplace_back(open_list(*length, symbol));
    if (needs.looked_at && needs.def->length == AttrLength::SpatialPairs && needs.def->type == AttrType::IntOrInts) {
      out.emplace_back(open_list(*length / 2, symbol));
    }
    return;
  }
  std::size_t most = std::max(needs.results, needs.max_rank);
  for (std::size_t k = needs.def->type == AttrType::IntOrInts ? 1 : 0; k <= most; ++k) {
    out.emplace_back(open_list(k, symbol));
  }
  if (needs.def->domain == AttrDomain::Any) {  // there are no longer lists of axes
    bound = fmt::format("lists to {}", most);
  }
}

}  // namespace

std::size_t longest_read(const InstanceOptions& options) {
  constexpr std::uint32_t kUsual = 4;
  return std::max(kUsual, options.max_rank);
}

Term negative_element() {
  static const Term element = -int_var("negative element");
  return element;
}

std::vector<InputOption> input_options(const InputNeeds& needs, const InstanceOptions& options) {
  return InputEnumerator(needs, options).run();
}

ChoicesFollowFrom choices_follow_from(const AttributeNeeds& needs) {
  switch (needs.def->type) {
    case AttrType::IntOrInts:
    case AttrType::Ints:
      return declared_length(needs.def->length, needs.rank) && !needs.number ? ChoicesFollowFrom::FirstOperand
                                                                             : ChoicesFollowFrom::AllOperands;
    case AttrType::Int:
      return needs.number && (needs.def->domain == AttrDomain::Axis || needs.def->domain == AttrDomain::Position)
                 ? ChoicesFollowFrom::LargestRank
                 : ChoicesFollowFrom::Nothing;
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

namespace {

void add_dtypes(Options& out) {
  for (int k = 0; k < kDTypeCount; ++k) {
    out.emplace_back(AttrValue(std::string(dtype_name(static_cast<DType>(k)))));
  }
}

// A tensor of one element is written as its element type and the element.
void add_elements(const MakeSymbol& symbol, Options& out) {
  Term real = symbol("", Sort::Real);
  Term whole = symbol(" whole", Sort::Int);
  for (int k = 0; k < kDTypeCount; ++k) {
    auto dtype = static_cast<DType>(k);
    std::vector<Term> elements{is_float(dtype) ? real : whole};
    if (dtype == DType::Bool) {
      elements = {Term(0), Term(1)};
    }
    for (Term element : elements) {
      out.emplace_back(AttrValue(AttrTuple{std::string(dtype_name(dtype)), element}));
    }
  }
}

// A text that is none of a few can be any: an equation, a list of names.
void add_texts(const AttrDef& def, Options& out, std::string& beyond) {
  for (std::string_view choice : def.choices) {
    out.emplace_back(AttrValue(std::string(choice)));
  }
  if (def.choices.empty()) {
    beyond = fmt::format("any text as {}", def.name);
  }
}

}  // namespace

AttributeOptions attribute_options(const AttributeNeeds& needs, const MakeSymbol& symbol) {
  AttributeOptions all;
  Options& out = all.options;
  const AttrDef& def = *needs.def;
  bool may_miss = std::holds_alternative<Absent>(def.otherwise) && !needs.must_exist;
  // Absent stands for some value of the list, where the operator table says which.
  bool stands_for_value = def.each_if_absent || def.implied_if_absent;
  if (may_miss && !stands_for_value) {
    out.emplace_back(std::nullopt);
  }
  switch (def.type) {
    case AttrType::Int:
      if (needs.number) {
        add_numbers(needs, out, all.beyond, all.bound);
      } else {
        out.emplace_back(AttrValue(symbol("", Sort::Int)));
      }
      break;
    case AttrType::Float: out.emplace_back(AttrValue(symbol("", Sort::Real))); break;
    case AttrType::String: add_texts(def, out, all.beyond); break;
    case AttrType::DType: add_dtypes(out); break;
    case AttrType::IntOrInts: {
      if (def.length == AttrLength::Any) {
        add_numbers(needs, out, all.beyond, all.bound);
      } else if (needs.looked_at) {
        out.emplace_back(AttrValue(symbol("", Sort::Int)));
      }
      AttributeNeeds lists = needs;
      lists.number = false;
      add_lists(lists, symbol, out, all.beyond, all.bound);
      break;
    }
    case AttrType::Ints: add_lists(needs, symbol, out, all.beyond, all.bound); break;
    case AttrType::Tensor:
      if (def.domain == AttrDomain::OneElement) {
        add_elements(symbol, out);
        break;
      }
      [[fallthrough]];
    case AttrType::Floats:
    case AttrType::Strings:
    case AttrType::Graph:
    case AttrType::Tuple:
      all.beyond = fmt::format("any {} of {}", def.name, may_miss ? "a call that gives one" : "a call");
      break;
  }
  return all;
}

}  // namespace vouch
