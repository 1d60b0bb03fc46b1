#include "notation/tk_empty.h"

#include <algorithm>

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

// One size of one kernel.
class Emptiness {
 public:
  Emptiness(const TkKernel& kernel, Symbol size) : kernel_(kernel), size_(size) {}

  bool may_be_empty() const {
    bool products = std::all_of(kernel_.tensors.begin(), kernel_.tensors.end(), [&](const TkTensor& tensor) {
      return std::all_of(tensor.shape.begin(), tensor.shape.end(),
                         [&](Term extent) { return !mentions(extent, size_) || counts(extent, size_); });
    });
    return products && std::all_of(kernel_.statements.begin(), kernel_.statements.end(),
                                   [&](const TkStatement& statement) { return may_be_empty(statement); });
  }

 private:
  bool may_be_empty(const TkStatement& statement) const {
    const std::vector<Term>& shape = kernel_.tensor(statement.target).shape;
    return std::any_of(shape.begin(), shape.end(), [&](Term extent) { return counts(extent, size_); }) ||
           std::all_of(statement.summands.begin(), statement.summands.end(), [&](const TkSummand& summand) {
             return is_over(summand) || !contains(sizes_of(kernel_, statement, summand), size_);
           });
  }

  bool is_over(const TkSummand& summand) const {
    return std::any_of(summand.loops.begin(), summand.loops.end(),
                       [&](const TkLoop& loop) { return counts(loop.end - loop.begin, size_); });
  }

  const TkKernel& kernel_;
  Symbol size_;
};

}  // namespace

std::vector<Symbol> sizes_from_one(const TkKernel& kernel) {
  std::vector<Symbol> out;
  std::copy_if(kernel.sizes.names.begin(), kernel.sizes.names.end(), std::back_inserter(out),
               [&](Symbol size) { return !Emptiness(kernel, size).may_be_empty(); });
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
