// Kernels are made ready to become C without changing what they compute: compared with the interpreter before and after.
#include <gtest/gtest.h>

#include <random>

#include "build/extrema.h"
#include "build/piecewise.h"
#include "build/windows.h"
#include "kernel/eval.h"
#include "term/substitute.h"

namespace vouch {
namespace {

const Symbol kX("x");
const Symbol kY("y");
const Symbol kI("i");

// y[i] = value, of x with `given` elements.
Kernel kernel_of(std::int64_t given, std::int64_t made, Term value) {
  Kernel kernel;
  kernel.name = "k";
  kernel.inputs = {{kX, DType::Float32, {Term(given)}}};
  kernel.outputs = {{kY, DType::Float32, {Term(made)}}};
  kernel.statements = {{kY, {kI}, value}};
  return kernel;
}

std::vector<Tensor> inputs_of(const Kernel& kernel) {
  std::vector<double> values;
  for (std::int64_t k = 0; k < *const_int(kernel.inputs[0].extents[0]); ++k) {
    values.push_back(static_cast<double>((7 * k) % 11) - 5);
  }
  return {Tensor::of_doubles(DType::Float32, {static_cast<std::int64_t>(values.size())}, values)};
}

Tensor value_of(const Kernel& kernel, const std::vector<Tensor>& inputs) {
  Diagnostics diagnostics;
  auto out = eval_kernel(kernel, inputs, {}, diagnostics);
  EXPECT_TRUE(out.has_value()) << diagnostics.text();
  return out ? (*out)[0] : Tensor(DType::Float32, {0});
}

bool has_kind(Term term, TermKind kind) {
  return term.kind() == kind ||
         std::any_of(term.args().begin(), term.args().end(), [&](Term arg) { return has_kind(arg, kind); });
}

Term x_at(Term index) { return read(kX, {index}); }

TEST(Extrema, AreWrittenOutAsTheyWere) {
  Symbol r("r");
  Term i = int_var(kI);
  for (Reduction kind : {Reduction::Max, Reduction::Min, Reduction::Product}) {
    Term at = i + int_var(r) - Term(1);
    Kernel kernel = kernel_of(9, 9, reduce(kind, {{r, Term(5)}}, in_range(at, Term(9)), x_at(at)));
    Tensor before = value_of(kernel, inputs_of(kernel));
    write_out_extrema(kernel);
    EXPECT_FALSE(has_kind(kernel.statements[0].value, TermKind::Reduce));
    EXPECT_EQ(value_of(kernel, inputs_of(kernel)), before);
  }
}

// A window over the last two axes of x[2, height, width], with padding.
struct WindowTest {
  std::int64_t height, width, rows, columns, step, dilation, pad;
  std::int64_t made(std::int64_t size, std::int64_t window) const {
    return (size + 2 * pad - dilation * (window - 1) - 1) / step + 1;
  }
};

Kernel window_kernel(const WindowTest& w, Reduction kind) {
  Symbol r("r");
  Symbol s("s");
  Symbol c("c");
  Symbol p("p");
  Term down = Term(w.step) * int_var(p) + Term(w.dilation) * int_var(r) - Term(w.pad);
  Term along = Term(w.step) * int_var(kI) + Term(w.dilation) * int_var(s) - Term(w.pad);
  Kernel kernel;
  kernel.inputs = {{kX, DType::Float32, {Term(2), Term(w.height), Term(w.width)}}};
  kernel.outputs = {{kY, DType::Float32, {Term(2), Term(w.made(w.height, w.rows)), Term(w.made(w.width, w.columns))}}};
  Term inside = w.pad == 0
                    ? bool_const(true)
                    : all_of(std::vector<Term>{le(0, down), lt(down, Term(w.height)), le(0, along), lt(along, Term(w.width))});
  kernel.statements = {
      {kY, {c, p, kI}, reduce(kind, {{r, Term(w.rows)}, {s, Term(w.columns)}}, inside, read(kX, {int_var(c), down, along}))}};
  return kernel;
}

TEST(Windows, OneAxisAfterTheOtherGivesTheSame) {
  std::mt19937 random(7);
  auto below = [&](std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random); };
  int separated = 0;
  for (int round = 0; round < 60; ++round) {
    WindowTest w{40 + below(9), 40 + below(9), 2 + below(3), 2 + below(3), 1 + below(3), 1 + below(2), below(2)};
    Kernel kernel = window_kernel(w, round % 2 == 0 ? Reduction::Max : Reduction::Min);
    std::vector<double> values;
    for (std::int64_t k = 0; k < 2 * w.height * w.width; ++k) {
      values.push_back(static_cast<double>(below(2001)) - 1000);
    }
    std::vector<Tensor> given = {Tensor::of_doubles(DType::Float32, {2, w.height, w.width}, values)};
    Tensor before = value_of(kernel, given);
    separate_windows(kernel);
    separated += kernel.statements.size() == 2 ? 1 : 0;
    EXPECT_EQ(value_of(kernel, given), before);
    write_out_extrema(kernel);
    EXPECT_EQ(value_of(kernel, given), before);
  }
  EXPECT_GT(separated, 15);
}

TEST(Windows, WithOtherConditionsStay) {
  Kernel kernel = window_kernel({40, 40, 3, 3, 1, 1, 0}, Reduction::Max);
  Statement& statement = kernel.statements[0];
  Term value = statement.value;
  Term guard = le(int_var(value->bound[0]), int_var(value->bound[1]));
  statement.value = rebuild(value, {value.arg(0), guard, value.arg(2), value.arg(3)});
  separate_windows(kernel);
  EXPECT_EQ(kernel.statements.size(), 1U);
}

TEST(Extrema, OverManyElementsStay) {
  Symbol r("r");
  Kernel kernel = kernel_of(64, 2, reduce(Reduction::Max, {{r, Term(64)}}, bool_const(true), x_at(int_var(r))));
  write_out_extrema(kernel);
  EXPECT_TRUE(has_kind(kernel.statements[0].value, TermKind::Reduce));
}

TEST(Choices, ThatRangesDecideAreGone) {
  Term i = int_var(kI);
  Kernel kernel = kernel_of(5, 10, x_at(int_min(Term(4), int_max(Term(0), floor_div(i, Term(2))))));
  Tensor before = value_of(kernel, inputs_of(kernel));
  take_choices_apart(kernel);
  EXPECT_EQ(kernel.statements[0].value, x_at(floor_div(i, Term(2))));
  EXPECT_EQ(value_of(kernel, inputs_of(kernel)), before);
}

TEST(Choices, ThatRangesDecideAroundOneThatTheyDoNot) {
  Term i = int_var(kI);
  Term inner = int_min(Term(4), i);
  Kernel kernel = kernel_of(5, 10, x_at(int_select(le(i, Term(9)), inner, Term(0))));
  Kernel expected = kernel_of(5, 10, x_at(inner));
  take_choices_apart(kernel);
  take_choices_apart(expected);
  EXPECT_EQ(kernel.statements[0].value, expected.statements[0].value);
}

TEST(Choices, ThatRangesDecideWithinGuardsAreGone) {
  Term i = int_var(kI);
  auto mirrored = [](Term at) { return int_select(le(Term(5), at), Term(8) - at, at); };
  Kernel kernel = kernel_of(5, 10, x_at(mirrored(int_select(le(i, Term(-1)), -i, i))));
  Kernel expected = kernel_of(5, 10, x_at(mirrored(i)));
  take_choices_apart(kernel);
  take_choices_apart(expected);
  EXPECT_EQ(kernel.statements[0].value, expected.statements[0].value);
}

TEST(Choices, ThatStayChooseReads) {
  Term i = int_var(kI);
  for (Term at : {int_min(Term(4), int_max(Term(0), i - Term(3))), int_select(le(i, Term(4)), i, Term(9) - i),
                  int_max(i - Term(5), Term(0)) + int_min(i, Term(0))}) {
    Kernel kernel = kernel_of(5, 10, x_at(at));
    Tensor before = value_of(kernel, inputs_of(kernel));
    take_choices_apart(kernel);
    for (TermKind kind : {TermKind::IntMin, TermKind::IntMax, TermKind::IntSelect}) {
      EXPECT_FALSE(has_kind(kernel.statements[0].value, kind));
    }
    EXPECT_EQ(value_of(kernel, inputs_of(kernel)), before);
  }
}

TEST(Choices, OfAnInnerIndexOfTheSameNameGoByItsOwnRange) {
  Symbol r("r");
  Term inner = reduce(Reduction::Sum, {{r, Term(2)}}, bool_const(true), x_at(int_min(int_var(r), Term(3))));
  Term outer = reduce(Reduction::Sum, {{r, Term(8)}}, bool_const(true), inner + x_at(int_min(int_var(r), Term(3))));
  Kernel kernel = kernel_of(5, 1, outer);
  Tensor before = value_of(kernel, inputs_of(kernel));
  take_choices_apart(kernel);
  EXPECT_EQ(value_of(kernel, inputs_of(kernel)), before);
}

TEST(Tables, HoldWhatIndicesAloneGive) {
  Term i = int_var(kI);
  Kernel kernel = kernel_of(6, 6, x_at(i) / real_of(int_min(i + Term(1), Term(3))));
  Tensor before = value_of(kernel, inputs_of(kernel));
  std::vector<Tensor> inputs = inputs_of(kernel);
  for (Tensor& table : make_tables(kernel)) {
    inputs.push_back(std::move(table));
  }
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_FALSE(has_kind(kernel.statements[0].value, TermKind::RealOf));
  EXPECT_EQ(value_of(kernel, inputs), before);
}

TEST(Tables, OfWhatNoFloatHoldsAreNotMade) {
  Kernel kernel = kernel_of(6, 6, real_of(Term((1 << 24) + 1) * int_var(kI)));
  EXPECT_TRUE(make_tables(kernel).empty());
}

}  // namespace
}  // namespace vouch
