#include "graph/contents.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "graph/foreign.h"
#include "graph/integral_term.h"
#include "graph/size_range.h"
#include "tensor/element.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// Every index tuple of a box, in row-major order.
std::vector<std::vector<std::int64_t>> positions(const Extents& extents) {
  std::vector<std::vector<std::int64_t>> out;
  auto count = element_count(extents);
  for (std::int64_t flat = 0; flat < count.value_or(0); ++flat) {
    std::vector<std::int64_t> at(extents.size());
    std::int64_t rest = flat;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      at[axis] = rest % extents[axis];
      rest /= extents[axis];
    }
    out.push_back(std::move(at));
  }
  return out;
}

Term combined(Reduction reduction, Term a, Term b) {
  switch (reduction) {
    case Reduction::Sum: return a + b;
    case Reduction::Product: return a * b;
    case Reduction::Max: return call(Fn::Max, {a, b});
    case Reduction::Min: return call(Fn::Min, {a, b});
  }
  return a;
}

std::optional<Term> unrolled(Term t);

// A reduction over known, few iterations whose guards are known, written out.
std::optional<Term> unrolled_reduction(Term t) {
  Extents extents;
  for (Term extent : t.args().subspan(2)) {
    extents.push_back(const_int(extent).value_or(-1));
  }
  auto count = element_count(extents);
  constexpr std::int64_t kMostIterations = 64;
  if (count.value_or(0) < 1 || *count > kMostIterations) {
    return std::nullopt;
  }
  std::optional<Term> total;
  for (const auto& at : positions(extents)) {
    Substitution here;
    for (std::size_t k = 0; k < at.size(); ++k) {
      here.emplace(t->bound[k], Term(at[k]));
    }
    auto counts = const_bool(substitute(t.arg(1), here));
    auto item = counts ? unrolled(substitute(t.arg(0), here)) : std::nullopt;
    if (!item) {
      return std::nullopt;
    }
    if (*counts) {
      total = total ? combined(t->reduction, *total, *item) : *item;
    }
  }
  return total;
}

// The scalar term without reductions, if they can be written out.
std::optional<Term> unrolled(Term t) {
  if (t.kind() == TermKind::Reduce) {
    return unrolled_reduction(t);
  }
  std::vector<Term> args;
  bool changed = false;
  for (Term arg : t.args()) {
    auto inner = arg.sort() == Sort::Real ? unrolled(arg) : std::optional(arg);
    if (!inner) {
      return std::nullopt;
    }
    changed |= *inner != arg;
    args.push_back(*inner);
  }
  return changed ? rebuild(t, std::move(args)) : t;
}

// A number as it is after being stored as an element: floats round, integers wrap. Nothing for what does not fit a float or 64
// bits, and for what is computed from sizes and may not fit the type.
std::optional<Term> stored(DType dtype, Term element) {
  if (!is_const(element)) {
    return holds_whatever_sizes(dtype, element) ? std::optional(element) : std::nullopt;
  }
  Tensor cell(dtype, {});
  if (is_float(dtype)) {
    cell.set_double(0, double_of(element->value));
    double value = cell.double_at(0);
    return std::isfinite(value) ? std::optional(real_const(rational_of(value))) : std::nullopt;
  }
  auto value = const_int(element);
  if (!value) {
    return std::nullopt;
  }
  cell.set_int(0, *value);
  return int_const(whole_element(cell, 0));
}

bool has_power(Term term) {
  return (term.kind() == TermKind::Call && term->fn == Fn::Pow) || std::any_of(term.args().begin(), term.args().end(), has_power);
}

class Folder {
 public:
  Folder(const OpDef& def, const OpContext& context, const KnownContents& contents) : kernel_(context.meaning()) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      of_floats_ = of_floats_ || (contents[i] && context.type(i).is_tensor() && is_float(context.type(i).dtype()));
      if (contents[i] && context.type(i).is_tensor()) {
        known_.emplace(OpContext::operand_symbol(def, i), Known{context.type(i).extents(), *contents[i]});
      } else if (contents[i]) {
        add_items(def, context, i, *contents[i]);
      }
    }
  }

  std::optional<std::vector<Term>> fold(std::size_t result) const {
    const TensorDecl& declared = kernel_.outputs[result];
    auto extents = Type::tensor(declared.dtype, declared.extents).concrete_extents();
    if (!extents || element_count(*extents).value_or(kMostKnownElements + 1) > kMostKnownElements) {
      return std::nullopt;
    }
    auto statement = std::find_if(kernel_.statements.begin(), kernel_.statements.end(),
                                  [&](const Statement& s) { return s.target == declared.name; });
    std::vector<Term> elements;
    for (const auto& at : positions(*extents)) {
      Substitution here;
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        here.emplace(statement->indices[axis], Term(at[axis]));
      }
      auto written_out = unrolled(substitute(statement->value, here));
      if (!written_out) {
        return std::nullopt;
      }
      Term element = replace_reads(*written_out, [this](Symbol t, std::span<const Term> i) { return element_of(t, i); });
      auto folded = integral_term(element);
      if (!folded && is_float(declared.dtype) && element.kind() == TermKind::RealConst) {
        folded = element;
      }
      if (!folded || !tensors_read(*folded).empty()) {
        return std::nullopt;
      }
      auto element_stored = stored(declared.dtype, *folded);
      if (!element_stored || !is_decided(declared.dtype, *folded, statement->value)) {
        return std::nullopt;
      }
      bool widened = is_float(declared.dtype) && element_stored->sort() == Sort::Int;
      elements.push_back(widened ? real_of(*element_stored) : *element_stored);
    }
    return elements;
  }

 private:
  struct Known {
    std::vector<Term> extents;
    std::span<const Term> elements;
  };

  // What a float beyond an integer type becomes, and a power that is too large, is for runtimes to say
  // (rewrite/decided_integers.h).
  bool is_decided(DType dtype, Term number, Term meaning) const {
    bool fits = !is_integer(dtype) || !is_const(number) || has_number(dtype, number->value);
    return fits || (!of_floats_ && !has_power(meaning));
  }

  // The contents of a tuple are those of its items, one after another.
  void add_items(const OpDef& def, const OpContext& context, std::size_t operand, std::span<const Term> elements) {
    std::size_t offset = 0;
    for (std::size_t k = 0; k < context.item_count(operand); ++k) {
      const std::vector<Term>& extents = context.item_type(operand, k).extents();
      auto count = static_cast<std::size_t>(const_int(product_of(extents)).value_or(0));
      known_.emplace(OpContext::operand_symbol(def, operand, k), Known{extents, elements.subspan(offset, count)});
      offset += count;
    }
  }

  // The element at a constant index.
  std::optional<Term> element_of(Symbol tensor, std::span<const Term> indices) const {
    auto found = known_.find(tensor);
    if (found == known_.end()) {
      return std::nullopt;
    }
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      auto index = const_int(indices[axis]);
      auto extent = const_int(found->second.extents[axis]);
      if (!index || !extent || *index < 0 || *index >= *extent) {
        return std::nullopt;
      }
      flat = flat * *extent + *index;
    }
    Term element = found->second.elements[static_cast<std::size_t>(flat)];
    return element.sort() == Sort::Int ? real_of(element) : element;
  }

  const Kernel& kernel_;
  bool of_floats_ = false;
  std::unordered_map<Symbol, Known> known_;
};

}  // namespace

bool may_fold_contents(const OpDef& def, const std::vector<Type>& operands, const KnownContents& contents) {
  if (def.opaque) {
    return false;
  }
  if (def.traits.of_sizes) {
    return true;
  }
  bool some = operands.empty();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] && (i >= contents.size() || !contents[i])) {
      return false;
    }
    some |= static_cast<bool>(operands[i]);
  }
  return some;
}

std::vector<std::optional<std::vector<Term>>> fold_contents(const OpDef& def, const OpContext& context,
                                                            const KnownContents& contents) {
  Folder folder(def, context, contents);
  std::vector<std::optional<std::vector<Term>>> out;
  for (std::size_t result = 0; result < context.meaning().outputs.size(); ++result) {
    out.push_back(folder.fold(result));
  }
  return out;
}

std::optional<std::vector<Term>> contents_of(const Tensor& tensor) {
  constexpr std::int64_t kMostKnownFloats = 16;
  if (tensor.count() > (is_float(tensor.dtype()) ? kMostKnownFloats : kMostKnownElements)) {
    return std::nullopt;
  }
  std::vector<Term> out;
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    if (!is_float(tensor.dtype())) {
      out.push_back(int_const(whole_element(tensor, i)));
    } else if (double value = tensor.double_at(i); std::isfinite(value)) {
      out.push_back(real_const(rational_of(value)));
    } else {
      return std::nullopt;
    }
  }
  return out;
}

namespace {

// Sizes and what is built from them by +, *, //, min, max with positive coefficients.
bool is_non_negative(Term t) {
  switch (t.kind()) {
    case TermKind::IntConst: return t->value >= 0;
    case TermKind::IntVar: return true;
    case TermKind::IntAdd:
    case TermKind::IntMul:
    case TermKind::IntMin:
    case TermKind::IntMax:
    case TermKind::FloorDiv:
    case TermKind::FloorMod: return std::all_of(t.args().begin(), t.args().end(), is_non_negative);
    default: return false;
  }
}

// Each part of a term once, however often it occurs.
class SizeChoices {
 public:
  Term made(Term term) {
    if (term.args().empty() || term.sort() != Sort::Int) {
      return term;
    }
    if (auto known = made_.find(term); known != made_.end()) {
      return known->second;
    }
    Term out = make(term);
    made_.emplace(term, out);
    return out;
  }

 private:
  Term make(Term term) {
    Term guard = term.arg(0);
    if (term.kind() == TermKind::IntSelect && guard.kind() == TermKind::IntLe && is_non_negative(guard.arg(1) - guard.arg(0))) {
      return made(term.arg(1));
    }
    std::vector<Term> args;
    for (Term arg : term.args()) {
      args.push_back(made(arg));
    }
    return rebuild(term, args);
  }

  std::unordered_map<Term, Term> made_;
};

}  // namespace

Term for_sizes(Term term) { return SizeChoices().made(term); }

Type for_sizes(Type type) {
  if (is_foreign(type)) {
    return type;
  }
  if (type.is_tuple()) {
    std::vector<Type> items = type.items();
    std::transform(items.begin(), items.end(), items.begin(), [](Type item) { return for_sizes(item); });
    return Type::tuple(std::move(items));
  }
  if (!type.is_tensor() || type.concrete_extents()) {
    return type;
  }
  std::vector<Term> extents = type.extents();
  std::transform(extents.begin(), extents.end(), extents.begin(), [](Term extent) { return for_sizes(extent); });
  return Type::tensor(type.dtype(), std::move(extents));
}

}  // namespace vouch
