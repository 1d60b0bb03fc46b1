#include "rule/attr_eval.h"

#include <algorithm>
#include <cmath>

namespace vouch {
namespace {

Term as_real(Term number) { return number.sort() == Sort::Int ? real_of(number) : number; }

bool is_known(Term number) { return is_const(number); }

std::optional<Rational> known_value(const AttrValue& v) {
  return v.number() && is_known(*v.number()) ? std::optional((*v.number())->value) : std::nullopt;
}

AttrValue truth(bool value) { return AttrValue(std::int64_t{value}); }

class Evaluator {
 public:
  using Result = std::optional<AttrValue>;

  Evaluator(const Rule& rule, const SymbolEnv& symbols, const AttrSource& source)
      : rule_(rule), symbols_(symbols), source_(source) {}

  Result eval(AttrId id) {
    // Reductions nest, and their lengths come from models: the whole expression has one budget.
    constexpr std::size_t kMostEvaluations = std::size_t{1} << 20;
    if (++evaluations_ > kMostEvaluations) {
      return std::nullopt;
    }
    const AttrExpr& e = rule_.attr(id);
    bool remember = e.closed && e.kind != AttrKind::Value && e.kind != AttrKind::Any;
    if (const AttrValue* known = remember ? source_.remembered(id) : nullptr) {
      return *known;
    }
    Result value = compute(e);
    if (remember && value) {
      source_.remember(id, *value);
    }
    return value;
  }

  Result compute(const AttrExpr& e) {
    switch (e.kind) {
      case AttrKind::Value:  // AE-Value
        return e.value;
      case AttrKind::Any: return std::nullopt;
      case AttrKind::Access:  // AE-Access
        return source_.access(e.pattern, e.name, symbols_);
      case AttrKind::Symbol:  // AE-Symbol
        return symbol(e.name);
      case AttrKind::Unary: return unary(e);
      case AttrKind::Binary:  // AE-Binary
        return binary(e);
      case AttrKind::Tuple:  // AE-Tuple
        return tuple(e);
      case AttrKind::Project:  // AE-Proj
        return project(e);
      case AttrKind::VarTuple:  // AE-Var
      case AttrKind::Reduce:    // AE-Sum and its kin
        return bound(e);
      case AttrKind::Conditional: {
        auto condition = truth_of(e.args[0]);
        return condition ? eval(e.args[*condition ? 1 : 2]) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  std::optional<bool> truth_of(AttrId id) {
    auto v = eval(id);
    auto value = v ? known_value(*v) : std::nullopt;
    return value ? std::optional(*value != 0) : std::nullopt;
  }

 private:
  Result symbol(Symbol name) const {
    for (auto at = symbols_.rbegin(); at != symbols_.rend(); ++at) {
      if (at->first == name) {
        return AttrValue(at->second);
      }
    }
    return std::nullopt;
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
    if (!items || !items->tuple() || !position || !position->int64()) {
      return std::nullopt;
    }
    auto size = static_cast<std::int64_t>(items->tuple()->size());
    std::int64_t at = position->int64().value_or(0);
    std::int64_t from_front = at < 0 ? at + size : at;
    if (from_front < 0 || from_front >= size) {
      return std::nullopt;
    }
    return (*items->tuple())[static_cast<std::size_t>(from_front)];
  }

  Result bound(const AttrExpr& e) {
    if (e.args.size() < 2) {
      return std::nullopt;
    }
    auto steps = eval(e.args[1]);
    auto count = steps ? steps->int64() : std::nullopt;
    constexpr std::int64_t kMostSteps = 1 << 20;
    if (!count || *count < 0 || *count > kMostSteps) {
      return std::nullopt;
    }
    AttrTuple items;
    symbols_.emplace_back(e.name, 0);
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

  static Result fold(Reduction reduction, const AttrTuple& items) {
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
    auto a = eval(e.args[0]);
    if (!a) {
      return std::nullopt;
    }
    if (e.unary == UnaryOp::Length) {
      return a->tuple() ? Result(AttrValue(static_cast<std::int64_t>(a->tuple()->size()))) : std::nullopt;
    }
    if (!a->number()) {
      return std::nullopt;
    }
    if (e.unary == UnaryOp::Neg) {
      return is_known(*a->number()) ? number_of(-(*a->number())->value, a->number()->sort()) : AttrValue(-*a->number());
    }
    auto value = known_value(*a);
    if (!value) {
      return std::nullopt;
    }
    switch (e.unary) {
      case UnaryOp::Not: return truth(*value == 0);
      case UnaryOp::Abs: return number_of(*value < 0 ? Rational(-*value) : *value, a->number()->sort());
      case UnaryOp::Floor: return AttrValue(int_const(floor_of(*value)));
      case UnaryOp::Ceil: return AttrValue(int_const(-floor_of(-*value)));
      case UnaryOp::Sqrt: return *value >= 0 ? Result(AttrValue::of_float(std::sqrt(double_of(*value)))) : std::nullopt;
      case UnaryOp::Neg:
      case UnaryOp::Length: break;
    }
    return std::nullopt;
  }

  static AttrValue number_of(const Rational& value, Sort sort) {
    return sort == Sort::Int && is_integral(value) ? AttrValue(int_const(Integer(numerator(value))))
                                                   : AttrValue(real_const(value));
  }

  static Result constants(BinaryOp op, const Rational& a, const Rational& b, Sort sort) {
    bool integral = is_integral(a) && is_integral(b);
    switch (op) {
      case BinaryOp::Add: return number_of(a + b, sort);
      case BinaryOp::Sub: return number_of(a - b, sort);
      case BinaryOp::Mul: return number_of(a * b, sort);
      case BinaryOp::Div: return b == 0 ? Result() : number_of(a / b, sort);
      case BinaryOp::FloorDiv: return b == 0 ? Result() : AttrValue(int_const(floor_of(a / b)));
      case BinaryOp::Mod: return b == 0 || !integral ? Result() : number_of(a - b * Rational(floor_of(a / b)), sort);
      case BinaryOp::Min: return number_of(a < b ? a : b, sort);
      case BinaryOp::Max: return number_of(a < b ? b : a, sort);
      case BinaryOp::Lt: return truth(a < b);
      case BinaryOp::Le: return truth(a <= b);
      case BinaryOp::Gt: return truth(a > b);
      case BinaryOp::Ge: return truth(a >= b);
      case BinaryOp::Divides:
        return a == 0 || !integral ? Result() : truth(floor_mod(Integer(numerator(b)), Integer(numerator(a))) == 0);
      case BinaryOp::Eq:
      case BinaryOp::Ne:
      case BinaryOp::And:
      case BinaryOp::Or:
      case BinaryOp::Concat:
      case BinaryOp::Permute: break;
    }
    return std::nullopt;
  }

  // Symbolic sizes: what the normal form of integer terms decides.
  static Result symbolic(BinaryOp op, Term a, Term b) {
    if (a.sort() != Sort::Int || b.sort() != Sort::Int) {
      return std::nullopt;
    }
    auto decided = [](Term guard) { return const_bool(guard) ? Result(truth(*const_bool(guard))) : std::nullopt; };
    switch (op) {
      case BinaryOp::Add: return AttrValue(a + b);
      case BinaryOp::Sub: return AttrValue(a - b);
      case BinaryOp::Mul: return AttrValue(a * b);
      case BinaryOp::FloorDiv: return const_int(b).value_or(0) > 0 ? Result(AttrValue(floor_div(a, b))) : std::nullopt;
      case BinaryOp::Mod: return const_int(b).value_or(0) > 0 ? Result(AttrValue(floor_mod(a, b))) : std::nullopt;
      case BinaryOp::Min: return AttrValue(int_min(a, b));
      case BinaryOp::Max: return AttrValue(int_max(a, b));
      case BinaryOp::Lt: return decided(lt(a, b));
      case BinaryOp::Le: return decided(le(a, b));
      case BinaryOp::Gt: return decided(gt(a, b));
      case BinaryOp::Ge: return decided(ge(a, b));
      default: return std::nullopt;
    }
  }

  static Result arithmetic(BinaryOp op, const AttrValue& a, const AttrValue& b) {
    if (!a.number() || !b.number()) {
      return std::nullopt;
    }
    auto x = known_value(a);
    auto y = known_value(b);
    Sort sort = a.number()->sort() == Sort::Int && b.number()->sort() == Sort::Int ? Sort::Int : Sort::Real;
    return x && y ? constants(op, *x, *y, sort) : symbolic(op, *a.number(), *b.number());
  }

  static Result concatenation(const AttrValue& a, const AttrValue& b) {
    if (!a.tuple() || !b.tuple()) {
      return std::nullopt;
    }
    AttrTuple items = *a.tuple();
    items.insert(items.end(), b.tuple()->begin(), b.tuple()->end());
    return AttrValue(std::move(items));
  }

  // permute(a, p)[k] = a[p[k]].
  static Result permuted(const AttrValue& a, const AttrValue& p) {
    auto positions = p.int64s();
    if (!a.tuple() || !positions) {
      return std::nullopt;
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

  // Different terms over unknown sizes may be equal: that is undecided, not false.
  static Result equality(const AttrValue& a, const AttrValue& b, bool equal) {
    if (same_value(a, b)) {
      return truth(equal);
    }
    if (a.number() && b.number() && !(is_known(*a.number()) && is_known(*b.number()))) {
      if (a.number()->sort() == Sort::Int && b.number()->sort() == Sort::Int) {
        auto decided = const_bool(eq(*a.number(), *b.number()));
        return decided ? Result(truth(*decided == equal)) : std::nullopt;
      }
      return std::nullopt;
    }
    if (a.tuple() && b.tuple() && a.tuple()->size() == b.tuple()->size()) {
      bool undecided = false;
      for (std::size_t i = 0; i < a.tuple()->size(); ++i) {
        auto item = equality((*a.tuple())[i], (*b.tuple())[i], true);
        if (item && known_value(*item) == Rational(0)) {
          return truth(!equal);
        }
        undecided |= !item;
      }
      return undecided ? Result() : truth(equal);
    }
    return truth(!equal);
  }

  Result binary(const AttrExpr& e) {
    if (e.binary == BinaryOp::And || e.binary == BinaryOp::Or) {
      bool decisive = e.binary == BinaryOp::Or;
      auto a = truth_of(e.args[0]);
      if (a == decisive) {
        return truth(decisive);
      }
      auto b = truth_of(e.args[1]);
      if (b == decisive) {
        return truth(decisive);
      }
      return a && b ? Result(truth(!decisive)) : std::nullopt;
    }
    auto a = eval(e.args[0]);
    auto b = a ? eval(e.args[1]) : std::nullopt;
    if (!b) {
      return std::nullopt;
    }
    switch (e.binary) {
      case BinaryOp::Eq:
      case BinaryOp::Ne: return equality(*a, *b, e.binary == BinaryOp::Eq);
      case BinaryOp::Concat: return concatenation(*a, *b);
      case BinaryOp::Permute: return permuted(*a, *b);
      default: return arithmetic(e.binary, *a, *b);
    }
  }

  const Rule& rule_;
  SymbolEnv symbols_;
  const AttrSource& source_;
  std::size_t evaluations_ = 0;
};

}  // namespace

bool same_value(const AttrValue& a, const AttrValue& b) {
  if (a.number() && b.number()) {
    return *a.number() == *b.number() || as_real(*a.number()) == as_real(*b.number());
  }
  if (a.tuple() && b.tuple()) {
    return std::equal(a.tuple()->begin(), a.tuple()->end(), b.tuple()->begin(), b.tuple()->end(), same_value);
  }
  return a == b;
}

std::optional<AttrValue> eval_attr(const Rule& rule, AttrId attr, const SymbolEnv& symbols, const AttrSource& source) {
  return Evaluator(rule, symbols, source).eval(attr);
}

// The number of items of a tuple expression, `any` among them or not.
static std::optional<std::size_t> tuple_length(const Rule& rule, AttrId attr, const SymbolEnv& symbols,
                                               const AttrSource& source) {
  const AttrExpr& e = rule.attr(attr);
  if (e.kind == AttrKind::Tuple) {
    return e.args.size();
  }
  if (e.kind == AttrKind::Binary && e.binary == BinaryOp::Concat) {
    auto left = tuple_length(rule, e.args[0], symbols, source);
    auto right = tuple_length(rule, e.args[1], symbols, source);
    return left && right ? std::optional(*left + *right) : std::nullopt;
  }
  if (e.kind == AttrKind::VarTuple) {
    auto length = e.args.size() > 1 ? eval_attr(rule, e.args[1], symbols, source) : std::nullopt;
    auto count = length ? length->int64() : std::nullopt;
    return count && *count >= 0 ? std::optional(static_cast<std::size_t>(*count)) : std::nullopt;
  }
  auto value = eval_attr(rule, attr, symbols, source);
  return value && value->tuple() ? std::optional(value->tuple()->size()) : std::nullopt;
}

// `t ++ u` against a tuple: split where the one whose length is known says.
static bool match_concat(const Rule& rule, const AttrExpr& e, const AttrValue& value, const SymbolEnv& symbols,
                         const AttrSource& source) {
  if (!value.tuple()) {
    return false;
  }
  std::size_t size = value.tuple()->size();
  auto left = tuple_length(rule, e.args[0], symbols, source);
  auto right = tuple_length(rule, e.args[1], symbols, source);
  if ((!left && !right) || left.value_or(0) + right.value_or(0) > size || (left && right && *left + *right != size)) {
    return false;
  }
  auto cut = value.tuple()->begin() + static_cast<std::ptrdiff_t>(left ? *left : size - *right);
  return match_attr(rule, e.args[0], AttrValue(AttrTuple(value.tuple()->begin(), cut)), symbols, source) &&
         match_attr(rule, e.args[1], AttrValue(AttrTuple(cut, value.tuple()->end())), symbols, source);
}

bool match_attr(const Rule& rule, AttrId attr, const AttrValue& value, const SymbolEnv& symbols, const AttrSource& source) {
  const AttrExpr& e = rule.attr(attr);
  if (e.kind == AttrKind::Any) {  // AM-Any
    return true;
  }
  if (e.kind == AttrKind::Tuple) {  // AM-Tuple
    if (!value.tuple() || value.tuple()->size() != e.args.size()) {
      return false;
    }
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      if (!match_attr(rule, e.args[i], (*value.tuple())[i], symbols, source)) {
        return false;
      }
    }
    return true;
  }
  if (e.kind == AttrKind::VarTuple) {  // AM-Var: the length is the value's
    if (!value.tuple()) {
      return false;
    }
    SymbolEnv inner = symbols;
    inner.emplace_back(e.name, 0);
    for (std::size_t i = 0; i < value.tuple()->size(); ++i) {
      inner.back().second = static_cast<std::int64_t>(i);
      if (!match_attr(rule, e.args[0], (*value.tuple())[i], inner, source)) {
        return false;
      }
    }
    return true;
  }
  if (e.kind == AttrKind::Binary && e.binary == BinaryOp::Concat) {
    return match_concat(rule, e, value, symbols, source);
  }
  if (e.kind == AttrKind::Conditional) {
    auto condition = Evaluator(rule, symbols, source).truth_of(e.args[0]);
    return condition && match_attr(rule, e.args[*condition ? 1 : 2], value, symbols, source);
  }
  auto wanted = eval_attr(rule, attr, symbols, source);  // AM-Eval
  return wanted && same_value(*wanted, value);
}

bool holds(const Rule& rule, AttrId condition, const SymbolEnv& symbols, const AttrSource& source) {
  return Evaluator(rule, symbols, source).truth_of(condition) == true;
}

}  // namespace vouch
