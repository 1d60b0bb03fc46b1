// Element types mean something: what may be NaN, which zero it is, and what no proof may speak of.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/check.h"
#include "verdict_of.h"

namespace vouch {
namespace {

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

TEST(ElementTypes, AConversionIsAFunctionOfItsElement) {
  auto verdict = [](const std::string& from, const std::string& law) {
    return verdict_of("let x = * {dtype = " + from + "};\n" + law);
  };
  EXPECT_EQ(verdict("int64",
                    "where x.rank == 2; source Cast(Transpose(x) {perm = (1, 0)}) {to = int8};\n"
                    "target Transpose(Cast(x) {to = int8}) {perm = (1, 0)};"),
            Verdict::SoundExact);
  EXPECT_EQ(verdict("float32", "source Cast(Relu(x)) {to = int8}; target Cast(Relu(Relu(x))) {to = int8};"), Verdict::SoundExact);
  // Integers lose bits: those lost once are lost, and those of a sign are none.
  for (auto [from, middle, to, wanted] : {std::tuple("int64", "int32", "int8", Verdict::SoundExact),
                                          {"uint64", "int64", "uint8", Verdict::SoundExact},
                                          {"uint8", "int8", "uint8", Verdict::SoundExact},
                                          {"int16", "float32", "int16", Verdict::SoundReal},
                                          {"int64", "int8", "int32", Verdict::Unsound},
                                          {"int8", "uint8", "int32", Verdict::Unsound},
                                          {"int64", "uint32", "int64", Verdict::Unsound}}) {
    std::string direct = std::string(from) == to ? "x" : fmt::format("Cast(x) {{to = {}}}", to);
    EXPECT_EQ(verdict(from, fmt::format("source Cast(Cast(x) {{to = {}}}) {{to = {}}};\ntarget {};", middle, to, direct)), wanted)
        << from << " " << middle << " " << to;
  }
  EXPECT_EQ(verdict("int32", "source Cast(x * x) {to = int64}; target Cast(x) {to = int64} * Cast(x) {to = int64};"),
            Verdict::Unsound);
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
