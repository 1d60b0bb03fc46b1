// Faults planted into what the prover is given. A fact that is left out has to cost a proof: else nothing here would notice if it
// were never stated. A fact that is false, or a demand that is left out, lets wrong rules through the proof: then the numbers,
// which are drawn without it, have to notice.
#include <gtest/gtest.h>

#include <functional>

#include "check/prove.h"
#include "refute/refute.h"
#include "rule_of.h"

namespace vouch {
namespace {

std::vector<Instance> instances_of(const std::string& items) {
  Rule rule = rule_of(items);
  InstanceOptions options;
  options.max_rank = 2;
  std::vector<Instance> out;
  for_each_instance(rule, options, [&](const Instance& instance) {
    out.push_back(instance);
    return out.size() < 40;
  });
  return out;
}

bool is_proven(const Instance& instance) {
  ProofResult result = prove_instance(instance, {}).result;
  return result == ProofResult::Exact || result == ProofResult::Real;
}

bool says(const InstanceCondition& condition, const std::string& what) { return condition.why.find(what) != std::string::npos; }

struct Planted {
  const char* name;
  const char* rule;
  const char* fact;
  const char* also = nullptr;  // what states it again
};
void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

// A fact is left out, everywhere it is stated.
class FactIsNeeded : public testing::TestWithParam<Planted> {};

TEST_P(FactIsNeeded, AndItsLossCostsAProof) {
  bool cost = false;
  std::size_t proven = 0;
  for (Instance instance : instances_of(GetParam().rule)) {
    if (!is_proven(instance)) {
      continue;
    }
    ++proven;
    std::size_t before = instance.assumptions.size();
    std::erase_if(instance.assumptions, [&](const InstanceCondition& c) {
      return says(c, GetParam().fact) || (GetParam().also && says(c, GetParam().also));
    });
    for (FreeSymbol& symbol : instance.symbols) {
      symbol.at_least =
          symbol.kind == SymbolKind::Size && says({{}, "sizes are at least 1"}, GetParam().fact) ? std::nullopt : symbol.at_least;
    }
    cost = cost || (before != instance.assumptions.size() && !is_proven(instance));
  }
  EXPECT_GT(proven, 0U);
  EXPECT_TRUE(cost) << "without \"" << GetParam().fact << "\" everything is proven as before";
}

INSTANTIATE_TEST_SUITE_P(
    Facts, FactIsNeeded,
    testing::Values(
        Planted{"Condition",
                "let x = * {rank = 2}; where x.shape[0] == 1; source reduce_sum(x) {axes = (0,), keepdims = 1}; target x;",
                "a condition of the rule"},
        Planted{"Legality",
                "let x = * {rank = 2}; let y = * {rank = 2}; let z = * {rank = 2};"
                "source MatMul(MatMul(x, y), z); target MatMul(x, MatMul(y, z));",
                "MatMul"},
        Planted{"SignOfASize",
                "let x = * {rank = 1, dtype = float32}; source reduce_max(Relu(x)) {axes = (0,), keepdims = 1};"
                "target Relu(reduce_max(x) {axes = (0,), keepdims = 1});",
                "sizes are at least 1", "must not be empty"}),
    [](const auto& one) { return one.param.name; });

// A wrong rule that a planted fault proves. The numbers are drawn from the instance as it should be.
void expect_noticed(const std::string& rule, const std::function<void(Instance&)>& plant) {
  std::size_t deceived = 0;
  for (const Instance& instance : instances_of(rule)) {
    Instance faulty = instance;
    plant(faulty);
    if (!is_proven(instance) && is_proven(faulty)) {
      ++deceived;
      EXPECT_TRUE(refute_instance(instance, {}).counterexample) << instance.label;
    }
  }
  EXPECT_GT(deceived, 0U) << "the planted fault deceives nobody";
}

TEST(PlantedFault, AFactThatIsNotTrue) {
  expect_noticed("let x = * {rank = 2}; source reduce_sum(x) {axes = (0,), keepdims = 1}; target x;", [](Instance& faulty) {
    faulty.assumptions.push_back({eq(faulty.inputs[0].type.extents()[0], 1), "planted"});
  });
}

TEST(PlantedFault, AConditionTurnedRound) {
  expect_noticed("let x = * {rank = 2}; where x.shape[0] != 1; source reduce_sum(x) {axes = (0,), keepdims = 1}; target x;",
                 [](Instance& faulty) {
                   for (InstanceCondition& c : faulty.assumptions) {
                     c.guard = says(c, "a condition of the rule") ? negate(c.guard) : c.guard;
                   }
                 });
}

TEST(PlantedFault, ADemandThatIsLeftOut) {
  expect_noticed("let x = * {rank = 2, dtype = float32}; source Transpose(x * 0.0) {perm = (1, 0)}; target x * 0.0;",
                 [](Instance& faulty) { faulty.obligations.clear(); });
}

TEST(PlantedFault, ABodyOfAnotherInput) {
  expect_noticed(
      "let x = * {rank = 1, dtype = float32}; let y = * {shape = x.shape, dtype = float32}; source x - y; target y - x;",
      [](Instance& faulty) {
        for (InstanceOutput& output : faulty.outputs) {
          output.target_body = output.source_body;
        }
      });
}

}  // namespace
}  // namespace vouch
