// Which element type a constant of the target has whose rule says none: what it is made of, never the numbers that are found.
#include "rule/constant_type.h"

#include <gtest/gtest.h>

#include "rule/print.h"
#include "rules_of.h"

namespace vouch {
namespace {

// The type that the rule's only constant with a value in its target is given, as text.
std::string type_of(const std::string& value) {
  std::string text =
      "rule r { let x = * {rank = 2}; let p = const {value = any, rank = 1}; let c = const {value = any, rank = 0};\n"
      "let d = const {value = any, rank = 0};\n"
      "let e = LeakyRelu(x * c * d) {alpha = any}; let s = Softmax(Reshape(e, p)) {axis = any}; source s;\n"
      "target Softmax(Reshape(e, p) + const {value = " +
      value + ", shape = (1,)}) {axis = 0}; }";
  Rule rule = rules_of(text).at(0);
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    for (const PatternAttr& attr : rule.pattern(id).attributes) {
      if (rule.pattern(id).kind == PatternKind::Const && !rule.in_source[id] && attr.name == Symbol("dtype")) {
        const AttrExpr& type = rule.attr(attr.value);
        return type.value.string() ? *type.value.string() : print_attr(rule, attr.value);
      }
    }
  }
  return "none";
}

TEST(ConstantType, SizesIntegersAndListsAreOfInt64) {
  for (const char* value :
       {"2", "x.shape[0]", "x.rank + 1", "s.axis", "len(p.value)", "p.value[0] * 2", "(0, 1)[0]", "x.shape[c.value]",
        "if (x.rank > 1) 1 else 2", "-x.shape[1] // 2", "floor(c.value)", "sum[i < 2](x.shape[i])"}) {
    EXPECT_EQ(type_of(value), "int64") << value;
  }
}

TEST(ConstantType, FractionsAndFloatAttributesAreOfFloat32) {
  for (const char* value :
       {"0.5", "2.0", "1 / 3", "4 / 2", "e.alpha", "1 - e.alpha", "x.shape[0] * e.alpha", "if (x.rank > 1) 1 else 0.5"}) {
    EXPECT_EQ(type_of(value), "float32") << value;
  }
}

TEST(ConstantType, ElementsKeepTheirType) {
  for (const char* value : {"c.value", "-c.value", "1 / c.value", "c.value * e.alpha", "c.value * x.shape[0]", "0.5 * c.value",
                            "if (x.rank > 1) c.value else 1"}) {
    EXPECT_EQ(type_of(value), "c.dtype") << value;
  }
  EXPECT_EQ(type_of("d.value + c.value"), "d.dtype");
  EXPECT_EQ(type_of("max(c.value, d.value)"), "c.dtype");
}

TEST(ConstantType, ATypeThatIsGivenStays) { EXPECT_EQ(type_of("c.value, dtype = float16"), "float16"); }

// An operator variable's attribute is of any type.
TEST(ConstantType, WhatTellsNothingIsRefused) {
  Diagnostics diagnostics;
  const char* text =
      "rule r { operator u any; let x = *; let c = u(x) {alpha = any}; source c; target x * const {value = c.alpha}; }";
  parse_rules(std::make_shared<Source>("test.gsl", text), diagnostics);
  EXPECT_NE(diagnostics.text().find("does not say its element type"), std::string::npos) << diagnostics.text();
}

}  // namespace
}  // namespace vouch
