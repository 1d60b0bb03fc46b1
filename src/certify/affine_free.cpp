#include "certify/affine_value.h"

namespace vouch {

std::optional<std::vector<array::Size>> number_extents(const array::Type& type) {
  std::vector<array::Size> out;
  array::Type at = type;
  for (; at->kind == array::TypeKind::Array; at = at->parts[0]) {
    out.push_back(array::worked_out(at->size));
  }
  return at->kind == array::TypeKind::Num ? std::optional(std::move(out)) : std::nullopt;
}

namespace {

void erase(const std::vector<Term>& indices, std::set<Symbol>& from) {
  for (Term index : indices) {
    from.erase(index->symbol);
  }
}

void collect(const AffineCondition& condition, std::vector<Term>& terms) {
  terms.insert(terms.end(), condition.terms.begin(), condition.terms.end());
  for (const AffineCondition& part : condition.parts) {
    collect(part, terms);
  }
}

}  // namespace

std::set<Symbol> free_indices(const Affine& value, const std::vector<AffineDefinition>& stored) {
  std::set<Symbol> free;
  if (value->kind == AffineKind::Stored) {
    free = free_indices(stored.at(value->number).value, stored);
    erase(stored.at(value->number).indices, free);
  }
  for (const Affine& arg : value->args) {
    free.merge(free_indices(arg, stored));
  }
  if (value->kind == AffineKind::Sum || value->kind == AffineKind::Running) {
    erase(value->at, free);
    return free;
  }
  std::vector<Term> terms = value->at;
  collect(value->condition, terms);
  for (Term term : terms) {
    for (Symbol name : free_variables(term)) {
      free.insert(name);
    }
  }
  return free;
}

}  // namespace vouch
