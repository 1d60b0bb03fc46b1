#include "lower/lower.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "../array/random_program.h"
#include "array/eval.h"
#include "array/parse.h"
#include "array/print.h"
#include "imp/eval.h"
#include "imp/print_c.h"
#include "lower/align.h"

namespace vouch::array {
namespace {

Program parse(const std::string& text) {
  Diagnostics diagnostics;
  auto program = parse_program(std::make_shared<Source>("k.fun", text), diagnostics);
  EXPECT_TRUE(program) << diagnostics.text();
  return *program;
}

std::string body(const std::string& text) {
  Program program = parse(text);
  CNames names{{}, program.sizes};
  std::vector<Type> types;
  for (const Parameter& input : program.inputs) {
    names.variables.push_back(input.name);
    types.push_back(input.type);
  }
  names.variables.push_back(program.output.name);
  std::string c = print_c(program.name, names, types, flat_program(program));
  return c.substr(c.find("void " + program.name));
}

// The paper's inner product (section 2.2), with its loops and temporaries corrected.
TEST(Lower, InnerProductOfThePaper) {
  EXPECT_EQ(body("kernel dot(sizes n; xs: num[n], ys: num[n]) -> out: num =\n"
                 "  reduce p in map par xy in zip(xs, ys) { xy.fst * xy.snd } with sum = 0 { p + sum }"),
            "void dot_tried(int64_t n, const float *restrict xs, const float *restrict ys, float *restrict out, int *failed) {\n"
            "  {\n"
            "    float *restrict v3 = new_floats(n, failed);\n"
            "    if (v3) {\n"
            "      #pragma omp parallel for\n"
            "      for (int64_t i4 = 0; i4 < n; i4 += 1) {\n"
            "        v3[i4] = (xs[i4] * ys[i4]);\n"
            "      }\n"
            "      {\n"
            "        float v4;\n"
            "        v4 = 0.0f;\n"
            "        for (int64_t i5 = 0; i5 < n; i5 += 1) {\n"
            "          v4 = (v3[i5] + v4);\n"
            "        }\n"
            "        out[0] = v4;\n"
            "      }\n"
            "    }\n"
            "    free(v3);\n"
            "  }\n"
            "}\n"
            "\n"
            "void dot(int64_t n, const float *restrict xs, const float *restrict ys, float *restrict out) {\n"
            "  int failed[1] = {0};\n"
            "  dot_tried(n, xs, ys, out, failed);\n"
            "  if (failed[0]) no_memory();\n"
            "}\n");
}

TEST(Lower, IntoAccumulatesInTheOutput) {
  EXPECT_EQ(body("kernel k(sizes n; xs: num[n]) -> out: num = reduce into x in xs with sum = 0 { sum + x }"),
            "void k(int64_t n, const float *restrict xs, float *restrict out) {\n"
            "  out[0] = 0.0f;\n"
            "  for (int64_t i2 = 0; i2 < n; i2 += 1) {\n"
            "    out[0] = (out[0] + xs[i2]);\n"
            "  }\n"
            "}\n");
}

TEST(Lower, ReductionsAreUnrolled) {
  EXPECT_EQ(body("kernel k(x: num[3, 2]) -> y: num = fold unroll into i < 3 with s = 0 { reduce unroll v in x[i] with t = s { t "
                 "+ v } }"),
            "void k(const float *restrict x, float *restrict y) {\n"
            "  y[0] = 0.0f;\n"
            "  #pragma GCC unroll 16\n"
            "  for (int64_t i2 = 0; i2 < 3; i2 += 1) {\n"
            "    {\n"
            "      float v3;\n"
            "      v3 = y[0];\n"
            "      #pragma GCC unroll 16\n"
            "      for (int64_t i4 = 0; i4 < 2; i4 += 1) {\n"
            "        v3 = (v3 + x[((i2 * 2) + i4)]);\n"
            "      }\n"
            "      y[0] = v3;\n"
            "    }\n"
            "  }\n"
            "}\n");
}

// What fast code is made of: each has its form in the C text.
std::string inside(const std::string& text) {
  std::string whole = body(text);
  std::size_t start = whole.find('\n') + 1;
  return whole.substr(start, whole.size() - start - 2);
}

TEST(Lower, LoopKinds) {
  auto loop = [](const std::string& kind) {
    return inside("kernel k(sizes n; x: num[n]) -> y: num[n] = map " + kind + " a in x { a }");
  };
  std::string plain =
      "  for (int64_t i2 = 0; i2 < n; i2 += 1) {\n"
      "    y[i2] = x[i2];\n"
      "  }\n";
  EXPECT_EQ(loop(""), plain);
  EXPECT_EQ(loop("par"), "  #pragma omp parallel for\n" + plain);
  EXPECT_EQ(loop("vec"), "  #pragma omp simd\n" + plain);
  EXPECT_EQ(loop("unroll"), "  #pragma GCC unroll 16\n" + plain);
}

// A compiler would unroll it, too.
TEST(Lower, AShortLoopAroundAnUnrolledOneStays) {
  auto loops = [](const std::string& rows) {
    std::string type = "num[" + rows + ", 2]";
    return inside("kernel k(sizes n; x: " + type + ") -> y: " + type + " = map a in x { map unroll b in a { b } }");
  };
  auto text = [](const std::string& before, const std::string& rows) {
    return before + "  for (int64_t i2 = 0; i2 < " + rows +
           "; i2 += 1) {\n"
           "    #pragma GCC unroll 16\n"
           "    for (int64_t i3 = 0; i3 < 2; i3 += 1) {\n"
           "      y[((i2 * 2) + i3)] = x[((i2 * 2) + i3)];\n"
           "    }\n"
           "  }\n";
  };
  EXPECT_EQ(loops("16"), text("  #pragma GCC unroll 1\n", "16"));
  EXPECT_EQ(loops("2"), text("  #pragma GCC unroll 1\n", "2"));
  EXPECT_EQ(loops("17"), text("", "17"));
  EXPECT_EQ(loops("1"), text("", "1"));
  EXPECT_EQ(loops("n"), text("", "n"));
}

TEST(Lower, FusedMultiplyAddIsAPrimitive) {
  EXPECT_EQ(inside("kernel k(a: num, b: num, c: num) -> y: num = fma(a, b, c)"), "  y[0] = fmaf(a, b, c);\n");
}

// A reduction of arrays straight into the output, read through the acceptor: no temporary.
TEST(Lower, ArraysAccumulateInPlace) {
  EXPECT_EQ(inside("kernel k(sizes n, p; x: num[n, p]) -> y: num[p] =\n"
                   "  reduce into r in x with s = fill(num[p], 0) { map a in zip(s, r) { a.fst + a.snd } }"),
            "  for (int64_t i2 = 0; i2 < p; i2 += 1) {\n"
            "    y[i2] = 0.0f;\n"
            "  }\n"
            "  for (int64_t i2 = 0; i2 < n; i2 += 1) {\n"
            "    for (int64_t i3 = 0; i3 < p; i3 += 1) {\n"
            "      y[i3] = (y[i3] + x[((i2 * p) + i3)]);\n"
            "    }\n"
            "  }\n");
}

// What `mem` computes is computed where it stands, once, outside the loop that uses it; without it, in the loop.
TEST(Lower, LetAndMemory) {
  EXPECT_EQ(inside("kernel k(sizes n; x: num[n], b: num) -> y: num[n] =\n"
                   "  let r = mem(sqrt(b)) in map par a in x { a / r }"),
            "  {\n"
            "    float v3;\n"
            "    v3 = sqrtf(b);\n"
            "    #pragma omp parallel for\n"
            "    for (int64_t i4 = 0; i4 < n; i4 += 1) {\n"
            "      y[i4] = (x[i4] / v3);\n"
            "    }\n"
            "  }\n");
  EXPECT_EQ(inside("kernel k(sizes n; x: num[n], b: num) -> y: num[n] = let r = sqrt(b) in map a in x { a / r }"),
            "  for (int64_t i3 = 0; i3 < n; i3 += 1) {\n"
            "    y[i3] = (x[i3] / sqrtf(b));\n"
            "  }\n");
}

// Packed with another layout: the copy is one loop nest over a view.
TEST(Lower, MemoryHasTheLayoutOfItsTerm) {
  EXPECT_EQ(inside("kernel k(x: num[2, 3]) -> y: num[3, 2] = let t = mem(x.transpose) in map r in t { map a in r { a } }"),
            "  {\n"
            "    float v2[6] __attribute__((aligned(64)));\n"
            "    for (int64_t i3 = 0; i3 < 2; i3 += 1) {\n"
            "      for (int64_t i4 = 0; i4 < 3; i4 += 1) {\n"
            "        v2[((i4 * 2) + i3)] = x[((i3 * 3) + i4)];\n"
            "      }\n"
            "    }\n"
            "    for (int64_t i3 = 0; i3 < 3; i3 += 1) {\n"
            "      for (int64_t i4 = 0; i4 < 2; i4 += 1) {\n"
            "        y[((i3 * 2) + i4)] = v2[((i3 * 2) + i4)];\n"
            "      }\n"
            "    }\n"
            "  }\n");
}

// A layout under a map, in front of an acceptor: row i, block j, lane l of the result is written where it belongs.
TEST(Lower, LayoutsUnderMaps) {
  EXPECT_EQ(inside("kernel k(sizes m, n; x: num[m, n, 4]) -> y: num[m, 4 * n] =\n"
                   "  (map r in x { map b in r { map a in b { a } } }).each(join)"),
            "  for (int64_t i2 = 0; i2 < m; i2 += 1) {\n"
            "    for (int64_t i3 = 0; i3 < n; i3 += 1) {\n"
            "      for (int64_t i4 = 0; i4 < 4; i4 += 1) {\n"
            "        y[((i2 * (4 * n)) + ((i3 * 4) + i4))] = x[((i2 * (n * 4)) + ((i3 * 4) + i4))];\n"
            "      }\n"
            "    }\n"
            "  }\n");
}

// A tail without a guard: the two parts of a concatenation are two loops, the second writes from an offset on.
TEST(Lower, SliceAndConcatenation) {
  EXPECT_EQ(inside("kernel k(sizes n; x: num[4 * n + 3]) -> y: num[4 * n + 3] =\n"
                   "  cat(map vec a in x.slice(0, 4 * n) { -a }, map a in x.slice(4 * n, 3) { -a })"),
            "  #pragma omp simd\n"
            "  for (int64_t i2 = 0; i2 < (4 * n); i2 += 1) {\n"
            "    y[i2] = (-x[i2]);\n"
            "  }\n"
            "  for (int64_t i2 = 0; i2 < 3; i2 += 1) {\n"
            "    y[((4 * n) + i2)] = (-x[((4 * n) + i2)]);\n"
            "  }\n");
}

TEST(Lower, StepsThatMayWriteInPlace) {
  auto step = [](const std::string& text) { return parse(text).term->args[0]; };
  // The paper's rules a.9 and c.7 accumulate in place always: wrong for this step.
  EXPECT_FALSE(may_reduce_in_place(step("kernel k(x: num[2], y: num[3]) -> z: num[3] = reduce a in x with s = y { s.reverse }")));
  EXPECT_TRUE(may_reduce_in_place(
      step("kernel k(x: num[2], y: num[3]) -> z: num[3] = reduce a in x with s = y { map b in s { b + a } }")));
  EXPECT_FALSE(may_reduce_in_place(
      step("kernel k(x: num[2], y: num[3]) -> z: num[3] = reduce a in x with s = y { map b in s { b + s[0] } }")));
  EXPECT_TRUE(may_reduce_in_place(step(
      "kernel k(x: num[2, 3], y: num[3]) -> z: num[3] = reduce a in x with s = y { map b in zip(s, a) { b.fst + b.snd } }")));
  EXPECT_FALSE(may_reduce_in_place(step(
      "kernel k(x: num[2, 3], y: num[3]) -> z: num[3] = reduce a in x with s = y { map b in zip(s, s.reverse) { b.snd } }")));
}

bool same_bits(const Cells& a, const Cells& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) {
    same = std::memcmp(&a[i], &b[i], sizeof a[i]) == 0 || (std::isnan(a[i]) && std::isnan(b[i]));
  }
  return same;
}

// Every flat program stays within its variables, reads nothing unwritten, and computes the term, bit for bit.
TEST(Lower, RandomProgramsComputeTheirTerm) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Program program = RandomProgram(seed).make("k");
    std::mt19937_64 random(seed);
    std::vector<Integer> sizes = {random() % 4, random() % 4};
    std::vector<Cells> variables;
    for (const Parameter& input : program.inputs) {
      Cells cells(cell_count(input.type, sizes));
      for (float& cell : cells) {
        cell = static_cast<float>(random() % 17) / 4 - 2;
      }
      variables.push_back(cells);
    }
    Cells expected = evaluate(program, sizes, variables);
    variables.emplace_back(expected.size(), 99.0F);
    FlatRun found = run_flat(flat_program(program), sizes, variables);
    ASSERT_EQ(found.problem, "") << "seed " << seed << "\n" << print_program(program);
    ASSERT_TRUE(same_bits(found.output, expected)) << "seed " << seed << "\n" << print_program(program);
  }
}

TEST(FlatEval, WrongProgramsAreFoundOut) {
  auto assign = [](unsigned var, const Index& at, const FlatExp& value) {
    FlatNode node;
    node.kind = FlatKind::Assign;
    node.var = var;
    node.index = at;
    node.value = value;
    return Flat(std::move(node));
  };
  Index n = index_size(size_var(0));
  EXPECT_NE(run_flat(assign(1, n, flat_const({})), {2}, {{1, 2}, {0, 0}}).problem, "");
  EXPECT_NE(run_flat(assign(1, index_size(size_const(0)), flat_read(0, n)), {2}, {{1, 2}, {0, 0}}).problem, "");
  EXPECT_NE(run_flat(assign(1, {}, flat_read(1, {})), {}, {{1}, {0}}).problem, "");
  EXPECT_EQ(run_flat(assign(1, {}, flat_read(0, {})), {}, {{1}, {0}}).problem, "");
}

}  // namespace
}  // namespace vouch::array
