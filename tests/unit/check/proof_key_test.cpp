// Instances with one key are proven once for all of them: each of them, proven by itself, must come to the same result.
#include "instance/proof_key.h"

#include <gtest/gtest.h>

#include <map>

#include "check/prove.h"
#include "rule_of.h"

namespace vouch {
namespace {

struct Keys {
  std::size_t instances = 0;
  std::size_t keys = 0;
  std::set<ProofResult> results;
};

Keys keys_of(const Rule& rule, std::uint32_t max_rank) {
  Keys out;
  std::map<std::vector<std::uintptr_t>, ProofResult> known;
  InstanceOptions options;
  options.max_rank = max_rank;
  for_each_instance(rule, options, [&](const Instance& instance) {
    if (!instance.target_error.empty() || !instance.unsupported.empty()) {
      return true;
    }
    ++out.instances;
    Arithmetic::begin_rule(0);
    const ProofResult result = prove_instance(instance, {}).result;
    auto [at, is_new] = known.try_emplace(proof_key(instance), result);
    EXPECT_EQ(at->second, result) << rule.name << ": " << instance.label;
    out.results.insert(result);
    return true;
  });
  out.keys = known.size();
  return out;
}

// What is lost on the way depends on the type in between: its range, its rounding, whether it has signs.
TEST(ProofKey, TypesThatDifferInRangeOrRoundingAreApart) {
  for (const char* type : {"int8", "uint8", "int32", "float16", "float32"}) {
    const std::string given = type;
    Keys keys = keys_of(rule_of("let x = * {rank = 0, dtype = \"" + given +
                                "\"}; let c = Cast(x) {to = any}; source Cast(c) {to = \"" + given + "\"}; target x;"),
                        0);
    EXPECT_TRUE(keys.results.contains(ProofResult::Exact)) << type;
    EXPECT_TRUE(keys.results.contains(ProofResult::Unknown)) << type;
  }
}

// What is limited to the numbers of one type is what it was, of that type and of narrower ones.
TEST(ProofKey, RangesOfInputsAreApart) {
  Keys keys =
      keys_of(rule_of("let x = * {rank = 0}; let most = const {value = 127, rank = 0}; let z = const {value = 0, rank = 0}; "
                      "source Cast(Min((Max((x, z)), most))) {to = \"float32\"}; target Cast(Max((x, z))) {to = \"float32\"};"),
              0);
  EXPECT_TRUE(keys.results.contains(ProofResult::Exact) || keys.results.contains(ProofResult::Real));
  EXPECT_TRUE(keys.results.contains(ProofResult::Unknown));
}

// Where a number of floats takes part, sums and products of integers are no ring of them; and an element that is open has what
// its type has, whatever is computed from it.
TEST(ProofKey, TypesOfConstantsAreSeen) {
  keys_of(rule_of("let x = * {rank = 0}; let two = const {value = 2, rank = 0}; source Pow(x, two); target x * x;"), 0);
  keys_of(rule_of("let x = * {rank = 0}; let k = const {value = any, rank = 0}; source Pow(x, k) + x; target x + Pow(x, k);"), 0);
  keys_of(rule_of("let x = * {rank = 0, dtype = \"int32\"}; let k = const {value = any, rank = 0}; "
                  "source Cast(k) {to = \"int32\"} + x; target Cast(Cast(k) {to = \"int8\"}) {to = \"int32\"} + x;"),
          0);
  keys_of(rule_of("let x = * {rank = 0}; let k = const {value = any, rank = 0}; source Max((x, k, x)); target Max((x, k));"), 0);
  keys_of(rule_of("let x = * {rank = 0}; let y = * {rank = 0}; source Abs(x - y) * Abs(y - x); target (x - y) * (x - y);"), 0);
  keys_of(rule_of("let x = * {rank = 0}; let k = const {value = 3, rank = 0}; source Abs(x - k) + k; target Abs(k - x) + k;"), 0);
}

}  // namespace
}  // namespace vouch
