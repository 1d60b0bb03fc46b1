#include "array/parse.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "array/print.h"
#include "random_program.h"

namespace vouch::array {
namespace {

std::optional<Program> parse(const std::string& text, std::string* said = nullptr) {
  Diagnostics diagnostics;
  std::optional<Program> program = parse_program(std::make_shared<Source>("k.fun", text), diagnostics);
  if (said != nullptr) {
    *said = diagnostics.text();
  }
  EXPECT_EQ(program.has_value(), !diagnostics.has_errors()) << text;
  return program;
}

std::string complaint(const std::string& text) {
  std::string said;
  EXPECT_FALSE(parse(text, &said)) << text;
  return said;
}

bool same_program(const Program& a, const Program& b) {
  bool same = a.name == b.name && a.sizes == b.sizes && a.facts == b.facts && a.inputs.size() == b.inputs.size() &&
              a.output.name == b.output.name && a.output.type == b.output.type && a.term == b.term;
  for (std::size_t i = 0; same && i < a.inputs.size(); ++i) {
    same = a.inputs[i].name == b.inputs[i].name && a.inputs[i].type == b.inputs[i].type;
  }
  return same;
}

// The term of coq/certify/DotExample.v.
TEST(Parse, TheInnerProductOfThePaper) {
  auto program = parse(
      "kernel dot(sizes n; xs: num[n], ys: num[n]) -> out: num =\n"
      "  reduce p in map par xy in zip(xs, ys) { xy.fst * xy.snd } with sum = 0 { sum + p }\n");
  ASSERT_TRUE(program);
  Size n = size_var(0);
  Exp product =
      exp_op(Op::Mul, exp_pair(exp_layout(layout(LayoutKind::Fst), exp_var(0)), exp_layout(layout(LayoutKind::Snd), exp_var(0))));
  Exp zipped = exp_layout(layout(LayoutKind::Zip), exp_pair(exp_var(0), exp_var(1)));
  Exp products = exp_map(LoopKind::Par, n, type_pair(type_num(), type_num()), type_num(), product, zipped);
  Exp sum = exp_op(Op::Add, exp_pair(exp_var(1), exp_var(0)));
  EXPECT_EQ(program->term, exp_reduce(Place::Fresh, n, type_num(), type_num(), sum, exp_const(type_num(), {}), products));
}

TEST(Parse, ShippedKernelsComeBackFromTheirText) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(VOUCH_ROOT "/kernels")) {
    if (entry.path().extension() != ".fun") {
      continue;
    }
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    auto program = parse(text.str());
    ASSERT_TRUE(program) << entry.path();
    auto again = parse(print_program(*program));
    ASSERT_TRUE(again) << print_program(*program);
    EXPECT_TRUE(same_program(*program, *again)) << print_program(*program);
    ++count;
  }
  EXPECT_GE(count, 30);
}

TEST(Parse, RandomProgramsComeBackFromTheirText) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Program program = RandomProgram(seed).make("k");
    std::string said;
    auto again = parse(print_program(program), &said);
    ASSERT_TRUE(again) << "seed " << seed << "\n" << print_program(program) << said;
    ASSERT_TRUE(same_program(program, *again)) << "seed " << seed << "\n" << print_program(program) << print_program(*again);
  }
}

TEST(Parse, OperatorsBindAsInArithmetic) {
  auto a = parse("kernel k(x: num, y: num) -> z: num = x + y * x - y < x");
  auto b = parse("kernel k(x: num, y: num) -> z: num = ((x + (y * x)) - y) < x");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->term, b->term);
}

TEST(Parse, LiteralsAreBinary32) {
  auto program = parse("kernel k() -> z: num = 0.1 + -3 + 16777217 + inf + 0x3p-2");
  ASSERT_TRUE(program);
  std::string text = print_program(*program);
  EXPECT_NE(text.find("0.1 + -3 + 16777216 + inf + 0.75"), std::string::npos) << text;
  complaint("kernel k() -> z: num = 1e39");
  complaint("kernel k() -> z: num = 0x1000001p0");
}

// Messages name the place, what was found, and how to mend it.
TEST(Parse, LengthsThatDiffer) {
  EXPECT_EQ(complaint("kernel dot(sizes n, m; xs: num[n], ys: num[m]) -> out: num =\n"
                      "  reduce xy in zip(xs, ys) with s = 0 { s + xy.fst * xy.snd }\n"),
            "k.fun:2:16: error: zip needs two arrays of the same length, not num[n] and num[m]\n"
            "    reduce xy in zip(xs, ys) with s = 0 { s + xy.fst * xy.snd }\n"
            "                 ^^^^^^^^^^^\n");
}

TEST(Parse, PositionsThatMayBeOutside) {
  EXPECT_NE(complaint("kernel k(sizes n; xs: num[n]) -> ys: num[n] = map x@i in xs { xs[i + 1] }")
                .find("this position cannot be proven to be in 0 <= … < n"),
            std::string::npos);
  EXPECT_TRUE(parse("kernel k(sizes n; xs: num[n + 1]) -> ys: num[n] = generate i < n { xs[i + 1] }"));
  EXPECT_TRUE(parse("kernel k(sizes n, m; xs: num[m]) -> ys: num[n] where n <= m = generate i < n { xs[i] }"));
}

TEST(Parse, MisspeltNames) {
  EXPECT_NE(complaint("kernel k(sizes n; column: num[n]) -> y: num[n] = colunm").find("did you mean 'column'?"),
            std::string::npos);
  EXPECT_NE(complaint("kernel k(sizes n; x: num[n]) -> y: num[n] = x.revers").find("did you mean 'reverse'?"), std::string::npos);
  EXPECT_NE(complaint("kernel k(sizes count; x: num[cont]) -> y: num = 0").find("did you mean 'count'?"), std::string::npos);
}

TEST(Parse, NamesThatCHasTaken) {
  for (const char* name : {"float", "v3", "i12", "expf", "map", "free"}) {
    complaint(std::string("kernel k(") + name + ": num) -> y: num = 0");
  }
  complaint("kernel k(x: num, x: num) -> y: num = x");
  complaint("kernel k(x: num) -> k: num = x");
  complaint("kernel main(x: num) -> y: num = x");
}

TEST(Parse, IllTypedTerms) {
  EXPECT_NE(complaint("kernel k(sizes n; x: num[n]) -> y: num[n] = x + x").find("'add' takes numbers, not num[n]"),
            std::string::npos);
  EXPECT_NE(complaint("kernel k(sizes n; x: num[n]) -> y: num = x").find("the kernel gives num[n], its output is num"),
            std::string::npos);
  EXPECT_NE(complaint("kernel k(x: num) -> y: num = reduce a in x with s = 0 { s }").find("reduce needs an array, not num"),
            std::string::npos);
  complaint("kernel k(sizes n; x: num[n]) -> y: num = reduce a in x with s = 0 { x }");
  complaint("kernel k(sizes n; x: num[n]) -> y: num[n] = x.split(2, n).join");
  complaint("kernel k(sizes n; x: num[n]) -> y: num[n] = if 1 < 2 then x else 0");
  complaint("kernel k(sizes n; x: num[n]) -> y: num[n] = generate i < n { x[i / (i - i)] }");
}

TEST(Parse, HostileTexts) {
  complaint("");
  complaint("kernel");
  complaint("kernel k() -> y: num = " + std::string(100'000, '('));
  complaint("kernel k() -> y: num = " + std::string(100'000, '-') + "x");
  std::string sum = "1";
  std::string product = "(n + m)";
  for (int i = 0; i < 5000; ++i) {
    sum += " + 1";
    product += " * (n + m)";
  }
  complaint("kernel k() -> y: num = " + sum);
  complaint("kernel k(sizes n, m; x: num[" + product + "]) -> y: num = 0");
  complaint("kernel k(sizes n; x: num[n]) -> y: num = x[" + sum + "]");
  complaint("kernel k() -> y: num = 0 \x01");
}

}  // namespace
}  // namespace vouch::array
