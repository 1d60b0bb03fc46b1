// Γ ⊢ a ≅ v: an expression against a value.
#include "rule/attr_eval.h"

namespace vouch {
namespace {

class AttrMatcher {
 public:
  AttrMatcher(const Rule& rule, const SymbolEnv& symbols, const AttrSource& source)
      : rule_(rule), symbols_(symbols), source_(source) {}

  Term match(AttrId attr, const AttrValue& value) {
    const AttrExpr& e = rule_.attr(attr);
    switch (e.kind) {
      case AttrKind::Any:  // AM-Any
        return bool_const(true);
      case AttrKind::Tuple:  // AM-Tuple
        return match_tuple(e, value);
      case AttrKind::VarTuple:  // AM-Var
        return match_var(e, value);
      case AttrKind::Binary:
        if (e.binary == BinaryOp::Concat) {
          return match_concat(e, value);
        }
        break;
      case AttrKind::Conditional: return match_conditional(e, value);
      default: break;
    }
    auto wanted = eval_attr(rule_, attr, symbols_, source_);  // AM-Eval
    return wanted ? values_equal(*wanted, value) : bool_const(false);
  }

 private:
  Term match_tuple(const AttrExpr& e, const AttrValue& value) {
    if (!value.tuple() || value.tuple()->size() != e.args.size()) {
      return bool_const(false);
    }
    Term all = bool_const(true);
    for (std::size_t i = 0; i < e.args.size() && !is_false(all); ++i) {
      all = both(all, match(e.args[i], (*value.tuple())[i]));
    }
    return all;
  }

  // The length is the value's; where the expression says one, it has to be that.
  Term match_var(const AttrExpr& e, const AttrValue& value) {
    if (!value.tuple()) {
      return bool_const(false);
    }
    auto size = static_cast<std::int64_t>(value.tuple()->size());
    Term all = bool_const(true);
    if (e.args.size() > 1) {
      auto length = eval_attr(rule_, e.args[1], symbols_, source_);
      all = length && length->number() ? numbers_equal(*length->number(), Term(size)) : bool_const(false);
    }
    symbols_.emplace_back(e.name, Term(0));
    for (std::int64_t i = 0; i < size && !is_false(all); ++i) {
      symbols_.back().second = Term(i);
      all = both(all, match(e.args[0], (*value.tuple())[static_cast<std::size_t>(i)]));
    }
    symbols_.pop_back();
    return all;
  }

  // The number of items of a tuple expression, `any` among them or not.
  std::optional<std::size_t> tuple_length(AttrId attr) {
    const AttrExpr& e = rule_.attr(attr);
    if (e.kind == AttrKind::Tuple) {
      return e.args.size();
    }
    if (e.kind == AttrKind::Binary && e.binary == BinaryOp::Concat) {
      auto left = tuple_length(e.args[0]);
      auto right = tuple_length(e.args[1]);
      return left && right ? std::optional(*left + *right) : std::nullopt;
    }
    if (e.kind == AttrKind::VarTuple) {
      auto length = e.args.size() > 1 ? eval_attr(rule_, e.args[1], symbols_, source_) : std::nullopt;
      auto count = length ? length->int64() : std::nullopt;
      return count && *count >= 0 ? std::optional(static_cast<std::size_t>(*count)) : std::nullopt;
    }
    auto value = eval_attr(rule_, attr, symbols_, source_);
    return value && value->tuple() ? std::optional(value->tuple()->size()) : std::nullopt;
  }

  // Is a length written, be it one that only the sizes of an instance tell?
  bool says_length(AttrId attr) const {
    const AttrExpr& e = rule_.attr(attr);
    if (e.kind == AttrKind::Binary && e.binary == BinaryOp::Concat) {
      return says_length(e.args[0]) && says_length(e.args[1]);
    }
    return e.kind != AttrKind::Any && (e.kind != AttrKind::VarTuple || e.args.size() > 1);
  }

  // Split wherever the lengths, which are terms, may be.
  Term match_anywhere(const AttrExpr& e, const AttrTuple& items) {
    Term out = bool_const(false);
    for (std::size_t k = 0; k <= items.size(); ++k) {
      auto cut = items.begin() + static_cast<std::ptrdiff_t>(k);
      Term first = match(e.args[0], AttrValue(AttrTuple(items.begin(), cut)));
      out = is_false(first) ? out : either(out, both(first, match(e.args[1], AttrValue(AttrTuple(cut, items.end())))));
    }
    return out;
  }

  // `t ++ u` against a tuple: split where the one whose length is known says.
  Term match_concat(const AttrExpr& e, const AttrValue& value) {
    if (!value.tuple()) {
      return bool_const(false);
    }
    std::size_t size = value.tuple()->size();
    auto left = tuple_length(e.args[0]);
    auto right = tuple_length(e.args[1]);
    if (!left && !right && source_.is_open() && (says_length(e.args[0]) || says_length(e.args[1]))) {
      return match_anywhere(e, *value.tuple());
    }
    if ((!left && !right) || left.value_or(0) + right.value_or(0) > size || (left && right && *left + *right != size)) {
      return bool_const(false);
    }
    auto cut = value.tuple()->begin() + static_cast<std::ptrdiff_t>(left ? *left : size - *right);
    Term first = match(e.args[0], AttrValue(AttrTuple(value.tuple()->begin(), cut)));
    return is_false(first) ? first : both(first, match(e.args[1], AttrValue(AttrTuple(cut, value.tuple()->end()))));
  }

  Term match_conditional(const AttrExpr& e, const AttrValue& value) {
    auto condition = eval_truth(rule_, e.args[0], symbols_, source_);
    if (!condition) {
      return bool_const(false);
    }
    if (auto known = const_bool(*condition)) {
      return match(e.args[*known ? 1 : 2], value);
    }
    return either(both(*condition, match(e.args[1], value)), both(negate(*condition), match(e.args[2], value)));
  }

  const Rule& rule_;
  SymbolEnv symbols_;
  const AttrSource& source_;
};

}  // namespace

Term match_guard(const Rule& rule, AttrId attr, const AttrValue& value, const SymbolEnv& symbols, const AttrSource& source) {
  return AttrMatcher(rule, symbols, source).match(attr, value);
}

bool match_attr(const Rule& rule, AttrId attr, const AttrValue& value, const SymbolEnv& symbols, const AttrSource& source) {
  return is_true(match_guard(rule, attr, value, symbols, source));
}

bool same_value(const AttrValue& a, const AttrValue& b) {
  if (a.number() && b.number() && *a.number() == *b.number()) {
    return true;
  }
  return is_true(values_equal(a, b));
}

}  // namespace vouch
