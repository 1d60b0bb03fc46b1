// Kernels are made ready to become C without changing what they compute: compared with the interpreter before and after.
#include <gtest/gtest.h>

#include "build/extrema.h"
#include "build/piecewise.h"
#include "kernel/eval.h"

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
