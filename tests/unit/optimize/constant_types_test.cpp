// Constants that a rule makes of elements: their type does not hang on which numbers a model has there. What each side computes
// is worked out by hand.
#include <gtest/gtest.h>

#include <limits>

#include "site.h"

namespace vouch {
namespace {

const char* const kDivided = R"gsl(rule divided {
  let u = *;
  let b = const {value = any, rank = 0};
  let c = const {value = any, rank = 0};
  let d = const {value = any, rank = 0};
  source Xor(Equal(Div(b, c), d), u);
  target Not(Equal(u, Equal(Div(const {value = b.value}, const {value = c.value}), const {value = d.value})));
})gsl";

const char* const kCompared = R"gsl(rule compared {
  let u = *;
  let b = const {value = any, rank = RANK};
  let c = const {value = any, rank = RANK};
  source Xor(Equal(b, c), u);
  target Not(Equal(u, Equal(const {value = b.value}, const {value = c.value})));
})gsl";

std::string of_rank(std::size_t rank) {
  std::string text = kCompared;
  for (std::size_t at = text.find("RANK"); at != std::string::npos; at = text.find("RANK")) {
    text.replace(at, 4, std::to_string(rank));
  }
  return text;
}

Tensor doubles(DType dtype, Extents extents, const std::vector<double>& values) {
  Tensor out(dtype, std::move(extents));
  for (std::size_t k = 0; k < values.size(); ++k) {
    out.set_double(static_cast<std::int64_t>(k), values[k]);
  }
  return out;
}

Tensor whole(DType dtype, std::int64_t value) { return Tensor::of_ints(dtype, {}, std::vector<std::int64_t>{value}); }

// The constants that are there, in the order in which they were made.
std::vector<Tensor> constants_of(const Graph& graph) {
  std::vector<Tensor> out;
  for (NodeId node = 0; node < graph.id_limit(); ++node) {
    if (graph.is_live(node) && graph.has_value(node)) {
      out.push_back(graph.value(node));
    }
  }
  return out;
}

NodeId xor_of(Site& site, NodeId equal, Extents extents = {}) {
  return site.call("Xor", {equal, site.input(std::move(extents), DType::Bool)});
}

// 7 / 2 is 3.5 and not 3: as integers, which 7, 2 and 3 look like, it would be.
TEST(ConstantTypes, WholeNumbersOfFloatsStayFloats) {
  for (DType dtype : {DType::Float32, DType::Float64}) {
    Site site;
    auto constant = [&](double value) { return site.graph.add_constant(doubles(dtype, {}, {value})); };
    NodeId quotient = site.call("Div", {constant(7), constant(2)});
    EXPECT_EQ(site.fires(kDivided, xor_of(site, site.call("Equal", {quotient, constant(3)}))), 1U) << site.reason;
    for (const Tensor& made : constants_of(site.graph)) {
      EXPECT_EQ(made.dtype(), dtype);
    }
  }
}

// As float32, both are 1.
TEST(ConstantTypes, DoublesStayDoubles) {
  for (const Extents& extents : {Extents{}, Extents{1}, Extents{1, 1}}) {
    Site site;
    NodeId b = site.graph.add_constant(doubles(DType::Float64, extents, {1}));
    NodeId c = site.graph.add_constant(doubles(DType::Float64, extents, {1 + 0x1p-40}));
    std::size_t fired = site.fires(of_rank(extents.size()), xor_of(site, site.call("Equal", {b, c}), extents));
    EXPECT_EQ(fired, extents.size() < 2 ? 1U : 0U) << site.reason;  // whole tensors are not proven
    std::vector<Tensor> made = constants_of(site.graph);
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(made[0].dtype(), DType::Float64);
    EXPECT_EQ(made[1].dtype(), DType::Float64);
    EXPECT_NE(made[0].double_at(0), made[1].double_at(0));
  }
}

TEST(ConstantTypes, EachIntegerTypeStaysItself) {
  for (DType dtype :
       {DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64}) {
    Site site;
    NodeId b = site.graph.add_constant(whole(dtype, 3));
    NodeId c = site.graph.add_constant(whole(dtype, 4));
    EXPECT_EQ(site.fires(of_rank(0), xor_of(site, site.call("Equal", {b, c}))), 1U) << dtype_name(dtype) << site.reason;
    for (const Tensor& made : constants_of(site.graph)) {
      EXPECT_EQ(made.dtype(), dtype);
    }
  }
}

// An alpha of 2 is a float, however whole.
TEST(ConstantTypes, AttributesThatAreWholeStayFloats) {
  const char* const rule = R"gsl(rule scaled {
    let x = * {rank = 2};
    let y = * {rank = 2};
    let g = Gemm(x, y) {alpha = any, beta = _, transA = _, transB = _};
    where x.dtype == float32 and y.dtype == float32;
    source g;
    target MatMul(x, y) * const {value = g.alpha};
  })gsl";
  Site site;
  AttrDict alpha({{Symbol("alpha"), AttrValue(real_const(2))}});
  EXPECT_EQ(site.fires(rule, site.call("Gemm", {site.input({3, 2}), site.input({2, 4})}, alpha)), 1U) << site.reason;
  ASSERT_EQ(constants_of(site.graph).size(), 1U);
  EXPECT_EQ(constants_of(site.graph)[0].dtype(), DType::Float32);
}

const char* const kSlope = R"gsl(rule slope {
  let x = * {dtype = float64};
  let c = const {value = any, rank = 0, dtype = float64};
  let z = const {value = 0, rank = 0, dtype = float64};
  source Where(Less(x, z), x * c, x);
  target LeakyRelu(x) {alpha = c.value};
})gsl";

// Float attributes are of float32, which has a half and of 0.1 less than half of the digits that float64 has.
TEST(ConstantTypes, AnAttributeKeepsEnoughOfADouble) {
  for (auto [slope, steps] : {std::pair(0.5, 1U), std::pair(0.1, 0U)}) {
    Site site;
    NodeId x = site.input({3}, DType::Float64);
    NodeId negative = site.call("Less", {x, site.graph.add_constant(doubles(DType::Float64, {}, {0}))});
    NodeId product = site.call("Mul", {x, site.graph.add_constant(doubles(DType::Float64, {}, {slope}))});
    EXPECT_EQ(site.fires(kSlope, site.call("Where", {negative, product, x})), steps) << slope << ": " << site.reason;
    EXPECT_EQ(steps == 1, site.reason.empty()) << site.reason;
  }
}

}  // namespace
}  // namespace vouch
