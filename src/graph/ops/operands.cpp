#include "graph/ops/operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/contents.h"
#include "graph/integral_term.h"
#include "term/print.h"

namespace vouch {
namespace {

std::string_view operand_name(const OpContext& c, std::size_t operand) { return c.def().operands[operand].name; }

bool expect(OpContext& c, bool holds, std::size_t operand, std::string_view expected) {
  if (!holds) {
    c.fail(fmt::format("operand {} must be {}, found {}", operand_name(c, operand), expected, c.type_text(operand)));
  }
  return holds;
}

}  // namespace

bool require_float(OpContext& c, std::size_t operand) {
  return expect(c, is_float(c.dtype(operand)), operand, "a tensor of floats");
}

bool require_numeric(OpContext& c, std::size_t operand) {
  return expect(c, c.dtype(operand) != DType::Bool, operand, "a tensor of numbers");
}

bool require_integer(OpContext& c, std::size_t operand) {
  return expect(c, is_integer(c.dtype(operand)), operand, "a tensor of integers");
}

bool require_bool(OpContext& c, std::size_t operand) {
  return expect(c, c.dtype(operand) == DType::Bool, operand, "a tensor of bool");
}

bool require_same_dtype(OpContext& c, std::size_t a, std::size_t b) {
  if (c.dtype(a) == c.dtype(b)) {
    return true;
  }
  c.fail(fmt::format("operands {} and {} have element types {} and {}", operand_name(c, a), operand_name(c, b),
                     dtype_name(c.dtype(a)), dtype_name(c.dtype(b))));
  return false;
}

bool require_rank(OpContext& c, std::size_t operand, std::size_t rank) {
  return expect(c, c.rank(operand) == rank, operand, fmt::format("of rank {}", rank));
}

bool require_rank_at_least(OpContext& c, std::size_t operand, std::size_t rank) {
  return expect(c, c.rank(operand) >= rank, operand, fmt::format("of rank {} or more", rank));
}

bool require_equal_extents(OpContext& c, std::size_t a, std::size_t b) {
  if (!require_rank(c, a, c.rank(b))) {
    return false;
  }
  for (std::size_t axis = 0; axis < c.rank(a); ++axis) {
    c.require(eq(c.extent(a, axis), c.extent(b, axis)),
              fmt::format("operands {} and {} must have one shape", operand_name(c, a), operand_name(c, b)));
  }
  return true;
}

void require_scalar(OpContext& c, std::size_t operand) {
  for (Term extent : c.extents(operand)) {
    c.require(eq(extent, 1), fmt::format("operand {} must have one element", operand_name(c, operand)));
  }
}

bool require_like_items(OpContext& c, std::size_t operand) {
  const std::size_t count = c.item_count(operand);
  bool tensors = count > 0;
  bool alike = true;
  for (std::size_t k = 0; k < count && tensors && alike; ++k) {
    tensors = c.item_type(operand, k).is_tensor();
    alike = tensors && c.item_type(operand, k).dtype() == c.item_type(operand, 0).dtype();
  }
  return expect(c, tensors, operand, "a tuple of one or more tensors") &&
         expect(c, alike, operand, "a tuple of tensors of one element type");
}

void require_non_empty(OpContext& c, const Terms& extents, std::string_view what) {
  for (Term extent : extents) {
    c.require(ge(extent, 1), fmt::format("{} must not be empty", what));
  }
}

void require_one_reading(OpContext& c, Term guard, std::string message) {
  if (is_false(guard)) {
    return c.fail_undecided(std::move(message));
  }
  c.require(guard, std::move(message));
}

std::optional<Terms> known_terms(OpContext& c, std::size_t operand) {
  const Terms* elements = c.contents(operand);
  if (!elements && c.rank(operand) > 1) {
    c.fail(fmt::format("operand {} must be a list, found {}", operand_name(c, operand), c.type(operand).text()));
    return std::nullopt;
  }
  if (!elements) {
    c.fail_undecided(fmt::format("the elements of operand {} must be known here", operand_name(c, operand)));
    return std::nullopt;
  }
  Terms out;
  for (Term element : *elements) {
    std::optional<Term> integer = element.sort() == Sort::Int ? element : integral_term(element);
    if (!integer) {
      std::string text =
          fmt::format("operand {} must consist of integers, found {}", operand_name(c, operand), print_term(element));
      is_const(element) ? c.fail(std::move(text)) : c.fail_undecided(std::move(text));
      return std::nullopt;
    }
    out.push_back(*integer);
  }
  return out;
}

std::optional<std::vector<std::int64_t>> known_numbers(OpContext& c, std::size_t operand) {
  auto terms = known_terms(c, operand);
  auto out = terms ? numbers(*terms) : std::nullopt;
  if (terms && !out) {
    c.fail_undecided(fmt::format("the elements of operand {} must be numbers here", operand_name(c, operand)));
  }
  return out;
}

// The length of a list operand, if it is a number.
std::optional<std::size_t> list_length(OpContext& c, std::size_t operand) {
  const bool list = c.rank(operand) == 1;
  auto length = list ? const_int(c.extent(operand, 0)) : std::nullopt;
  if (!length || *length < 0 || *length > 64) {
    std::string text = fmt::format("operand {} must be a list of known, small length, found {}", operand_name(c, operand),
                                   c.type(operand).text());
    list ? c.fail_undecided(std::move(text)) : c.fail(std::move(text));
    return std::nullopt;
  }
  return static_cast<std::size_t>(*length);
}

std::optional<Terms> list_terms(OpContext& c, std::size_t operand) {
  auto length = c.contents(operand) ? std::nullopt : list_length(c, operand);
  if (!length) {
    return c.failed() ? std::nullopt : known_terms(c, operand);
  }
  Terms out;
  for (std::size_t k = 0; k < *length; ++k) {
    out.push_back(int_of(c.read(operand, {static_cast<std::int64_t>(k)})));
  }
  return out;
}

Term settled(OpContext& c, Term extent) { return is_const(extent) || !c.reads_operands(extent) ? extent : c.fresh_extent(); }

Terms fresh_extents(OpContext& c, std::size_t count) {
  Terms out;
  for (std::size_t axis = 0; axis < count; ++axis) {
    out.push_back(c.fresh_extent());
  }
  return out;
}

Term read_scalar(const OpContext& c, std::size_t operand) { return c.read(operand, Terms(c.rank(operand), Term(0))); }

Terms list_or_each(OpContext& c, std::string_view name, std::size_t count) {
  const std::vector<AttrDef>& declared = c.def().attributes;
  auto def = std::find_if(declared.begin(), declared.end(), [&](const AttrDef& attr) { return attr.name == name; });
  Terms absent(count, Term(def == declared.end() ? 1 : def->each_if_absent.value_or(1)));
  if (!c.has_attr(name)) {
    return absent;
  }
  Terms list = c.attr_ints(name);
  if (list.size() != count) {
    c.fail(fmt::format("attribute {} must have {} items, found {}", name, count, list.size()));
    return absent;
  }
  return list;
}

Terms spread_or_each(OpContext& c, std::string_view name, std::size_t count) {
  const AttrValue* value = c.attr(name);
  return value && value->number() ? Terms(count, *value->number()) : list_or_each(c, name, count);
}

DType dtype_attr(OpContext& c, std::string_view name, DType otherwise) {
  return c.has_attr(name) ? parse_dtype(c.attr_string(name)).value_or(otherwise) : otherwise;
}

std::vector<std::size_t> normal_axes(OpContext& c, const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<std::size_t> out;
  for (std::int64_t axis : axes) {
    out.push_back(c.normal_axis(axis, rank));
  }
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end() && !c.failed()) {
    c.fail("an axis is given twice");
  }
  return out;
}

bool contains(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

Terms without_axes(const Terms& list, const std::vector<std::size_t>& axes) {
  Terms out;
  for (std::size_t axis = 0; axis < list.size(); ++axis) {
    if (!contains(axes, axis)) {
      out.push_back(list[axis]);
    }
  }
  return out;
}

std::optional<std::vector<std::int64_t>> numbers(const Terms& terms) {
  std::vector<std::int64_t> out;
  for (Term term : terms) {
    auto number = const_int(term);
    if (!number) {
      return std::nullopt;
    }
    out.push_back(*number);
  }
  return out;
}

}  // namespace vouch
