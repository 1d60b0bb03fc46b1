#include "rule/attr_eval.h"

#include <algorithm>
#include <utility>

#include "rule/axes.h"

namespace vouch {
namespace {

using Result = std::optional<AttrValue>;
using Guard = std::optional<Term>;

class Evaluator {
 public:
  Evaluator(const Rule& rule, const SymbolEnv& symbols, const AttrSource& source)
      : rule_(rule), symbols_(symbols), source_(source) {}

  Result eval(AttrId id) {
    if (++evaluations_ > kMostEvaluations) {
      return not_expressible("an attribute expression of very many steps");
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

  // A condition that has to be true: where one side of an `and` has no value, it is not, whatever the other is.
  Guard condition(AttrId id) {
    const AttrExpr& e = rule_.attr(id);
    if (e.kind == AttrKind::Each) {
      return each(e);
    }
    if (e.kind != AttrKind::Binary || e.binary != BinaryOp::And) {
      return guard(id);
    }
    auto a = condition(e.args[0]);
    if (!a || is_false(*a)) {
      return a;
    }
    auto b = condition(e.args[1]);
    return b ? Guard(both(*a, *b)) : std::nullopt;
  }

  Guard guard(AttrId id) {
    const AttrExpr& e = rule_.attr(id);
    if (e.kind == AttrKind::Binary && (e.binary == BinaryOp::And || e.binary == BinaryOp::Or)) {
      return junction(e);
    }
    Result value = eval(id);
    return value && value->number() ? decided(as_guard(*value->number())) : std::nullopt;
  }

 private:
  // Reductions nest, and their lengths come from models: the whole expression has one budget.
  static constexpr std::int64_t kMostEvaluations = std::int64_t{1} << 18;

  Result compute(const AttrExpr& e) {
    switch (e.kind) {
      case AttrKind::Value:  // AE-Value
        return e.value;
      case AttrKind::Any: return source_.any();
      case AttrKind::Absent: return std::nullopt;
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
      case AttrKind::Each: return not_expressible("a condition on every element within another expression");
      case AttrKind::Axes: return axes(e);
      case AttrKind::Conditional: return conditional(e);
    }
    return std::nullopt;
  }

  Result axes(const AttrExpr& e) const {
    const AxisNumbers* numbers = source_.axis_numbers();
    const AxisLayout* layout = layout_of(rule_, e.pattern);
    auto role = layout != nullptr ? role_in(rule_, *layout, e.name) : std::nullopt;
    if (numbers == nullptr || !role) {
      return std::nullopt;
    }
    AttrTuple items;
    for (std::int64_t axis : axes_of_role(*layout, *role, *numbers)) {
      items.emplace_back(axis);
    }
    return AttrValue(std::move(items));
  }

  // Evaluated once, of an element that is left open.
  Guard each(const AttrExpr& e) {
    PatternId constant = rule_.attr(e.args[1]).pattern;
    auto element = source_.any_element(constant);
    if (!element) {
      return std::nullopt;
    }
    bool before = std::exchange(open_, true);
    symbols_.emplace_back(e.name, *element);
    auto condition = guard(e.args[0]);
    symbols_.pop_back();
    open_ = before;
    return condition ? source_.of_every_element(constant, *element, *condition) : std::nullopt;
  }

  Result not_expressible(std::string_view what) const {
    source_.not_expressible(what);
    return std::nullopt;
  }

  bool is_open() const { return open_ || source_.is_open(); }

  // A guard that may be left open, or is not.
  Guard decided(Term guard) const { return const_bool(guard) || is_open() ? Guard(guard) : std::nullopt; }

  Result value_of(const NumberResult& result) const {
    switch (result.kind) {
      case NumberResult::Kind::None: return std::nullopt;
      case NumberResult::Kind::NotExpressible: return not_expressible(result.what);
      case NumberResult::Kind::Number: break;
    }
    bool open = !is_const(result.number) && result.number.sort() != Sort::Int;
    if ((result.divisor && !source_.divides_by(*result.divisor)) || (open && !is_open())) {
      return std::nullopt;
    }
    return AttrValue(result.number);
  }

  static AttrValue truth(Term guard) {
    return const_bool(guard) ? AttrValue(std::int64_t{*const_bool(guard)}) : AttrValue(guard);
  }

  // The decided side alone is enough.
  Guard junction(const AttrExpr& e) {
    bool decisive = e.binary == BinaryOp::Or;
    auto a = guard(e.args[0]);
    if (a && const_bool(*a) == decisive) {
      return a;
    }
    auto b = guard(e.args[1]);
    if (b && const_bool(*b) == decisive) {
      return b;
    }
    if (a && b) {
      return decisive ? either(*a, *b) : both(*a, *b);
    }
    if ((a && !const_bool(*a)) || (b && !const_bool(*b))) {
      not_expressible("a condition that has a value where one of its sides decides it");
    }
    return std::nullopt;
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
      auto real = [](Term number) { return number.sort() == Sort::Int ? real_of(number) : number; };
      return a.sort() == Sort::Int && b.sort() == Sort::Int ? AttrValue(int_select(condition, a, b))
                                                            : AttrValue(select(condition, real(a), real(b)));
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
    items.reserve(e.args.size());
    for (AttrId arg : e.args) {
      auto item = eval(arg);
      if (!item) {
        return std::nullopt;
      }
      items.push_back(std::move(*item));
    }
    return AttrValue(std::move(items));
  }

  bool is_list(const AttrValue& value) const { return source_.lists() && source_.lists()->length(value); }

  // A negative position counts from the end.
  Result project(const AttrExpr& e) {
    auto items = eval(e.args[0]);
    auto position = eval(e.args[1]);
    if (!items || !position || !position->number()) {
      return std::nullopt;
    }
    Term at = as_number(*position->number());
    if (is_list(*items)) {
      Result item = at.sort() == Sort::Int ? source_.lists()->item(*items, at) : std::nullopt;
      return item ? item : not_expressible("an item of a list of symbolic length");
    }
    if (!items->tuple()) {
      return std::nullopt;
    }
    if (!is_const(at)) {
      return not_expressible("a position in a tuple that depends on sizes");
    }
    auto size = static_cast<std::int64_t>(items->tuple()->size());
    auto known = const_int(at);
    if (!known || *known < -size || *known >= size) {
      return std::nullopt;
    }
    return (*items->tuple())[static_cast<std::size_t>(*known < 0 ? *known + size : *known)];
  }

  // A tuple or a sum of an open number of steps.
  Result open_bound(const AttrExpr& e, Term steps) {
    OpenLists& lists = *source_.lists();
    Symbol index = lists.begin(steps);
    symbols_.emplace_back(e.name, int_var(index));
    auto item = eval(e.args[0]);
    symbols_.pop_back();
    if (!item || !item->number() || item->number()->sort() != Sort::Int) {
      return not_expressible("a list of symbolic length of what is no integer");
    }
    if (e.kind == AttrKind::VarTuple) {
      return lists.list(index, steps, *item->number());
    }
    auto total = e.reduction == Reduction::Sum ? lists.sum(index, steps, *item->number()) : std::nullopt;
    return total ? Result(AttrValue(*total)) : not_expressible("a sum of a symbolic number of steps");
  }

  Result bound(const AttrExpr& e) {
    if (e.args.size() < 2) {
      return not_expressible("a tuple as long as what is matched");
    }
    auto length = eval(e.args[1]);
    if (!length || !length->number()) {
      return std::nullopt;
    }
    Term steps = as_number(*length->number());
    if (!is_const(steps)) {
      return source_.lists() && steps.sort() == Sort::Int ? open_bound(e, steps)
                                                          : not_expressible("a number of steps that depends on sizes");
    }
    if (steps.sort() != Sort::Int || steps->value < 0) {
      return std::nullopt;
    }
    auto count = const_int(steps);
    if (!count || *count > kMostEvaluations) {
      return not_expressible("a very large number of steps");
    }
    AttrTuple items;
    if (!eval_items(e, *count, items)) {
      return std::nullopt;
    }
    return e.kind == AttrKind::VarTuple ? Result(AttrValue(std::move(items))) : fold(e.reduction, items);
  }

  bool eval_items(const AttrExpr& e, std::int64_t count, AttrTuple& items) {
    symbols_.emplace_back(e.name, Term(0));
    bool all = true;
    for (std::int64_t k = 0; k < count && all; ++k) {
      symbols_.back().second = Term(k);
      auto item = eval(e.args[0]);
      all = item.has_value();
      if (item) {
        items.push_back(std::move(*item));
      }
    }
    symbols_.pop_back();
    return all;
  }

  static bool is_truth(const AttrValue& value) {
    const Term* number = value.number();
    return number != nullptr && (number->sort() == Sort::Bool || *number == Term(0) || *number == Term(1));
  }

  Result fold(Reduction reduction, const AttrTuple& items) {
    if (reduction == Reduction::Product &&
        std::all_of(items.begin(), items.end(), is_truth)) {  // `all` of conditions: each of them
      Term all = bool_const(true);
      for (const AttrValue& item : items) {
        all = both(all, as_guard(*item.number()));
      }
      return truth(all);
    }
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
    if (!folded->number()) {
      return no_number(*folded, *folded);
    }
    folded = AttrValue(as_number(*folded->number()));
    for (std::size_t i = 1; folded && i < items.size(); ++i) {
      folded = arithmetic(op, *folded, items[i]);
    }
    return folded;
  }

  Result no_number(const AttrValue& a, const AttrValue& b) const {
    return source_.is_any(a) || source_.is_any(b) ? not_expressible("an operation on any value") : std::nullopt;
  }

  Result unary(const AttrExpr& e) {
    auto a = eval(e.args[0]);
    if (!a) {
      return std::nullopt;
    }
    if (e.unary == UnaryOp::Length) {
      auto open = source_.lists() ? source_.lists()->length(*a) : std::nullopt;
      return open         ? Result(AttrValue(*open))
             : a->tuple() ? Result(AttrValue(static_cast<std::int64_t>(a->tuple()->size())))
                          : no_number(*a, *a);
    }
    return a->number() ? value_of(unary_number(e.unary, *a->number())) : no_number(*a, *a);
  }

  Result arithmetic(BinaryOp op, const AttrValue& a, const AttrValue& b) const {
    return a.number() && b.number() ? value_of(binary_number(op, *a.number(), *b.number())) : no_number(a, b);
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
  Result permuted(const AttrValue& a, const AttrValue& p) const {
    if (!a.tuple() || !p.tuple()) {
      return std::nullopt;
    }
    AttrTuple items;
    bool open = false;
    for (const AttrValue& position : *p.tuple()) {
      auto k = position.int64();
      open = open || (position.number() && !is_const(*position.number()));
      if (!open && (!k || *k < 0 || *k >= static_cast<std::int64_t>(a.tuple()->size()))) {
        return std::nullopt;
      }
      items.push_back(k && !open ? (*a.tuple())[static_cast<std::size_t>(*k)] : AttrValue());
    }
    return open ? not_expressible("a permutation that depends on sizes") : Result(AttrValue(std::move(items)));
  }

  Result equality(const AttrValue& a, const AttrValue& b, bool equal) const {
    if (source_.is_any(a) || source_.is_any(b)) {
      return not_expressible("an operation on any value");
    }
    auto guard = decided(equal ? values_equal(a, b) : negate(values_equal(a, b)));
    return guard ? Result(truth(*guard)) : std::nullopt;
  }

  Result binary(const AttrExpr& e) {
    if (e.binary == BinaryOp::And || e.binary == BinaryOp::Or) {
      auto joined = junction(e);
      return joined ? Result(truth(*joined)) : std::nullopt;
    }
    auto a = eval(e.args[0]);
    auto b = a ? eval(e.args[1]) : std::nullopt;
    if (!b) {
      return std::nullopt;
    }
    if (is_list(*a) || is_list(*b)) {
      return not_expressible("an operation on a list of symbolic length");
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
  std::int64_t evaluations_ = 0;
  bool open_ = false;  // within a condition on every element
};

}  // namespace

std::optional<AttrValue> eval_attr(const Rule& rule, AttrId attr, const SymbolEnv& symbols, const AttrSource& source) {
  return Evaluator(rule, symbols, source).eval(attr);
}

std::optional<Term> eval_truth(const Rule& rule, AttrId attr, const SymbolEnv& symbols, const AttrSource& source) {
  return Evaluator(rule, symbols, source).guard(attr);
}

std::optional<Term> eval_condition(const Rule& rule, AttrId condition, const SymbolEnv& symbols, const AttrSource& source) {
  return Evaluator(rule, symbols, source).condition(condition);
}

bool holds(const Rule& rule, AttrId condition, const SymbolEnv& symbols, const AttrSource& source) {
  auto guard = eval_condition(rule, condition, symbols, source);
  return guard && is_true(*guard);
}

}  // namespace vouch
