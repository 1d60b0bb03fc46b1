#include "graph/unknown_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

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
  if (!type) {
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
    for (Symbol size : unknown_sizes(extent)) {
      numbered_.try_emplace(size, int_var(unknown_size_name(std::to_string(numbered_.size()))));
    }
    extents.push_back(substitute(extent, numbered_));
  }
  return Type::tensor(type.dtype(), std::move(extents));
}

}  // namespace vouch
