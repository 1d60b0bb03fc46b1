#include "notation/tk_empty.h"

#include <algorithm>
#include <unordered_map>

#include "support/symbols.h"

namespace vouch {
namespace {

bool mentions(Term term, Symbol size) { return contains(free_variables(term), size); }

// Is the count a product with this size as a factor?
bool counts(Term count, Symbol size) {
  std::vector<Monomial> sum = monomials(count);
  auto is_variable = [](Term atom) { return atom.kind() == TermKind::IntVar; };
  return sum.size() == 1 && sum[0].coefficient > 0 && std::all_of(sum[0].atoms.begin(), sum[0].atoms.end(), is_variable) &&
         mentions(count, size);
}

// Where a size stands: a kernel may have thousands of them.
struct SizePlaces {
  std::vector<Term> extents;
  std::vector<const TkStatement*> statements;  // one of whose summands is over it, or reads what it is an extent of
};

std::unordered_map<Symbol, SizePlaces> size_places(const TkKernel& kernel) {
  std::unordered_map<Symbol, SizePlaces> out;
  for (const TkTensor& tensor : kernel.tensors) {
    for (Term extent : tensor.shape) {
      for (Symbol size : free_variables(extent)) {
        out[size].extents.push_back(extent);
      }
    }
  }
  for (const TkStatement& statement : kernel.statements) {
    for (const TkSummand& summand : statement.summands) {
      for (Symbol size : sizes_of(kernel, statement, summand)) {
        std::vector<const TkStatement*>& found = out[size].statements;
        if (found.empty() || found.back() != &statement) {
          found.push_back(&statement);
        }
      }
    }
  }
  return out;
}

bool is_over(const TkSummand& summand, Symbol size) {
  return std::any_of(summand.loops.begin(), summand.loops.end(),
                     [&](const TkLoop& loop) { return counts(loop.end - loop.begin, size); });
}

bool may_be_empty(const TkKernel& kernel, const TkStatement& statement, Symbol size) {
  const std::vector<Term>& shape = kernel.tensor(statement.target).shape;
  return std::any_of(shape.begin(), shape.end(), [&](Term extent) { return counts(extent, size); }) ||
         std::all_of(statement.summands.begin(), statement.summands.end(), [&](const TkSummand& summand) {
           return is_over(summand, size) || !contains(sizes_of(kernel, statement, summand), size);
         });
}

bool may_be_empty(const TkKernel& kernel, const SizePlaces& places, Symbol size) {
  return std::all_of(places.extents.begin(), places.extents.end(), [&](Term extent) { return counts(extent, size); }) &&
         std::all_of(places.statements.begin(), places.statements.end(),
                     [&](const TkStatement* statement) { return may_be_empty(kernel, *statement, size); });
}

}  // namespace

std::vector<Symbol> sizes_from_one(const TkKernel& kernel) {
  std::unordered_map<Symbol, SizePlaces> places = size_places(kernel);
  std::vector<Symbol> out;
  std::copy_if(kernel.sizes.names.begin(), kernel.sizes.names.end(), std::back_inserter(out),
               [&](Symbol size) { return !may_be_empty(kernel, places[size], size); });
  return out;
}

std::vector<Symbol> sizes_of(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand) {
  std::vector<Symbol> out = summand.supposed;
  auto add = [&](Term term) {
    for (Symbol name : free_variables(term)) {
      if (kernel.sizes.has(name) && !contains(out, name)) {
        out.push_back(name);
      }
    }
  };
  auto add_shape = [&](Symbol tensor) {
    const std::vector<Term>& shape = kernel.tensor(tensor).shape;
    std::for_each(shape.begin(), shape.end(), add);
  };
  add_shape(statement.target);
  for (const TkLoop& loop : summand.loops) {
    add(loop.begin);
    add(loop.end);
  }
  for (Term term : {summand.guard, summand.body}) {
    add(term);
    std::vector<Symbol> read = tensors_read(term);
    std::for_each(read.begin(), read.end(), add_shape);
  }
  return out;
}

}  // namespace vouch
