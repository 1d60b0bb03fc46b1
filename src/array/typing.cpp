#include "array/typing.h"

#include <algorithm>

#include "support/fault.h"

namespace vouch::array {
namespace {

struct Interval {
  Term low;
  Term high;
};

// Inside a loop of n iterations, 1 <= n.
std::vector<SizeFact> all_facts(const IndexContext& context) {
  std::vector<SizeFact> facts;
  for (const Size& bound : context.bounds) {
    facts.emplace_back(size_const(1), bound);
  }
  facts.insert(facts.end(), context.facts.begin(), context.facts.end());
  return facts;
}

bool nonnegative(const IndexContext& context, Term polynomial) { return term_nonnegative(all_facts(context), polynomial); }

Interval bounds_of(const IndexContext& context, const Index& index) {
  if (index->kind == IndexKind::Var) {
    bool known = index->var < context.bounds.size();
    return {Term(0), (known ? size_term(context.bounds[index->var]) : Term(0)) - Term(1)};
  }
  if (index->kind == IndexKind::Extent) {
    return {size_term(index->size), size_term(index->size)};
  }
  Interval a = bounds_of(context, index->args[0]);
  Interval b = bounds_of(context, index->args[1]);
  switch (index->kind) {
    case IndexKind::Add: return {a.low + b.low, a.high + b.high};
    case IndexKind::Sub: return {a.low - b.high, a.high - b.low};
    case IndexKind::Mul: {
      bool positive = coefficients_nonnegative(a.low) && coefficients_nonnegative(b.low);
      return {positive ? a.low * b.low : Term(0), a.high * b.high};
    }
    case IndexKind::Div: return {Term(0), a.high};
    case IndexKind::Mod: return {Term(0), b.high - Term(1)};
    case IndexKind::Var:
    case IndexKind::Extent: break;
  }
  fault("no such index term");
}

std::optional<Type> when(bool holds, const Type& type) { return holds ? std::optional(type) : std::nullopt; }

bool is_array(const Type& type) { return type->kind == TypeKind::Array; }
const Type& element(const Type& array) { return array->parts[0]; }

// Position (i, j) of a sliding window.
Index slide_index(const Size& stride, const Size& dilation) {
  return index_op(IndexKind::Add, index_op(IndexKind::Mul, index_var(0), index_size(stride)),
                  index_op(IndexKind::Mul, index_var(1), index_size(dilation)));
}

std::optional<Type> slide_result(const IndexContext& context, const std::vector<Size>& sizes, const Type& source) {
  const Size& windows = sizes[0];
  const Size& width = sizes[1];
  IndexContext inside{context.facts, {windows, width}};
  return when(index_below(inside, slide_index(sizes[2], sizes[3]), source->size),
              type_array(windows, type_array(width, element(source))));
}

// Layouts of arrays of arrays.
std::optional<Type> nested_result(const Layout& of, const Type& source) {
  if (!is_array(source) || !is_array(element(source))) {
    return std::nullopt;
  }
  const Type& inner = element(source);
  if (of->kind == LayoutKind::Trans) {
    return type_array(inner->size, type_array(source->size, element(inner)));
  }
  return when(same_size(source->size, of->sizes[1]) && same_size(inner->size, of->sizes[0]),
              type_array(size_mul(of->sizes[0], of->sizes[1]), element(inner)));
}

std::optional<Type> pair_result(const Layout& of, const Type& source) {
  if (source->kind != TypeKind::Pair) {
    return std::nullopt;
  }
  const Type& a = source->parts[0];
  const Type& b = source->parts[1];
  if (of->kind != LayoutKind::Zip) {
    return of->kind == LayoutKind::Fst ? a : b;
  }
  return when(is_array(a) && is_array(b) && same_size(a->size, b->size),
              is_array(a) && is_array(b) ? type_array(a->size, type_pair(element(a), element(b))) : a);
}

std::optional<Type> array_result(const IndexContext& context, const Layout& of, const Type& source) {
  const Size& n = source->size;
  switch (of->kind) {
    case LayoutKind::At: return when(index_below(context, of->index, n), element(source));
    case LayoutKind::Unzip: {
      if (element(source)->kind != TypeKind::Pair) {
        return std::nullopt;
      }
      const std::vector<Type>& halves = element(source)->parts;
      return type_pair(type_array(n, halves[0]), type_array(n, halves[1]));
    }
    case LayoutKind::Split:
      return when(same_size(n, size_mul(of->sizes[0], of->sizes[1])),
                  type_array(of->sizes[1], type_array(of->sizes[0], element(source))));
    case LayoutKind::Rev: return when(same_size(n, of->sizes[0]), type_array(of->sizes[0], element(source)));
    case LayoutKind::Slide: return slide_result(context, of->sizes, source);
    case LayoutKind::Slice:
      return when(size_at_most(context.facts, size_add(of->sizes[0], of->sizes[1]), n),
                  type_array(of->sizes[1], element(source)));
    case LayoutKind::Each: {
      std::optional<Type> inner = layout_result(context, of->inner, element(source));
      return inner ? std::optional(type_array(n, *inner)) : std::nullopt;
    }
    case LayoutKind::Fst:
    case LayoutKind::Snd:
    case LayoutKind::Zip:
    case LayoutKind::Join:
    case LayoutKind::Trans:
    case LayoutKind::Repeat: break;
  }
  fault("not a layout of arrays");
}

class Inference {
 public:
  Inference(const IndexContext& context, const std::vector<Type>& variables) : context_(context), variables_(variables) {}

  std::optional<Type> infer(const Exp& e) {
    switch (e->kind) {
      case ExpKind::Var: return e->var < variables_.size() ? std::optional(variables_[e->var]) : std::nullopt;
      case ExpKind::Const: return e->types[0];
      case ExpKind::Op: return when(has(e->args[0], op_argument(e->op)), type_num());
      case ExpKind::Pair: {
        std::optional<Type> a = infer(e->args[0]);
        std::optional<Type> b = a ? infer(e->args[1]) : std::nullopt;
        return b ? std::optional(type_pair(*a, *b)) : std::nullopt;
      }
      case ExpKind::Lay: {
        std::optional<Type> source = infer(e->args[0]);
        return source ? layout_result(context_, e->layout, *source) : std::nullopt;
      }
      case ExpKind::Pad: return infer_pad(e);
      case ExpKind::If: {
        std::optional<Type> type = infer(e->args[0]);
        return type && guard_safe(context_, e->guard) && has(e->args[1], *type) ? type : std::nullopt;
      }
      case ExpKind::Map:
        return when(
            has(e->args[1], type_array(e->sizes[0], e->types[0])) && under(e->sizes[0], {e->types[0]}, e->args[0], e->types[1]),
            type_array(e->sizes[0], e->types[1]));
      case ExpKind::Reduce:
        return when(has(e->args[2], type_array(e->sizes[0], e->types[0])) && has(e->args[1], e->types[1]) &&
                        under(e->sizes[0], {e->types[0], e->types[1]}, e->args[0], e->types[1]),
                    e->types[1]);
      case ExpKind::Let: return infer_let(e);
      case ExpKind::Mem: return when(has(e->args[0], e->types[0]), e->types[0]);
      case ExpKind::Cat:
        return when(
            has(e->args[0], type_array(e->sizes[0], e->types[0])) && has(e->args[1], type_array(e->sizes[1], e->types[0])),
            type_array(size_add(e->sizes[0], e->sizes[1]), e->types[0]));
    }
    fault("no such term");
  }

 private:
  bool has(const Exp& exp, const Type& type) {
    std::optional<Type> found = infer(exp);
    return found && same_type(*found, type);
  }

  std::optional<Type> infer_pad(const Exp& e) {
    std::optional<Type> source = infer(e->args[0]);
    if (!source || !is_array(*source) || !same_size((*source)->size, e->sizes[1])) {
      return std::nullopt;
    }
    return type_array(size_add(size_add(e->sizes[0], e->sizes[1]), e->sizes[2]), element(*source));
  }

  std::optional<Type> infer_let(const Exp& e) {
    std::optional<Type> value = infer(e->args[0]);
    if (!value) {
      return std::nullopt;
    }
    variables_.insert(variables_.begin(), *value);
    std::optional<Type> type = infer(e->args[1]);
    variables_.erase(variables_.begin());
    return type;
  }

  // The body of a loop of n iterations has type `type`; `data` is bound, number 0 first.
  bool under(const Size& n, const std::vector<Type>& data, const Exp& body, const Type& type) {
    context_.bounds.insert(context_.bounds.begin(), n);
    variables_.insert(variables_.begin(), data.begin(), data.end());
    bool holds = has(body, type);
    variables_.erase(variables_.begin(), variables_.begin() + static_cast<std::ptrdiff_t>(data.size()));
    context_.bounds.erase(context_.bounds.begin());
    return holds;
  }

  IndexContext context_;
  std::vector<Type> variables_;
};

}  // namespace

bool index_safe(const IndexContext& context, const Index& index) {
  if (index->kind == IndexKind::Var) {
    return index->var < context.bounds.size();
  }
  if (index->kind == IndexKind::Extent) {
    return true;
  }
  if (!index_safe(context, index->args[0]) || !index_safe(context, index->args[1])) {
    return false;
  }
  Interval a = bounds_of(context, index->args[0]);
  Interval b = bounds_of(context, index->args[1]);
  switch (index->kind) {
    case IndexKind::Add:
    case IndexKind::Mul: return true;
    case IndexKind::Sub: return nonnegative(context, a.low - b.high);
    case IndexKind::Div:
    case IndexKind::Mod: return nonnegative(context, b.low - Term(1));
    case IndexKind::Var:
    case IndexKind::Extent: break;
  }
  fault("no such index term");
}

bool index_below(const IndexContext& context, const Index& index, const Size& bound) {
  return index_safe(context, index) && nonnegative(context, size_term(bound) - Term(1) - bounds_of(context, index).high);
}

bool guard_safe(const IndexContext& context, const Guard& guard) {
  return std::all_of(guard->terms.begin(), guard->terms.end(), [&](const Index& term) { return index_safe(context, term); }) &&
         std::all_of(guard->parts.begin(), guard->parts.end(), [&](const Guard& part) { return guard_safe(context, part); });
}

std::optional<Type> layout_result(const IndexContext& context, const Layout& of, const Type& source) {
  switch (of->kind) {
    case LayoutKind::Fst:
    case LayoutKind::Snd:
    case LayoutKind::Zip: return pair_result(of, source);
    case LayoutKind::Join:
    case LayoutKind::Trans: return nested_result(of, source);
    case LayoutKind::Repeat: return type_array(of->sizes[0], source);
    case LayoutKind::At:
    case LayoutKind::Unzip:
    case LayoutKind::Split:
    case LayoutKind::Rev:
    case LayoutKind::Slide:
    case LayoutKind::Slice:
    case LayoutKind::Each: return is_array(source) ? array_result(context, of, source) : std::nullopt;
  }
  fault("no such layout");
}

Type op_argument(Op op) {
  switch (op_row(op).arity) {
    case 1: return type_num();
    case 2: return type_pair(type_num(), type_num());
    default: return type_pair(type_num(), type_pair(type_num(), type_num()));
  }
}

std::optional<Type> infer_type(const IndexContext& context, const std::vector<Type>& variables, const Exp& exp) {
  return Inference(context, variables).infer(exp);
}

}  // namespace vouch::array
