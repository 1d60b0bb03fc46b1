#include "autodiff/stable_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "term/print.h"

namespace vouch {
namespace {

// In floats of one kind, as C computes it; x and y are the two variables.
template <class Float>
Float value(Term term, Float x, Float y) {
  auto arg = [&](std::size_t k) { return value(term.arg(k), x, y); };
  switch (term.kind()) {
    case TermKind::RealConst: return static_cast<Float>(double_of(term->value));
    case TermKind::RealVar: return term->symbol == Symbol("x") ? x : y;
    case TermKind::RealAdd: return arg(0) + arg(1);
    case TermKind::RealSub: return arg(0) - arg(1);
    case TermKind::RealMul: return arg(0) * arg(1);
    case TermKind::RealDiv: return arg(0) / arg(1);
    case TermKind::RealNeg: return -arg(0);
    case TermKind::Call: return std::exp(arg(0));
    default: ADD_FAILURE() << print_term(term); return 0;
  }
}

class RandomProducts {
 public:
  explicit RandomProducts(std::uint32_t seed) : random_(seed) {}

  // Factors over sums of which some are among the factors.
  Term product() {
    std::vector<Term> exponentials;
    for (int k = 0; k < 3; ++k) {
      exponentials.push_back(call(Fn::Exp, {pick(3) ? linear() : -linear()}));
    }
    Term out = pick(2) ? linear() : real_const(1 + pick(3));
    for (int k = 0; k < 5; ++k) {
      Term exponential = exponentials[static_cast<std::size_t>(pick(3))];
      Term sum = pick(3) ? real_const(1 + pick(3)) + exponential
                         : exponential + real_const(2) * exponentials[static_cast<std::size_t>(pick(3))];
      switch (pick(6)) {
        case 0: out = out * exponential; break;
        case 1: out = exponential * out; break;
        case 2: out = out / sum; break;
        case 3: out = -(out / (sum * sum)); break;
        case 4: out = out * call(Fn::Exp, {-exponential}); break;
        default: out = pick(2) ? out * sum : out / call(Fn::Exp, {linear()}); break;
      }
    }
    return out;
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  Term linear() {
    Term x = pick(2) ? real_var(Symbol("x")) : real_var(Symbol("y"));
    return pick(2) ? x : x * real_const(Rational(1 + pick(3), 2));
  }

  std::mt19937 random_;
};

TEST(StableProduct, IsTheSameNumber) {
  int changed = 0;
  for (std::uint32_t seed = 1; seed <= 5000; ++seed) {
    Term product = RandomProducts(seed).product();
    Term stable = stable_product(product).term;
    changed += stable != product ? 1 : 0;
    for (auto [x, y] : {std::pair(0.0L, 0.0L), {0.7L, -1.2L}, {-1.5L, 0.4L}, {1.1L, 0.9L}}) {
      long double expected = value<long double>(product, x, y);
      ASSERT_NEAR(static_cast<double>(value<long double>(stable, x, y) / (expected == 0 ? 1 : expected)),
                  expected == 0 ? 0.0 : 1.0, 1e-12)
          << "seed " << seed << "\n"
          << print_term(product) << "\n"
          << print_term(stable);
    }
  }
  EXPECT_GT(changed, 2000);
}

// An exponential over a sum of positive parts that it is one of is a number between 0 and 1, however large both are.
TEST(StableProduct, IsFiniteWhereTheSumIsNot) {
  Term x = real_var(Symbol("x"));
  auto exp = [](Term of) { return call(Fn::Exp, {of}); };
  std::vector<Term> products = {exp(x) / (real_const(1) + exp(x)),
                                exp(-x) / ((real_const(2) + exp(-x)) * (real_const(2) + exp(-x))),
                                (exp(x) * exp(x)) / (real_const(1) + exp(x) * exp(x)), exp(x) * exp(-exp(x)),
                                (exp(x) * (real_const(1) + exp(x))) / ((real_const(1) + exp(x)) * (real_const(1) + exp(x)))};
  for (Term product : products) {
    for (float at : {-200.0F, -100.0F, -20.0F, 0.0F, 20.0F, 100.0F, 200.0F}) {
      float found = value<float>(stable_product(product).term, at, 0);
      auto expected = static_cast<float>(value<long double>(product, at, 0));
      ASSERT_NEAR(found, expected, 1e-6) << print_term(product) << " at " << at << " by "
                                         << print_term(stable_product(product).term);
    }
  }
}

TEST(StableProduct, LeavesOtherProductsAlone) {
  Term x = real_var(Symbol("x"));
  Term y = real_var(Symbol("y"));
  auto exp = [](Term of) { return call(Fn::Exp, {of}); };
  for (Term product : {x * y, -(x * y) / (x * x), exp(x) * exp(y), exp(x) / (x + exp(x)), exp(x) / (real_const(-1) + exp(x)),
                       x / (real_const(1) + exp(x)), exp(x) / y, (x / y) * y}) {
    EXPECT_EQ(stable_product(product).term, product)
        << print_term(product) << " became " << print_term(stable_product(product).term);
  }
}

}  // namespace
}  // namespace vouch
