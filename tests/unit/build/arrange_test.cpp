// Kernels with other axes: the same bits in the same cells.
#include "build/arrange.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "../certify/parsed_kernel.h"
#include "array/eval.h"
#include "certify/index_lowering.h"
#include "certify/index_plan.h"

namespace vouch {
namespace {

using array::size_const;

array::Cells computed(const IndexKernel& kernel) {
  array::Program program = lower_index(kernel, std::nullopt);
  std::mt19937 random(11);
  std::vector<array::Cells> inputs;
  for (const array::Parameter& input : program.inputs) {
    array::Cells cells(array::cell_count(input.type, {}));
    for (float& x : cells) {
      auto draw = random() % 500;
      x = draw == 0 ? INFINITY : draw == 1 ? -0.0F : static_cast<float>(draw) / 64 - 3;
    }
    inputs.push_back(std::move(cells));
  }
  return array::evaluate(program, {}, inputs);
}

IndexKernel expect_same(const IndexKernel& kernel) {
  IndexKernel other = arranged(kernel);
  array::Cells expected = computed(kernel);
  array::Cells found = computed(other);
  EXPECT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), std::min(found.size(), expected.size()) * sizeof(float)), 0);
  return other;
}

std::vector<Integer> numbers(const std::vector<array::Size>& sizes) {
  std::vector<Integer> out;
  for (const array::Size& size : sizes) {
    out.push_back(size->value);
  }
  return out;
}

using Sizes = std::vector<Integer>;

TEST(Arrange, GroupsOfChannelsAreAnAxis) {
  IndexKernel out =
      expect_same(parsed("kernel c; in X, W; out Y; Y<1, 6, 5, 7>[n, f, y, x] = select(f // 3 * 2 + c < 4, "
                         "X<1, 4, 5, 7>[n, f // 3 * 2 + c, y + r, x + s], 0) * W<6, 2, 1, 1>[f, c, r, s];"));
  EXPECT_EQ(numbers(out.output.extents), (Sizes{2, 3, 35}));
  EXPECT_EQ(numbers(out.output.summands[0].loops), Sizes{2});
  const IndexBody& product = out.output.summands[0].body;
  ASSERT_EQ(product.args.size(), 2U);
  EXPECT_EQ(product.args[0].kind, IndexBodyKind::Read);
  EXPECT_EQ(numbers(product.args[0].extents), (Sizes{2, 2, 35}));
}

TEST(Arrange, WhatIsWalkedTogetherIsOneAxis) {
  IndexKernel out =
      expect_same(parsed("kernel s; in X, Z; out Y; Y<2, 3, 4, 5>[a, b, c, d] = "
                         "X<2, 3, 4, 5>[a, b, c, d] * 2 + Z<3>[b];"));
  EXPECT_EQ(numbers(out.output.extents), (Sizes{2, 3, 20}));
  out = expect_same(parsed("kernel m; in X; out Y; Y<2, 3>[a, b] = X<2, 3, 4, 5>[a, b, c, d];"));
  EXPECT_EQ(numbers(out.output.extents), Sizes{6});
  EXPECT_EQ(numbers(out.output.summands[0].loops), Sizes{20});
}

TEST(Arrange, WhatIsWalkedOtherwiseStays) {
  EXPECT_EQ(numbers(expect_same(parsed("kernel t; in X; out Y; Y<3, 4>[a, b] = X<4, 3>[b, a];")).output.extents), (Sizes{3, 4}));
  EXPECT_EQ(numbers(expect_same(parsed("kernel b; in X, Z; out Y; Y<3, 4>[a, b] = X<3, 4>[a, b] + Z<4>[b];")).output.extents),
            (Sizes{3, 4}));
  EXPECT_EQ(
      numbers(expect_same(parsed("kernel l; in X; out Y; Y<3, 4>[a, b] = select(b <= a, X<3, 4>[a, b], 0);")).output.extents),
      (Sizes{3, 4}));
}

TEST(Arrange, ASumOfOneTermStaysASum) {
  IndexKernel out = expect_same(parsed("kernel d; in X, W; out Y; Y<8, 9>[f, x] = X<8, 9>[f, x + r] * W<8, 1>[f, r];"));
  EXPECT_EQ(numbers(out.output.summands[0].loops), Sizes{1});
}

TEST(Arrange, BordersAreLookedAtOnlyWhereTheyAre) {
  IndexKernel out =
      expect_same(parsed("kernel p; in X; out Y; Y<2, 6>[c, x] = select(0 <= x - 1 && x - 1 < 4 && c < 2, "
                         "X<2, 4>[c, x - 1], 7);"));
  EXPECT_EQ(out.output.summands[0].body.condition.kind, IndexCondKind::And);
  EXPECT_EQ(out.output.summands[0].body.condition.parts[1].kind, IndexCondKind::Le);
}

// Kernels of every form, with subscripts inside and outside of tensors.
class RandomKernel {
 public:
  explicit RandomKernel(unsigned seed) : random_(seed) {}

  IndexKernel kernel() {
    IndexKernel out;
    out.name = "k";
    out.output_name = "y";
    for (unsigned k = 0; k < 2; ++k) {
      shapes_.push_back(sizes(1 + draw(4)));
      array::Type type = array::type_num();
      for (std::size_t a = shapes_[k].size(); a-- > 0;) {
        type = array::type_array(shapes_[k][a], type);
      }
      out.inputs.push_back({k == 0 ? "a" : "b", type});
    }
    out.output.extents = sizes(1 + draw(4));
    for (unsigned k = 0; k <= draw(2); ++k) {
      IndexSummand summand;
      summand.loops = sizes(draw(3));
      variables_ = static_cast<unsigned>(summand.loops.size() + out.output.extents.size());
      summand.condition = draw(3) == 0 ? condition(1) : IndexCond();
      summand.body = body(2);
      out.output.summands.push_back(summand);
    }
    return out;
  }

 private:
  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }

  std::vector<array::Size> sizes(unsigned count) {
    std::vector<array::Size> out;
    for (unsigned k = 0; k < count; ++k) {
      constexpr int kSizes[] = {1, 2, 3, 4, 6};
      out.push_back(size_const(kSizes[draw(5)]));
    }
    return out;
  }

  IndexTerm variable() { return term_variable(draw(variables_)); }

  IndexTerm term(unsigned depth) {
    int by = 1 + static_cast<int>(draw(4));
    switch (depth == 0 ? draw(4) : draw(8)) {
      case 0: return term_constant(draw(3));
      case 1: return term_sum(variable(), term_constant(-1));
      case 4: return {IndexTermKind::Div, 0, by, {}, {term(depth - 1)}};
      case 5: return {IndexTermKind::Mod, 0, by, {}, {term(depth - 1)}};
      case 6: return term_sum(term(depth - 1), term_scaled(by - 2, term(depth - 1)));
      default: return variable();
    }
  }

  IndexCond condition(unsigned depth) {
    switch (depth == 0 ? draw(2) : draw(5)) {
      case 0: return {IndexCondKind::Le, {term(1), term(1)}, {}};
      case 1: return {IndexCondKind::Eq, {term(1), term(1)}, {}};
      case 2: return {IndexCondKind::And, {}, {condition(depth - 1), condition(depth - 1)}};
      case 3: return {IndexCondKind::Or, {}, {condition(depth - 1), condition(depth - 1)}};
      default: return {IndexCondKind::Not, {}, {condition(depth - 1)}};
    }
  }

  IndexBody body(unsigned depth) {
    IndexBody out;
    unsigned kind = depth == 0 ? 0 : draw(4);
    if (kind <= 1) {
      out.kind = IndexBodyKind::Read;
      out.tensor = draw(2);
      out.extents = shapes_[out.tensor];
      bool in_order = draw(2) == 0;
      for (unsigned a = 0; a < out.extents.size(); ++a) {
        auto from_last = static_cast<unsigned>(out.extents.size()) - 1 - a;
        out.at.push_back(in_order && from_last < variables_ ? term_variable(from_last) : term(2));
      }
    } else if (kind == 2) {
      out.kind = IndexBodyKind::Op;
      out.op = array::Op::Mul;
      out.args = {body(depth - 1), body(depth - 1)};
    } else {
      out.kind = IndexBodyKind::If;
      out.condition = condition(1);
      out.args = {body(depth - 1), body(depth - 1)};
    }
    return out;
  }

  std::mt19937 random_;
  std::vector<std::vector<array::Size>> shapes_;
  unsigned variables_ = 0;
};

TEST(Arrange, AnyKernelComputesTheSameBits) {
  unsigned changed = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    IndexKernel kernel = RandomKernel(seed).kernel();
    changed += expect_same(kernel).output.extents.size() != kernel.output.extents.size() ? 1 : 0;
    if (HasFailure()) {
      break;
    }
  }
  EXPECT_GT(changed, 1000U);
}

}  // namespace
}  // namespace vouch
