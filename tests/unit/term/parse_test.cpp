#include "term/parse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "parsed_term.h"
#include "random_term.h"
#include "term/print.h"

namespace vouch {
namespace {

SourceRef source(std::string text) { return std::make_shared<Source>("term", std::move(text)); }

std::string message(std::string text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_term(source(std::move(text)), diagnostics).has_value());
  EXPECT_TRUE(diagnostics.has_errors());
  return diagnostics.text();
}

const Term index = int_var("i"), size = int_var("n");

TEST(PrintTerm, ReadsLikeTheArchitecture) {
  Symbol x("x"), w("w");
  Term body = read(x, {size, int_var("c")}) * read(w, {int_var("c"), int_var("r")});
  Term e = reduce(Reduction::Sum, {{Symbol("c"), int_var("I")}, {Symbol("r"), int_var("R")}}, bool_const(true), body);
  EXPECT_EQ(print_term(e), "sum(c < I, r < R) (x[n, c] * w[c, r])");
  EXPECT_EQ(print_term(floor_div(index - 2 * size + 1, size)), "(i + 1) // n - 2");
  EXPECT_EQ(print_term(floor_mod(index, size)), "i % n");
  EXPECT_EQ(print_term(-index - 3), "-i - 3");
  EXPECT_EQ(print_term(-3 * index + size), "-3 * i + n");
  EXPECT_EQ(print_term(int_min(index, size)), "min(i, n)");
  EXPECT_EQ(print_term(select(lt(index, size), real_const(0), real_const(Rational(-1, 2)))), "select(i + 1 <= n, 0.0, -1/2)");
  EXPECT_EQ(print_term(int_var("a b")), "`a b`");
  EXPECT_EQ(print_term(int_var("exp")), "`exp`");
}

TEST(ParseTerm, Arithmetic) {
  EXPECT_EQ(parsed("2 * (i - n) // 2"), index - size);
  EXPECT_EQ(parsed("i // 2 % 3"), floor_mod(floor_div(index, 2), 3));
  EXPECT_EQ(parsed("-7 // 2"), Term(-4));
  EXPECT_EQ(parsed("x[i] / 2 / 3"), read(Symbol("x"), {index}) / real_const(2) / real_const(3));
  EXPECT_EQ(parsed("-1/2 * x[]"), real_const(Rational(-1, 2)) * read(Symbol("x"), {}));
  EXPECT_EQ(parsed("2.5e-1"), real_const(Rational(1, 4)));
  EXPECT_EQ(parsed("0.0078125"), real_const(Rational(1, 128)));
  EXPECT_EQ(parsed("0 <= i < n"), in_range(index, size));
  EXPECT_EQ(parsed("not not i == n"), eq(index, size));
}

TEST(ParseTerm, SumsBindTighterThanProducts) {
  Term sum = reduce(Reduction::Sum, {{Symbol("k"), size}}, bool_const(true), read(Symbol("x"), {int_var("k")}));
  EXPECT_EQ(parsed("sum(k < n) x[k] * 2.0"), sum * real_const(2));
}

TEST(ParseTerm, ErrorsNameThePlace) {
  EXPECT_NE(message("i + * n").find("term:1:5: error: expected a term, found `*`"), std::string::npos);
  EXPECT_NE(message("i // 0").find("is zero"), std::string::npos);
  EXPECT_NE(message("i / n").find("`//`"), std::string::npos);
  EXPECT_NE(message("x[1.5]").find("expected an integer as index, found a scalar"), std::string::npos);
  EXPECT_NE(message("exp(1.0, 2.0)").find("takes 1 argument, found 2"), std::string::npos);
  EXPECT_NE(message("sum(k) x[k]").find("expected `<`, found `)`"), std::string::npos);
  EXPECT_NE(message("(i").find("expected `)`, found the end"), std::string::npos);
  EXPECT_NE(message("i $ n").find("found `$`"), std::string::npos);
  EXPECT_NE(message("").find("expected a term, found the end"), std::string::npos);
  EXPECT_NE(message("`i").find("expected a term"), std::string::npos);
  EXPECT_NE(message("1e99999999").find("digits"), std::string::npos);
}

TEST(ParseTerm, DepthAndSizeAreBounded) {
  auto repeated = [](std::string_view part, int times) {
    std::string out;
    for (int k = 0; k < times; ++k) {
      out += part;
    }
    return out;
  };
  message(repeated("(", 100000));
  message(repeated("-", 100000) + "x[]");
  message(repeated("not ", 100000));
  message("x[]" + repeated(" + x[]", 5000));
  message(repeated("sum(k < 2) ", 5000) + "x[k]");
  message(repeated("exp(", 5000));
  std::string hostile = "1";
  for (int k = 0; k < 40; ++k) {
    hostile += fmt::format(" * (a{} + b{})", k, k);
  }
  message(hostile);
}

TEST(ParseTerm, ReadsBackWhatIsPrinted) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    testing::RandomTerms random(seed);
    Term term = seed % 3 == 0 ? random.integer(4) : seed % 3 == 1 ? random.guard(4) : random.scalar(4);
    std::string text = print_term(term);
    Diagnostics diagnostics;
    auto back = parse_term(source(text), diagnostics);
    ASSERT_TRUE(back.has_value()) << "seed " << seed << ": " << text << "\n" << diagnostics.text();
    ASSERT_EQ(*back, term) << "seed " << seed << ": " << text << " became " << print_term(*back);
  }
}

TEST(ParseTerm, ReadsBackOddNames) {
  for (const char* name : {"a`b", "\\", "", "1x", "min", "true", "conv1/weight:0", "x'1", "real", "where"}) {
    Term term = real_var(Symbol(name)) + read(Symbol(name), {int_var(name)});
    EXPECT_EQ(parsed(print_term(term)), term) << name;
  }
}

}  // namespace
}  // namespace vouch
