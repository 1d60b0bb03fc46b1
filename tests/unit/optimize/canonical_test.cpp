// A verdict is kept by what its rule means: in another order of `let`s, or under other names, a rule has the same scope, place by
// place; one that claims the ranks the other way round has another.
#include <gtest/gtest.h>

#include "rule/print.h"
#include "site.h"

namespace vouch {
namespace {

constexpr const char* kBody = "source Neg(a - b); target b - a; }";
const std::string kMatrixFirst = std::string("rule one { let a = *; let b = *; rank a 2..2; rank b 1..1; ") + kBody;
const std::string kOtherOrder = std::string("rule two { let b = *; let a = *; rank b 1..1; rank a 2..2; ") + kBody;
const std::string kOtherNames = "rule three { let b = *; let a = *; rank a 1..1; rank b 2..2; source Neg(b - a); target a - b; }";
const std::string kVectorFirst = std::string("rule four { let b = *; let a = *; rank b 2..2; rank a 1..1; ") + kBody;

const Extents kMatrix{3, 4};
const Extents kVector{4};

std::size_t fires(VerdictStore& store, const std::string& text, const Extents& first, const Extents& second) {
  std::vector<Rule> rules = rules_of(text);
  Gate gate(rules, store);
  Site site;
  site.graph.add_output("y", site.call("Neg", {site.call("Sub", {site.input(first), site.input(second)})}));
  return rewrite(site.graph, rules, {.admissions = gate.admissions()}).steps;
}

TEST(Canonical, OrderAndNamesAreNoPartOfTheMeaning) {
  std::string one = canonical_text(rules_of(kMatrixFirst).at(0));
  EXPECT_EQ(one, canonical_text(rules_of(kOtherOrder).at(0)));
  EXPECT_EQ(one, canonical_text(rules_of(kOtherNames).at(0)));
  EXPECT_NE(one, canonical_text(rules_of(kVectorFirst).at(0)));
}

TEST(Canonical, EachFiresWhereItsPlacesAreProvenWhoeverWasProvenFirst) {
  for (const std::string& first : {kMatrixFirst, kVectorFirst}) {
    VerdictStore store;
    const std::vector<Rule> known = rules_of(first);
    store.prove({&known.at(0)});
    for (const std::string& rule : {kMatrixFirst, kOtherOrder, kOtherNames}) {
      EXPECT_EQ(fires(store, rule, kMatrix, kVector), 1U) << rule;
      EXPECT_EQ(fires(store, rule, kVector, kMatrix), 0U) << rule;
    }
    EXPECT_EQ(fires(store, kVectorFirst, kVector, kMatrix), 1U);
    EXPECT_EQ(fires(store, kVectorFirst, kMatrix, kVector), 0U);
  }
}

}  // namespace
}  // namespace vouch
