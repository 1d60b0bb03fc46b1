#include "graph/unknown_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "graph/foreign.h"

namespace vouch {
namespace {

constexpr char kMark = '?';

}  // namespace

Term unknown_size() {
  static std::atomic<std::uint64_t> next = 0;
  return int_var(fmt::format("{}{}", kMark, next++));
}

std::string unknown_size_name(std::string_view place) { return fmt::format("{}{}", kMark, place); }

bool is_unknown_size(std::string_view name) { return name.starts_with(kMark); }

std::vector<Symbol> unknown_sizes(Term size) {
  std::vector<Symbol> out = free_variables(size);
  std::erase_if(out, [](Symbol symbol) { return !is_unknown_size(symbol.name()); });
  std::sort(out.begin(), out.end(), [](Symbol a, Symbol b) {
    return std::pair(a.name().size(), std::string_view(a.name())) < std::pair(b.name().size(), std::string_view(b.name()));
  });
  return out;
}

Type SizeNumbering::operator()(Type type) {
  if (!type || is_foreign(type)) {
    return type;
  }
  if (type.is_tuple()) {
    std::vector<Type> items;
    for (Type item : type.items()) {
      items.push_back((*this)(item));
    }
    return Type::tuple(std::move(items));
  }
  std::vector<Term> extents;
  for (Term extent : type.extents()) {
    extents.push_back(numbered(extent));
  }
  return Type::tensor(type.dtype(), std::move(extents));
}

// Types that attributes list (graph/foreign.h) have sizes, too.
AttrDict SizeNumbering::operator()(AttrDict attributes) {
  std::vector<AttrDict::Entry> out;
  for (const auto& [name, value] : attributes.entries()) {
    out.emplace_back(name, numbered(value));
  }
  return AttrDict(std::move(out));
}

Term SizeNumbering::numbered(Term size) {
  for (Symbol name : unknown_sizes(size)) {
    numbered_.try_emplace(name, int_var(unknown_size_name(std::to_string(numbered_.size()))));
  }
  return substitute(size, numbered_);
}

// Recursion follows the nesting of the value, two deep for lists of types.
AttrValue SizeNumbering::numbered(const AttrValue& value) {
  if (const Term* number = value.number()) {
    return is_const(*number) ? value : AttrValue(numbered(*number));
  }
  const AttrTuple* items = value.tuple();
  if (items == nullptr) {
    return value;
  }
  AttrTuple out;
  for (const AttrValue& item : *items) {
    out.push_back(numbered(item));
  }
  return out;
}

}  // namespace vouch
