// What is proven of IsNaN and IsInf holds of elements that are no numbers: where NaN or an infinity tells the sides apart,
// nothing is.
#include <gtest/gtest.h>

#include "verdict_of.h"

namespace vouch {
namespace {

const char* const kOfFloats = "let x = * {dtype = float32};\n";
const char* const kNothing = "let z = const {value = 0, rank = 0};\n";

Verdict of(const std::string& items) { return verdict_of(kOfFloats + items); }

// Each holds of all numbers.
TEST(NoNumbers, WhatTellsThemApartIsNotSound) {
  const std::string zero = kNothing;
  for (const std::string& items : {
           zero + "source Where(IsNaN(x), z, x); target x;",
           zero + "source Where(IsNaN(Softmax(x)), z, Softmax(x) {axis = -1}); target Softmax(x) {axis = -1};",
           zero + "source IsNaN(x * z); target IsNaN(x);",
           zero + "source Where(IsInf(x) {detect_negative = 1, detect_positive = 1}, z, x); target x;",
           std::string("source IsNaN(x); target Less(x, x);"),
           std::string("source IsNaN(x - x); target IsNaN(x);"),
           std::string("source IsNaN(x - x); target Less(x, x);"),
           std::string("source IsNaN(Sqrt(x)); target IsNaN(x);"),
           std::string("source IsNaN(Log(Abs(x))); target Less(x, x);"),
           std::string("source IsNaN(x / x); target IsNaN(x);"),
           std::string("source IsNaN(Cast(x) {to = float16}); target Less(x, x);"),
           std::string("source IsNaN(x); target IsInf(x);"),
           std::string("source IsInf(x) {detect_negative = 1, detect_positive = 1}; target Less(x, x);"),
           std::string("source IsInf(x + x) {detect_negative = 1, detect_positive = 1}; target IsInf(x);"),
           std::string("source IsInf(Cast(x) {to = float16}) {detect_negative = 1, detect_positive = 1}; target IsInf(x);"),
           std::string("source IsInf(x) {detect_negative = 0, detect_positive = 1}; target IsInf(x);"),
       }) {
    Verdict found = of(items);
    EXPECT_TRUE(found == Verdict::Unknown || found == Verdict::Unsound) << items << verdict_name(found);
  }
}

TEST(NoNumbers, WhatMovesOrConvertsThemKeepsThem) {
  for (const std::string& items : {
           std::string("source Transpose(IsNaN(Transpose(x) {perm = (1, 0)})) {perm = (1, 0)}; target IsNaN(x);"),
           std::string("source IsNaN(Cast(x) {to = float64}); target IsNaN(x);"),
           std::string("let y = * {dtype = float32}; source IsNaN(x * y); target IsNaN(y * x);"),
           kNothing + std::string("let w = Where(IsNaN(x), z, x); source Where(IsNaN(w), z, w); target w;"),
           std::string("let i = IsInf(x) {detect_negative = 1, detect_positive = 1}; source And(i, i); target i;"),
       }) {
    EXPECT_EQ(of(items), Verdict::SoundExact) << items;
  }
}

// Exp of a number is one or an infinity, and a sign says nothing of either.
TEST(NoNumbers, LawsOfTheReals) {
  for (const std::string& items : {
           std::string("source IsNaN(Exp(x)); target IsNaN(x);"),
           std::string("source IsNaN(Neg(x)); target IsNaN(x);"),
           std::string("source IsInf(Neg(x)) {detect_negative = 1, detect_positive = 0}; target IsInf(x) {detect_negative = 0};"),
       }) {
    EXPECT_EQ(of(items), Verdict::SoundReal) << items;
  }
}

}  // namespace
}  // namespace vouch
