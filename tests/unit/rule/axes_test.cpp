// Roles of axes: how they are written, what their axes are, which numbers are gone through, and what is refused.
#include "rule/axes.h"

#include "rules_of.h"

namespace vouch {
namespace {

std::vector<AxisNumbers> numbers_of(const Rule& rule, const std::vector<std::uint32_t>& most, bool* all = nullptr) {
  std::vector<AxisNumbers> out;
  bool complete = for_each_axis_numbers(rule, most, [&](const AxisNumbers& numbers) {
    out.push_back(numbers);
    return true;
  });
  if (all != nullptr) {
    *all = complete;
  }
  return out;
}

const char* const kMatrices =
    "let x = *; axes x = (batch, m, k 1..2); let w = *; axes w = (batch, k, n 1);"
    " let t = Transpose(w) {perm = w.k ++ w.batch ++ w.n}; where len(x.m) >= 0;"
    " source x + t; target t + x;";

TEST(Axes, AreWrittenAsTheyAreRead) {
  Rule rule = printed_back(kMatrices);
  ASSERT_EQ(rule.layouts.size(), 2U);
  ASSERT_EQ(rule.roles.size(), 4U);
  std::string text = print_rule(rule);
  EXPECT_NE(text.find("axes x = (batch, m, k 1..2);"), std::string::npos) << text;
  EXPECT_NE(text.find("axes w = (batch, k, n 1);"), std::string::npos) << text;
  EXPECT_NE(text.find("w.k ++ w.batch ++ w.n"), std::string::npos) << text;
  EXPECT_EQ(text.find("where x.rank"), std::string::npos) << "what a layout asks is said by its item: " << text;
  printed_back("let x = *; axes x = (k 2..); source Transpose(x) {perm = x.k}; target x;");
  printed_back("let x = *; axes x = (); source Relu(x); target x;");
}

// Numbers are kept with the canonical text, so both orders of the items have to give the roles one order.
TEST(Axes, RolesHaveOneOrder) {
  const std::string head = "let x = *; let y = *;";
  const std::string body = "source x + y; target y + x;";
  Rule one = one_rule_of(head + "axes x = (a, b), y = (b, c);" + body);
  Rule other = one_rule_of(head + "axes y = (q, r), x = (p, q);" + body);
  EXPECT_EQ(canonical_text(one), canonical_text(other));
  EXPECT_EQ(other.roles[0].name, Symbol("p"));
  EXPECT_EQ(other.roles[2].name, Symbol("r"));
  Rule narrower = one_rule_of(head + "axes x = (a, b), y = (b, c 1);" + body);
  EXPECT_NE(canonical_text(one), canonical_text(narrower));
  EXPECT_FALSE(same_rule(one, narrower));
  Rule swapped = one_rule_of(head + "axes x = (a, b), y = (c, b);" + body);
  EXPECT_NE(canonical_text(one), canonical_text(swapped));
  EXPECT_FALSE(same_rule(one, swapped));
}

TEST(Axes, StandWhereTheRolesBeforeThemEnd) {
  Rule rule = one_rule_of(kMatrices);
  AxisNumbers numbers{2, 0, 2, 1};  // batch, m, k, n
  const AxisLayout& x = rule.layouts[0];
  const AxisLayout& w = rule.layouts[1];
  EXPECT_EQ(axes_together(x, numbers), 4U);
  EXPECT_EQ(axes_together(w, numbers), 5U);
  EXPECT_EQ(axes_of_role(x, 0, numbers), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(axes_of_role(x, 1, numbers), std::vector<std::int64_t>{});
  EXPECT_EQ(axes_of_role(x, 2, numbers), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(axes_of_role(w, 3, numbers), std::vector<std::int64_t>{4});
  EXPECT_EQ(axes_text(rule, numbers), "batch 2, m 0, k 2, n 1");
  EXPECT_TRUE(are_claimed(rule, numbers));
  for (const AxisNumbers& wrong : std::vector<AxisNumbers>{{2, 0, 0, 1}, {2, 0, 3, 1}, {2, 0, 2, 2}, {2, 0, 2}, {}}) {
    EXPECT_FALSE(are_claimed(rule, wrong));
  }
}

// Against all numbers up to 6, each looked at by itself.
TEST(Axes, EachNumberIsGoneThroughOnce) {
  Rule rule = one_rule_of(kMatrices);
  for (std::uint32_t most : {0U, 1U, 2U, 3U, 4U}) {
    std::vector<AxisNumbers> expected;
    for (std::uint32_t batch = 0; batch <= 6; ++batch) {
      for (std::uint32_t m = 0; m <= 6; ++m) {
        for (std::uint32_t k = 1; k <= 2; ++k) {
          if (batch + m + k <= most && batch + k + 1 <= most) {
            expected.push_back({batch, m, k, 1});
          }
        }
      }
    }
    bool all = true;
    EXPECT_EQ(numbers_of(rule, {most, most}, &all), expected) << most;
    EXPECT_FALSE(all) << most;
  }
  Rule closed = one_rule_of("let x = *; axes x = (a 1..2, b 2); source Transpose(x) {perm = x.a ++ x.b}; target x;");
  bool all = false;
  EXPECT_EQ(numbers_of(closed, {4}, &all), (std::vector<AxisNumbers>{{1, 2}, {2, 2}}));
  EXPECT_TRUE(all);
  EXPECT_EQ(most_axes(closed, closed.layouts[0], 3), 4U);
  EXPECT_EQ(most_axes(rule, rule.layouts[0], 4), 4U);
  EXPECT_EQ(numbers_of(one_rule_of("let x = *; source Relu(x); target x;"), {}), std::vector<AxisNumbers>{{}});
}

void expect_refused(const std::string& items, const std::string& why) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("test.gsl", "rule r { let x = *; " + items + " }"), diagnostics);
  EXPECT_FALSE(rules.has_value()) << items;
  EXPECT_NE(diagnostics.text().find(why), std::string::npos) << diagnostics.text();
}

TEST(Axes, WhatIsNoLayoutIsRefused) {
  const std::string end = " source Relu(x); target x;";
  expect_refused("axes x = (a, a);" + end, "has the role 'a' twice");
  expect_refused("axes x = (a 3..1);" + end, "no number lies between 3 and 1");
  expect_refused("axes x = (a 17);" + end, "a tensor has 0 to 16 axes");
  expect_refused("axes x = (a 9..16, b 9..16);" + end, "these roles have at least 18");
  expect_refused("axes x = (shape);" + end, "'shape' is an attribute");
  expect_refused("let r = Softmax(x); axes r = (axis); source r; target x;", "'axis' is an attribute");
  expect_refused("axes x = (a), x = (b);" + end, "have roles already");
  expect_refused("let y = *; axes x = (a 1), y = (a 2); source x + y; target y + x;", "another number of axes already");
  expect_refused("let t = Neg(x); axes t = (a); source Relu(x); target t;", "one tensor of the source");
  expect_refused("axes x = (a, b, c, d, e, f, g, h, i);" + end, "up to 8 roles");
  expect_refused("axes x = (a); source Transpose(x) {perm = x.b}; target x;", "has no attribute 'b'");
  expect_refused("axes x (a);" + end, "expected '='");
  expect_refused("let y = *; let t = Transpose(x) {perm = y.a}; axes y = (a); source t + y; target y + t;",
                 "has no attribute 'a'");
}

// A layout is known before what speaks of it is matched.
TEST(Axes, AreKnownBeforeTheyAreUsed) {
  expect_refused("let y = *; axes y = (a); source Transpose(x) {perm = y.a} + y; target x + y;", "is not matched before");
  printed_back("let x = *; let y = *; axes y = (a); source y + Transpose(x) {perm = y.a}; target x + y;");
}

}  // namespace
}  // namespace vouch
