#include "certify/index_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "certify/index_names.h"
#include "notation/tk_empty.h"
#include "support/symbols.h"

namespace vouch {

using array::Size;
using array::size_add;
using array::size_const;
using array::size_mul;

namespace {

Size sum(const Size& a, const Size& b) { return array::is_const(a, 0) ? b : array::is_const(b, 0) ? a : size_add(a, b); }

}  // namespace

SizeTable::SizeTable(const TkKernel& kernel) : sizes_(kernel.sizes) {
  std::vector<Symbol> from_one = sizes_from_one(kernel);
  for (Symbol name : sizes_.names) {
    Size variable = array::size_var(static_cast<unsigned>(names_.size()));
    names_.push_back(usable_c_name(name.name(), names_, CNameUse::Parameter));
    known_.emplace(int_var(name), variable);
    if (contains(from_one, name)) {
      assume(size_const(1), variable);
    }
  }
  for (Term condition : sizes_.conditions) {
    if (auto sides = parts(condition)) {
      assume(sides->minus, sides->plus);
    }
  }
}

std::optional<Size> SizeTable::of(Term extent) {
  if (auto found = known_.find(extent); found != known_.end()) {
    return found->second;
  }
  if (!nonnegative(extent, sizes_)) {
    return std::nullopt;
  }
  auto quotient = one_quotient(extent);
  auto sides = quotient ? std::nullopt : parts(extent);
  bool plain = sides && array::is_const(sides->minus, 0);
  auto size = plain ? std::optional(sides->plus) : quotient ? defined(quotient->whole, quotient->divisor) : defined(extent, 1);
  if (size && !plain && nonnegative(extent - Term(1), sizes_)) {
    assume(size_const(1), *size);
  }
  if (size) {
    known_.emplace(extent, *size);
  }
  return size;
}

std::optional<SizeTable::Parts> SizeTable::parts(Term term) {
  Parts out{size_const(0), size_const(0)};
  for (const Monomial& monomial : monomials(term)) {
    Size product = size_const(abs(monomial.coefficient));
    for (Term atom : monomial.atoms) {
      auto factor = atom.kind() == TermKind::IntVar ? of(atom) : quotient(atom);
      if (!factor) {
        return std::nullopt;
      }
      product = array::is_const(product, 1) ? *factor : size_mul(product, *factor);
    }
    Size& side = monomial.coefficient > 0 ? out.plus : out.minus;
    side = sum(side, product);
  }
  return out;
}

std::optional<Size> SizeTable::quotient(Term division) {
  bool divides = division.kind() == TermKind::FloorDiv && const_int(division.arg(1)).value_or(0) > 0;
  return divides ? of(division) : std::nullopt;
}

std::optional<Size> SizeTable::defined(Term whole, const Integer& by) {
  auto sides = parts(whole);
  if (!sides) {
    return std::nullopt;
  }
  Size size = fresh();
  Size times = sum(by == 1 ? size : size_mul(size_const(by), size), sides->minus);
  assume(times, sides->plus);
  assume(sides->plus, sum(times, size_const(by - 1)));
  return size;
}

Size SizeTable::fresh() {
  std::string name = "count";
  for (int k = 2; std::find(names_.begin(), names_.end(), name) != names_.end(); ++k) {
    name = fmt::format("count{}", k);
  }
  names_.push_back(name);
  return array::size_var(static_cast<unsigned>(names_.size() - 1));
}

void SizeTable::assume(const Size& low, const Size& high) {
  array::SizeFact fact(low, high);
  if (std::find(facts_.begin(), facts_.end(), fact) == facts_.end()) {
    facts_.push_back(std::move(fact));
  }
}

}  // namespace vouch
