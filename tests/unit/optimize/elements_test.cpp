// Conditions on every element of a constant: proven as one fact, and asked of each element where a rule fires.
#include <cmath>

#include "check/check.h"
#include "site.h"

namespace vouch {
namespace {

const char* const kScale =
    "rule scale { let x = * {dtype = float32}; let c = const {shape = x.shape, dtype = float32};"
    " where all[v in c](v >= 0); source Relu(x) * c; target Relu(x * c); }";

Tensor tensor_of(const std::vector<double>& values, Extents extents) {
  Tensor out(DType::Float32, std::move(extents));
  for (std::int64_t at = 0; at < out.count(); ++at) {
    out.set_double(at, values[static_cast<std::size_t>(at) % values.size()]);
  }
  return out;
}

std::size_t fires(const std::vector<double>& values, Extents extents, std::string* reason = nullptr) {
  Site site;
  NodeId c = site.graph.add_constant(tensor_of(values, extents));
  std::size_t steps = site.fires(kScale, site.call("Mul", {site.call("Relu", {site.input(extents)}), c}));
  if (reason != nullptr) {
    *reason = site.reason;
  }
  return steps;
}

TEST(Elements, EachIsAsked) {
  EXPECT_EQ(fires({0.5, 0, 3}, {2, 3}), 1U);
  EXPECT_EQ(fires({0.5}, {2, 3, 1, 2}), 1U);
  EXPECT_EQ(fires({0.5}, {}), 1U);
  EXPECT_EQ(fires({0.5, 1}, {5000}), 1U);
  for (double other : {-0.25, -0.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    EXPECT_EQ(fires({1, 2, 3, 4, 5, other}, {2, 3}), 0U) << other;
    EXPECT_EQ(fires({other}, {}), 0U) << other;
    std::vector<double> many(5000, 1);
    many.back() = other;
    EXPECT_EQ(fires(many, {50, 100}), 0U) << other;
  }
}

TEST(Elements, NoMoreThanAMillionAreAsked) {
  EXPECT_EQ(fires({1}, {1024, 1024}), 1U);
  EXPECT_EQ(fires({1}, {1024, 1025}), 0U);
}

// Both matches have the same shapes; what is remembered of one is not said of the other.
TEST(Elements, OneConstantSaysNothingOfAnother) {
  for (bool first : {true, false}) {
    Site site;
    auto scaled = [&](double least) {
      NodeId c = site.graph.add_constant(tensor_of({1, least}, {2, 3}));
      return site.call("Mul", {site.call("Relu", {site.input({2, 3})}), c});
    };
    site.graph.add_output("a", scaled(first ? -1 : 1));
    EXPECT_EQ(site.fires(kScale, scaled(first ? 1 : -1)), 1U);
  }
}

// Where it is not proven, it does not fire: the scope holds the condition, whatever the matcher says.
TEST(Elements, TheScopeHoldsTheCondition) {
  std::vector<Rule> rules = rules_of(kScale);
  RuleVerdict verdict = check_rule(rules[0], {});
  ASSERT_EQ(verdict.verdict, Verdict::SoundReal) << verdict.reason;
  for (const Scope& scope : verdict.scopes) {
    std::size_t conditions = 0;
    for (const ScopeNode& node : scope.nodes) {
      conditions += node.every.size();
    }
    EXPECT_EQ(conditions, 1U);
  }
  // The same scopes for a rule that asks for nothing.
  std::vector<Rule> bare = rules_of(
      "rule scale { let x = * {dtype = float32}; let c = const {shape = x.shape, dtype = float32};"
      " source Relu(x) * c; target Relu(x * c); }");
  auto scopes = std::make_shared<const std::vector<Scope>>(verdict.scopes);
  for (double least : {1.0, -1.0}) {
    Site site;
    NodeId c = site.graph.add_constant(tensor_of({1, least}, {2, 3}));
    site.graph.add_output("y", site.call("Mul", {site.call("Relu", {site.input({2, 3})}), c}));
    Admission admission = Admission::by_scopes(scopes, {});
    auto admissions = [&](std::size_t) -> Admission& { return admission; };
    EXPECT_EQ(rewrite(site.graph, bare, {.admissions = admissions}).steps, least > 0 ? 1U : 0U);
  }
}

TEST(Elements, OfIntegers) {
  const char* const rule =
      "rule ones { let x = * {dtype = int32}; let c = const {shape = x.shape, dtype = int32};"
      " where all[v in c](v == 1); source x / c; target x; }";
  for (std::int64_t last : {1, 2, 0, -1}) {
    Site site;
    NodeId c = site.graph.add_constant(Tensor::of_ints(DType::Int32, {3}, std::vector<std::int64_t>{1, 1, last}));
    EXPECT_EQ(site.fires(rule, site.call("Div", {site.input({3}, DType::Int32), c})), last == 1 ? 1U : 0U) << last;
  }
}

TEST(Elements, AreWrittenAsTheyAreRead) {
  std::vector<Rule> rules = rules_of(kScale);
  std::string text = print_rule(rules[0]);
  EXPECT_NE(text.find("all[v in c](v >= 0)"), std::string::npos) << text;
  EXPECT_TRUE(same_rule(rules[0], rules_of(text)[0]));
}

void expect_refused(const std::string& body) {
  Diagnostics diagnostics;
  auto rules = parse_rules(
      std::make_shared<Source>("test.gsl", "rule r { let x = * {rank = 2}; let c = const {shape = x.shape}; " + body + " }"),
      diagnostics);
  EXPECT_FALSE(rules.has_value()) << body;
  EXPECT_FALSE(diagnostics.text().empty()) << body;
}

TEST(Elements, NothingElseIsAskedOfAll) {
  expect_refused("where not all[v in c](v >= 0); source x * c; target c * x;");
  expect_refused("where all[v in c](v >= 0) or x.rank == 2; source x * c; target c * x;");
  expect_refused("where all[v in x](v >= 0); source x * c; target c * x;");
  expect_refused("where all[v in nothing](v >= 0); source x * c; target c * x;");
  expect_refused("where all[v in c](all[w in c](v >= w)); source x * c; target c * x;");
  expect_refused("where exists[v in c](v >= 0); source x * c; target c * x;");
  expect_refused("where all[v in c](w >= 0); source x * c; target c * x;");
  expect_refused("source Softmax(x * c) {axis = all[v in c](v >= 0)}; target c * x;");
}

// 2^64 - 1 is no negative number, though a word with a sign has it as -1.
std::size_t bounds_fire(const char* rule, DType type, std::int64_t bound) {
  Site site;
  NodeId zero = site.graph.add_constant(Tensor::of_ints(type, {}, std::vector<std::int64_t>{0}));
  NodeId c = site.graph.add_constant(Tensor::of_ints(type, {}, std::vector<std::int64_t>{bound}));
  auto largest = [&](NodeId a, NodeId b) { return site.call("Max", {site.graph.add_tuple(std::vector<NodeId>{a, b})}); };
  return site.fires(rule, largest(largest(site.input({2}, type), zero), c));
}

TEST(Elements, LargeWordsAreNotNegative) {
  for (const char* condition :
       {"let c = const {value = any, rank = 0}; where c.value < 0;", "let c = const {value = -1, rank = 0};"}) {
    std::string rule = std::string("rule below { let x = *; let z = const {value = 0, rank = 0}; ") + condition +
                       " source Max((Max((x, z)), c)); target Max((x, z)); }";
    EXPECT_EQ(bounds_fire(rule.c_str(), DType::Int64, -1), 1U) << rule;
    EXPECT_EQ(bounds_fire(rule.c_str(), DType::UInt64, -1), 0U) << rule;
  }
}

}  // namespace
}  // namespace vouch
