#include <fmt/format.h>

#include <algorithm>

#include "array/parser.h"

namespace vouch::array {

bool ProgramParser::too_many(unsigned terms, std::uint32_t begin) {
  if (terms > kMostTerms) {
    fail(from(begin), fmt::format("this expands to more than {} products", kMostTerms));
  }
  return terms > kMostTerms;
}

std::optional<Size> ProgramParser::size() {
  std::optional<Counted> sum = size_sum();
  if (!sum) {
    return std::nullopt;
  }
  return values_.empty() ? sum->size : worked_out(sum->size);
}

std::optional<ProgramParser::Counted> ProgramParser::size_sum() {
  std::uint32_t begin = token_.span.begin;
  std::optional<Counted> left = size_product();
  for (unsigned length = 0; left && accept("+"); ++length) {
    std::optional<Counted> right = size_product();
    if (!right || too_many(left->terms + right->terms + (length > kMostChain ? kMostTerms : 0), begin)) {
      return std::nullopt;
    }
    left = Counted{size_add(left->size, right->size), left->terms + right->terms};
  }
  return left;
}

std::optional<ProgramParser::Counted> ProgramParser::size_product() {
  std::uint32_t begin = token_.span.begin;
  std::optional<Counted> left = size_atom();
  for (unsigned length = 0; left && accept("*"); ++length) {
    std::optional<Counted> right = size_atom();
    if (!right || too_many(left->terms * right->terms + (length > kMostChain ? kMostTerms : 0), begin)) {
      return std::nullopt;
    }
    left = Counted{size_mul(left->size, right->size), left->terms * right->terms};
  }
  return left;
}

std::optional<ProgramParser::Counted> ProgramParser::size_atom() {
  if (token_.kind == TokenKind::Whole) {
    std::string digits = token_.text;
    if (digits.size() > 18) {
      fail(token_.span, "sizes have at most 18 digits");
      return std::nullopt;
    }
    advance();
    return Counted{size_const(Integer(std::stoll(digits))), 1};
  }
  if (is("(")) {
    if (!enter()) {
      return std::nullopt;
    }
    advance();
    std::optional<Counted> inner = size_sum();
    leave();
    return inner && expect(")", "a size") ? inner : std::nullopt;
  }
  if (std::optional<Size> named = named_size()) {
    advance();
    return Counted{*named, 1};
  }
  bool position = std::any_of(positions_.begin(), positions_.end(), [&](const auto& p) { return p.first == token_.text; });
  if (position) {
    fail(token_.span, fmt::format("expected a size, found the position '{}'", token_.text),
         "lengths are the same at all positions; what is left out is a condition: fold j < n with acc = 0 { if j <= i then acc + "
         "xs[j] else acc }");
    return std::nullopt;
  }
  std::optional<std::string> near = suggest(token_.text, declared_);
  fail(token_.span, fmt::format("expected a size, found '{}'", token_.text),
       near ? fmt::format("did you mean '{}'?", *near) : "sizes are declared after 'sizes'");
  return std::nullopt;
}

std::optional<Size> ProgramParser::named_size() const {
  if (token_.kind != TokenKind::Name) {
    return std::nullopt;
  }
  auto at = std::find(sizes_.begin(), sizes_.end(), token_.text);
  if (at != sizes_.end()) {
    return size_var(static_cast<unsigned>(at - sizes_.begin()));
  }
  bool known = std::find(declared_.begin(), declared_.end(), token_.text) != declared_.end();
  return known ? std::optional(size_const(values_.at(token_.text))) : std::nullopt;
}

std::optional<Type> ProgramParser::type() {
  if (!enter()) {
    return std::nullopt;
  }
  std::optional<Type> result = type_base();
  leave();
  if (!result || !accept("[")) {
    return result;
  }
  std::vector<Size> extents;
  do {
    std::optional<Size> extent = size();
    if (!extent) {
      return std::nullopt;
    }
    extents.push_back(*extent);
  } while (accept(",") && extents.size() < kMostChain);
  for (std::size_t i = extents.size(); i-- > 0;) {
    result = type_array(extents[i], *result);
  }
  return expect("]", "a type's sizes") ? result : std::nullopt;
}

std::optional<Type> ProgramParser::type_base() {
  if (accept("num")) {
    return type_num();
  }
  if (!accept("(")) {
    fail(token_.span, fmt::format("expected a type, found '{}'", token_.text),
         "numbers are num (binary32); other types are num[m, n], (num, num[n])");
    return std::nullopt;
  }
  std::optional<Type> first = type();
  if (!first || !expect(",", "the first type of a pair")) {
    return std::nullopt;
  }
  std::optional<Type> second = type();
  return second && expect(")", "a pair of types") ? std::optional(type_pair(*first, *second)) : std::nullopt;
}

std::optional<Index> ProgramParser::index() {
  std::optional<CountedIndex> sum = index_sum();
  return sum ? std::optional(sum->index) : std::nullopt;
}

std::optional<ProgramParser::CountedIndex> ProgramParser::index_sum() {
  std::uint32_t begin = token_.span.begin;
  std::optional<CountedIndex> left = index_product();
  for (unsigned length = 0; left && (is("+") || is("-")); ++length) {
    IndexKind kind = is("+") ? IndexKind::Add : IndexKind::Sub;
    advance();
    std::optional<CountedIndex> right = index_product();
    if (!right || too_many(left->terms + right->terms + (length > kMostChain ? kMostTerms : 0), begin)) {
      return std::nullopt;
    }
    left = CountedIndex{index_op(kind, left->index, right->index), left->terms + right->terms};
  }
  return left;
}

std::optional<ProgramParser::CountedIndex> ProgramParser::index_product() {
  std::uint32_t begin = token_.span.begin;
  std::optional<CountedIndex> left = index_atom();
  for (unsigned length = 0; left && (is("*") || is("/") || is("%")); ++length) {
    IndexKind kind = is("*") ? IndexKind::Mul : is("/") ? IndexKind::Div : IndexKind::Mod;
    advance();
    std::optional<CountedIndex> right = index_atom();
    if (!right || too_many(left->terms * right->terms + (length > kMostChain ? kMostTerms : 0), begin)) {
      return std::nullopt;
    }
    left = CountedIndex{index_op(kind, left->index, right->index), left->terms * right->terms};
  }
  return left;
}

std::optional<ProgramParser::CountedIndex> ProgramParser::index_atom() {
  if (accept("size")) {
    std::optional<Size> inner = expect("(", "'size'") ? size() : std::nullopt;
    return inner && expect(")", "a size") ? std::optional(CountedIndex{index_size(*inner), 2}) : std::nullopt;
  }
  if (is("(")) {
    if (!enter()) {
      return std::nullopt;
    }
    advance();
    std::optional<CountedIndex> inner = index_sum();
    leave();
    return inner && expect(")", "an index term") ? inner : std::nullopt;
  }
  if (token_.kind == TokenKind::Whole) {
    std::optional<Counted> constant = size_atom();
    return constant ? std::optional(CountedIndex{index_size(constant->size), 1}) : std::nullopt;
  }
  return index_name();
}

std::optional<ProgramParser::CountedIndex> ProgramParser::index_name() {
  std::vector<std::string> known = declared_;
  for (std::size_t i = positions_.size(); i-- > 0;) {
    if (token_.text == positions_[i].first) {
      advance();
      return CountedIndex{builder_->position(positions_[i].second), 2};
    }
    known.push_back(positions_[i].first);
  }
  if (std::optional<Size> named = named_size()) {
    advance();
    return CountedIndex{index_size(*named), 1};
  }
  bool value = std::any_of(data_.begin(), data_.end(), [&](const auto& name) { return name.first == token_.text; });
  if (value) {
    fail(token_.span, fmt::format("expected a position or a size, found '{}', which is computed", token_.text),
         "'if' compares positions and sizes; by numbers one chooses with select(x < y, a, b)");
    return std::nullopt;
  }
  std::optional<std::string> near = suggest(token_.text, known);
  fail(token_.span, fmt::format("expected a position or a size, found '{}'", token_.text),
       near ? fmt::format("did you mean '{}'?", *near) : "positions are bound as in 'map x@i in xs { … }'");
  return std::nullopt;
}

std::optional<Guard> ProgramParser::guard() {
  std::optional<Guard> left = guard_and();
  for (unsigned length = 0; left && length < kMostChain && accept("or"); ++length) {
    std::optional<Guard> right = guard_and();
    left = right ? std::optional(guard_join(GuardKind::Or, {*left, *right})) : std::nullopt;
  }
  return left;
}

std::optional<Guard> ProgramParser::guard_and() {
  std::optional<Guard> left = guard_not();
  for (unsigned length = 0; left && length < kMostChain && accept("and"); ++length) {
    std::optional<Guard> right = guard_not();
    left = right ? std::optional(guard_join(GuardKind::And, {*left, *right})) : std::nullopt;
  }
  return left;
}

std::optional<Guard> ProgramParser::guard_not() {
  if (!is("not")) {
    return guard_compare();
  }
  if (!enter()) {
    return std::nullopt;
  }
  advance();
  std::optional<Guard> inner = guard_not();
  leave();
  return inner ? std::optional(guard_join(GuardKind::Not, {*inner})) : std::nullopt;
}

// Conditions are grouped by braces, since a parenthesis begins an index term.
std::optional<Guard> ProgramParser::guard_compare() {
  if (is("{")) {
    if (!enter()) {
      return std::nullopt;
    }
    advance();
    std::optional<Guard> inner = guard();
    leave();
    return inner && expect("}", "a condition") ? inner : std::nullopt;
  }
  std::optional<Index> left = index();
  if (!left) {
    return std::nullopt;
  }
  if (!is("<") && !is("<=") && !is("==")) {
    fail(token_.span, fmt::format("expected '<', '<=' or '==' after an index term, found '{}'", token_.text));
    return std::nullopt;
  }
  std::string relation = token_.text;
  advance();
  std::optional<Index> right = index();
  if (!right) {
    return std::nullopt;
  }
  if (relation == "<=") {  // a <= b is not (b < a)
    return guard_join(GuardKind::Not, {array::guard_compare(GuardKind::Less, *right, *left)});
  }
  return array::guard_compare(relation == "<" ? GuardKind::Less : GuardKind::Equal, *left, *right);
}

}  // namespace vouch::array
