// Element types mean something: what may be NaN, which zero it is, and what no proof may speak of.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

Verdict verdict_of(const std::string& items) {
  CheckOptions options;
  options.instances.max_rank = 2;
  return check_rule(rule_of(items), options).verdict;
}

// Declares x, and y where the law speaks of it.
std::string of_type(const std::string& dtype, const std::string& law) {
  std::string y = law.find('y') != std::string::npos ? "let y = * {dtype = " + dtype + ", shape = x.shape};\n" : "";
  return "let x = * {dtype = " + dtype + "};\n" + y + law;
}

std::string cast_twice(const std::string& from, const std::string& middle) {
  return "let x = * {dtype = " + from + "};\nlet c = Cast(x) {to = " + middle + "};\nsource Cast(c) {to = " + from +
         "};\ntarget x;";
}

TEST(ElementTypes, AnotherTypeAndBackIsNotTheIdentity) {
  for (const char* narrow : {"int32", "uint8", "float32", "bool"}) {
    EXPECT_FALSE(is_sound(verdict_of(cast_twice("int64", narrow)))) << narrow;
  }
  EXPECT_FALSE(is_sound(verdict_of(cast_twice("float32", "int64"))));
  EXPECT_FALSE(is_sound(verdict_of(cast_twice("float32", "float16"))));
  EXPECT_EQ(verdict_of(cast_twice("int64", "int64")), Verdict::SoundExact);
}

TEST(ElementTypes, WhatIsComputedInOneTypeIsNotWhatIsComputedInAnother) {
  for (const auto& [from, to] : {std::pair("int64", "float32"), {"int32", "int64"}, {"uint8", "int32"}, {"float16", "float32"}}) {
    for (std::string op : {"Mul", "Add", "Sub"}) {
      EXPECT_NE(verdict_of(of_type(from, "source " + op + "(Cast(x) {to = " + to + "}, Cast(y) {to = " + to +
                                             "});\ntarget Cast(" + op + "(x, y)) {to = " + to + "};")),
                Verdict::SoundExact)
          << op << " " << from << " " << to;
    }
  }
}

TEST(ElementTypes, NothingIsOrderedByNaN) {
  const char* laws[] = {"source Not(Less(x, y)); target GreaterOrEqual(x, y);",
                        "source Not(GreaterOrEqual(x, y)); target Less(x, y);",
                        "source Not(LessOrEqual(x, y)); target Greater(x, y);",
                        "source Or(Less(x, y), GreaterOrEqual(x, y)); target Or(Equal(x, y), Not(Equal(x, y)));",
                        "source Where(Not(Less(x, y)), x, y); target Where(LessOrEqual(y, x), x, y);",
                        "source Equal(x, x); target Equal(Cast(x) {to = bool}, Cast(x) {to = bool});",
                        "source Or(Less(x, y), Greater(x, y)); target Not(Equal(x, y));"};
  for (const char* law : laws) {
    EXPECT_FALSE(is_sound(verdict_of(of_type("float32", law)))) << law;
    EXPECT_EQ(verdict_of(of_type("int32", law)), Verdict::SoundExact) << law;
  }
  for (const char* law :
       {"source Less(x, y); target Greater(y, x);", "source Equal(x, y); target Equal(y, x);",
        "source Not(Not(Less(x, y))); target Less(x, y);", "source Or(Less(x, y), Equal(x, y)); target LessOrEqual(x, y);",
        "source Not(Or(Less(x, y), Equal(x, y))); target And(Not(Less(x, y)), Not(Equal(x, y)));"}) {
    EXPECT_EQ(verdict_of(of_type("float32", law)), Verdict::SoundExact) << law;
  }
}

TEST(ElementTypes, ExactForgetsNeitherNaNNorTheSignOfZero) {
  for (const char* law :
       {"source Add(x, 0.0); target x;", "source Sub(x, x); target Mul(x, 0.0);", "source Mul(x, 0.0); target Sub(x, x);",
        "source Neg(Sub(x, y)); target Sub(y, x);", "source Neg(Add(x, y)); target Sub(Neg(x), y);",
        "source Neg(Neg(Add(x, 0.0))); target x;", "source Mul(Neg(x), 0.0); target Mul(x, 0.0);",
        "source Neg(Where(Less(x, y), x, 0.0)); target Where(Less(x, y), Neg(x), 0.0);",
        "source Neg(Relu(x)); target Min((Neg(x), 0.0));", "source Add(Relu(x), 0.0); target Relu(x);"}) {
    EXPECT_NE(verdict_of(of_type("float32", law)), Verdict::SoundExact) << law;
  }
  for (const char* law : {"source Add(x, y); target Add(y, x);", "source Neg(Neg(x)); target x;",
                          "source Max((x, y)); target Max((y, x));", "source Relu(Relu(x)); target Relu(x);",
                          "source Neg(Where(Less(x, y), x, y)); target Where(Less(x, y), Neg(x), Neg(y));"}) {
    EXPECT_EQ(verdict_of(of_type("float32", law)), Verdict::SoundExact) << law;
  }
}

TEST(ElementTypes, WhatMayTrainIsNotTheIdentity) {
  std::string x = "let x = *;\nlet r = *;\n";
  EXPECT_FALSE(is_sound(verdict_of(x + "let m = *; source Dropout(x, r, m); target x; drop r; drop m;")));
  EXPECT_FALSE(is_sound(verdict_of(x + "let m = variable; source Dropout(x, r, m); target x; drop r; drop m;")));
  EXPECT_FALSE(is_sound(verdict_of(x + "let m = const {value = any}; source Dropout(x, r, m); target x; drop r;")));
  EXPECT_FALSE(is_sound(verdict_of(x + "let m = *; source DropoutMask(x, r, m); target Equal(x, x); drop r; drop m;")));
  EXPECT_TRUE(is_sound(verdict_of(x + "source Dropout(x, r); target x; drop r;")));
  EXPECT_TRUE(is_sound(verdict_of("let x = *; source Dropout(x); target x;")));
}

}  // namespace
}  // namespace vouch
