// Theorems about rules: what is stated, and that a proof is written for what is shipped and for nothing false.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "../check/rule_of.h"
#include "../check/shipped_rules.h"
#include "theorem/coq_export.h"

namespace vouch {
namespace {

CoqOptions one_instance() {
  CoqOptions options;
  options.most_theorems = 1;
  return options;
}

// Of every third rule; `property/rule-proofs-all` has all of them proven by Coq.
TEST(RuleTheorems, EveryShippedRuleHasOne) {
  const std::vector<Rule> rules = shipped_rules();
  for (std::size_t k = 0; k < rules.size(); k += 3) {
    CoqOptions options = one_instance();
    CoqRule theorem = coq_rule(rules[k], options);
    if (theorem.distinct == 0) {  // then the checker tries more axes, too
      options.instances.max_rank = 6;
      theorem = coq_rule(rules[k], options);
    }
    EXPECT_FALSE(theorem.text.empty()) << rules[k].name << ": " << theorem.reason;
    EXPECT_FALSE(theorem.theorems.empty()) << rules[k].name;
  }
}

// A size that is another's stands in quotients of which it is a factor above and below: these are the same without it.
TEST(RuleTheorems, QuotientsLoseTheFactorsOfBoth) {
  for (const Rule& rule : shipped_rules()) {
    if (rule.name.starts_with("reshape_keeps_") && !rule.name.ends_with("_of_six")) {  // those have no list with -1
      CoqOptions options = one_instance();
      options.most_theorems = 3;
      CoqRule theorem = coq_rule(rule, options);
      EXPECT_FALSE(theorem.theorems.empty()) << rule.name << ": " << theorem.reason;
      EXPECT_NE(theorem.text.find("by (shorter_quotient "), std::string::npos) << rule.name;
    }
  }
}

// The first of the largest along a merged axis; along axes that were merged in another order it is another one.
TEST(RuleTheorems, MergedAxesAreTakenApart) {
  auto theorem = [](const char* target) {
    std::string items = "let x = * {rank = 3, dtype = float32}; source Flatten(hardmax_11(x) {axis = 0}) {axis = 0}; target ";
    return coq_rule(rule_of(items + target + ";"), one_instance());
  };
  CoqRule right = theorem("Hardmax(Flatten(x) {axis = 0}) {axis = 1}");
  EXPECT_NE(right.text.find("apply (over_apart _ "), std::string::npos) << right.reason;
  EXPECT_EQ(right.scalars, CoqScalars::Any) << right.why_reals;
  EXPECT_TRUE(theorem("Hardmax(Flatten(reverse(x) {axes = (0,)}) {axis = 0}) {axis = 1}").text.empty());
  EXPECT_TRUE(theorem("Hardmax(Flatten(Transpose(x) {perm = (1, 0, 2)}) {axis = 0}) {axis = 1}").text.empty());
}

// The largest step is that of the largest number where steps rise with numbers.
TEST(RuleTheorems, TheLargestStepIsThatOfTheLargestNumber) {
  auto theorem = [](const char* scale, const char* same) {
    return coq_rule(
        rule_of(fmt::format("let q = * {{rank = 4, dtype = int8}}; let s = const {{rank = 0}}; let z = const {{rank = 0}};\n"
                            "let m = MaxPool(DequantizeLinear(q, s, z)); where {};\n"
                            "source QuantizeLinear(m, s, z); target MaxPool(q) {{{} as m}};",
                            scale, same)),
        one_instance());
  };
  const char* all = "kernel_shape, strides, pads, dilations, auto_pad, ceil_mode, storage_order";
  CoqRule right = theorem("s.value > 0", all);
  EXPECT_FALSE(right.text.empty()) << right.reason;
  EXPECT_TRUE(theorem("s.value < 0", all).text.empty());
  EXPECT_TRUE(theorem("s.value >= 0", all).text.empty());
  EXPECT_TRUE(theorem("s.value > 0", "kernel_shape, strides, pads, auto_pad, ceil_mode, storage_order").text.empty());
}

// Steps become numbers, and steps again: `condition` is of their scale `s`, `z` the zero point of what is read, `w` of what is
// written.
std::string steps_again(const std::string& type, const std::string& condition, const std::string& w, const std::string& target) {
  return "let q = * {rank = 2, dtype = " + type + "}; let s = const {rank = 0}; let z = const {rank = 0};\n" +
         (w == "z" ? "" : "let " + w + " = const {rank = 0};\n") + condition +
         "source QuantizeLinear(DequantizeLinear(q, s, z), s, " + w + "); target " + target + ";";
}

TEST(RuleTheorems, WhatATypeOfIntegersHoldsIsAssumedOfItsTensors) {
  CoqRule theorem = coq_rule(rule_of(steps_again("int8", "where s.value > 0;\n", "z", "q")), one_instance());
  EXPECT_NE(theorem.text.find(" : Z, element (-128) (127) (q "), std::string::npos) << theorem.text << theorem.reason;
  EXPECT_NE(theorem.text.find(" : element (-128) (127) (z)"), std::string::npos) << theorem.text;
  CoqRule unsigned_one = coq_rule(rule_of(steps_again("uint16", "where s.value > 0;\n", "z", "q")), one_instance());
  EXPECT_NE(unsigned_one.text.find(" : Z, element (0) (65535) (q "), std::string::npos) << unsigned_one.reason;
}

TEST(RuleTheorems, StepsOfAnotherScaleSignOrZeroPointHaveNone) {
  for (const std::string& rule :
       {steps_again("int8", "", "z", "q"), steps_again("int8", "where s.value < 0;\n", "z", "q"),
        steps_again("int8", "where s.value >= 0;\n", "z", "q"), steps_again("int8", "where s.value > 0;\n", "y", "q"),
        steps_again("int8", "where s.value > 0;\n", "z", "Transpose(q) {perm = (1, 0)}"),
        steps_again("int8", "where s.value > 0;\n", "z", "Abs(q)")}) {
    CoqRule theorem = coq_rule(rule_of(rule), one_instance());
    EXPECT_TRUE(theorem.text.empty()) << rule << theorem.text;
    EXPECT_FALSE(theorem.reason.empty()) << rule;
  }
}

TEST(RuleTheorems, WholeNumbersDividedByOneAreAssumedToBeWhole) {
  auto divided = [](const char* type, const char* by) {
    return coq_rule(rule_of(fmt::format("let x = * {{rank = 2, dtype = {}}}; source x / {}; target x;", type, by)),
                    one_instance());
  };
  CoqRule whole = divided("int32", "1");
  EXPECT_NE(whole.text.find("(the_truncdiv_by_one : forall k"), std::string::npos) << whole.text << whole.reason;
  EXPECT_NE(whole.text.find("(x_is_whole : forall i"), std::string::npos) << whole.text;
  CoqRule of_floats = divided("float32", "1");
  EXPECT_FALSE(of_floats.text.empty()) << of_floats.reason;
  EXPECT_EQ(of_floats.text.find("_is_whole"), std::string::npos) << of_floats.text;
  for (const char* by : {"2", "-1"}) {
    EXPECT_TRUE(divided("int32", by).text.empty()) << by;
  }
}

// What is written must not be a text that Coq is known to refuse: an extremum by way of itself.
TEST(RuleTheorems, ExtremaOfOtherValuesHaveNone) {
  const std::string inputs = "let x = * {rank = 2}; let a = const {value = (0)};\n";
  for (const char* target : {"ReduceMax(-x, a)", "ReduceMin(x, a)", "ReduceMax(x * x, a)"}) {
    const std::string rule = inputs + "source ReduceMax(x, a) {keepdims = 1}; target " + target + " {keepdims = 1};";
    CoqRule theorem = coq_rule(rule_of(rule), one_instance());
    EXPECT_TRUE(theorem.text.empty()) << theorem.text;
    EXPECT_FALSE(theorem.reason.empty()) << rule;
  }
}

// Comparisons go through what grows strictly and everywhere, and through nothing else.
TEST(RuleTheorems, WhereTheLargestIsOfWhatGrows) {
  auto place = [](const std::string& grown, const char* op) {
    const std::string attributes = "axis = 1, keepdims = 0, select_last_index = 0";
    return coq_rule(rule_of(fmt::format("let x = * {{rank = 2, dtype = float32}}; source ArgMax({}) {{{}}}; target {}(x) {{{}}};",
                                        grown, attributes, op, attributes)),
                    one_instance());
  };
  for (const char* grows : {"Exp(x)", "Atan(x)", "Sinh(x)", "Exp(Exp(x))", "Sinh(Atan(x))"}) {
    CoqRule theorem = place(grows, "ArgMax");
    EXPECT_FALSE(theorem.text.empty()) << grows << ": " << theorem.reason;
  }
  for (const char* other : {"Cosh(x)", "Abs(x)", "-x", "Exp(-x)", "x * x"}) {
    EXPECT_TRUE(place(other, "ArgMax").text.empty()) << other;
  }
  EXPECT_TRUE(place("Exp(x)", "ArgMin").text.empty());
}

// What is exact is stated of any scalars, with what is stored; what rests on laws of the reals is stated of these, and says why.
TEST(RuleTheorems, ExactRulesAreStatedOfAnyScalars) {
  const std::string inputs = "let x = * {rank = 2, dtype = float32}; let y = * {shape = x.shape, dtype = float32};\n";
  CoqRule exact = coq_rule(rule_of(inputs + "source Transpose(Exp(x) + y) {perm = (1, 0)};\n"
                                            "target Exp(Transpose(x) {perm = (1, 0)}) + Transpose(y) {perm = (1, 0)};"),
                           one_instance());
  EXPECT_EQ(exact.scalars, CoqScalars::Any) << exact.why_reals;
  EXPECT_NE(exact.text.find("(scalar : Type)"), std::string::npos) << exact.text;
  EXPECT_NE(exact.text.find("(x : Z -> Z -> scalar)"), std::string::npos) << exact.text;
  EXPECT_NE(exact.text.find("(the_stored0 : scalar -> scalar)"), std::string::npos) << exact.text;
  for (const char* sides : {"source (x + y) - y; target x + 0 * y;", "source (x + y) + Exp(x); target x + (y + Exp(x));",
                            "source x - y; target x + -y;", "source x * y + 0; target x * y;"}) {
    CoqRule real = coq_rule(rule_of(inputs + sides), one_instance());
    EXPECT_EQ(real.scalars, CoqScalars::Reals) << sides << real.text;
    EXPECT_FALSE(real.why_reals.empty()) << sides;
    EXPECT_NE(real.text.find("(x : Z -> Z -> R)"), std::string::npos) << real.text << real.reason;
  }
}

struct LawCase {
  const char* law;  // the hypothesis
  const char* sides;
};

TEST(RuleTheorems, LawsThatHoldBitForBitAreHypotheses) {
  const std::string inputs = "let x = * {rank = 2, dtype = float32}; let y = * {shape = x.shape, dtype = float32};\n";
  for (const LawCase& one :
       {LawCase{"(the_plus_commutes : commutes plus)", "source x + y; target y + x;"},
        LawCase{"(the_times_commutes : commutes times)", "source x * Exp(y); target Exp(y) * x;"},
        LawCase{"(the_sign_twice : undoes negated)", "source Neg(Neg(x)) * y; target x * y;"},
        LawCase{"(the_max_laws : semilattice the_fmax the_maximum)", "source Max((x, Max((y, x)))); target Max((y, x));"},
        LawCase{"(the_min_laws : semilattice the_fmin the_minimum)", "source Min((Min((x, y)), y)); target Min((y, x));"},
        LawCase{"(the_truths_compare : truths_compare equal (whole (1)%Z) (whole (0)%Z))",
                "source Not(Not(Less(x, y))); target Less(x, y);"}}) {
    CoqRule theorem = coq_rule(rule_of(inputs + one.sides), one_instance());
    EXPECT_EQ(theorem.scalars, CoqScalars::Any) << one.sides << theorem.why_reals;
    EXPECT_NE(theorem.text.find(one.law), std::string::npos) << one.sides << theorem.text;
  }
  // Nothing is asked for that is not used.
  CoqRule none = coq_rule(rule_of(inputs + "source Max((x, y)) - y; target Max((x, y)) - y;"), one_instance());
  EXPECT_EQ(none.text.find("_laws"), std::string::npos) << none.text;
}

TEST(RuleTheorems, WhatNoLawSaysIsNotOfAnyScalars) {
  const std::string inputs = "let x = * {rank = 2, dtype = float32}; let y = * {shape = x.shape, dtype = float32};\n";
  for (const char* sides :
       {"source x - y; target y - x;", "source x / y; target y / x;", "source Neg(Neg(Neg(x))) * y; target x * y;",
        "source Max((x, Min((y, x)))); target Max((y, x));", "source Max((x, y)); target Min((x, y));",
        "source Not(Less(x, y)); target Less(x, y);", "source Not(Less(x, y)); target LessOrEqual(y, x);",
        "source Max((x, x + 0 * y)); target x + 0 * y;"}) {
    CoqRule theorem = coq_rule(rule_of(inputs + sides), one_instance());
    EXPECT_TRUE(theorem.text.empty() || theorem.scalars == CoqScalars::Reals) << sides << theorem.text;
  }
}

// What pads an image is left out of a maximum if it is what is never larger, and of a minimum if it is never smaller.
TEST(RuleTheorems, PaddingIsLeftOutOfTheLargest) {
  auto pool = [](const char* value, const char* reduction) {
    return fmt::format(
        "let x = * {{rank = 1, dtype = float32}}; let p = const {{value = (1, 2)}}; let least = const {{value = {0}, rank = "
        "0}};\n"
        "let a = const {{value = (0)}};\n"
        "source {1}(Pad(x, p, least) {{mode = \"constant\"}}, a) {{keepdims = 0, noop_with_empty_axes = 0}};\n"
        "target {1}(x, a) {{keepdims = 0, noop_with_empty_axes = 0}};",
        value, reduction);
  };
  for (const std::string& rule : {pool("0", "ReduceMax"), pool("inf", "ReduceMax"), pool("-inf", "ReduceMin")}) {
    EXPECT_TRUE(coq_rule(rule_of(rule), one_instance()).text.empty()) << rule;
  }
}

// Tensors may be called as parameters of theorems are.
TEST(RuleTheorems, NamesOfParametersAreTaken) {
  CoqRule theorem =
      coq_rule(rule_of("let the_stored0 = * {rank = 1, dtype = float32}; let plus = * {shape = the_stored0.shape};\n"
                       "source Neg(the_stored0 + plus); target Neg(the_stored0 + plus);"),
               one_instance());
  EXPECT_NE(theorem.text.find("(its_the_stored0 : Z -> scalar)"), std::string::npos) << theorem.text << theorem.reason;
  EXPECT_NE(theorem.text.find("(plus_1 : Z -> scalar)"), std::string::npos) << theorem.text;
}

TEST(RuleTheorems, TruthValuesAreOfTypeBool) {
  CoqRule theorem = coq_rule(rule_of("let x = * {rank = 2}; source Not(Not(x)); target x;"), one_instance());
  EXPECT_NE(theorem.text.find("(x : Z -> Z -> bool)"), std::string::npos) << theorem.text << theorem.reason;
  CoqRule of_floats = coq_rule(rule_of("let x = * {rank = 2, dtype = float32}; source x + x; target x * 2;"), one_instance());
  EXPECT_NE(of_floats.text.find("(x : Z -> Z -> R)"), std::string::npos) << of_floats.text << of_floats.reason;
}

TEST(RuleTheorems, WhatIsFalseOfTruthValuesHasNone) {
  for (const char* rule : {"let x = * {rank = 2}; source Not(x); target x;",
                           "let x = * {rank = 2}; let y = * {shape = x.shape}; source And(x, y); target Or(x, y);",
                           "let x = *; let y = * {shape = x.shape}; source Xor(x, y); target Or(x, y);"}) {
    CoqRule theorem = coq_rule(rule_of(rule), one_instance());
    EXPECT_TRUE(theorem.text.empty()) << theorem.text;
    EXPECT_FALSE(theorem.reason.empty());
  }
}

// One index is left of the sum, and no equation speaks of it.
TEST(RuleTheorems, ASumOfOneElementIsTheElement) {
  const char* rule =
      "let x = * {rank = 3, dtype = float32}; where x.shape[2] == 1;\n"
      "source reduce_sum(x) {axes = (2,), keepdims = 1}; target x;";
  EXPECT_FALSE(coq_rule(rule_of(rule), one_instance()).text.empty());
  const char* wrong =
      "let x = * {rank = 3, dtype = float32}; where x.shape[2] == 2;\n"
      "source reduce_sum(x) {axes = (2,), keepdims = 1}; target reduce_max(x) {axes = (2,), keepdims = 1};";
  EXPECT_TRUE(coq_rule(rule_of(wrong), one_instance()).text.empty());
}

}  // namespace
}  // namespace vouch
