#include "check/symbolic_attr.h"

#include <algorithm>

#include "term/substitute.h"

namespace vouch {
namespace {

using Result = std::optional<AttrValue>;

const std::string kAny =
    "\x01"
    "any";

Term as_real(Term number) { return number.sort() == Sort::Int ? real_of(number) : number; }

Term as_guard(Term number) {
  switch (number.sort()) {
    case Sort::Bool: return number;
    case Sort::Int: return ne(number, 0);
    case Sort::Real: return negate(real_eq(number, real_const(0)));
  }
  return number;
}

// A truth value used as a number.
Term as_number(Term term) { return term.sort() == Sort::Bool ? int_select(term, 1, 0) : term; }

Term compared(BinaryOp op, Term a, Term b) {
  bool integers = a.sort() == Sort::Int && b.sort() == Sort::Int;
  Term x = integers ? a : as_real(a);
  Term y = integers ? b : as_real(b);
  if (is_const(x) && is_const(y)) {
    bool holds = op == BinaryOp::Lt   ? x->value < y->value
                 : op == BinaryOp::Le ? x->value <= y->value
                 : op == BinaryOp::Gt ? x->value > y->value
                                      : x->value >= y->value;
    return bool_const(holds);
  }
  switch (op) {
    case BinaryOp::Lt: return integers ? lt(x, y) : real_lt(x, y);
    case BinaryOp::Le: return integers ? le(x, y) : real_le(x, y);
    case BinaryOp::Gt: return integers ? gt(x, y) : real_lt(y, x);
    default: return integers ? ge(x, y) : real_le(y, x);
  }
}

class Evaluator {
 public:
  Evaluator(const Rule& rule, const SymbolTerms& symbols, const SymbolicAccess& source)
      : rule_(rule), symbols_(symbols), source_(source) {}

  Result eval(AttrId id) {
    constexpr std::size_t kMostEvaluations = std::size_t{1} << 16;
    if (++evaluations_ > kMostEvaluations) {
      return not_expressible("an attribute expression of very many steps");
    }
    const AttrExpr& e = rule_.attr(id);
    switch (e.kind) {
      case AttrKind::Value: return e.value;
      case AttrKind::Any: return any_value();
      case AttrKind::Access: return source_.access(e.pattern, e.name, symbols_);
      case AttrKind::Symbol: return symbol(e.name);
      case AttrKind::Unary: return unary(e);
      case AttrKind::Binary: return binary(e);
      case AttrKind::Tuple: return tuple(e);
      case AttrKind::Project: return project(e);
      case AttrKind::VarTuple:
      case AttrKind::Reduce: return bound(e);
      case AttrKind::Conditional: return conditional(e);
    }
    return std::nullopt;
  }

  // A condition that has to be true: where one side of an `and` has no value, it is not, whatever the other is.
  std::optional<Term> condition(AttrId id) {
    const AttrExpr& e = rule_.attr(id);
    if (e.kind != AttrKind::Binary || e.binary != BinaryOp::And) {
      return guard(id);
    }
    auto a = condition(e.args[0]);
    if (!a || is_false(*a)) {
      return a;
    }
    auto b = condition(e.args[1]);
    return b ? std::optional(both(*a, *b)) : std::nullopt;
  }

  std::optional<Term> guard(AttrId id) {
    const AttrExpr& e = rule_.attr(id);
    if (e.kind == AttrKind::Binary && (e.binary == BinaryOp::And || e.binary == BinaryOp::Or)) {
      return junction(e);
    }
    if (e.kind == AttrKind::Unary && e.unary == UnaryOp::Not) {
      auto inner = guard(e.args[0]);
      return inner ? std::optional(negate(*inner)) : std::nullopt;
    }
    auto value = eval(id);
    return value && value->number() ? std::optional(as_guard(*value->number())) : std::nullopt;
  }

 private:
  Result not_expressible(std::string_view what) const {
    if (source_.not_expressible) {
      source_.not_expressible(what);
    }
    return std::nullopt;
  }

  // The decided side alone is enough, as in attr_eval.
  std::optional<Term> junction(const AttrExpr& e) {
    bool decisive = e.binary == BinaryOp::Or;
    auto a = guard(e.args[0]);
    if (a && const_bool(*a) == decisive) {
      return a;
    }
    auto b = guard(e.args[1]);
    if (b && const_bool(*b) == decisive) {
      return b;
    }
    if (!a || !b) {
      if (a || b) {
        not_expressible("a condition that has a value where one of its sides decides it");
      }
      return std::nullopt;
    }
    return decisive ? either(*a, *b) : both(*a, *b);
  }

  Result symbol(Symbol name) const {
    for (auto at = symbols_.rbegin(); at != symbols_.rend(); ++at) {
      if (at->first == name) {
        return AttrValue(at->second);
      }
    }
    return std::nullopt;
  }

  Result conditional(const AttrExpr& e) {
    auto condition = guard(e.args[0]);
    if (!condition) {
      return std::nullopt;
    }
    if (auto known = const_bool(*condition)) {
      return eval(e.args[*known ? 1 : 2]);
    }
    auto then = eval(e.args[1]);
    auto otherwise = eval(e.args[2]);
    if (!then && !otherwise) {
      return std::nullopt;
    }
    Result value = then && otherwise ? chosen(*condition, *then, *otherwise) : std::nullopt;
    return value ? value : not_expressible("a conditional whose branches are of different kinds");
  }

  static Result chosen(Term condition, const AttrValue& then, const AttrValue& otherwise) {
    if (then == otherwise) {
      return then;
    }
    if (then.number() && otherwise.number()) {
      Term a = as_number(*then.number());
      Term b = as_number(*otherwise.number());
      return a.sort() == Sort::Int && b.sort() == Sort::Int ? AttrValue(int_select(condition, a, b))
                                                            : AttrValue(select(condition, as_real(a), as_real(b)));
    }
    if (!then.tuple() || !otherwise.tuple() || then.tuple()->size() != otherwise.tuple()->size()) {
      return std::nullopt;
    }
    AttrTuple items;
    for (std::size_t i = 0; i < then.tuple()->size(); ++i) {
      auto item = chosen(condition, (*then.tuple())[i], (*otherwise.tuple())[i]);
      if (!item) {
        return std::nullopt;
      }
      items.push_back(std::move(*item));
    }
    return AttrValue(std::move(items));
  }

  Result tuple(const AttrExpr& e) {
    AttrTuple items;
    for (AttrId arg : e.args) {
      auto item = eval(arg);
      if (!item) {
        return std::nullopt;
      }
      items.push_back(std::move(*item));
    }
    return AttrValue(std::move(items));
  }

  Result project(const AttrExpr& e) {
    auto items = eval(e.args[0]);
    auto position = eval(e.args[1]);
    if (const ListFamily* list = items ? list_of(*items) : nullptr) {
      return item_of(*list, position);
    }
    if (!items || !items->tuple() || !position || !position->number()) {
      return std::nullopt;
    }
    if (!position->int64()) {
      return not_expressible("a position in a tuple that depends on sizes");
    }
    auto size = static_cast<std::int64_t>(items->tuple()->size());
    std::int64_t at = position->int64().value_or(0);
    at = at < 0 ? at + size : at;
    return at < 0 || at >= size ? Result() : (*items->tuple())[static_cast<std::size_t>(at)];
  }

  const ListFamily* list_of(const AttrValue& value) const { return source_.book ? source_.book->list_of(value) : nullptr; }

  Result item_of(const ListFamily& list, const Result& position) const {
    const Term* at = position ? position->number() : nullptr;
    const Term* item = list.item.number();
    if (!at || at->sort() != Sort::Int || !item) {
      return not_expressible("an item of a list of symbolic length");
    }
    return AttrValue(substitute(*item, list.index, *at));
  }

  // A tuple or a sum of as many items as there are branches.
  Result bound_by_family(const AttrExpr& e, Term steps) {
    Symbol index = source_.book->fresh_index(steps);
    symbols_.emplace_back(e.name, int_var(index));
    auto item = eval(e.args[0]);
    symbols_.pop_back();
    if (!item || !item->number() || item->number()->sort() != Sort::Int) {
      return not_expressible("a list of symbolic length of what is no integer");
    }
    if (e.kind == AttrKind::VarTuple) {
      return source_.book->list({index, steps, *item});
    }
    auto total = e.reduction == Reduction::Sum ? source_.book->prefix_sum(index, *item->number(), steps) : std::nullopt;
    return total ? Result(AttrValue(*total)) : not_expressible("a sum of a symbolic number of steps");
  }

  Result bound(const AttrExpr& e) {
    if (e.args.size() < 2) {
      return not_expressible("a tuple as long as what is matched");
    }
    auto steps = eval(e.args[1]);
    auto count = steps ? steps->int64() : std::nullopt;
    constexpr std::int64_t kMostSteps = 4096;
    if (source_.book && steps && steps->number() && steps->number()->sort() == Sort::Int && !is_const(*steps->number())) {
      return bound_by_family(e, *steps->number());
    }
    if ((steps && steps->number() && !count) || (count && *count > kMostSteps)) {
      return not_expressible("a number of steps that depends on sizes, or is very large");
    }
    if (!count || *count < 0) {
      return std::nullopt;
    }
    AttrTuple items;
    symbols_.emplace_back(e.name, Term(0));
    for (std::int64_t k = 0; k < *count; ++k) {
      symbols_.back().second = k;
      auto item = eval(e.args[0]);
      if (!item) {
        symbols_.pop_back();
        return std::nullopt;
      }
      items.push_back(std::move(*item));
    }
    symbols_.pop_back();
    return e.kind == AttrKind::VarTuple ? Result(AttrValue(std::move(items))) : fold(e.reduction, items);
  }

  Result fold(Reduction reduction, const AttrTuple& items) {
    BinaryOp op = reduction == Reduction::Sum       ? BinaryOp::Add
                  : reduction == Reduction::Product ? BinaryOp::Mul
                  : reduction == Reduction::Max     ? BinaryOp::Max
                                                    : BinaryOp::Min;
    if (items.empty()) {
      return reduction == Reduction::Sum       ? Result(AttrValue(std::int64_t{0}))
             : reduction == Reduction::Product ? Result(AttrValue(std::int64_t{1}))
                                               : std::nullopt;
    }
    Result folded = items[0];
    for (std::size_t i = 1; folded && i < items.size(); ++i) {
      folded = arithmetic(op, *folded, items[i]);
    }
    return folded;
  }

  Result unary(const AttrExpr& e) {
    if (e.unary == UnaryOp::Not) {
      auto inner = guard(e.args[0]);
      return inner ? Result(AttrValue(negate(*inner))) : std::nullopt;
    }
    auto a = eval(e.args[0]);
    if (!a) {
      return std::nullopt;
    }
    if (e.unary == UnaryOp::Length) {
      if (const ListFamily* list = list_of(*a)) {
        return AttrValue(list->length);
      }
      return a->tuple() ? Result(AttrValue(static_cast<std::int64_t>(a->tuple()->size()))) : std::nullopt;
    }
    if (!a->number()) {
      return is_any(*a) ? not_expressible("an operation on any value") : std::nullopt;
    }
    Term x = as_number(*a->number());
    bool integer = x.sort() == Sort::Int;
    switch (e.unary) {
      case UnaryOp::Neg: return !integer && is_const(x) ? AttrValue(real_const(-x->value)) : AttrValue(-x);
      case UnaryOp::Abs:
        return integer       ? Result(AttrValue(int_max(x, -x)))
               : is_const(x) ? Result(AttrValue(real_const(x->value < 0 ? Rational(-x->value) : x->value)))
                             : Result(AttrValue(call(Fn::Abs, {x})));
      case UnaryOp::Floor:
        return integer       ? Result(AttrValue(x))
               : is_const(x) ? Result(AttrValue(int_const(floor_of(x->value))))
                             : not_expressible("a rounded scalar");
      case UnaryOp::Ceil:
        return integer       ? Result(AttrValue(x))
               : is_const(x) ? Result(AttrValue(int_const(-floor_of(-x->value))))
                             : not_expressible("a rounded scalar");
      case UnaryOp::Sqrt: return not_expressible("a square root");
      case UnaryOp::Not:
      case UnaryOp::Length: break;
    }
    return std::nullopt;
  }

  // A quotient of integers is exact; of constants that is a rational, of symbols a scalar.
  Result divided(Term a, Term b) {
    if (is_const(b)) {
      if (b->value == 0) {
        return std::nullopt;
      }
      if (is_const(a)) {
        Rational q = a->value / b->value;
        bool integer = a.sort() == Sort::Int && b.sort() == Sort::Int && is_integral(q);
        return integer ? AttrValue(int_const(Integer(numerator(q)))) : AttrValue(real_const(q));
      }
    }
    return AttrValue(as_real(a) / as_real(b));
  }

  Result integer_division(BinaryOp op, Term a, Term b) {
    if (a.sort() != Sort::Int || b.sort() != Sort::Int) {
      return is_const(a) && is_const(b) && b->value != 0 && op == BinaryOp::FloorDiv
                 ? Result(AttrValue(int_const(floor_of(a->value / b->value))))
                 : not_expressible("a floor division of scalars");
    }
    auto divisor = const_int(b);
    if (divisor && *divisor < 0 && !is_const(a)) {
      return not_expressible("a floor division by a negative number");
    }
    if (divisor == 0) {
      return std::nullopt;
    }
    if (!divisor) {
      source_.divides_by(b);
    }
    return op == BinaryOp::FloorDiv ? AttrValue(floor_div(a, b)) : AttrValue(floor_mod(a, b));
  }

  static Result smaller_or_larger(BinaryOp op, Term a, Term b) {
    bool smaller = op == BinaryOp::Min;
    if (a.sort() == Sort::Int && b.sort() == Sort::Int) {
      return AttrValue(smaller ? int_min(a, b) : int_max(a, b));
    }
    if (is_const(a) && is_const(b)) {
      return AttrValue(smaller == (a->value < b->value) ? as_real(a) : as_real(b));
    }
    return AttrValue(call(smaller ? Fn::Min : Fn::Max, {as_real(a), as_real(b)}));
  }

  Result arithmetic(BinaryOp op, const AttrValue& left, const AttrValue& right) {
    if (!left.number() || !right.number()) {
      return is_any(left) || is_any(right) ? not_expressible("an operation on any value") : std::nullopt;
    }
    Term a = as_number(*left.number());
    Term b = as_number(*right.number());
    bool integers = a.sort() == Sort::Int && b.sort() == Sort::Int;
    bool constants = !integers && is_const(a) && is_const(b);
    switch (op) {
      case BinaryOp::Add:
        return constants ? AttrValue(real_const(a->value + b->value)) : AttrValue(integers ? a + b : as_real(a) + as_real(b));
      case BinaryOp::Sub:
        return constants ? AttrValue(real_const(a->value - b->value)) : AttrValue(integers ? a - b : as_real(a) - as_real(b));
      case BinaryOp::Mul:
        return constants ? AttrValue(real_const(a->value * b->value)) : AttrValue(integers ? a * b : as_real(a) * as_real(b));
      case BinaryOp::Div: return divided(a, b);
      case BinaryOp::FloorDiv:
      case BinaryOp::Mod: return integer_division(op, a, b);
      case BinaryOp::Min:
      case BinaryOp::Max: return smaller_or_larger(op, a, b);
      case BinaryOp::Lt:
      case BinaryOp::Le:
      case BinaryOp::Gt:
      case BinaryOp::Ge: return AttrValue(compared(op, a, b));
      case BinaryOp::Divides: {
        auto rest = integer_division(BinaryOp::Mod, b, a);
        return rest ? Result(AttrValue(eq(*rest->number(), 0))) : std::nullopt;
      }
      case BinaryOp::Eq:
      case BinaryOp::Ne:
      case BinaryOp::And:
      case BinaryOp::Or:
      case BinaryOp::Concat:
      case BinaryOp::Permute: break;
    }
    return std::nullopt;
  }

  static Result concatenation(const AttrValue& a, const AttrValue& b) {
    if (!a.tuple() || !b.tuple()) {
      return std::nullopt;
    }
    AttrTuple items = *a.tuple();
    items.insert(items.end(), b.tuple()->begin(), b.tuple()->end());
    return AttrValue(std::move(items));
  }

  Result permuted(const AttrValue& a, const AttrValue& p) const {
    auto positions = p.int64s();
    if (!a.tuple() || !positions) {
      return a.tuple() && p.tuple() ? not_expressible("a permutation that depends on sizes") : std::nullopt;
    }
    AttrTuple items;
    for (std::int64_t k : *positions) {
      if (k < 0 || k >= static_cast<std::int64_t>(a.tuple()->size())) {
        return std::nullopt;
      }
      items.push_back((*a.tuple())[static_cast<std::size_t>(k)]);
    }
    return AttrValue(std::move(items));
  }

  Result binary(const AttrExpr& e) {
    if (e.binary == BinaryOp::And || e.binary == BinaryOp::Or) {
      auto joined = junction(e);
      return joined ? Result(AttrValue(*joined)) : std::nullopt;
    }
    auto a = eval(e.args[0]);
    auto b = a ? eval(e.args[1]) : std::nullopt;
    if (!b) {
      return std::nullopt;
    }
    if (list_of(*a) || list_of(*b)) {
      return not_expressible("an operation on a list of symbolic length");
    }
    switch (e.binary) {
      case BinaryOp::Eq: return AttrValue(values_equal(*a, *b));
      case BinaryOp::Ne: return AttrValue(negate(values_equal(*a, *b)));
      case BinaryOp::Concat: return concatenation(*a, *b);
      case BinaryOp::Permute: return permuted(*a, *b);
      default: return arithmetic(e.binary, *a, *b);
    }
  }

  const Rule& rule_;
  SymbolTerms symbols_;
  const SymbolicAccess& source_;
  std::size_t evaluations_ = 0;
};

}  // namespace

AttrValue any_value() { return AttrValue(kAny); }
bool is_any(const AttrValue& value) { return value.string() && *value.string() == kAny; }

Term values_equal(const AttrValue& a, const AttrValue& b) {
  if (a.number() && b.number()) {
    Term x = as_number(*a.number());
    Term y = as_number(*b.number());
    if (x.sort() == Sort::Int && y.sort() == Sort::Int) {
      return eq(x, y);
    }
    x = as_real(x);
    y = as_real(y);
    return x == y ? bool_const(true) : is_const(x) && is_const(y) ? bool_const(x->value == y->value) : real_eq(x, y);
  }
  if (a.tuple() && b.tuple()) {
    if (a.tuple()->size() != b.tuple()->size()) {
      return bool_const(false);
    }
    std::vector<Term> items;
    for (std::size_t i = 0; i < a.tuple()->size(); ++i) {
      items.push_back(values_equal((*a.tuple())[i], (*b.tuple())[i]));
    }
    return all_of(items);
  }
  return bool_const(a == b);
}

std::optional<AttrValue> eval_symbolic(const Rule& rule, AttrId attr, const SymbolTerms& symbols, const SymbolicAccess& source) {
  return Evaluator(rule, symbols, source).eval(attr);
}

std::optional<Term> symbolic_condition(const Rule& rule, AttrId attr, const SymbolTerms& symbols, const SymbolicAccess& source) {
  return Evaluator(rule, symbols, source).condition(attr);
}

}  // namespace vouch
