#include "instance/attribute_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "graph/declared_length.h"

namespace vouch {
namespace {

using Options = std::vector<std::optional<AttrValue>>;

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
