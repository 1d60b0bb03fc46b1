// Questions with one form are the same but for names, and the solver's answers, remembered by form, are those of a solver that
// remembers nothing.
#include "facts/query_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "facts/linear_solver.h"
#include "term/substitute.h"

namespace vouch {
namespace {

using Names = std::array<const char*, 4>;
constexpr Names kSpellings{"a", "b", "c", "d"};

Term var(const char* name) { return int_var(Symbol(name)); }
Term element(const char* tensor, Term at) { return int_of(read(Symbol(tensor), {at})); }

// Forms are those of one reader.
QueryForms::Form form(const Facts& facts) {
  static QueryForms forms;
  return forms.form_of(facts);
}

TEST(QueryForms, SameButForNames) {
  Facts one{ge(var("a"), 1), le(var("a") * 2, var("b"))};
  Facts other{ge(var("p"), 1), le(var("p") * 2, var("q"))};
  EXPECT_EQ(form(one), form(other));
}

TEST(QueryForms, WhatDiffersInMoreThanNames) {
  Term a = var("a");
  Term b = var("b");
  EXPECT_NE(form({ge(a, 1), le(a, 5)}), form({ge(a, 1), le(b, 5)}));
  EXPECT_NE(form({le(a * 2, b)}), form({le(a * 3, b)}));
  EXPECT_NE(form({le(a, b)}), form({eq(a, b)}));
  EXPECT_NE(form({le(a, b)}), form({negate(le(a, b))}));
  EXPECT_NE(form({ge(element("x", a), 1), le(element("x", b), 0), eq(a, b)}),
            form({ge(element("x", a), 1), le(element("y", b), 0), eq(a, b)}));
}

// A sum and a product of it are opaque by themselves: what they are made of does not tell them apart.
TEST(QueryForms, WhatTheSolverDoesNotLookInto) {
  Term quotient = floor_div(var("a"), var("b"));
  EXPECT_EQ(form({ge(quotient, 1)}), form({ge(var("q"), 1)}));
  EXPECT_EQ(form({ge(var("a") * var("b"), 1)}), form({ge(var("q"), 1)}));
  EXPECT_NE(form({ge(quotient, 1), le(quotient, 0)}), form({ge(quotient, 1), le(var("a"), 0)}));
}

class Drawn {
 public:
  explicit Drawn(std::uint32_t seed) : random_(seed) {}
  Facts facts(std::size_t count) {
    Facts out;
    while (out.size() < count) {
      Term fact = comparison();
      fact = pick(4) == 0 ? either(fact, comparison()) : fact;
      if (!is_const(fact)) {
        out.push_back(fact);
      }
    }
    return out;
  }
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

 private:
  Term name() { return var(kSpellings[static_cast<std::size_t>(pick(4))]); }
  Term integer() {
    switch (pick(5)) {
      case 0: return Term(pick(4) - 1);
      case 1: return name() + name();
      case 2: return element(pick(2) == 0 ? "x" : "y", name());
      default: return name() * (1 + pick(2));
    }
  }
  Term comparison() { return pick(3) == 0 ? eq(integer(), integer()) : le(integer() + (pick(3) - 1), integer()); }

  std::mt19937 random_;
};

Facts renamed(const Facts& facts, const Names& to) {
  Substitution names;
  for (std::size_t k = 0; k < kSpellings.size(); ++k) {
    names.emplace(Symbol(kSpellings[k]), var(to[k]));
  }
  Facts out;
  for (Term fact : facts) {
    out.push_back(substitute(fact, names));
  }
  return out;
}

Answer fresh_answer(const Facts& facts) { return LinearSolver(Solver::Options{}).check(facts, "fresh"); }

// All permutations of the names: one form, one answer.
TEST(QueryForms, RememberedAnswersAreThoseOfAFreshSolver) {
  LinearSolver remembering{Solver::Options{}};
  Drawn draw(7);
  std::size_t asked = 0;
  std::size_t unsat = 0;
  for (int round = 0; round < 40; ++round) {
    Facts facts = draw.facts(4 + static_cast<std::size_t>(draw.pick(6)));
    Names to = kSpellings;
    std::shuffle(to.begin(), to.end(), std::mt19937(static_cast<std::uint32_t>(round)));
    for (const Facts& question : {facts, renamed(facts, to)}) {
      Answer answer = remembering.check(question, "q");
      EXPECT_EQ(answer, fresh_answer(question)) << "round " << round;
      unsat += answer == Answer::Unsat ? 1 : 0;
      ++asked;
    }
  }
  EXPECT_LT(remembering.checks(), asked);
  EXPECT_GT(unsat, 10U);
  EXPECT_LT(unsat, asked - 10);
}

// A model that was found under other names is one of the question that was asked.
TEST(QueryForms, ModelsAreRenamed) {
  LinearSolver solver{Solver::Options{}};
  auto question = [](const char* a, const char* b) { return Facts{ge(var(a), 3), eq(var(b), var(a) * 2 + 1), le(var(b), 7)}; };
  for (auto [a, b] : {std::pair("a", "b"), std::pair("b", "a"), std::pair("p", "q")}) {
    ASSERT_EQ(solver.check(question(a, b), "q"), Answer::Sat);
    EXPECT_EQ(solver.value(Symbol(a)), 3);
    EXPECT_EQ(solver.value(Symbol(b)), 7);
  }
  EXPECT_EQ(solver.checks(), 1U);
  EXPECT_EQ(solver.value(Symbol("a")), std::nullopt) << "the last question did not speak of it";
}

}  // namespace
}  // namespace vouch
