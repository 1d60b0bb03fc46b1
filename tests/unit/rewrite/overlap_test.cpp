#include "rewrite/overlap.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../rule/rules_of.h"
namespace vouch {
namespace {

std::string undoing(const std::string& text) {
  std::vector<Rule> rules = rules_of(text);
  std::string found;
  for (const UndoingPair& pair : undoing_pairs(rules)) {
    found += rules[pair.first].name + "/" + rules[pair.second].name + " ";
  }
  return found;
}

std::string overlaps(const std::string& text) {
  std::vector<Rule> rules = rules_of(text);
  std::string found;
  for (const Overlap& overlap : critical_overlaps(rules)) {
    found += rules[overlap.first].name + "/" + rules[overlap.second].name + " ";
  }
  return found;
}

const std::string kFactor = "rule factor { let x = *; let a = *; let b = *; source x * a + x * b; target x * (a + b); }\n";
const std::string kExpand = "rule expand { let x = *; let a = *; let b = *; source x * (a + b); target x * a + x * b; }\n";
const std::string kReluRelu = "rule relu_relu { let x = *; source Relu(Relu(x)); target Relu(x); }\n";

std::size_t repeating(const std::string& items) {
  return repeating_rules(rules_of("rule r { let x = *; let y = *; " + items + " }")).size();
}

TEST(Repeating, WhatIsWrittenOrKeptMatchesAgain) {
  EXPECT_EQ(repeating("let r = x + y; source r; target r + (x - x);"), 1U);
  EXPECT_EQ(repeating("source Relu(x + y); target Relu(Relu(x + y) + Relu(x));"), 1U);
  EXPECT_EQ(repeating("source x + y; target y + x;"), 1U);
  EXPECT_EQ(repeating("let z = *; source (x + y) + z; target x + (y + z);"), 1U);  // sums match in either order
}

TEST(Repeating, NotWhereSomethingElseStands) {
  EXPECT_EQ(repeating("source x - y; target x + Neg(y);"), 0U);
  EXPECT_EQ(repeating("let z = *; source (x - y) - z; target x - (y + z);"), 0U);
  EXPECT_EQ(repeating("source Softmax(x + y) {axis = 1}; target Softmax(y + x) {axis = 0};"), 0U);
  EXPECT_EQ(repeating("source Relu(Relu(x + y)); target Relu(x + y);"), 0U);
}

TEST(Undoing, FactorAndExpand) { EXPECT_EQ(undoing(kFactor + kExpand), "factor/expand "); }

TEST(Undoing, ARuleThatUndoesItself) {
  EXPECT_EQ(undoing("rule swap { let x = *; let y = *; source x + y; target y + x; }"), "swap/swap ");
  EXPECT_EQ(undoing("rule turn { let x = *; let y = *; let z = *; source Where(x, y, z); target Where(x, z, y); }"),
            "turn/turn ");
}

TEST(Undoing, NotWhereSomethingElseComesBack) {
  EXPECT_EQ(undoing(kReluRelu), "");
  // The second rule writes x * b + x * b.
  EXPECT_EQ(
      undoing(kFactor + "rule other { let x = *; let a = *; let b = *; source x * (a + b); target x * b + x * b; drop a; }\n"),
      "");
}

TEST(Undoing, LiteralAttributesDecide) {
  auto pair = [](const char* axis) {
    return std::string("rule log { let x = *; source Log(Softmax(x) {axis = 1}); target LogSoftmax(x) {axis = 1}; }\n") +
           "rule unlog { let x = *; source LogSoftmax(x) {axis = " + axis + "}; target Log(Softmax(x) {axis = " + axis +
           "}); }\n";
  };
  EXPECT_EQ(undoing(pair("1")), "log/unlog ");
  EXPECT_EQ(undoing(pair("0")), "");
}

TEST(Undoing, VariadicBranches) {
  std::string text =
      "rule outward { variadic items[i] { let x = *; yield Relu(x); } source Concat(items) {axis = 0};\n"
      "  target Relu(Concat(variadic[i < items.length] { items[i].x }) {axis = 0}); }\n";
  EXPECT_EQ(undoing(text), "");
}

TEST(Overlaps, InsideAndAtTheOutput) {
  EXPECT_EQ(overlaps(kReluRelu), "relu_relu/relu_relu ") << "three Relus in a row match in two places";
  EXPECT_EQ(overlaps(kReluRelu + "rule neg_relu { let x = *; source Neg(Relu(x)); target Neg(Abs(x)); }\n"),
            "relu_relu/relu_relu neg_relu/relu_relu ");
  EXPECT_EQ(overlaps("rule one { let x = *; source Relu(Neg(x)); target Abs(x); }\n"
                     "rule two { let x = *; source Relu(x); target Abs(x); }\n"),
            "one/two ");
}

TEST(Overlaps, NotWhereOperatorsOrLiteralsDiffer) {
  EXPECT_EQ(overlaps(kReluRelu + "rule abs { let x = *; source Abs(Neg(x)); target Abs(x); }\n"), "relu_relu/relu_relu ");
  EXPECT_EQ(overlaps("rule one { let x = *; source Neg(Softmax(x) {axis = 0}); target Abs(x); }\n"
                     "rule two { let x = *; source Softmax(x) {axis = 1}; target Abs(x); }\n"),
            "");
  EXPECT_EQ(overlaps("rule one { let x = *; source Neg(x - const {value = 2}); target Abs(x); }\n"
                     "rule two { let x = *; source x - const {value = 3}; target Abs(x); }\n"),
            "");
}

TEST(Overlaps, CommutativeOperandsMeetInEitherOrder) {
  EXPECT_EQ(overlaps("rule one { let x = *; let y = *; source Neg(Relu(x) + y); target x + y; }\n"
                     "rule two { let x = *; let w = variable; source w + Relu(x); target x + w; }\n"),
            "one/two ");
}

// Found by what stands at their outputs, and by comparing every pair: rules of many operators, a variable one, alternatives,
// inputs and lists at outputs, two outputs.
TEST(Relations, AreThoseOfComparingEveryPair) {
  std::string text = kFactor + kExpand + kReluRelu;
  for (const char* op : {"Relu", "Abs", "Neg", "Exp"}) {
    for (const char* other : {"Relu", "Neg", "Log"}) {
      text += fmt::format("rule r_{0}_{1} {{ let x = *; source {0}({1}(x)); target {1}({0}(x)); }}\n", op, other);
      text += fmt::format("rule s_{0}_{1} {{ let x = *; let y = *; source {0}(x + {1}(y)); target {1}(x) + y; }}\n", op, other);
    }
    text += fmt::format("rule u_{0} {{ let x = *; source {0}(x); target x; }}\n", op);
    text += fmt::format("rule w_{0} {{ let x = *; source Relu(x); target {0}(x); }}\n", op);
  }
  text += "rule any { operator f elementwise; let x = *; source f(f(x)); target f(x); }\n";
  text += "rule either { let x = *; source first(Relu(x), Neg(x)); target x; }\n";
  text += "rule both { let x = *; let y = *; source x + y, Neg(x); target y + x, Neg(x); }\n";
  text +=
      "rule parts { let x = *; let sizes = const {value = any}; let s = Split(x, sizes) {axis = 0}; source s[0], s[1]; target "
      "s[0], Relu(s[1]); }\n";
  std::vector<Rule> rules = rules_of(text);
  std::string overlapping;
  std::string undoing;
  for (std::size_t a = 0; a < rules.size(); ++a) {
    for (std::size_t b = 0; b < rules.size(); ++b) {
      undoing += undoes(rules[b], rules[a]) && (a <= b || !undoes(rules[a], rules[b])) ? fmt::format("{}/{} ", a, b) : "";
      for (PatternId at : rules[a].source_order) {
        PatternKind kind = rules[a].pattern(at).kind;
        bool output = std::any_of(rules[a].source_outputs.begin(), rules[a].source_outputs.end(),
                                  [&](PatternId own) { return output_vertex(rules[a], own) == at; });
        bool listed = (kind == PatternKind::Call || kind == PatternKind::Projection) && (!output || b > a);
        bool meets = std::any_of(rules[b].source_outputs.begin(), rules[b].source_outputs.end(), [&](PatternId theirs) {
          return PatternMeeting(rules[a], rules[b]).may_meet(at, output_vertex(rules[b], theirs));
        });
        overlapping += listed && meets ? fmt::format("{}/{}@{} ", a, b, at) : "";
      }
    }
  }
  std::string found;
  for (const Overlap& overlap : critical_overlaps(rules)) {
    found += fmt::format("{}/{}@{} ", overlap.first, overlap.second, overlap.at);
  }
  EXPECT_EQ(found, overlapping);
  found.clear();
  for (const UndoingPair& pair : undoing_pairs(rules)) {
    found += fmt::format("{}/{} ", pair.first, pair.second);
  }
  EXPECT_EQ(found, undoing);
  EXPECT_FALSE(overlapping.empty() || undoing.empty());
}

TEST(Relations, ABudgetThatIsSpentIsSaid) {
  std::vector<Rule> rules = rules_of(kFactor + kExpand + kReluRelu);
  ComparisonBudget enough(1000);
  ComparisonBudget little(0);
  EXPECT_EQ(undoing_pairs(rules, 10, &enough).size(), 1U);
  EXPECT_FALSE(enough.ended());
  EXPECT_EQ(undoing_pairs(rules, 10, &little).size(), 0U);
  EXPECT_TRUE(little.ended());
}

TEST(Overlaps, DeepChainsNeedNoStack) {
  std::string deep = "x";
  std::string text = "rule deep { let x = *; ";
  for (int k = 0; k < 3000; ++k) {
    text += "let n" + std::to_string(k) + " = Relu(" + deep + "); ";
    deep = "n" + std::to_string(k);
  }
  text += "source Neg(" + deep + "); target x; }\n";
  std::vector<Rule> rules = rules_of(text + "rule two { let x = *; source Neg(Relu(Relu(x))); target x; }\n");
  EXPECT_EQ(critical_overlaps(rules).size(), 1U);
}

}  // namespace
}  // namespace vouch
