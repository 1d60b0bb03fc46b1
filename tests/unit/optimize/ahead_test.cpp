// Verdicts that have to be worked out are worked out together: of the rules that match, and of no others.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "rewrite/pipeline.h"
#include "site.h"

namespace vouch {
namespace {

const char* const kTwice = R"gsl(
rule late_neg { phase late; let x = *; source Neg(Neg(x)); target x; }
rule sign_sign { let x = *; source Sign(Sign(x)); target Sign(x); }
rule relu_relu { let x = *; source Relu(Relu(x)); target Relu(x); }
rule relu_sign { let x = *; source Relu(Sign(x)); target Sign(Relu(x)); }
rule not_there { let x = *; source Ceil(Ceil(x)); target Ceil(x); }
)gsl";

enum : std::size_t { kLateNeg, kSignSign, kReluRelu, kReluSign };

// Relu(Relu(Neg(Neg(Sign(Sign(x)))))): relu_sign comes to match when what lies between is gone.
Site chain() {
  Site site;
  NodeId at = site.input({2, 3});
  for (const char* op : {"Sign", "Sign", "Neg", "Neg", "Relu", "Relu"}) {
    at = site.call(op, {at});
  }
  site.graph.add_output("y", at);
  return site;
}

// A store that nothing was kept in before.
class OwnStore {
 public:
  OwnStore() : folder_(std::filesystem::path(testing::TempDir()) / fmt::format("ahead-{}", getpid())) {
    std::filesystem::remove_all(folder_);
    setenv("VOUCH_CACHE", folder_.c_str(), 1);
  }
  OwnStore(const OwnStore&) = delete;
  OwnStore& operator=(const OwnStore&) = delete;
  ~OwnStore() {
    unsetenv("VOUCH_CACHE");
    std::filesystem::remove_all(folder_);
  }

 private:
  std::filesystem::path folder_;
};

using Asked = std::pair<std::size_t, std::vector<std::size_t>>;

TEST(Ahead, TheFirstQuestionTellsAllRulesThatMatchThen) {
  std::vector<Rule> rules = rules_of(kTwice);
  Admission everywhere = Admission::unproven();
  std::vector<Asked> asked;
  Admissions admissions([&](std::size_t) -> Admission& { return everywhere; },
                        [&](std::size_t rule, const Admissions::Matching& matching) { asked.emplace_back(rule, matching()); });
  Site site = chain();
  RewriteOptions options;
  options.admissions = admissions;
  options.phases = phase_bit(Phase::Main);
  EXPECT_EQ(rewrite(site.graph, rules, options).steps, 2U);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0], Asked(kSignSign, {kSignSign, kReluRelu}));
  EXPECT_EQ(asked[1], Asked(kReluRelu, {kReluRelu}));
}

TEST(Ahead, AReplayTellsTheRulesThatItsTraceNames) {
  std::vector<Rule> rules = rules_of(kTwice);
  Site site = chain();
  Graph before = site.graph;
  Trace trace;
  OptimizeOptions options;
  options.admissions = all_unproven();
  ASSERT_EQ(optimize(site.graph, rules, options, &trace).rewriting.steps, 4U);
  Admission everywhere = Admission::unproven();
  std::vector<Asked> asked;
  Admissions admissions([&](std::size_t) -> Admission& { return everywhere; },
                        [&](std::size_t rule, const Admissions::Matching& matching) { asked.emplace_back(rule, matching()); });
  Trace done;
  Diagnostics diagnostics;
  ASSERT_TRUE(replay(before, rules, trace, admissions, done, diagnostics)) << diagnostics.text();
  ASSERT_FALSE(asked.empty());
  EXPECT_EQ(asked[0], Asked(kLateNeg, {kLateNeg, kSignSign, kReluRelu, kReluSign}));
}

TEST(Ahead, AGateProvesWhatMatchesAndNothingElse) {
  std::vector<Rule> rules = rules_of(kTwice);
  OwnStore own;
  VerdictStore store;
  Gate gate(rules, store);
  Site site = chain();
  RewriteOptions options;
  options.admissions = gate.admissions();
  options.phases = phase_bit(Phase::Main);
  RewriteResult result = rewrite(site.graph, rules, options);
  EXPECT_EQ(result.steps, 2U) << (result.refusals.empty() ? "" : result.refusals[0].reason);
  EXPECT_NE(store.find(rules[kSignSign]), nullptr);
  EXPECT_NE(store.find(rules[kReluRelu]), nullptr);
  EXPECT_EQ(store.find(rules.back()), nullptr);
}

TEST(Ahead, WhatIsProvenTogetherIsWhatIsProvenAlone) {
  std::vector<Rule> rules = rules_of(std::string(kTwice) + R"gsl(
rule wrong { let x = *; source Relu(Neg(x)); target Neg(Relu(x)); }
rule wrong_again { let x = *; source Relu(Neg(x)); target Neg(Relu(x)); }
)gsl");
  OwnStore own;
  VerdictStore together;
  std::vector<const Rule*> all;
  for (const Rule& rule : rules) {
    all.push_back(&rule);
  }
  together.prove(all);
  for (const Rule& rule : rules) {
    RuleVerdict alone = check_rule(rule, {});
    const KeptVerdict& kept = together.verdict(rule);
    EXPECT_EQ(kept.kind, alone.verdict) << rule.name;
    EXPECT_EQ(*kept.scopes, alone.scopes) << rule.name;
  }
  EXPECT_EQ(together.verdict(rules.back()).kind, Verdict::Unsound);
}

}  // namespace
}  // namespace vouch
