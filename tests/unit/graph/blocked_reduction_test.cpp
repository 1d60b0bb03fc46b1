// Blocked loops give the bits that loop programs give.
#include "kernel/blocked_reduction.h"

#include <random>

#include "calls.h"

namespace vouch {
namespace {

// Numbers whose products and sums round, some of them zeros of either sign.
class Numbers {
 public:
  explicit Numbers(std::uint32_t seed, DType dtype = DType::Float32) : random_(seed), dtype_(dtype) {}

  int pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }

  Tensor tensor(Extents extents) { return tensor(std::move(extents), dtype_); }
  Tensor tensor(Extents extents, DType dtype) {
    Tensor out(dtype, std::move(extents));
    for (std::int64_t k = 0; k < out.count(); ++k) {
      double value = static_cast<double>(random_()) / 3e9 - 0.7;
      out.set_double(k, random_() % 16 == 0 ? (value < 0 ? -0.0 : 0.0) : value);
    }
    return out;
  }

 private:
  std::mt19937 random_;
  DType dtype_;
};

DType of_seed(std::uint32_t seed) { return seed % 3 == 2 ? DType::Float64 : DType::Float32; }

void expect_same(const std::string& op, const std::vector<Operand>& operands, const Attributes& attributes = {}) {
  Called plain = call_op(op, operands, attributes, {.blocked = false});
  Called blocked = call_op(op, operands, attributes);
  ASSERT_EQ(plain.error, "");
  ASSERT_EQ(blocked.error, "");
  EXPECT_EQ(plain.results, blocked.results) << op;
}

Attributes window(std::vector<std::int64_t> pads, std::vector<std::int64_t> strides, std::vector<std::int64_t> dilations) {
  return {{"pads", tuple(std::move(pads))}, {"strides", tuple(std::move(strides))}, {"dilations", tuple(std::move(dilations))}};
}

TEST(BlockedReduction, ConvolutionsAreTheSame) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    Numbers numbers(seed, of_seed(seed));
    int groups = numbers.pick(1, 3);
    int channels = numbers.pick(1, 9);
    int outputs = groups * numbers.pick(1, 9);
    int rows = numbers.pick(1, 3);
    int columns = numbers.pick(1, 3);
    Attributes attributes = window({numbers.pick(0, 2), numbers.pick(0, 2), numbers.pick(0, 2), numbers.pick(0, 2)},
                                   {numbers.pick(1, 2), numbers.pick(1, 2)}, {numbers.pick(1, 2), numbers.pick(1, 2)});
    attributes.emplace_back("group", groups);
    expect_same("Conv",
                {numbers.tensor({numbers.pick(1, 2), groups * channels, numbers.pick(6, 17), numbers.pick(6, 17)}),
                 numbers.tensor({outputs, channels, rows, columns}), numbers.tensor({outputs})},
                attributes);
  }
}

TEST(BlockedReduction, SumsLongerThanAPanelAreTheSame) {
  for (DType dtype : {DType::Float32, DType::Float64}) {
    Numbers numbers(5, dtype);
    expect_same("Conv", {numbers.tensor({1, 70, 9, 9}), numbers.tensor({20, 70, 3, 3})}, {{"pads", tuple({1, 1, 1, 1})}});
    expect_same("MatMul", {numbers.tensor({13, 700}), numbers.tensor({700, 29})});
    expect_same("MatMul", {numbers.tensor({400, 300}), numbers.tensor({300, 410})});
  }
}

TEST(BlockedReduction, ProductsAreTheSame) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Numbers numbers(seed, of_seed(seed));
    int rows = numbers.pick(1, 20);
    int depth = numbers.pick(100, 300);
    int columns = numbers.pick(1, 30);
    int batch = numbers.pick(2, 4);
    expect_same("MatMul", {numbers.tensor({batch, rows, depth}), numbers.tensor({batch, depth, columns})});
    expect_same("MatMul", {numbers.tensor({3, batch, rows, depth}), numbers.tensor({batch, depth, columns})});
    expect_same("MatMul", {numbers.tensor({depth}), numbers.tensor({batch, depth, columns})});
    expect_same("MatMul", {numbers.tensor({rows, depth}, DType::Float16), numbers.tensor({depth, columns}, DType::Float16)});
    expect_same("Gemm", {numbers.tensor({depth, rows}), numbers.tensor({columns, depth}), numbers.tensor({columns})},
                {{"transA", 1}, {"transB", 1}, {"alpha", number(0.3)}, {"beta", number(0.7)}});
  }
}

TEST(BlockedReduction, WindowsAndAxesAreTheSame) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Numbers numbers(seed);
    Tensor x = numbers.tensor({2, 5, numbers.pick(9, 20), numbers.pick(9, 20)}, of_seed(seed));
    Attributes attributes{{"kernel_shape", tuple({3, 2})},
                          {"pads", tuple({numbers.pick(0, 1), numbers.pick(0, 1), numbers.pick(0, 1), numbers.pick(0, 1)})},
                          {"strides", tuple({numbers.pick(1, 3), numbers.pick(1, 3)})}};
    expect_same("MaxPool", {x}, attributes);
    expect_same("AveragePool", {x}, attributes);
    expect_same("ReduceSum", {x, list({1, 3})}, {{"keepdims", 0}});
    expect_same("ReduceMax", {x, list({-1})});
    expect_same("ReduceMean", {x});
    expect_same("GlobalAveragePool", {x});
    expect_same("Softmax", {x});
  }
}

TEST(BlockedReduction, APaddedElementIsZeroTimesItsWeight) {
  // As the definition says, where the kernel is not finite.
  Tensor w = floats({1, 1, 3}, {1, std::numeric_limits<double>::infinity(), 1});
  Tensor x = Numbers(1).tensor({1, 1, 2000});
  expect_same("Conv", {x, w}, {{"pads", tuple({2, 0})}});
}

// A reduction over one index of what `body` makes of the target's index and it.
bool runs(const std::function<Term(Term, Term)>& body, Term guard = bool_const(true)) {
  Tensor x = Numbers(2).tensor({200});
  Symbol row("i");
  Symbol term("k");
  Term sum = reduce(Reduction::Sum, {{term, 100}}, guard, body(int_var(row), int_var(term)));
  auto found = [&](Symbol name) { return name == Symbol("x") ? &x : nullptr; };
  return run_blocked(sum, std::span(&row, 1), {100}, found).has_value();
}

TEST(BlockedReduction, LeavesAloneWhatIsNoSumOfFunctions) {
  auto x = [](Term at) { return read(Symbol("x"), {at}); };
  EXPECT_TRUE(runs([&](Term i, Term k) { return x(i + k) * x(i); }));
  EXPECT_TRUE(runs([&](Term i, Term k) { return x(floor_div(i, 3) + k) * x(k); }));
  EXPECT_FALSE(runs([&](Term i, Term k) { return x(floor_div(i * k, 100)); })) << "a function of two indices";
  EXPECT_FALSE(runs([&](Term i, Term k) { return x(i + k + 2); })) << "the last address is out of range";
  EXPECT_FALSE(runs([&](Term i, Term k) { return x(i - k); })) << "negative addresses that no guard keeps out";
  EXPECT_TRUE(runs([&](Term i, Term k) { return select(in_range(i - k, 200), x(i - k), real_const(0)); }));
  EXPECT_FALSE(runs([&](Term i, Term k) { return select(in_range(i - k, 200), x(i - k), real_const(1)); })) << "no zero";
  EXPECT_FALSE(runs([&](Term i, Term k) { return select(both(in_range(i - k, 200), le(k, i)), x(i - k), real_const(0)) * x(k); },
                    le(int_var("k"), 5)))
      << "two guards";
  EXPECT_FALSE(runs([&](Term i, Term) { return read(Symbol("y"), {i}); })) << "an unknown tensor";
}

}  // namespace
}  // namespace vouch
