// Functional programs as kernels in index notation: the same elements, bit for bit; and what index notation does not have.
#include "certify/affine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "array/eval.h"
#include "array/parse.h"
#include "certify/index_plan.h"

namespace vouch {
namespace {

using Sizes = array::SizeValues;

array::Program program_of(const std::string& text, const Sizes& sizes) {
  Diagnostics diagnostics;
  auto program = array::parse_program(std::make_shared<Source>("k.fun", text), diagnostics, sizes);
  EXPECT_TRUE(program.has_value()) << diagnostics.text();
  return program.value();
}

std::string shipped(const std::string& name) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(VOUCH_ROOT "/kernels")) {
    if (entry.path().filename() == name + ".fun") {
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      return text.str();
    }
  }
  ADD_FAILURE() << "no kernel " << name;
  return "";
}

// Infinities and zeros of both signs among them: a term that is left out shows, and so does one too many.
array::Cells random_cells(std::size_t count, std::mt19937& random) {
  array::Cells cells(count);
  for (float& x : cells) {
    auto draw = random() % 1000;
    x = draw == 0 ? INFINITY : draw == 1 ? -0.0F : (static_cast<float>(draw) - 300) / 64;
  }
  return cells;
}

void expect_same_elements(const array::Program& program) {
  Diagnostics diagnostics;
  auto kernel = affine_kernel(program, "k.fun", diagnostics);
  ASSERT_TRUE(kernel) << diagnostics.text();
  std::mt19937 random(7);
  std::vector<array::Cells> inputs;
  for (const array::Parameter& input : program.inputs) {
    inputs.push_back(random_cells(array::cell_count(input.type, {}), random));
  }
  array::Cells expected = array::evaluate(program, {}, inputs);
  for (const auto& tiling : {std::optional<IndexTiling>(), plan_index(*kernel, {CopyPlace::Inside})}) {
    array::Cells found = array::evaluate(lower_index(*kernel, tiling), {}, inputs);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      bool both_none = std::isnan(found[k]) && std::isnan(expected[k]);
      ASSERT_TRUE(both_none || std::memcmp(&found[k], &expected[k], sizeof(float)) == 0) << program.name << ", element " << k;
    }
  }
}

TEST(Affine, ShippedKernelsHaveTheSameElementsBitForBit) {
  const Sizes vector{{"n", 12}, {"m", 4}, {"parts", 5}, {"k", 3}, {"p", 7}};
  const Sizes block{{"m1", 2}, {"n1", 3}, {"p1", 2}, {"m", 3}, {"n", 4}, {"p", 5}};
  const Sizes windows{{"c", 2},  {"h", 6},   {"w", 7},    {"r", 3},      {"t", 2},     {"ho", 3}, {"wo", 3}, {"sh", 2},
                      {"sw", 2}, {"top", 1}, {"left", 1}, {"bottom", 1}, {"right", 1}, {"ic", 2}, {"oc", 3}};
  for (const char* name :
       {"dot",     "vec_add",  "sum_vec",   "sum_vec_split", "norm1",    "norm2",    "norm2_split", "scale_vec", "axpy_vec",
        "conv",    "sqrt_vec", "abs_vec",   "reverse_vec",   "copy_vec", "l_mul_dl", "dl_mul_l",    "matmul",    "gemm",
        "mat_add", "axpy_mat", "scale_mat", "sum_mat",       "trans",    "relu",     "gelu",        "dense",     "layer_norm"}) {
    expect_same_elements(program_of(shipped(name), vector));
  }
  for (const char* name : {"block_add", "block_mul", "block_mul_stored", "scale_block", "axpy_block"}) {
    expect_same_elements(program_of(shipped(name), block));
  }
  for (const char* name : {"average_pool", "conv2d_valid"}) {
    expect_same_elements(program_of(shipped(name), windows));
  }
}

TEST(Affine, SumsThatGoOnFromSumsAroundThemAreOneSum) {
  array::Program program = program_of(
      "kernel k(a: num[2, 3, 4, 5], b: num[6, 3, 7, 5]) -> c: num[2, 6, 4, 7] = map band in a { map column in b { "
      "reduce ab in zip(band, column) with sum = fill(num[4, 7], 0) { map rows in zip(sum, ab.fst) { map sb in zip(rows.fst, "
      "ab.snd) { "
      "reduce q in zip(rows.snd, sb.snd) with s = sb.fst { s + q.fst * q.snd } } } } } }",
      {});
  expect_same_elements(program);
  Diagnostics diagnostics;
  auto kernel = affine_kernel(program, "k.fun", diagnostics);
  ASSERT_TRUE(kernel) << diagnostics.text();
  EXPECT_TRUE(kernel->locals.empty());
  EXPECT_EQ(kernel->output.summands.at(0).loops.size(), 2U);
}

TEST(Affine, SizesMayStaySymbols) {
  Diagnostics diagnostics;
  auto kernel = affine_kernel(program_of(shipped("matmul"), {}), "k.fun", diagnostics);
  ASSERT_TRUE(kernel) << diagnostics.text();
  EXPECT_EQ(kernel->sizes, (std::vector<std::string>{"m", "n", "p"}));
  ASSERT_EQ(kernel->output.summands.size(), 1U);
  EXPECT_EQ(kernel->output.summands[0].loops.size(), 1U);
}

TEST(Affine, SplitAndJoinLeaveNoQuotient) {
  Diagnostics diagnostics;
  auto kernel = affine_kernel(
      program_of("kernel k(sizes m; x: num[4 * m]) -> y: num[4 * m] = (map r in x.split(4, m) { map v in r { v + v } }).join",
                 {{"m", 3}}),
      "k.fun", diagnostics);
  ASSERT_TRUE(kernel) << diagnostics.text();
  EXPECT_EQ(kernel->output.summands.at(0).body.args.at(0).at.at(0).kind, IndexTermKind::Var);
}

TEST(Affine, SumsUnderConditionsAndInOtherTerms) {
  for (const char* body :
       {"generate i < 5 { fold j < 5 with s = 0 { if j < i + 1 then s + x[j] else s } }",
        "generate i < 5 { 2 * (reduce v in x with s = 0 { s + v }) + x[i] }",
        "generate i < 5 { (reduce v in x with s = 0 { s + v }) + x[i] + (reduce v in x with s = 0 { s + v * v }) }",
        "let t = mem(map v in x { v * v }) in generate i < 5 { fold j < 5 with s = 0 { s + t[j] * x[i] } }",
        "let t = mem(map v in x { exp(v) }) in generate i < 5 { (t.pad(2, 2, 0).slide(5, 5, 1, 1))[i, 4] }",
        "map v in (x.pad(1, 1, 0)).slide(5, 3, 1, 1) { reduce q in v with s = 0 { s + q } }"}) {
    std::string text(body);
    std::size_t two = text.find("[i, 4]");
    text = two == std::string::npos ? text : text.replace(two, 6, "[i][4]");
    expect_same_elements(program_of("kernel k(x: num[5]) -> y: num[5] = " + text, {}));
  }
}

TEST(Affine, RefusesByNameWhatIndexNotationDoesNotHave) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"x: num[5]) -> y: num = reduce v in x with s = 1 { s + v }", "begins with 0"},
      {"x: num[5]) -> y: num = reduce v in x with s = 0 { max(s, v) }", "found one by 'max'"},
      {"x: num[5]) -> y: num = reduce v in x with s = 0 { v + s }", "found 'term + acc'"},
      {"x: num[5]) -> y: num = reduce v in x with s = 0 { fma(v, v, s) }", "found 'fma(x, y, acc)'"},
      {"x: num[5]) -> y: num = reduce v in x with s = 0 { s + v * s }", "an accumulator that is only added to"},
      {"x: num[5]) -> y: num[10] = cat(x, x)", "found 'cat"},
      {"x: (num, num)[5]) -> y: num = reduce v in x with s = 0 { s + v.fst * v.snd }", "found pairs in 'x'"},
      {"x: num[5]) -> y: (num, num)[5] = zip(x, x)", "an output of numbers"},
      {"x: num[5]) -> y: num[7] = x.pad(1, 1, 2)", "found another"},
      {"x: num[2, 3, 4]) -> y: num[4] = reduce v in x.join with s = fill(num[4], 0) { map q in zip(s, v) { q.fst + q.snd } }",
       "writes alike"},
      {"sizes m, n; x: num[m * n]) -> y: num[n, m] = x.split(m, n)", "affine"},
  };
  for (const auto& [text, words] : cases) {
    Diagnostics diagnostics;
    EXPECT_FALSE(affine_kernel(program_of("kernel k(" + text, {}), "k.fun", diagnostics)) << text;
    EXPECT_NE(diagnostics.text().find(words), std::string::npos) << text << "\n" << diagnostics.text();
    EXPECT_NE(diagnostics.text().find("hint: "), std::string::npos) << diagnostics.text();
  }
}

}  // namespace
}  // namespace vouch
