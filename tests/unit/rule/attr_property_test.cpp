// Random attribute expressions of every form: what they are at numbers, as rewriting asks, and what they are at open terms at
// which then numbers are put, as proofs ask, is the same, and is what a second evaluator says (attr_reference.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "attr_reference.h"
#include "rule/attr_eval.h"
#include "rule/print.h"
#include "term/eval.h"

namespace vouch {
namespace {

using testing::Fraction;
using testing::Reference;
using testing::RefTuple;
using testing::RefValue;

constexpr int kInts = 4;

// The attributes that expressions access: open integers n0 …, an open scalar r, tuples t2 and t3, a text s; `missing` has no
// value.
struct Numbers {
  std::vector<std::int64_t> ints;
  Fraction scalar;

  RefValue of(std::size_t k) const { return {Fraction{ints[k % kInts]}}; }
  std::optional<RefValue> access(Symbol name) const {
    const std::string& word = name.name();
    switch (word[0]) {
      case 'n': return of(static_cast<std::size_t>(word[1] - '0'));
      case 'r': return RefValue{scalar};
      case 't': return word[1] == '2' ? RefValue{RefTuple{of(0), of(1)}} : RefValue{RefTuple{of(1), of(2), of(3)}};
      case 's': return RefValue{std::string("float32")};
      default: return std::nullopt;
    }
  }
};

AttrValue value_of(const RefValue& value) {
  if (const Fraction* f = value.number()) {
    return f->integer ? AttrValue(f->top) : AttrValue(real_const(Rational(f->top, f->bottom)));
  }
  if (value.text()) {
    return AttrValue(*value.text());
  }
  AttrTuple items;
  for (const RefValue& item : *value.tuple()) {
    items.push_back(value_of(item));
  }
  return AttrValue(std::move(items));
}

class AtNumbers : public AttrSource {
 public:
  explicit AtNumbers(const Numbers& numbers) : numbers_(numbers) {}
  std::optional<AttrValue> access(PatternId, Symbol name, const SymbolEnv&) const override {
    auto value = numbers_.access(name);
    return value ? std::optional(value_of(*value)) : std::nullopt;
  }

 private:
  const Numbers& numbers_;
};

class AtTerms : public AttrSource {
 public:
  std::optional<AttrValue> access(PatternId, Symbol name, const SymbolEnv&) const override {
    const std::string& word = name.name();
    auto n = [](int k) { return AttrValue(int_var("n" + std::to_string(k))); };
    switch (word[0]) {
      case 'n': return AttrValue(int_var(word));
      case 'r': return AttrValue(real_var(name));
      case 't': return word[1] == '2' ? AttrValue(AttrTuple{n(0), n(1)}) : AttrValue(AttrTuple{n(1), n(2), n(3)});
      case 's': return AttrValue(std::string("float32"));
      default: return std::nullopt;
    }
  }
  bool is_open() const override { return true; }
  void not_expressible(std::string_view) const override { refused = true; }
  bool divides_by(Term divisor) const override {
    divisors.push_back(divisor);
    return true;
  }
  mutable bool refused = false;
  mutable std::vector<Term> divisors;
};

// The value at these numbers; nothing where a term divides by zero there.
class Putter {
 public:
  explicit Putter(const Numbers& numbers) {
    for (std::size_t k = 0; k < kInts; ++k) {
      environment_.integers.emplace(Symbol("n" + std::to_string(k)), numbers.ints[k]);
    }
    environment_.scalars.emplace(Symbol("r"), Rational(numbers.scalar.top, numbers.scalar.bottom));
  }

  std::optional<Rational> number(Term term) const {
    if (term.sort() == Sort::Bool) {
      auto found = eval_guard(term, environment_);
      return std::holds_alternative<bool>(found) ? std::optional(Rational(std::get<bool>(found) ? 1 : 0)) : std::nullopt;
    }
    if (term.sort() == Sort::Int) {
      auto found = eval_int(term, environment_);
      return std::holds_alternative<Integer>(found) ? std::optional(Rational(std::get<Integer>(found))) : std::nullopt;
    }
    auto found = eval_scalar(term, environment_);
    return std::holds_alternative<Enclosure>(found) ? std::optional(std::get<Enclosure>(found).low) : std::nullopt;
  }

  std::optional<AttrValue> at(const AttrValue& value) const {
    if (value.number()) {
      auto found = number(*value.number());
      return found ? std::optional(AttrValue(real_const(*found))) : std::nullopt;
    }
    if (!value.tuple()) {
      return value;
    }
    AttrTuple items;
    for (const AttrValue& item : *value.tuple()) {
      auto found = at(item);
      if (!found) {
        return std::nullopt;
      }
      items.push_back(std::move(*found));
    }
    return AttrValue(std::move(items));
  }

 private:
  EvalEnvironment environment_;
};

class RandomExpressions {
 public:
  explicit RandomExpressions(std::uint32_t seed) : random_(seed) { rule_.patterns.emplace_back(); }

  std::uint32_t below(std::uint32_t n) { return random_() % n; }
  const Rule& rule() const { return rule_; }
  void clear() { rule_.attrs.clear(); }
  AttrKind kind(AttrId id) const { return rule_.attr(id).kind; }

  Numbers numbers() {
    Numbers out;
    for (int k = 0; k < kInts; ++k) {
      out.ints.push_back(static_cast<std::int64_t>(below(9)) - (below(3) == 0 ? 4 : 0));
    }
    std::int64_t quarters = static_cast<std::int64_t>(below(17)) - 8;
    out.scalar = quarters % 4 == 0   ? Fraction{quarters / 4, 1, false}
                 : quarters % 2 == 0 ? Fraction{quarters / 2, 2, false}
                                     : Fraction{quarters, 4, false};
    return out;
  }

  // Mostly of the kind that is wanted, sometimes of another: these have no value.
  AttrId number(int depth) {
    if (depth == 0 || below(6) == 0) {
      return number_leaf();
    }
    if (below(40) == 0) {
      return tuple(depth - 1);
    }
    switch (below(8)) {
      case 0: {
        AttrExpr e;
        e.kind = AttrKind::Unary;
        e.unary = static_cast<UnaryOp>(below(7));
        return add(std::move(e), {e.unary == UnaryOp::Length ? tuple(depth - 1) : number(depth - 1)});
      }
      case 1: return add(of(AttrKind::Project), {tuple(depth - 1), number(below(2) == 0 ? 0 : depth - 1)});
      case 2: return reduction(depth);
      case 3: return add(of(AttrKind::Conditional), {condition(depth - 1), number(depth - 1), number(depth - 1)});
      case 4: return condition(depth - 1);
      default: {
        constexpr BinaryOp kOps[] = {BinaryOp::Add, BinaryOp::Sub,      BinaryOp::Mul, BinaryOp::Div,
                                     BinaryOp::Mod, BinaryOp::FloorDiv, BinaryOp::Min, BinaryOp::Max};
        return binary(kOps[below(8)], number(depth - 1), number(depth - 1));
      }
    }
  }

  AttrId condition(int depth) {
    if (depth <= 0 || below(4) == 0) {
      constexpr BinaryOp kOps[] = {BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt,     BinaryOp::Le,
                                   BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Divides};
      return binary(kOps[below(7)], number(0), number(0));
    }
    switch (below(5)) {
      case 0: return binary(BinaryOp::And, condition(depth - 1), condition(depth - 1));
      case 1: return binary(BinaryOp::Or, condition(depth - 1), condition(depth - 1));
      case 2: return binary(below(2) == 0 ? BinaryOp::Eq : BinaryOp::Ne, tuple(depth - 1), tuple(depth - 1));
      case 3: return binary(below(2) == 0 ? BinaryOp::Lt : BinaryOp::Ge, number(depth - 1), number(depth - 1));
      default: {
        AttrExpr e;
        e.kind = AttrKind::Unary;
        e.unary = UnaryOp::Not;
        return add(std::move(e), {condition(depth - 1)});
      }
    }
  }

  AttrId tuple(int depth) {
    if (depth <= 0 || below(4) == 0) {
      return access(below(2) == 0 ? "t2" : "t3");
    }
    switch (below(5)) {
      case 0: return binary(BinaryOp::Concat, tuple(depth - 1), tuple(depth - 1));
      case 1: return binary(BinaryOp::Permute, tuple(depth - 1), tuple(depth - 1));
      case 2: return bound(AttrKind::VarTuple, depth);
      case 3: return add(of(AttrKind::Conditional), {condition(depth - 1), tuple(depth - 1), tuple(depth - 1)});
      default: {
        std::vector<AttrId> items;
        for (std::uint32_t n = below(4); n > 0; --n) {
          items.push_back(number(depth - 1));
        }
        return add(of(AttrKind::Tuple), std::move(items));
      }
    }
  }

  // A pattern for a tuple, `any` among its items.
  AttrId pattern(int depth) {
    switch (below(5)) {
      case 0: return tuple(depth);
      case 1: return add(of(AttrKind::Conditional), {condition(1), pattern(depth), pattern(depth)});
      case 2: {
        AttrExpr e = of(AttrKind::VarTuple);
        e.name = Symbol("i");
        bound_.push_back(e.name);
        std::vector<AttrId> args{below(2) == 0 ? add(of(AttrKind::Any), {}) : number(1)};
        bound_.pop_back();
        if (below(2) == 0) {
          args.push_back(number(0));
        }
        return add(std::move(e), std::move(args));
      }
      default: {
        std::vector<AttrId> items;
        for (std::uint32_t n = below(4); n > 0; --n) {
          items.push_back(below(3) == 0 ? add(of(AttrKind::Any), {}) : number(depth - 1));
        }
        return add(of(AttrKind::Tuple), std::move(items));
      }
    }
  }

 private:
  static AttrExpr of(AttrKind kind) {
    AttrExpr e;
    e.kind = kind;
    return e;
  }
  AttrId add(AttrExpr e, std::vector<AttrId> args) {
    e.args = std::move(args);
    e.closed = false;
    rule_.attrs.push_back(std::move(e));
    return static_cast<AttrId>(rule_.attrs.size() - 1);
  }
  AttrId binary(BinaryOp op, AttrId a, AttrId b) {
    AttrExpr e = of(AttrKind::Binary);
    e.binary = op;
    return add(std::move(e), {a, b});
  }
  AttrId access(const std::string& name) {
    AttrExpr e = of(AttrKind::Access);
    e.pattern = 0;
    e.name = Symbol(name);
    return add(std::move(e), {});
  }

  AttrId number_leaf() {
    AttrExpr e = of(AttrKind::Value);
    switch (below(16)) {
      case 0: e.value = AttrValue(real_const(Rational(static_cast<int>(below(9)) - 4, 2))); return add(std::move(e), {});
      case 1: return access(below(3) == 0 ? "s" : below(2) == 0 ? "missing" : "r");
      case 2: e.value = AttrValue((std::int64_t{1} << 40) + below(3)); return add(std::move(e), {});
      case 3:
      case 4:
      case 5:
      case 6: return access("n" + std::to_string(below(kInts)));
      case 7:
      case 8:
      case 9:
        if (!bound_.empty()) {
          AttrExpr symbol = of(AttrKind::Symbol);
          symbol.name = bound_[below(static_cast<std::uint32_t>(bound_.size()))];
          return add(std::move(symbol), {});
        }
        [[fallthrough]];
      default: e.value = AttrValue(static_cast<std::int64_t>(below(8)) - 3); return add(std::move(e), {});
    }
  }

  AttrId bound(AttrKind kind, int depth) {
    AttrExpr e = of(kind);
    e.reduction = static_cast<Reduction>(below(4));
    e.name = Symbol(std::string(1, static_cast<char>('i' + below(2))));
    AttrId steps = number(below(3) == 0 ? depth - 1 : 0);
    bound_.push_back(e.name);
    AttrId body = below(5) == 0 && kind == AttrKind::Reduce ? condition(depth - 1) : number(depth - 1);
    bound_.pop_back();
    return add(std::move(e), {body, steps});
  }
  AttrId reduction(int depth) { return bound(AttrKind::Reduce, depth); }

  std::mt19937 random_;
  Rule rule_;
  std::vector<Symbol> bound_;
};

// The long suite sets VOUCH_ALL.
const int kExpressions = std::getenv("VOUCH_ALL") != nullptr ? 60000 : 12000;
const int kPatterns = kExpressions;

std::string shown(const Numbers& numbers) {
  return ::testing::PrintToString(numbers.ints) + " r = " + std::to_string(numbers.scalar.top) + "/" +
         std::to_string(numbers.scalar.bottom);
}

TEST(AttrProperty, AtNumbersItIsWhatItSays) {
  RandomExpressions random(1);
  int valued = 0;
  std::map<AttrKind, int> kinds;
  for (int k = 0; k < kExpressions; ++k) {
    random.clear();
    AttrId root = random.below(2) == 0 ? random.number(4) : random.tuple(4);
    Numbers numbers = random.numbers();
    Reference reference(random.rule(), [&](Symbol name) { return numbers.access(name); });
    auto expected = reference.eval(root);
    auto found = eval_attr(random.rule(), root, {}, AtNumbers(numbers));
    if (reference.outside) {
      continue;
    }
    bool same = expected.has_value() == found.has_value() && (!found || same_value(*found, value_of(*expected)));
    ASSERT_TRUE(same) << print_attr(random.rule(), root) << " at " << shown(numbers) << " is " << (found ? found->text() : "none")
                      << ", expected " << (expected ? value_of(*expected).text() : "none");
    valued += found ? 1 : 0;
    ++kinds[random.kind(root)];
  }
  EXPECT_GT(valued, kExpressions / 4);
  EXPECT_GE(kinds.size(), 7U);
}

TEST(AttrProperty, AtTermsAndThenNumbersItIsTheSame) {
  RandomExpressions random(2);
  int compared = 0;
  int refused = 0;
  for (int k = 0; k < kExpressions; ++k) {
    random.clear();
    AttrId root = random.below(2) == 0 ? random.number(4) : random.tuple(4);
    AtTerms terms;
    auto open = eval_attr(random.rule(), root, {}, terms);
    for (int draw = 0; draw < 2; ++draw) {
      Numbers numbers = random.numbers();
      Putter put(numbers);
      Reference reference(random.rule(), [&](Symbol name) { return numbers.access(name); });
      auto expected = reference.eval(root);
      bool divides = std::all_of(terms.divisors.begin(), terms.divisors.end(), [&](Term divisor) {
        auto value = put.number(divisor);
        return value && *value >= 1;
      });
      if (reference.outside || !divides) {
        continue;
      }
      if (!open) {  // no value at any numbers, or it says that it does not know
        ASSERT_TRUE(terms.refused || !expected) << print_attr(random.rule(), root) << " at " << shown(numbers);
        refused += terms.refused ? 1 : 0;
        continue;
      }
      auto found = put.at(*open);
      if (!found || (terms.refused && !expected)) {
        continue;
      }
      ASSERT_TRUE(expected && same_value(*found, value_of(*expected)))
          << print_attr(random.rule(), root) << " at " << shown(numbers) << ": " << open->text() << " is " << found->text()
          << ", expected " << (expected ? value_of(*expected).text() : "none");
      ++compared;
    }
  }
  EXPECT_GT(compared, kExpressions / 3);
  EXPECT_LT(refused, kExpressions);
}

TEST(AttrProperty, ConditionsHoldWhereTheirGuardsDo) {
  RandomExpressions random(3);
  int holding = 0;
  int failing = 0;
  for (int k = 0; k < kExpressions; ++k) {
    random.clear();
    AttrId root = random.condition(4);
    Numbers numbers = random.numbers();
    Reference reference(random.rule(), [&](Symbol name) { return numbers.access(name); });
    auto expected = reference.truth(root);
    if (reference.outside) {
      continue;
    }
    ASSERT_EQ(holds(random.rule(), root, {}, AtNumbers(numbers)), expected == true) << print_attr(random.rule(), root);
    AtTerms terms;
    auto guard = eval_condition(random.rule(), root, {}, terms);
    Putter put(numbers);
    // Where it holds, the guard does, too: nothing is lost of what a proof has to cover.
    if (expected == true && !terms.refused) {
      ASSERT_TRUE(guard) << print_attr(random.rule(), root);
      bool divides = std::all_of(terms.divisors.begin(), terms.divisors.end(),
                                 [&](Term divisor) { return put.number(divisor).value_or(0) >= 1; });
      ASSERT_TRUE(!divides || put.number(*guard) == Rational(1)) << print_attr(random.rule(), root) << " at " << shown(numbers);
    }
    (expected == true ? holding : failing) += 1;
  }
  EXPECT_GT(holding, kExpressions / 8);
  EXPECT_GT(failing, kExpressions / 8);
}

TEST(AttrProperty, PatternsMatchTheSameTuplesAtNumbersAndAtTerms) {
  RandomExpressions random(4);
  int matching = 0;
  for (int k = 0; k < kPatterns; ++k) {
    random.clear();
    AttrId root = random.pattern(2);
    Numbers numbers = random.numbers();
    Reference reference(random.rule(), [&](Symbol name) { return numbers.access(name); });
    // Often what the pattern evaluates to, else a tuple of its kind, of any length.
    auto wanted = random.below(2) == 0 ? reference.eval(root) : std::nullopt;
    RefTuple drawn;
    for (std::uint32_t n = random.below(4); n > 0; --n) {
      drawn.push_back({Fraction{static_cast<std::int64_t>(random.below(5)) - 1}});
    }
    RefValue value = wanted ? *wanted : RefValue{drawn};
    bool expected = reference.match(root, value);
    if (reference.outside) {
      continue;
    }
    ASSERT_EQ(match_attr(random.rule(), root, value_of(value), {}, AtNumbers(numbers)), expected)
        << print_attr(random.rule(), root) << " against " << value_of(value).text() << " at " << shown(numbers);
    AtTerms terms;
    Term guard = match_guard(random.rule(), root, value_of(value), {}, terms);
    Putter put(numbers);
    bool divides = std::all_of(terms.divisors.begin(), terms.divisors.end(),
                               [&](Term divisor) { return put.number(divisor).value_or(0) >= 1; });
    if (!terms.refused && divides) {
      ASSERT_EQ(put.number(guard) == Rational(1), expected)
          << print_attr(random.rule(), root) << " against " << value_of(value).text() << " at " << shown(numbers);
    }
    matching += expected ? 1 : 0;
  }
  EXPECT_GT(matching, kPatterns / 20);
}

}  // namespace
}  // namespace vouch
