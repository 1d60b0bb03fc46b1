#include "build/extrema.h"

#include <algorithm>
#include <limits>

#include "term/substitute.h"

namespace vouch {
namespace {

Term joined(Reduction reduction, Term a, Term b) {
  return reduction == Reduction::Product ? a * b : call(reduction == Reduction::Max ? Fn::Max : Fn::Min, {a, b});
}

// Neighbours are joined until one is left.
Term tree(Reduction reduction, std::vector<Term> items) {
  while (items.size() > 1) {
    std::vector<Term> next;
    for (std::size_t k = 0; k < items.size(); k += 2) {
      next.push_back(k + 1 < items.size() ? joined(reduction, items[k], items[k + 1]) : items[k]);
    }
    items = std::move(next);
  }
  return items[0];
}

// The number of elements, if it is one that is written out.
std::int64_t count_of(Term reduction) {
  std::int64_t count = 1;
  for (Term extent : reduction.args().subspan(2)) {
    auto number = const_int(extent);
    bool few = number && *number >= 1 && *number <= kMostWrittenOut;
    count = few && count <= kMostWrittenOut ? count * *number : kMostWrittenOut + 1;
  }
  return count;
}

Term written_out(Term term, DType dtype) {
  if (term.args().empty()) {
    return term;
  }
  std::vector<Term> args;
  for (Term arg : term.args()) {
    args.push_back(arg.sort() == Sort::Real ? written_out(arg, dtype) : arg);
  }
  Term inner = rebuild(term, args);
  std::int64_t count = inner.kind() == TermKind::Reduce && inner->reduction != Reduction::Sum ? count_of(inner) : 0;
  // No integer is below or above all others: their extrema under a condition have no neutral element.
  bool unbounded = count > 0 && !is_float(dtype) && inner->reduction != Reduction::Product && !is_true(inner.arg(1));
  if (count < 1 || count > kMostWrittenOut || unbounded) {
    return inner;
  }
  std::vector<Term> items;
  for (std::int64_t position = 0; position < count; ++position) {
    Substitution at;
    std::int64_t rest = position;
    for (std::size_t k = inner->bound.size(); k-- > 0;) {
      std::int64_t extent = *const_int(inner.arg(k + 2));
      at[inner->bound[k]] = Term(rest % extent);
      rest /= extent;
    }
    items.push_back(select(substitute(inner.arg(1), at), substitute(inner.arg(0), at), neutral_element(inner->reduction, dtype)));
  }
  return tree(inner->reduction, std::move(items));
}

}  // namespace

Term neutral_element(Reduction reduction, DType dtype) {
  double largest =
      dtype == DType::Float64 ? std::numeric_limits<double>::max() : static_cast<double>(std::numeric_limits<float>::max());
  return reduction == Reduction::Product ? real_const(1)
                                         : real_const(rational_of(reduction == Reduction::Max ? -largest : largest));
}

void write_out_extrema(Kernel& kernel) {
  auto dtype_of = [&](Symbol target) {
    for (const auto* decls : {&kernel.locals, &kernel.outputs}) {
      for (const TensorDecl& decl : *decls) {
        if (decl.name == target) {
          return decl.dtype;
        }
      }
    }
    return DType::Float32;
  };
  for (Statement& statement : kernel.statements) {
    statement.value = written_out(statement.value, dtype_of(statement.target));
  }
}

}  // namespace vouch
