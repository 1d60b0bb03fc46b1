// What is called exact is equal bit for bit in the float interpreter, on the values that laws of the reals forget: NaN,
// infinities, both zeros, the smallest and the largest numbers, and on numbers whose sums and products are rounded. (Which NaN it
// is does not count.)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "check/check.h"
#include "check/prove.h"
#include "graph/eval.h"
#include "refute/concrete.h"
#include "rule_of.h"
#include "shipped_rules.h"

namespace vouch {
namespace {

// Rules of laws that hold in IEEE arithmetic, and of comparisons.
std::vector<Rule> written_rules() {
  std::vector<Rule> out;
  for (std::string law :
       {"source Less(x, y); target Greater(y, x);", "source Not(Not(LessOrEqual(x, y))); target LessOrEqual(x, y);",
        "source Or(Less(x, y), Equal(x, y)); target LessOrEqual(x, y);", "source Max((x, y)); target Max((y, x));",
        "source Min((x, Min((x, y)))); target Min((y, x));", "source Neg(Neg(x)); target x;",
        "source Neg(Where(Less(x, y), x, y)); target Where(Less(x, y), Neg(x), Neg(y));",
        "source Mul(x, Neg(Neg(y))); target Mul(y, x);", "let m = ArgMax(x); source m; target ArgMax(Identity(x)) {* as m};",
        "source ReduceMax(Max((x, y))); target Max((ReduceMax(x), ReduceMax(y)));",
        "source Where(Less(x, y), Relu(x), Relu(y)); target Relu(Where(Less(x, y), x, y));"}) {
    std::string y = law.find("y)") != std::string::npos ? "let y = * {dtype = float32, shape = x.shape};\n" : "";
    out.push_back(rule_of("let x = * {dtype = float32};\n" + y + law));
    out.back().name = law;
  }
  return out;
}

const float kSpecial[] = {0.0F,
                          -0.0F,
                          1.0F,
                          -1.0F,
                          0.5F,
                          std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::denorm_min(),
                          -std::numeric_limits<float>::denorm_min(),
                          std::numeric_limits<float>::max(),
                          -std::numeric_limits<float>::max(),
                          16777217.0F,
                          3.0e38F,
                          -1.5F,
                          1.0e-38F};

// Half of the tensors are of numbers with all bits in use.
std::vector<Tensor> draw_special(const Graph& graph, std::mt19937& random) {
  std::uniform_real_distribution<float> fraction(-2.0F, 2.0F);
  std::vector<Tensor> out;
  for (NodeId input : graph.inputs()) {
    Type type = graph.type(input);
    Tensor tensor(type.dtype(), *type.concrete_extents());
    bool special = random() % 2 == 0;
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
      if (is_float(type.dtype())) {
        tensor.set_double(i, static_cast<double>(special ? kSpecial[random() % std::size(kSpecial)] : fraction(random)));
      } else {
        tensor.set_int(i, static_cast<std::int64_t>(random() % 2));
      }
    }
    out.push_back(std::move(tensor));
  }
  return out;
}

bool same_bits(const Tensor& a, const Tensor& b, std::int64_t at) {
  if (!is_float(a.dtype())) {
    return a.int_at(at) == b.int_at(at);
  }
  double x = a.double_at(at);
  double y = b.double_at(at);
  return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
}

struct Counted {
  std::size_t rules = 0;
  std::size_t elements = 0;
};

void expect_same_bits(const Rule& rule, const ConcreteSides& sides, std::mt19937& random, Counted& counted) {
  std::vector<Tensor> inputs = draw_special(sides.source, random);
  Diagnostics diagnostics;
  auto source = eval_graph(sides.source, inputs, diagnostics);
  auto target = eval_graph(*sides.target, inputs, diagnostics);
  if (!source || !target) {
    return;  // an index from data that is out of range
  }
  for (std::size_t k = 0; k < source->size(); ++k) {
    for (std::int64_t i = 0; i < (*source)[k].count(); ++i) {
      ++counted.elements;
      ASSERT_TRUE(same_bits((*source)[k], (*target)[k], i))
          << rule.name << ": output " << k << " element " << i << ": " << (*source)[k].double_at(i) << " in the source, "
          << (*target)[k].double_at(i) << " in the target";
    }
  }
}

void try_instances(const Rule& rule, Counted& counted) {
  constexpr std::size_t kMostInstances = 8;
  constexpr int kDraws = 40;
  InstanceOptions options;
  options.max_rank = 3;
  options.lengths = {2};
  std::size_t tried = 0;
  std::size_t seen = 0;
  std::mt19937 random(7);
  for_each_instance(rule, options, [&](const Instance& instance) {
    bool power = (seen & (seen + 1)) == 0;
    ++seen;
    if (!power || prove_instance(instance, {}).result != ProofResult::Exact) {
      return seen < 200;
    }
    auto assignment = AssignmentSearch(instance).find(random, 3);
    std::string why;
    auto sides = assignment ? concrete_sides(instance, *assignment, 2000, why) : std::nullopt;
    for (int draw = 0; sides && sides->target && draw < kDraws; ++draw) {
      expect_same_bits(rule, *sides, random, counted);
    }
    tried += sides && sides->target;
    return tried < kMostInstances;
  });
  counted.rules += tried > 0;
}

TEST(IeeeExact, WhatIsProvenExactIsEqualBitForBit) {
  Counted counted;
  for (const Rule& rule : written_rules()) {
    std::size_t before = counted.rules;
    try_instances(rule, counted);
    EXPECT_GT(counted.rules, before) << rule.name << " is not exact anywhere";
  }
  for (const Rule& rule : some_shipped_rules()) {
    try_instances(rule, counted);
  }
  EXPECT_GT(counted.rules, 20U);
  EXPECT_GT(counted.elements, 2'000U);
}

// Operators that round once, where the other side rounds after each of several.
TEST(IeeeExact, WhatIsRoundedElsewhereIsNotExact) {
  for (std::string law :
       {"let w = * {dtype = float32, rank = 2}; where x.rank == 2; let b = * {dtype = float32, shape = (w.shape[1],)};\n"
        "source Add(MatMul(x, w), b); target Gemm(x, w, b);",
        "let y = * {dtype = float32, shape = x.shape}; let z = * {dtype = float32, shape = x.shape};\n"
        "source Sum((x, y, z)); target x + y + z;",
        "where x.rank == 1; let a = const {value = (0,)}; source ReduceMean(x, a) {keepdims = 0};\n"
        "target ReduceSum(x, a) {keepdims = 0} / const {value = x.shape[0], dtype = float32};"}) {
    RuleVerdict verdict = check_rule(rule_of("let x = * {dtype = float32};\n" + law), {});
    EXPECT_EQ(verdict.verdict, Verdict::SoundReal) << law << verdict.reason;
  }
}

TEST(IeeeExact, LawsOfRingsAreExactOfIntegers) {
  for (auto [type, wanted] : {std::pair("int8", Verdict::SoundExact), std::pair("float32", Verdict::SoundReal)}) {
    std::string x = fmt::format("let x = * {{dtype = {}}};\n", type);
    EXPECT_EQ(check_rule(rule_of(x + "source (x + x) - x; target x;"), {}).verdict, wanted) << type;
  }
}

}  // namespace
}  // namespace vouch
