// The language of attributes a second time, for tests: over small exact fractions, written from the grammar's meaning alone. It
// knows numbers only, no terms; and for each value that does not exist, why.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rule/ast.h"

namespace vouch::testing {

struct Fraction {
  std::int64_t top = 0;
  std::int64_t bottom = 1;
  bool integer = true;  // of sort Int: only these count steps and positions
};

struct RefValue;
using RefTuple = std::vector<RefValue>;
struct RefValue {
  std::variant<Fraction, std::string, RefTuple> value;
  const Fraction* number() const { return std::get_if<Fraction>(&value); }
  const RefTuple* tuple() const { return std::get_if<RefTuple>(&value); }
  const std::string* text() const { return std::get_if<std::string>(&value); }
};

class Reference {
 public:
  using Access = std::function<std::optional<RefValue>(Symbol)>;
  Reference(const Rule& rule, Access access) : rule_(rule), access_(std::move(access)) {}

  // Something happened that this evaluator does not follow: too large a number, a quotient by zero, which open terms do not see.
  bool outside = false;

  using Result = std::optional<RefValue>;
  Result eval(AttrId id) {
    const AttrExpr& e = rule_.attr(id);
    switch (e.kind) {
      case AttrKind::Value: return of(e.value);
      case AttrKind::Any:
      case AttrKind::Absent:
      case AttrKind::Each:
      case AttrKind::Axes: return std::nullopt;
      case AttrKind::Access: return access_(e.name);
      case AttrKind::Symbol: return bound_symbol(e.name);
      case AttrKind::Unary: return unary(e);
      case AttrKind::Binary: return binary(e);
      case AttrKind::Tuple: return tuple(e);
      case AttrKind::Project: return project(e);
      case AttrKind::VarTuple: return items(e);
      case AttrKind::Reduce: return reduce(e);
      case AttrKind::Conditional: {
        auto condition = truth(e.args[0]);
        return condition ? eval(e.args[*condition ? 1 : 2]) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  std::optional<bool> truth(AttrId id) {
    Result value = eval(id);
    return value && value->number() ? std::optional(value->number()->top != 0) : std::nullopt;
  }

  bool match(AttrId id, const RefValue& value) {
    const AttrExpr& e = rule_.attr(id);
    if (e.kind == AttrKind::Any) {
      return true;
    }
    if (e.kind == AttrKind::Conditional) {
      auto condition = truth(e.args[0]);
      return condition && match(e.args[*condition ? 1 : 2], value);
    }
    if (e.kind != AttrKind::Tuple && e.kind != AttrKind::VarTuple) {
      Result wanted = eval(id);
      return wanted && equal(*wanted, value);
    }
    if (!value.tuple()) {
      return false;
    }
    const RefTuple& all = *value.tuple();
    if (e.kind == AttrKind::Tuple) {
      bool same = all.size() == e.args.size();
      for (std::size_t k = 0; same && k < all.size(); ++k) {
        same = match(e.args[k], all[k]);
      }
      return same;
    }
    if (e.args.size() > 1) {
      Result length = eval(e.args[1]);
      if (!length || !equal(*length, {Fraction{static_cast<std::int64_t>(all.size())}})) {
        return false;
      }
    }
    bool same = true;
    for (std::size_t k = 0; same && k < all.size(); ++k) {
      symbols_.push_back({e.name, static_cast<std::int64_t>(k)});
      same = match(e.args[0], all[k]);
      symbols_.pop_back();
    }
    return same;
  }

  static bool equal(const RefValue& a, const RefValue& b) {
    if (a.number() && b.number()) {
      return a.number()->top == b.number()->top && a.number()->bottom == b.number()->bottom;
    }
    if (a.tuple() && b.tuple()) {
      bool same = a.tuple()->size() == b.tuple()->size();
      for (std::size_t k = 0; same && k < a.tuple()->size(); ++k) {
        same = equal((*a.tuple())[k], (*b.tuple())[k]);
      }
      return same;
    }
    return a.text() && b.text() && *a.text() == *b.text();
  }

  // Of a value whose numbers are constants.
  static Result of(const AttrValue& value) {
    if (value.string()) {
      return RefValue{*value.string()};
    }
    if (const Term* number = value.number()) {
      auto top = int64_of(Integer(numerator((*number)->value)));
      auto bottom = int64_of(Integer(denominator((*number)->value)));
      return top && bottom ? Result(RefValue{Fraction{*top, *bottom, number->sort() != Sort::Real}}) : std::nullopt;
    }
    RefTuple out;
    for (const AttrValue& item : value.tuple() ? *value.tuple() : AttrTuple()) {
      out.push_back(of(item).value_or(RefValue{}));
    }
    return RefValue{std::move(out)};
  }

 private:
  __extension__ using Wide = __int128;

  Result number(Wide top, Wide bottom, bool integer) {
    if (bottom < 0) {
      top = -top;
      bottom = -bottom;
    }
    Wide a = top < 0 ? -top : top;
    for (Wide b = bottom; b != 0;) {
      a = std::exchange(b, a % b);
    }
    constexpr Wide kMost = Wide{1} << 50;
    if (top / a > kMost || top / a < -kMost || bottom / a > kMost) {
      outside = true;
      return std::nullopt;
    }
    return RefValue{Fraction{static_cast<std::int64_t>(top / a), static_cast<std::int64_t>(bottom / a), integer}};
  }
  Result truth_value(bool value) { return RefValue{Fraction{value ? 1 : 0}}; }

  static Wide floor_of(Wide top, Wide bottom) { return top / bottom - (top % bottom != 0 && (top < 0) != (bottom < 0) ? 1 : 0); }

  Result bound_symbol(Symbol name) {
    for (std::size_t k = symbols_.size(); k-- > 0;) {
      if (symbols_[k].first == name) {
        return RefValue{Fraction{symbols_[k].second}};
      }
    }
    return std::nullopt;
  }

  Result unary(const AttrExpr& e) {
    Result a = eval(e.args[0]);
    if (!a) {
      return std::nullopt;
    }
    if (e.unary == UnaryOp::Length) {
      return a->tuple() ? Result(RefValue{Fraction{static_cast<std::int64_t>(a->tuple()->size())}}) : std::nullopt;
    }
    if (!a->number()) {
      return std::nullopt;
    }
    Fraction x = *a->number();
    switch (e.unary) {
      case UnaryOp::Neg: return number(-Wide{x.top}, x.bottom, x.integer);
      case UnaryOp::Not: return truth_value(x.top == 0);
      case UnaryOp::Abs: return number(x.top < 0 ? -Wide{x.top} : x.top, x.bottom, x.integer);
      case UnaryOp::Floor: return number(floor_of(x.top, x.bottom), 1, true);
      case UnaryOp::Ceil: return number(-floor_of(-Wide{x.top}, x.bottom), 1, true);
      default: break;
    }
    outside = true;  // roots round
    return std::nullopt;
  }

  Result binary(const AttrExpr& e) {
    if (e.binary == BinaryOp::And || e.binary == BinaryOp::Or) {
      bool decisive = e.binary == BinaryOp::Or;
      auto a = truth(e.args[0]);
      if (a && *a == decisive) {
        return truth_value(decisive);
      }
      auto b = truth(e.args[1]);
      if (b && *b == decisive) {
        return truth_value(decisive);
      }
      return a && b ? truth_value(!decisive) : std::nullopt;
    }
    Result a = eval(e.args[0]);
    Result b = a ? eval(e.args[1]) : std::nullopt;
    if (!b) {
      return std::nullopt;
    }
    switch (e.binary) {
      case BinaryOp::Eq: return truth_value(equal(*a, *b));
      case BinaryOp::Ne: return truth_value(!equal(*a, *b));
      case BinaryOp::Concat: return joined(*a, *b);
      case BinaryOp::Permute: return permuted(*a, *b);
      default: return a->number() && b->number() ? arithmetic(e.binary, *a->number(), *b->number()) : std::nullopt;
    }
  }

  static Result joined(const RefValue& a, const RefValue& b) {
    if (!a.tuple() || !b.tuple()) {
      return std::nullopt;
    }
    RefTuple all = *a.tuple();
    all.insert(all.end(), b.tuple()->begin(), b.tuple()->end());
    return RefValue{std::move(all)};
  }

  static Result permuted(const RefValue& a, const RefValue& p) {
    if (!a.tuple() || !p.tuple()) {
      return std::nullopt;
    }
    RefTuple out;
    for (const RefValue& item : *p.tuple()) {
      const Fraction* k = item.number();
      if (!k || !k->integer || k->top < 0 || k->top >= static_cast<std::int64_t>(a.tuple()->size())) {
        return std::nullopt;
      }
      out.push_back((*a.tuple())[static_cast<std::size_t>(k->top)]);
    }
    return RefValue{std::move(out)};
  }

  Result arithmetic(BinaryOp op, Fraction a, Fraction b) {
    Wide p = Wide{a.top} * b.bottom;
    Wide q = Wide{b.top} * a.bottom;
    Wide bottom = Wide{a.bottom} * b.bottom;
    bool integer = a.integer && b.integer;
    bool whole = a.bottom == 1 && b.bottom == 1;
    switch (op) {
      case BinaryOp::Add: return number(p + q, bottom, integer);
      case BinaryOp::Sub: return number(p - q, bottom, integer);
      case BinaryOp::Mul: return number(Wide{a.top} * b.top, bottom, integer);
      case BinaryOp::Div: outside = outside || b.top == 0; return b.top == 0 ? std::nullopt : number(p, q, integer && p % q == 0);
      case BinaryOp::FloorDiv: return b.top == 0 ? std::nullopt : number(floor_of(p, q), 1, true);
      case BinaryOp::Mod: return b.top == 0 || !whole ? std::nullopt : number(p - q * floor_of(p, q), 1, integer);
      case BinaryOp::Min: return number(p < q ? p : q, bottom, integer);
      case BinaryOp::Max: return number(p < q ? q : p, bottom, integer);
      case BinaryOp::Lt: return truth_value(p < q);
      case BinaryOp::Le: return truth_value(p <= q);
      case BinaryOp::Gt: return truth_value(p > q);
      case BinaryOp::Ge: return truth_value(p >= q);
      case BinaryOp::Divides: return a.top == 0 || !whole ? std::nullopt : truth_value(q % p == 0);
      default: return std::nullopt;
    }
  }

  Result tuple(const AttrExpr& e) {
    RefTuple out;
    for (AttrId arg : e.args) {
      Result item = eval(arg);
      if (!item) {
        return std::nullopt;
      }
      out.push_back(*item);
    }
    return RefValue{std::move(out)};
  }

  Result project(const AttrExpr& e) {
    Result all = eval(e.args[0]);
    Result at = eval(e.args[1]);
    if (!all || !all->tuple() || !at || !at->number() || !at->number()->integer) {
      return std::nullopt;
    }
    auto size = static_cast<std::int64_t>(all->tuple()->size());
    std::int64_t k = at->number()->top < 0 ? at->number()->top + size : at->number()->top;
    return k < 0 || k >= size ? std::nullopt : Result((*all->tuple())[static_cast<std::size_t>(k)]);
  }

  Result items(const AttrExpr& e) {
    if (e.args.size() < 2) {
      return std::nullopt;
    }
    Result steps = eval(e.args[1]);
    if (!steps || !steps->number() || !steps->number()->integer || steps->number()->top < 0) {
      return std::nullopt;
    }
    if (steps->number()->top > 50) {
      outside = true;
      return std::nullopt;
    }
    RefTuple out;
    for (std::int64_t k = 0; k < steps->number()->top; ++k) {
      symbols_.push_back({e.name, k});
      Result item = eval(e.args[0]);
      symbols_.pop_back();
      if (!item) {
        return std::nullopt;
      }
      out.push_back(*item);
    }
    return RefValue{std::move(out)};
  }

  Result reduce(const AttrExpr& e) {
    Result all = items(e);
    if (!all) {
      return std::nullopt;
    }
    bool sum = e.reduction == Reduction::Sum;
    if (all->tuple()->empty()) {
      return sum || e.reduction == Reduction::Product ? Result(RefValue{Fraction{sum ? 0 : 1}}) : std::nullopt;
    }
    BinaryOp op = sum                                 ? BinaryOp::Add
                  : e.reduction == Reduction::Product ? BinaryOp::Mul
                  : e.reduction == Reduction::Max     ? BinaryOp::Max
                                                      : BinaryOp::Min;
    Result total = all->tuple()->front();
    for (std::size_t k = 0; total && k < all->tuple()->size(); ++k) {
      const Fraction* next = (*all->tuple())[k].number();
      total = !next || !total->number() ? std::nullopt : k == 0 ? total : arithmetic(op, *total->number(), *next);
    }
    return total;
  }

  const Rule& rule_;
  Access access_;
  std::vector<std::pair<Symbol, std::int64_t>> symbols_;
};

}  // namespace vouch::testing
