#include "instance/family_book.h"

#include <fmt/format.h>

#include <algorithm>

#include "facts/index_terms.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {

void FamilyBook::add_range(Symbol index, Term length, std::int64_t from) { families_.ranges.push_back({index, length, from}); }

std::optional<Term> FamilyBook::length_of(Symbol index) const {
  for (const Families::Range& range : families_.ranges) {
    if (range.index == index) {
      return range.length;
    }
  }
  auto found = std::find_if(indices_.begin(), indices_.end(), [&](const auto& entry) { return entry.first == index; });
  return found == indices_.end() ? std::nullopt : std::optional(found->second);
}

// By the form of the size alone: what is not negative whatever is assumed of the rule.
std::optional<std::int64_t> FamilyBook::least_of(Term size) const {
  if (auto number = const_int(size)) {
    return *number >= 0 ? number : std::nullopt;
  }
  auto item = as_family_item(size);
  if (item || size.kind() == TermKind::IntVar) {
    auto found = least_.find(item ? item->name : size->symbol);
    return found == least_.end() ? std::nullopt : std::optional(found->second);
  }
  bool chooses = size.kind() == TermKind::IntMax || size.kind() == TermKind::IntMin;
  if (!chooses && size.kind() != TermKind::IntAdd && size.kind() != TermKind::IntMul) {
    return std::nullopt;
  }
  std::int64_t least = 1;
  for (Term part : size.args()) {
    auto of_part = least_of(part);
    if (!of_part) {
      return std::nullopt;
    }
    least = std::min(least, *of_part);
  }
  return least;
}

std::optional<Symbol> FamilyBook::item_of(Symbol index, Term size) {
  auto item = as_family_item(size);
  if (item && item->branch == int_var(index) && least_.contains(item->name)) {
    return item->name;
  }
  auto least = least_of(size);
  auto length = length_of(index);
  if (!least || !length) {
    return std::nullopt;
  }
  Symbol common(kPositionIndex);
  Term size_at = substitute(size, index, int_var(common));
  auto is_free = [&](Symbol other) { return mentions(size_at, other) || mentions(*length, other); };
  if (std::any_of(families_.ranges.begin(), families_.ranges.end(), [&](const auto& range) { return is_free(range.index); }) ||
      std::any_of(indices_.begin(), indices_.end(), [&](const auto& entry) { return is_free(entry.first); })) {
    return std::nullopt;
  }
  Symbol name(fmt::format("{} of {} from {}", print_term(size_at), print_term(*length), *least));
  declare_item(name, *least);
  families_.defined.try_emplace(name, Families::Definition{name, common, size_at, *length});
  return name;
}

std::optional<Term> FamilyBook::prefix_sum(Symbol index, Term item, Term steps) {
  Term total = 0;
  for (const Monomial& m : monomials_of(item)) {
    Term varying = 1;
    Term rest = int_const(m.coefficient);
    for (Term atom : m.atoms) {
      (mentions(atom, index) ? varying : rest) = (mentions(atom, index) ? varying : rest) * atom;
    }
    if (varying == Term(1)) {
      total = total + rest * steps;
      continue;
    }
    auto name = item_of(index, varying);
    if (!name) {
      return std::nullopt;
    }
    Symbol sum("sum of " + name->name());
    families_.sums.try_emplace(sum, Families::PrefixSum{sum, *name, least_.at(*name)});
    if (steps != Term(0)) {
      total = total + rest * family_item(sum, steps);
    }
  }
  return total;
}

std::optional<Term> FamilyBook::steps_of(Symbol index, Term points) {
  Term before = substitute(points, index, int_var(index) - 1);
  Term size = 0;
  for (const Monomial& m : monomials(before)) {
    Term step = int_const(m.coefficient);
    bool varies = false;
    for (Term atom : m.atoms) {
      auto sum = as_family_item(atom);
      auto known = sum ? families_.sums.find(sum->name) : families_.sums.end();
      bool is_sum = known != families_.sums.end() && sum->branch == int_var(index);
      varies = varies || is_sum || atom == int_var(index);
      step = step * (is_sum ? family_item(known->second.item, int_var(index)) : atom == int_var(index) ? Term(1) : atom);
    }
    if (!varies) {
      return std::nullopt;
    }
    size = size + step;
  }
  return prefix_sum(index, size, int_var(index)) == before ? std::optional(size) : std::nullopt;
}

std::optional<Term> FamilyBook::position(Symbol index, Term size, Term length, Term at) {
  if (!mentions(size, index)) {
    return floor_div(at, size);
  }
  auto before = prefix_sum(index, size, int_var(index));
  auto total = prefix_sum(index, size, length);
  if (!before || !total) {
    return std::nullopt;
  }
  // Two families of one size are cut alike, whatever their indices are called.
  Symbol common(kPositionIndex);
  Term size_at = substitute(size, index, int_var(common));
  Symbol find = position_name(length, size_at);
  families_.positions.try_emplace(
      find, Families::Position{find, common, substitute(*before, index, int_var(common)), size_at, *total, length});
  return family_item(find, at);
}

Symbol FamilyBook::fresh_index(Term length) {
  Symbol index(fmt::format("k{}#", indices_.size()));
  indices_.emplace_back(index, length);
  return index;
}

Term FamilyBook::closed(Term guard) const {
  // Inner ones first: their ranges may speak of outer ones.
  for (auto at = indices_.rbegin(); at != indices_.rend(); ++at) {
    if (mentions(guard, at->first)) {
      guard = either(negate(in_range(int_var(at->first), at->second)), guard);
    }
  }
  return guard;
}

AttrValue FamilyBook::list(ListFamily list) {
  lists_.push_back(std::move(list));
  return AttrValue(fmt::format("\x01list {}", lists_.size() - 1));
}

const ListFamily* FamilyBook::list_of(const AttrValue& value) const {
  constexpr std::string_view kMark = "\x01list ";
  if (!value.string() || !value.string()->starts_with(kMark)) {
    return nullptr;
  }
  return &lists_[std::stoul(value.string()->substr(kMark.size()))];
}

}  // namespace vouch
