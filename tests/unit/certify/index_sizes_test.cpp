// Extents as sizes of the array language: whatever the facts leave to new size variables, there is one value and it is right.
#include "certify/index_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "term/eval.h"
#include "term/parse.h"

namespace vouch {
namespace {

constexpr std::int64_t kLargest = 6;

Term term_of(const std::string& text) {
  Diagnostics diagnostics;
  auto term = parse_term(std::make_shared<Source>("term", text), diagnostics);
  EXPECT_TRUE(term.has_value()) << diagnostics.text();
  return term.value_or(Term(0));
}

bool facts_hold(const std::vector<array::SizeFact>& facts, const std::vector<Integer>& values) {
  return std::all_of(facts.begin(), facts.end(), [&](const array::SizeFact& fact) {
    return array::size_value(fact.first, values) <= array::size_value(fact.second, values);
  });
}

// The values of `size` for all values of the variables from `next` on that the facts allow.
void collect(const SizeTable& table, const array::Size& size, std::vector<Integer>& values, std::size_t next,
             std::set<Integer>& out) {
  if (next == table.names().size()) {
    if (facts_hold(table.facts(), values)) {
      out.insert(array::size_value(size, values));
    }
    return;
  }
  for (int v = 0; v <= 2 * kLargest * kLargest; ++v) {
    values[next] = v;
    collect(table, size, values, next + 1, out);
  }
}

// It has an extent that is a sum, so that no size may be 0.
TkKernel kernel_of(const std::vector<Symbol>& names, const std::vector<Term>& conditions) {
  TkKernel kernel;
  kernel.sizes = {names, conditions};
  Term sum(1);
  for (Symbol name : names) {
    sum = sum + int_var(name);
  }
  kernel.tensors.push_back({Symbol("A"), Symbol("A"), {sum}});
  return kernel;
}

class Extents : public ::testing::TestWithParam<const char*> {
 protected:
  TkKernel kernel_ = kernel_of({Symbol("n"), Symbol("m")}, {term_of("n - m")});
};

TEST_P(Extents, HaveOneValueAndItIsTheTerms) {
  SizeTable table(kernel_);
  Term term = term_of(GetParam());
  auto size = table.of(term);
  ASSERT_TRUE(size);
  ASSERT_LE(table.names().size(), 4U);
  for (std::int64_t n = 1; n <= kLargest; ++n) {
    for (std::int64_t m = 1; m <= n; ++m) {
      std::vector<Integer> values(table.names().size());
      values[0] = n;
      values[1] = m;
      std::set<Integer> found;
      collect(table, *size, values, 2, found);
      EvalEnvironment environment;
      environment.integers = {{Symbol("n"), n}, {Symbol("m"), m}};
      EXPECT_EQ(found, std::set<Integer>{std::get<Integer>(eval_int(term, environment))}) << "n = " << n << ", m = " << m;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SizeTable, Extents,
                         ::testing::Values("n", "n * m + 2", "n // 2", "n - m", "n - m + 1", "(n + 1) // 2 + m",
                                           "(n - m) // 3 + 1", "m // 2 + n // 2"));

TEST(SizeTable, WhatIsNoSizeIsRefused) {
  for (const char* text : {"n % 3", "n // m", "(m - n) // 2", "k"}) {
    SizeTable table(kernel_of({Symbol("n"), Symbol("m")}, {term_of("n - m")}));
    EXPECT_FALSE(table.of(term_of(text))) << text;
  }
}

// The same quotient is one variable, however often it is asked for.
TEST(SizeTable, QuotientsAreShared) {
  SizeTable table(kernel_of({Symbol("n")}, {}));
  auto once = table.of(term_of("n // 2"));
  auto again = table.of(term_of("n // 2"));
  ASSERT_TRUE(once && again);
  EXPECT_TRUE(array::same_size(*once, *again));
  EXPECT_EQ(table.names().size(), 2U);
}

}  // namespace
}  // namespace vouch
