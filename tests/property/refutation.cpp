// Wrong rules are refuted, right ones are not, by the whole toolchain at once: what the refuter finds in exact arithmetic on
// graphs that it made from a rule's symbolic instances is found again by the rewriter (which matches the rule against the
// source graph and builds the target its own way) and by the floating-point interpreter. Seeds are printed on failure.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "check/check.h"
#include "graph/eval.h"
#include "io/taso_rules.h"
#include "refute/mutate.h"
#include "refute/refute.h"
#include "refute/show.h"
#include "rewrite/engine.h"
#include "rule/parse.h"
#include "rule/print.h"

namespace vouch {

void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }  // NOLINT: gtest looks for this name

namespace {

std::vector<Rule> parsed(const std::string& name, const std::string& text) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>(name, text), diagnostics);
  EXPECT_TRUE(rules) << diagnostics.text();
  return rules ? std::move(*rules) : std::vector<Rule>{};
}

std::string contents(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The rules below a folder of `rules/`; `unsound` says which half.
std::vector<Rule> library(bool unsound) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(VOUCH_ROOT "/rules")) {
    bool wrong = entry.path().string().find("/rules/unsound/") != std::string::npos;
    if (entry.path().extension() == ".gsl" && wrong == unsound) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Rule> all;
  for (const std::string& file : files) {
    std::vector<Rule> rules = parsed(file, contents(file));
    std::move(rules.begin(), rules.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<Rule> those(std::vector<Rule> rules, bool (*chosen)(const Rule&)) {
  std::erase_if(rules, [&](const Rule& rule) { return !chosen(rule); });
  return rules;
}

bool is_said_to_be_wrong(const Rule& rule) {
  return rule.expectation == Expectation::Unsound || rule.expectation == Expectation::IllTyped;
}

bool says_what_it_is(const Rule& rule) { return rule.expectation != Expectation::None; }

std::string name_of(const testing::TestParamInfo<Rule>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return fmt::format("{}_{}", info.index, name);  // two files may name a rule alike
}

std::optional<double> element(const std::vector<Tensor>& outputs, const Counterexample& c) {
  if (c.output >= outputs.size() || outputs[c.output].rank() != c.index.size()) {
    return std::nullopt;
  }
  const Tensor& tensor = outputs[c.output];
  std::int64_t flat = 0;
  for (std::size_t axis = 0; axis < c.index.size(); ++axis) {
    flat = flat * tensor.extents()[axis] + c.index[axis];
  }
  return tensor.double_at(flat);
}

double middle(const Enclosure& value) {
  return value.infinite != 0 ? value.infinite * INFINITY : double_of((value.low + value.high) / 2);
}

void expect_value(const Graph& graph, const Counterexample& c, const Enclosure& value, const std::string& side) {
  Diagnostics diagnostics;
  auto outputs = eval_graph(graph, c.inputs, diagnostics);
  ASSERT_TRUE(outputs) << side << diagnostics.text() << show_counterexample(c);
  auto found = element(*outputs, c);
  ASSERT_TRUE(found) << side << show_counterexample(c);
  double wanted = middle(value);
  EXPECT_TRUE(*found == wanted || std::abs(*found - wanted) <= 1e-5 * std::max(1.0, std::abs(wanted)))
      << side << ": " << *found << " where " << wanted << " is expected\n"
      << show_counterexample(c);
}

// The counterexample's source with its inputs as values: what a rule calls a `variable` is one.
Graph with_values(const Counterexample& c) {
  Graph graph = c.source;
  const std::vector<NodeId> inputs = graph.inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    graph.replace_uses(inputs[k], graph.add_parameter("given_" + graph.name(inputs[k]), c.inputs[k]));
  }
  return graph;
}

// The rule as the rewriter applies it to the counterexample's source; nothing, with the reason, if it does not fire.
std::optional<Graph> rewritten(const Rule& rule, const Counterexample& c, std::string& why) {
  for (Graph graph : {c.source, with_values(c)}) {
    RewriteOptions options;
    options.apply.worth = Worth::Anything;
    options.most_steps = 1;
    options.admissions = all_unproven();
    RewriteResult result = rewrite(graph, {rule}, options);
    for (const Refusal& refusal : result.refusals) {
      why += refusal.reason + "\n";
    }
    if (result.steps > 0) {
      return graph;
    }
  }
  return std::nullopt;
}

// Confirms a counterexample without the code that found it.
void confirm(const Rule& rule, const Counterexample& c) {
  std::string why;
  auto target = rewritten(rule, c, why);
  switch (c.failing) {
    case Failing::Differs:
      expect_value(c.source, c, c.source_value, "source");
      expect_value(*c.target, c, c.target_value, "target");
      ASSERT_TRUE(target) << "the rewriter does not fire: " << why << show_counterexample(c);
      expect_value(*target, c, c.target_value, "rewritten");
      break;
    case Failing::Undefined: expect_value(c.source, c, c.source_value, "source"); break;
    case Failing::Types:
    case Failing::IllTyped:  // the rewriter refuses it where it matches
      EXPECT_FALSE(target) << show_counterexample(c);
      EXPECT_FALSE(why.empty()) << "the rewriter does not match\n" << show_counterexample(c);
      break;
  }
}

class UnsoundRule : public testing::TestWithParam<Rule> {};

TEST_P(UnsoundRule, IsRefutedAsExpected) {
  const Rule& rule = GetParam();
  Refutation result = refute_rule(rule);
  switch (rule.expectation) {
    case Expectation::Unsound:
    case Expectation::IllTyped: {
      ASSERT_TRUE(result.counterexample) << rule.name << ": " << result.instances << " instances, " << result.legal << " legal, "
                                         << result.unsupported;
      bool typed = result.counterexample->failing != Failing::IllTyped;
      EXPECT_EQ(typed, rule.expectation == Expectation::Unsound) << show_counterexample(*result.counterexample);
      EXPECT_TRUE(run_again(*result.counterexample)) << "not replayed";
      confirm(rule, *result.counterexample);
      break;
    }
    case Expectation::None:
    case Expectation::Sound:
    case Expectation::SoundExact:
    case Expectation::SoundReal:
    case Expectation::Vacuous:
    case Expectation::Unknown:
      EXPECT_FALSE(result.counterexample) << show_counterexample(*result.counterexample);
      EXPECT_GT(result.compared, 0U) << result.unsupported;
  }
}

INSTANTIATE_TEST_SUITE_P(Library, UnsoundRule, testing::ValuesIn(library(true)), name_of);

class WrongRule : public testing::TestWithParam<Rule> {};

// The prover alone, without the refuter to correct it.
TEST_P(WrongRule, IsNotProven) {
  const Rule& rule = GetParam();
  CheckOptions options;
  options.refute = false;
  RuleVerdict verdict = check_rule(rule, options);
  EXPECT_FALSE(is_sound(verdict.verdict)) << rule.name << " is called " << verdict_name(verdict.verdict);
}

INSTANTIATE_TEST_SUITE_P(Library, WrongRule, testing::ValuesIn(those(library(true), is_said_to_be_wrong)), name_of);

class ShippedRule : public testing::TestWithParam<Rule> {};

TEST_P(ShippedRule, IsNotRefuted) {
  RefuteOptions options;
  options.most_instances = 16;
  options.assignments = 2;
  options.least_assignments = 8;
  options.most_compared = 100;
  Refutation result = refute_rule(GetParam(), options);
  if (result.instances == 0) {  // then the checker tries more axes, too
    options.instances.max_rank = 6;
    result = refute_rule(GetParam(), options);
  }
  EXPECT_FALSE(result.counterexample) << show_counterexample(*result.counterexample);
  EXPECT_GT(result.compared, 0U) << result.instances << " instances, " << result.legal << " legal, " << result.unsupported;
}

INSTANTIATE_TEST_SUITE_P(Library, ShippedRule, testing::ValuesIn(those(library(false), says_what_it_is)), name_of);

class LongShippedRule : public testing::TestWithParam<Rule> {};

// Thousands of comparisons for each rule, over two seeds.
TEST_P(LongShippedRule, IsNotRefuted) {
  for (std::uint32_t seed : {11U, 12U}) {
    RefuteOptions options;
    options.seed = seed;
    options.assignments = 12;
    options.draws = 5;
    options.most_instances = 400;
    options.most_compared = 4000;
    options.least_assignments = 300;
    Refutation result = refute_rule(GetParam(), options);
    EXPECT_FALSE(result.counterexample) << "seed " << seed << "\n" << show_counterexample(*result.counterexample);
  }
}

INSTANTIATE_TEST_SUITE_P(Library, LongShippedRule, testing::ValuesIn(library(false)), name_of);

constexpr const char* kTaso = VOUCH_ROOT "/../shared/data/taso/taso_rules.json";

// README of that data: false under question (i) are eleven, found there by exhaustive sampling. Tried are these, and of the
// others each that `is_tried`.
void check_taso(const std::function<bool(int)>& is_tried) {
  if (!std::filesystem::exists(kTaso)) {
    GTEST_SKIP() << kTaso << " is not there: TASO's rules are not compared with its list";
  }
  Diagnostics diagnostics;
  auto source = std::make_shared<Source>("taso_rules.json", contents(kTaso));
  auto text = taso_rules_text(source, {TasoQuestion::Equal, false}, diagnostics);
  ASSERT_TRUE(text) << diagnostics.text();
  std::set<std::string> expected;
  for (int id : {98, 99, 100, 105, 125, 126, 127, 128, 129, 130, 131}) {
    expected.insert(fmt::format("taso-{}", id));
  }
  std::set<std::string> refuted;
  std::vector<Rule> rules = parsed("taso.gsl", *text);
  EXPECT_EQ(rules.size(), 133U);
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const Rule& rule = rules[k];
    if (expected.count(rule.name) == 0 && !is_tried(static_cast<int>(k))) {
      continue;
    }
    Refutation result = refute_rule(rule);
    EXPECT_GT(result.compared, 0U) << rule.name << ": " << result.unsupported;
    if (result.counterexample) {
      refuted.insert(rule.name);
      confirm(rule, *result.counterexample);
    }
  }
  EXPECT_EQ(refuted, expected);
}

TEST(Taso, ElevenAreRefutedAndOfTheOthersNoneOfATwelfth) {
  check_taso([](int k) { return k % 12 == 0; });
}
TEST(TasoLong, ElevenAreRefutedAndNoOthers) {
  check_taso([](int) { return true; });
}

TEST(Mutation, EveryKindIsMadeAndIsWellFormed) {
  std::map<Mutation, std::size_t> made;
  for (const Rule& rule : library(false)) {
    for (const Mutant& mutant : mutants(rule)) {
      ++made[mutant.kind];
      EXPECT_NE(content_hash(mutant.rule), content_hash(rule)) << mutant.what;
    }
  }
  for (int kind = 0; kind < kMutationCount; ++kind) {
    EXPECT_GT(made[static_cast<Mutation>(kind)], 0U) << mutation_name(static_cast<Mutation>(kind));
  }
}

struct Score {
  std::size_t refuted = 0;
  std::size_t proven = 0;
  std::size_t vacuous = 0;  // no input is legal for the source: operands exchanged on both sides at once, say
  std::vector<std::string> left;
};

// For Coq, which tests/property/mutation_test.py asks about them.
void keep_proven(const Rule& mutant) {
  const char* folder = std::getenv("VOUCH_PROVEN_MUTANTS");
  if (folder != nullptr) {
    std::ofstream(fmt::format("{}/{}.gsl", folder, mutant.name)) << print_rule(mutant);
  }
}

// Refutes and proves each mutant, neither knowing of the other: never both.
void judge_mutants(const Rule& rule, Score& score) {
  for (const Mutant& mutant : mutants(rule)) {
    RefuteOptions options;
    options.most_instances = 120;
    options.most_compared = 400;
    options.shrink = false;
    Refutation refuted = refute_rule(mutant.rule, options);
    CheckOptions prove;
    prove.refute = false;
    RuleVerdict verdict = check_rule(mutant.rule, prove);
    // Where the target takes fewer types, the rule is claimed of those, and the verdict says so.
    bool elsewhere = refuted.counterexample && refuted.counterexample->failing == Failing::IllTyped && !verdict.excluded.empty();
    if (refuted.counterexample && !elsewhere) {
      ++score.refuted;
      EXPECT_FALSE(is_sound(verdict.verdict)) << "A FALSE PROOF of " << mutant.what << "\n"
                                              << print_rule(mutant.rule) << show_counterexample(*refuted.counterexample);
    } else if (is_sound(verdict.verdict)) {
      ++score.proven;
      keep_proven(mutant.rule);
    } else if (verdict.verdict == Verdict::Vacuous) {
      ++score.vacuous;
    } else if (check_rule(mutant.rule, {}).counterexample) {  // an instance that is not proven is looked at more closely
      ++score.refuted;
    } else {
      score.left.push_back(fmt::format("{} ({}): {}; {} comparisons; {} {}", mutant.rule.name, mutation_name(mutant.kind),
                                       mutant.what, refuted.compared, verdict_name(verdict.verdict), verdict.reason));
    }
  }
}

class LongMutation : public testing::TestWithParam<Rule> {};

// What is neither refuted nor proven is listed with the reason.
TEST_P(LongMutation, IsRefutedOrProvenNeverBoth) {
  static Score all;
  Score score;
  judge_mutants(GetParam(), score);
  all.refuted += score.refuted;
  all.proven += score.proven;
  all.vacuous += score.vacuous;
  all.left.insert(all.left.end(), score.left.begin(), score.left.end());
  fmt::print("{}: {} mutants refuted, {} proven, {} left\n", GetParam().name, score.refuted, score.proven, score.left.size());
  for (const std::string& line : score.left) {
    fmt::print("  {}\n", line);
  }
  fmt::print("figures: {} mutants: {} refuted, {} proven, {} vacuous, {} neither; none both\n",
             all.refuted + all.proven + all.vacuous + all.left.size(), all.refuted, all.proven, all.vacuous, all.left.size());
}

INSTANTIATE_TEST_SUITE_P(Library, LongMutation, testing::ValuesIn(library(false)), name_of);

}  // namespace
}  // namespace vouch
