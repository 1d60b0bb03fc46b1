// Simplification keeps values: random reductions, many with guards that depend on data, before and after, in exact numbers.
#include <gtest/gtest.h>

#include <random>

#include "algebra/equality.h"
#include "check/check.h"
#include "term/eval.h"
#include "term_of_form.h"
#include "verdict_of.h"

namespace vouch {
namespace {

constexpr std::int64_t kMost = 4;

class RandomTerm {
 public:
  explicit RandomTerm(std::uint32_t seed) : random_(seed) {}

  Term draw(int depth) {
    switch (depth == 0 ? pick(2) : pick(8)) {
      case 0: return leaf();
      case 1: return leaf();
      case 2: return draw(depth - 1) + draw(depth - 1);
      case 3: return draw(depth - 1) * draw(depth - 1);
      case 4: return call(pick(2) == 0 ? Fn::Max : Fn::Min, {draw(depth - 1), draw(depth - 1)});
      case 5: return select(guard(depth - 1), draw(depth - 1), draw(depth - 1));
      default: return reduction(depth - 1);
    }
  }

  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

 private:
  Term index() {
    return bound_.empty() || pick(3) == 0 ? int_var("i")
                                          : int_var(bound_[static_cast<std::size_t>(pick(static_cast<int>(bound_.size())))]);
  }
  Term leaf() {
    switch (pick(5)) {
      case 0: return real_const(pick(5) - 2);
      case 1: return real_of(index());
      case 2: return read(Symbol("y"), {index()});
      default: return read(Symbol("x"), {index()});
    }
  }

  Term guard(int depth) {
    switch (pick(5)) {
      case 0: return le(index(), index());
      case 1: return eq(index(), pick(2));
      case 2: return real_eq(draw(depth > 0 ? depth - 1 : 0), leaf());
      case 3: return real_le(leaf(), draw(depth > 0 ? depth - 1 : 0));
      default: return real_lt(leaf(), leaf());
    }
  }

  Term reduction(int depth) {
    static const Reduction all[] = {Reduction::Sum, Reduction::Max, Reduction::Min, Reduction::Max};
    Symbol name("k" + std::to_string(next_++));
    bound_.push_back(name);
    Term where = guard(depth);
    for (int more = pick(3); more > 0; --more) {
      where = both(where, guard(0));
    }
    Term out = reduce(all[pick(4)], {{name, int_var("n")}}, where, draw(depth));
    bound_.pop_back();
    return out;
  }

  std::mt19937 random_;
  std::vector<Symbol> bound_;
  int next_ = 0;
};

// The value where there is one: an extremum of nothing, and what is computed of it, may have none.
std::optional<Enclosure> value_of(Term term, std::mt19937 numbers, std::int64_t n, std::int64_t i) {
  std::vector<Rational> elements;
  for (int k = 0; k < 2 * kMost; ++k) {
    elements.emplace_back(std::uniform_int_distribution<int>(-2, 2)(numbers));
  }
  EvalEnvironment environment;
  environment.integers = {{Symbol("n"), n}, {Symbol("i"), i}};
  environment.read = [&](Symbol tensor, std::span<const std::int64_t> at) -> std::optional<ExactNumber> {
    std::int64_t position = at[0];
    bool inside = position >= 0 && position < kMost;
    return inside ? std::optional(ExactNumber(elements[static_cast<std::size_t>(position + (tensor == Symbol("y") ? kMost : 0))]))
                  : std::nullopt;
  };
  auto value = eval_scalar(term, environment);
  return std::holds_alternative<Enclosure>(value) ? std::optional(std::get<Enclosure>(value)) : std::nullopt;
}

TEST(Simplify, KeepsTheValuesOfRandomReductionsWhoseGuardsAreData) {
  std::size_t compared = 0;
  for (Algebra algebra : {Algebra::Exact, Algebra::Real, Algebra::Split}) {
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
      Term term = RandomTerm(seed).draw(3);
      Arithmetic arithmetic({ge(int_var("n"), 1), le(int_var("n"), kMost), ge(int_var("i"), 0), lt(int_var("i"), int_var("n"))});
      FormBuilder forms(algebra, {});
      Equality equality(forms, arithmetic);
      NormalForm form = equality.simplified(forms.of(term), {});
      if (forms.text(form).size() > 4000 || forms.text(form).find("unsplit") != std::string::npos) {
        continue;
      }
      Term simplified = TermOfForm(kMost).of(form);
      for (std::uint32_t trial = 0; trial < 6; ++trial) {
        std::int64_t n = 1 + trial % kMost;
        auto before = value_of(term, std::mt19937(seed * 7 + trial), n, trial % n);
        auto after = value_of(simplified, std::mt19937(seed * 7 + trial), n, trial % n);
        if (before && after) {
          ++compared;
          EXPECT_EQ(equal(*before, *after), std::optional(true))
              << "algebra " << static_cast<int>(algebra) << " seed " << seed << " trial " << trial << "\n"
              << print_term(term) << "\n"
              << forms.text(form);
        }
      }
    }
  }
  EXPECT_GT(compared, 1000U);
}

TEST(Simplify, AnArgumentOfAnExtremumIsNotThatOfAnother) {
  std::string x = "let x = * {rank = 1, dtype = float32};\n";
  EXPECT_EQ(verdict_of(x + "let m = ArgMax(Neg(x)); source m; target ArgMax(x) {* as m};"), Verdict::Unsound);
  EXPECT_EQ(verdict_of(x + "let m = ArgMin(x); source m; target ArgMax(x) {axis, keepdims, select_last_index as m};"),
            Verdict::Unsound);
  EXPECT_EQ(verdict_of(x + "let m = ArgMax(Relu(x)) {select_last_index = 1}; source m; target ArgMax(x) {* as m};"),
            Verdict::Unsound);
  // Which of several sines is the largest no enclosure decides where two are equal.
  EXPECT_FALSE(is_sound(verdict_of(x + "let m = ArgMax(Sin(x)); source m; target ArgMax(x) {* as m};")));
}

}  // namespace
}  // namespace vouch
