#include "instance/family_book.h"

#include <fmt/format.h>

#include "facts/index_terms.h"
#include "term/substitute.h"

namespace vouch {

void FamilyBook::add_range(Symbol index, Term length, std::int64_t from) { families_.ranges.push_back({index, length, from}); }

std::optional<Term> FamilyBook::prefix_sum(Symbol index, Term item, Term steps) {
  Term total = 0;
  for (const Monomial& m : monomials_of(item)) {
    std::optional<FamilyItem> varying;
    Term rest = int_const(m.coefficient);
    for (Term atom : m.atoms) {
      if (!mentions(atom, index)) {
        rest = rest * atom;
        continue;
      }
      auto found = as_family_item(atom);
      if (varying || !found || found->branch != int_var(index) || !least_.contains(found->name)) {
        return std::nullopt;
      }
      varying = found;
    }
    if (!varying) {
      total = total + rest * steps;
      continue;
    }
    Symbol sum("sum of " + varying->name.name());
    families_.sums.try_emplace(sum, Families::PrefixSum{sum, varying->name, least_.at(varying->name)});
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
