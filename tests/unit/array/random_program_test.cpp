#include "random_program.h"

#include <gtest/gtest.h>

#include <map>

namespace vouch::array {
namespace {

struct Census {
  std::map<ExpKind, int> terms;
  std::map<LayoutKind, int> layouts;
  std::map<Op, int> ops;
  std::map<LoopKind, int> loops;
  std::map<Place, int> places;

  void count(const Exp& e) {
    ++terms[e->kind];
    if (e->kind == ExpKind::Lay) {
      for (Layout of = e->layout; of; of = of->inner) {
        ++layouts[of->kind];
      }
    } else if (e->kind == ExpKind::Op) {
      ++ops[e->op];
    } else if (e->kind == ExpKind::Map) {
      ++loops[e->loop];
    } else if (e->kind == ExpKind::Reduce) {
      ++places[e->place];
    }
    for (const Exp& arg : e->args) {
      count(arg);
    }
  }
};

// What the agreement of the translators is tested on holds every form of the language.
TEST(RandomProgram, EveryFormOccurs) {
  Census census;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Program program = RandomProgram(seed).make("k");
    EXPECT_TRUE(verify_program(program));
    census.count(program.term);
  }
  EXPECT_EQ(census.terms.size(), 12U);
  EXPECT_EQ(census.layouts.size(), 13U);
  EXPECT_EQ(census.ops.size(), static_cast<std::size_t>(kOpCount));
  EXPECT_EQ(census.loops.size(), 4U);
  EXPECT_EQ(census.places.size(), 2U);
}

TEST(RandomProgram, SameSeedSameProgram) {
  EXPECT_EQ(RandomProgram(7).make("k").term, RandomProgram(7).make("k").term);
  EXPECT_FALSE(RandomProgram(7).make("k").term == RandomProgram(8).make("k").term);
}

}  // namespace
}  // namespace vouch::array
