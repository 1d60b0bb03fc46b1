// Transposed convolutions as one plain sum for each residue of the stride: the same bits.
#include "build/residues.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "../certify/parsed_kernel.h"
#include "array/eval.h"
#include "build/arrange.h"
#include "certify/index_plan.h"
#include "random_cells.h"

namespace vouch {
namespace {

array::Cells computed(const IndexKernel& kernel, const std::vector<array::Cells>& inputs) {
  return array::evaluate(lower_index(kernel, std::nullopt), {}, inputs);
}

// One axis, or several.
struct Axis {
  long length, window, stride, dilation, pad, positions;
};

struct Words {
  std::string index, condition, x, w, x_extents, w_extents, y_extents;
};

Words words_of(const std::vector<Axis>& axes) {
  Words out;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const Axis& x = axes[a];
    std::string from = fmt::format("(i{} + {} - {} * r{})", a, x.pad, x.dilation, a);
    std::string at = fmt::format("{} // {}", from, x.stride);
    out.index += fmt::format(", i{}", a);
    out.condition += fmt::format("{}{} % {} == 0 && 0 <= {} && {} < {}", a == 0 ? "" : " && ", from, x.stride, at, at, x.length);
    out.x += ", " + at;
    out.w += fmt::format(", r{}", a);
    out.x_extents += fmt::format(", {}", x.length);
    out.w_extents += fmt::format(", {}", x.window);
    out.y_extents += fmt::format(", {}", x.positions);
  }
  return out;
}

IndexKernel transposed(const std::vector<Axis>& axes) {
  Words w = words_of(axes);
  return arranged(
      parsed(fmt::format("kernel t; in X, W, B; out Y; Y<8{}>[f{}] = select({}, X<9{}>[c{}], 0) * W<9, 8{}>[c, f{}] + B<8>[f];",
                         w.y_extents, w.index, w.condition, w.x_extents, w.x, w.w_extents, w.w)));
}

bool all(unsigned) { return true; }

std::size_t choices(const IndexBody& b) {
  std::size_t out = b.kind == IndexBodyKind::If ? 1 : 0;
  for (const IndexBody& arg : b.args) {
    out += choices(arg);
  }
  return out;
}

// The definition, element by element, of one axis: what is read, and the bits.
array::Cells by_hand(const Axis& a, const std::vector<array::Cells>& in) {
  array::Cells out;
  for (long f = 0; f < 8; ++f) {
    for (long i = 0; i < a.positions; ++i) {
      float sum = 0;
      for (long c = 0; c < 9; ++c) {
        for (long r = 0; r < a.window; ++r) {
          long from = i + a.pad - a.dilation * r;
          bool there = from >= 0 && from % a.stride == 0 && from / a.stride < a.length;
          sum += (there ? in[0][static_cast<std::size_t>(c * a.length + from / a.stride)] : 0) *
                 in[1][static_cast<std::size_t>((c * 8 + f) * a.window + r)];
        }
      }
      out.push_back(sum + in[2][static_cast<std::size_t>(f)]);
    }
  }
  return out;
}

std::vector<array::Cells> inputs_to(const IndexKernel& kernel) {
  std::vector<array::Cells> out;
  for (const array::Parameter& input : kernel.inputs) {
    out.push_back(random_cells(array::cell_count(input.type, {}), 5 + static_cast<unsigned>(out.size())));
  }
  for (float& x : out[1]) {
    x = std::isinf(x) ? 1 : x;
  }
  return out;
}

array::Cells in_parts(const Residues& residues, const std::vector<array::Cells>& inputs) {
  std::vector<array::Cells> parts;
  for (const Residue& part : residues.parts) {
    std::vector<array::Cells> given = inputs;
    given[residues.weights] = computed(part.slice, {inputs[residues.weights]});
    parts.push_back(computed(part.kernel, given));
  }
  return computed(residues.together, parts);
}

void expect_equal_bits(const array::Cells& found, const array::Cells& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    ASSERT_TRUE(std::memcmp(&found[k], &expected[k], sizeof(float)) == 0 || (std::isnan(found[k]) && std::isnan(expected[k])))
        << k;
  }
}

Residues expect_residues(const std::vector<Axis>& axes) {
  IndexKernel kernel = transposed(axes);
  auto residues = in_residues(kernel, all);
  EXPECT_TRUE(residues.has_value()) << kernel.formula;
  std::vector<array::Cells> inputs = inputs_to(kernel);
  expect_equal_bits(in_parts(*residues, inputs), computed(kernel, inputs));
  if (axes.size() == 1) {
    expect_equal_bits(in_parts(*residues, inputs), by_hand(axes[0], inputs));
  }
  return *residues;
}

TEST(Residues, ASumOfEveryTermThatIsThere) {
  Residues out = expect_residues({{16, 2, 2, 1, 0, 32}});
  ASSERT_EQ(out.parts.size(), 2U);
  for (const Residue& part : out.parts) {
    EXPECT_EQ(choices(part.kernel.output.summands[0].body), 0U);
    EXPECT_EQ(part.kernel.output.extents[1]->value, 16);
    EXPECT_EQ(part.kernel.output.summands[0].loops[0]->value, 1);
  }
}

TEST(Residues, ResiduesOfOneStrideAreOneKernel) {
  for (const Axis& axis : {Axis{16, 2, 2, 1, 0, 32}, Axis{16, 4, 2, 1, 1, 32}, Axis{16, 9, 3, 1, 2, 51}}) {
    Residues out = expect_residues({axis});
    for (const Residue& part : out.parts) {
      EXPECT_EQ(index_certificate(part.kernel, std::nullopt), index_certificate(out.parts[0].kernel, std::nullopt));
    }
  }
}

TEST(Residues, EachAxisHasItsOwn) {
  EXPECT_EQ(expect_residues({{7, 3, 2, 1, 1, 14}, {5, 4, 3, 1, 0, 16}}).parts.size(), 6U);
  expect_residues({{6, 3, 2, 1, 1, 11}, {8, 2, 1, 1, 0, 9}});
}

TEST(Residues, RandomWindows) {
  std::mt19937 random(3);
  auto draw = [&](long from, long to) { return from + static_cast<long>(random() % static_cast<unsigned>(to - from + 1)); };
  for (int k = 0; k < 40; ++k) {
    Axis a{draw(20, 26), draw(2, 7), draw(2, 4), draw(1, 3), 0, 0};
    a.window = std::max(a.window, a.stride);
    a.dilation = std::gcd(a.dilation, a.stride) == 1 ? a.dilation : 1;
    a.pad = draw(0, a.dilation * (a.window - 1));
    a.positions = std::max(8L, (a.length - 1) * a.stride + a.dilation * (a.window - 1) + 1 - a.pad - draw(0, 2));
    SCOPED_TRACE(fmt::format("{} {} {} {} {} {}", a.length, a.window, a.stride, a.dilation, a.pad, a.positions));
    expect_residues({a});
  }
}

TEST(Residues, WhatIsNotSurelyZeroStays) {
  IndexKernel kernel = transposed({{16, 2, 2, 1, 0, 32}});
  EXPECT_TRUE(in_residues(kernel, [](unsigned k) { return k == 1; }).has_value());
  EXPECT_FALSE(in_residues(kernel, [](unsigned k) { return k != 1; }).has_value());
  const char* const kStart =
      "kernel t; in X, W; out Y; Y<8, 32>[f, i] = select((i - r) % 2 == 0 && 0 <= (i - r) // 2 && "
      "(i - r) // 2 < 16, X<9, 16>[c, (i - r) // 2], ";
  for (const char* rest : {"0) + W<9, 8, 2>[c, f, r];", "1) * W<9, 8, 2>[c, f, r];", "0) * W<9, 8, 2>[c, f, 1 - r];",
                           "0) * W<9, 8, 2>[c, f, r] + W<9, 8, 2>[0, f, i % 2];"}) {
    SCOPED_TRACE(rest);
    EXPECT_FALSE(in_residues(arranged(parsed(std::string(kStart) + rest)), all).has_value());
  }
  EXPECT_FALSE(in_residues(transposed({{16, 2, 4, 1, 0, 62}}), all).has_value());  // residues without terms
  EXPECT_FALSE(in_residues(transposed({{16, 4, 2, 2, 0, 32}}), all).has_value());  // all terms or none
  EXPECT_FALSE(in_residues(transposed({{2, 2, 2, 1, 0, 4}}), all).has_value());    // small
}

}  // namespace
}  // namespace vouch
