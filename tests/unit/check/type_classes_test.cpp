// One type of a class is tried for all: so neither operators nor shipped rules may tell the types of a class apart. Instances of
// one type are those of another, term by term.
#include "instance/type_classes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/check.h"
#include "graph/operand_types.h"
#include "instance/rank_lifting.h"
#include "shipped_rules.h"
#include "verdict_of.h"

namespace vouch {
namespace {

struct Seen {
  std::vector<std::vector<Term>> instances;
  std::vector<std::string> labels;
};

Seen instances_of(const Rule& rule, const std::vector<DType>& tried) {
  InstanceOptions options;
  options.max_rank = 3;
  options.most = 30;
  options.lengths = {2};
  options.dtypes = tried;
  Seen seen;
  for_each_instance(rule, options, [&](const Instance& instance) {
    std::vector<Term> terms;
    for (const auto* conditions : {&instance.assumptions, &instance.obligations}) {
      for (const InstanceCondition& condition : *conditions) {
        terms.push_back(condition.guard);
      }
    }
    for (const InstanceNode& node : instance.nodes) {
      for (const Body& body : node.bodies) {
        terms.push_back(body.value);
      }
    }
    seen.instances.push_back(std::move(terms));
    seen.labels.push_back(instance.label + instance.target_error);
    return true;
  });
  return seen;
}

// Each class with each other of its types in the place of the first: instances are the same.
std::size_t expect_alike(const Rule& rule, const std::string& name) {
  TypeClasses classes = TypeClasses::of(rule);
  std::vector<DType> tried = classes.tried();
  Seen first = instances_of(rule, tried);
  std::size_t compared = 0;
  for (std::size_t k = 0; k < tried.size(); ++k) {
    for (DType other : classes.of(tried[k]).types()) {
      std::vector<DType> others = tried;
      others[k] = other;
      Seen seen = other == tried[k] ? first : instances_of(rule, others);
      EXPECT_EQ(first.instances.size(), seen.instances.size()) << name << " of " << dtype_name(other);
      for (std::size_t i = 0; i < std::min(first.instances.size(), seen.instances.size()); ++i) {
        ++compared;
        if (first.instances[i] != seen.instances[i]) {
          ADD_FAILURE() << name << ": " << first.labels[i] << " is not " << seen.labels[i];
          break;
        }
      }
    }
  }
  return compared;
}

// A call with its required operands, lists as constants.
Rule call_of(const OpDef& def) {
  std::string lets;
  std::vector<std::string> operands;
  for (const OperandDef& operand : def.operands) {
    std::string name = fmt::format("o{}", operands.size());
    std::string kind = operand.domain != OperandDomain::Elements ? "const {value = any}" : "*";
    if (operand.kind == OperandKind::Tuple) {
      lets += fmt::format("let {0} = *;\nlet {0}_2 = *;\n", name);
      operands.push_back(fmt::format("({0}, {0}_2)", name));
    } else if (operand.kind == OperandKind::Required) {
      lets += fmt::format("let {} = {};\n", name, kind);
      operands.push_back(name);
    }
  }
  return rule_of(fmt::format("{}let s = {}({});\nsource s;\ntarget Identity(s);", lets, def.name, fmt::join(operands, ", ")));
}

TEST(TypeClasses, OperatorsDoNotTellTheTypesOfAClassApart) {
  std::size_t compared = 0;
  for (std::size_t op = 0; op < op_count(); ++op) {
    const OpDef& def = op_def(static_cast<OpId>(op));
    bool apart = operand_types(static_cast<OpId>(op)).sense == TypeSense::Each;
    bool word = def.name == "maximum" || def.name == "minimum";  // of the rule language
    if (!def.opaque && !def.several_results && !apart && !word) {
      compared += expect_alike(call_of(def), std::string(def.name));
    }
  }
  EXPECT_GT(compared, 1000U);
}

TEST(TypeClasses, NeitherDoShippedRules) {
  std::size_t compared = 0;
  for (const Rule& rule : some_shipped_rules()) {
    bool fixed = std::none_of(rule.patterns.begin(), rule.patterns.end(),
                              [](const Pattern& p) { return p.kind == PatternKind::Call && !p.op; });
    // What operator variables stand for is told apart in each instance.
    if (fixed && TypeClasses::of(rule).tried().size() < static_cast<std::size_t>(kDTypeCount)) {
      compared += expect_alike(rule, rule.name);
    }
  }
  EXPECT_GT(compared, 250U);
}

// A constant that the target makes of elements that it reads.
TEST(TypeClasses, NeitherDoConstantsOfTheTarget) {
  const std::string lets = "let x = *; let b = const {value = any, rank = 1}; let c = const {value = any, rank = 1};";
  for (const char* sides :
       {"source Concat((x, b, c)) {axis = 0}; target Concat((x, const {value = b.value ++ c.value})) {axis = 0};",
        "source Concat((x, b, c)) {axis = 0}; target Concat((x, const {value = (b.value[0], 1), dtype = x.dtype})) {axis = 0};",
        "source x + (b + c); target x + const {value = (b.value[0] + c.value[0],)};",
        "source Equal(x + b, c); target Equal(x + const {value = b.value}, const {value = c.value});",
        "source x * b - c; target x * const {value = (0.5,)} - const {value = c.value};"}) {
    Rule rule = rule_of(lets + sides);
    EXPECT_GT(expect_alike(rule, sides), 0U) << sides;
  }
}

// A list of sizes is of int64, whatever the elements are; a constant of elements whose type is named is of that type alone.
TEST(TypeClasses, AListsTypeIsNoTypeOfElements) {
  TypeClasses of_list =
      TypeClasses::of(rule_of("let x = *; source Reshape(x, const {value = any}); target Reshape(x, const {value = (-1,), "
                              "dtype = int64});"));
  EXPECT_EQ(of_list.all().size(), 1U);
  // Where the same word is said of elements, it is a type of theirs.
  for (const char* more : {"where x.dtype == t;", "where not (x.dtype == t) or x.rank == 2;"}) {
    TypeClasses shared =
        TypeClasses::of(rule_of(fmt::format("let x = *; attr t = int64; {} source Reshape(x, const {{value = any}}); target "
                                            "Reshape(x, const {{value = (-1,), dtype = t}});",
                                            more)));
    EXPECT_EQ(shared.of(DType::Int64), TypeSet{DType::Int64}) << more;
  }
  for (const char* target : {"const {value = 1, shape = x.shape, dtype = int64}", "const {value = 1, shape = x.shape}",
                             "Identity(const {value = 1, shape = x.shape, dtype = int64})"}) {
    TypeClasses of_elements =
        TypeClasses::of(rule_of(fmt::format("let x = *; source reverse(x) {{axes = (0,)}}; target {}; drop x;", target)));
    EXPECT_FALSE(of_elements.of(DType::Float32).contains(DType::Int64)) << target;
    EXPECT_EQ(of_elements.of(DType::Int64), TypeSet{DType::Int64}) << target;
  }
}

TEST(TypeClasses, MovedElementsAreProvenOnceForEveryType) {
  RuleVerdict verdict =
      whole_verdict_of("let x = *; let t = Transpose(x) {perm = (1, 0)}; source Transpose(t) {perm = (1, 0)}; target x;");
  EXPECT_EQ(verdict.verdict, Verdict::SoundExact);
  EXPECT_EQ(verdict.instances, 1U);
  EXPECT_EQ(verdict.dtypes.size(), static_cast<std::size_t>(kDTypeCount));
  EXPECT_EQ(verdict.alike, std::vector<std::string>{"any type"});
}

TEST(TypeClasses, WhatIsComputedIsProvenForEachKind) {
  RuleVerdict verdict = whole_verdict_of("let x = *; let y = *; source x + y; target y + x;");
  EXPECT_EQ(verdict.verdict, Verdict::SoundExact);
  EXPECT_EQ(verdict.dtypes.size(), kNumbers.types().size());  // Add takes neither bool nor what is only stored
  EXPECT_EQ(verdict.alike.size(), 3U);
  EXPECT_TRUE(verdict.any_rank);
}

TEST(TypeClasses, ATypeThatIsNamedIsTried) {
  for (int k = 0; k < kDTypeCount; ++k) {
    std::string_view name = dtype_name(static_cast<DType>(k));
    RuleVerdict verdict = whole_verdict_of(fmt::format(
        "let x = *; where x.dtype == {}; source Transpose(Transpose(x) {{perm = (1, 0)}}) {{perm = (1, 0)}}; target x;", name));
    EXPECT_EQ(verdict.verdict, Verdict::SoundExact) << name;
    EXPECT_EQ(verdict.dtypes, std::vector<std::string>{std::string(name)});
  }
  EXPECT_EQ(whole_verdict_of("let x = *; where x.dtype == uint8 or x.dtype == int32; source Cast(x) {to = int64};"
                             "target Cast(Cast(x) {to = int32}) {to = int64};")
                .verdict,
            Verdict::SoundExact);
  EXPECT_EQ(whole_verdict_of("let x = *; where x.dtype == uint32 or x.dtype == int32; source Cast(x) {to = int64};"
                             "target Cast(Cast(x) {to = int32}) {to = int64};")
                .verdict,
            Verdict::Unsound);
}

TEST(TypeClasses, ANumberThatOneTypeHasDividesAClass) {
  TypeClasses classes = TypeClasses::of(rule_of("let x = *; let c = const {value = 300}; source x + c; target c + x;"));
  EXPECT_FALSE(classes.of(DType::Int8).contains(DType::Int32));
  EXPECT_TRUE(classes.of(DType::Int32).contains(DType::Int64));
}

TEST(RankLifting, SaysWhichRulesHoldAxisByAxis) {
  EXPECT_TRUE(holds_axis_by_axis(rule_of("let x = *; let y = *; source x + y; target y + x;")));
  EXPECT_FALSE(holds_axis_by_axis(rule_of("let x = *; let y = *; where x.rank == 2; source x + y; target y + x;")));
  EXPECT_FALSE(holds_axis_by_axis(rule_of("let x = * {rank = 2}; source Relu(Relu(x)); target Relu(x);")));
  EXPECT_FALSE(holds_axis_by_axis(rule_of("let x = *; source Softmax(x) {axis = 0}; target Softmax(x) {axis = 0};")));
}

}  // namespace
}  // namespace vouch
