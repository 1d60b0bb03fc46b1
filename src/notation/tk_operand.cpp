// What operators of the kernel language make of their operands: terms, and the additive terms of sums.
#include <fmt/format.h>

#include <algorithm>

#include "notation/tk_expression.h"
#include "notation/tk_meaning.h"

namespace vouch {
namespace {

constexpr int kMostOperators = 800;  // of one statement, and comparisons: terms are walked by recursion

void add_names(const std::vector<TkAddend>& addends, std::vector<Symbol>& out) {
  for (const TkAddend& addend : addends) {
    for (Symbol name : addend.reduced) {
      if (std::find(out.begin(), out.end(), name) == out.end()) {
        out.push_back(name);
      }
    }
  }
}

bool name_alike(const TkAddend& a, const TkAddend& b) {
  return a.reduced.size() == b.reduced.size() && std::is_permutation(a.reduced.begin(), a.reduced.end(), b.reduced.begin());
}

bool all_named_alike(const std::vector<TkAddend>& addends) {
  return std::all_of(addends.begin(), addends.end(), [&](const TkAddend& a) { return name_alike(a, addends.front()); });
}

}  // namespace

TkReader::Operand TkReader::whole(Term term, Span span, std::initializer_list<const Operand*> parts) {
  TkAddend all{term, {}};
  for (const Operand* part : parts) {
    add_names(part->addends, all.reduced);
  }
  return {term, span, {std::move(all)}};
}

TkReader::Operand TkReader::whole(Term term, Span span, const std::vector<Operand>& parts) {
  TkAddend all{term, {}};
  for (const Operand& part : parts) {
    add_names(part.addends, all.reduced);
  }
  return {term, span, {std::move(all)}};
}

// Additive terms over the same indices stay together, as they were written.
TkReader::Operand TkReader::sum(Term term, Span span, std::vector<TkAddend> addends) {
  if (all_named_alike(addends)) {
    addends = {{term, addends.front().reduced}};
  }
  return {term, span, std::move(addends)};
}

// Of a divisor nothing is told apart.
std::vector<TkAddend> TkReader::products(std::string_view op, const Operand& a, const Operand& b, bool ints) {
  std::vector<TkAddend> right = op == "*" ? b.addends : whole(b.term, b.span, {&b}).addends;
  std::vector<TkAddend> out;
  for (const TkAddend& left : a.addends) {
    for (const TkAddend& by : right) {
      Term x = ints ? left.term : as_scalar(left.term);
      Term y = ints ? by.term : as_scalar(by.term);
      TkAddend both{op == "*" ? x * y : x / y, left.reduced};
      add_names({by}, both.reduced);
      out.push_back(std::move(both));
    }
  }
  return out;
}

bool TkReader::one_more(int& count, std::string_view what, Span span) {
  if (++count > kMostOperators) {
    fail(span, fmt::format("more than {} {} in one statement", kMostOperators, what));
  }
  return count <= kMostOperators;
}

TkReader::Parsed TkReader::combine(std::string_view op, const Operand& a, const Operand& b) {
  Span span = joined(a.span, b.span);
  if (!one_more(operators_, "operators", span)) {
    return std::nullopt;
  }
  if (a.term.sort() == Sort::Bool || b.term.sort() == Sort::Bool) {
    fail(span, fmt::format("expected values on both sides of '{}', found a condition", op));
    return std::nullopt;
  }
  bool ints = a.term.sort() == Sort::Int && b.term.sort() == Sort::Int;
  if (op == "//" || op == "%") {
    return integer_division(op, a, b, span);
  }
  if (op == "/") {
    if (b.term == Term(0) || b.term == real_const(0)) {
      fail(b.span, "division by zero");
      return std::nullopt;
    }
    return sum(as_scalar(a.term) / as_scalar(b.term), span, products(op, a, b, false));
  }
  if (ints && op == "*" && in_shape_ == 0 && !is_const(a.term) && !is_const(b.term)) {
    ints = false;  // as a value it is fine; as a subscript it is refused there
  }
  Term x = ints ? a.term : as_scalar(a.term);
  Term y = ints ? b.term : as_scalar(b.term);
  if (a.addends.size() * b.addends.size() > kMostOperators) {
    fail(span, fmt::format("more than {} terms that are summed over indices of their own", kMostOperators));
    return std::nullopt;
  }
  if (op == "*") {
    return sum(x * y, span, products(op, a, b, ints));
  }
  std::vector<TkAddend> addends = a.addends;
  for (const TkAddend& addend : b.addends) {
    addends.push_back({op == "-" ? -addend.term : addend.term, addend.reduced});
  }
  return sum(op == "+" ? x + y : x - y, span, std::move(addends));
}

TkReader::Parsed TkReader::integer_division(std::string_view op, const Operand& a, const Operand& b, Span span) {
  if (a.term.sort() != Sort::Int) {
    fail(a.span, fmt::format("'{}' divides indices, found a tensor value", op), "use `/` for values");
    return std::nullopt;
  }
  auto by = b.term.sort() == Sort::Int ? const_int(b.term) : std::nullopt;
  if (!by) {
    fail(b.span, fmt::format("'{}' by a variable: the divisor must be a positive constant", op),
         "write the number, or give the size one: --size NAME=VALUE");
    return std::nullopt;
  }
  if (*by <= 0) {
    fail(b.span, fmt::format("'{}' by {}: the divisor must be positive", op, *by));
    return std::nullopt;
  }
  return whole(op == "//" ? floor_div(a.term, b.term) : floor_mod(a.term, b.term), span, {&a});
}

TkReader::Parsed TkReader::negative(const Operand& inner, Span sign) {
  if (inner.term.sort() == Sort::Bool) {
    fail(joined(sign, inner.span), "expected a value after '-', found a condition", "negate a condition with `!`");
    return std::nullopt;
  }
  std::vector<TkAddend> addends = inner.addends;
  for (TkAddend& addend : addends) {
    addend.term = -addend.term;
  }
  return sum(-inner.term, joined(sign, inner.span), std::move(addends));
}

TkReader::Parsed TkReader::inverted(const Operand& inner, Span sign) {
  auto guard = as_guard(inner);
  return guard ? Parsed(whole(opposite(*guard), joined(sign, inner.span), {&inner})) : std::nullopt;
}

}  // namespace vouch
