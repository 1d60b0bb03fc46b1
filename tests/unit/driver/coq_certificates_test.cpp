#include <fmt/format.h>
#include <gtest/gtest.h>

#include "driver/coq.h"
#include "driver/coq_together.h"
#include "driver/kernel_texts.h"

namespace vouch {
namespace {

// A certificate of a kernel that adds a number to each element, or lets a gradient through.
CoqQuestion question(const std::string& name, int added, bool derivation = false) {
  std::string text = fmt::format("kernel {}(sizes n; xs: num[n]) -> ys: num[n] =\n  map par x in xs {{ x + {} }}\n", name, added);
  KernelRecipe recipe;
  recipe.origin = name + ".fun";
  recipe.derivation = derivation;
  Diagnostics diagnostics;
  auto all = compile_texts(recipe, std::make_shared<Source>(recipe.origin, text), diagnostics);
  EXPECT_TRUE(all && all->size() == 1) << diagnostics.text();
  KernelTexts texts = all->front();
  return {texts.name, texts.certificate, texts.refutation, texts.c, texts.derivation, texts.adjoint};
}

// Another C text than the kernel's, wherever it is spoken of.
CoqQuestion lie(CoqQuestion one) {
  for (std::string* text : {&one.certificate, &one.refutation, &one.c}) {
    std::size_t at = text->find("(xs[i2] + ");
    EXPECT_NE(at, std::string::npos) << *text;
    text->replace(at, 10, "(xs[i2] - ");
  }
  return one;
}

std::vector<CoqAnswer> answers(const std::vector<CoqQuestion>& questions) {
  Diagnostics diagnostics;
  auto library = find_coq_library(diagnostics);
  EXPECT_TRUE(library) << diagnostics.text();
  CoqJobs jobs;
  jobs.finished = [](const std::string&) {};
  return library ? check_certificates(*library, questions, {}, jobs).questions : std::vector<CoqAnswer>(questions.size());
}

// All of these are one group: what one of them is does not touch the others.
TEST(CoqCertificates, EachOfAGroupHasItsOwnAnswer) {
  std::vector<CoqQuestion> all{question("one", 1, true), lie(question("two", 2)), question("three", 3),
                               question("four", 4),      question("five", 5),     question("six", 6)};
  all[4].c = lie(all[4]).c;  // on disk, not in the certificate
  ASSERT_EQ(questions_together(all, 1).size(), 1U);
  all[3].certificate += "Axiom computes_functional : False.\n";
  // Leaves its modules, and says of the last what the last does not say of itself.
  all[2].certificate += fmt::format("End Kernel.\nEnd s2.\nModule s5.\nModule Kernel.\n{}", lie(question("six", 6)).certificate);
  std::vector<CoqAnswer> found = answers(all);
  for (std::size_t i : {0, 5}) {
    EXPECT_EQ(found[i].word, CoqWord::Holds) << all[i].name << ": " << found[i].message;
    EXPECT_EQ(found[i].axioms, "none") << all[i].name;
  }
  EXPECT_EQ(found[1].word, CoqWord::Fails) << found[1].message;
  EXPECT_EQ(found[1].message, "Coq proves that this C text is not certified for this kernel");
  EXPECT_EQ(found[2].word, CoqWord::Undecided) << found[2].message;
  EXPECT_EQ(found[3].word, CoqWord::Fails);
  EXPECT_EQ(found[3].message, "it rests on axioms");
  EXPECT_NE(found[4].word, CoqWord::Holds);
}

CoqQuestion of_bytes(std::size_t bytes) { return {"", "", "", std::string(bytes, 'x'), {}, {}}; }

TEST(CoqCertificates, GroupsAreShared) {
  EXPECT_EQ(questions_together(std::vector<CoqQuestion>(7), 2), (std::vector<std::vector<std::size_t>>{{0, 1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(questions_together(std::vector<CoqQuestion>(2), 8), (std::vector<std::vector<std::size_t>>{{0}, {1}}));
  EXPECT_EQ(questions_together({of_bytes(60'000), of_bytes(10'000), of_bytes(1), of_bytes(1'000'000), of_bytes(1)}, 1),
            (std::vector<std::vector<std::size_t>>{{0}, {1, 2}, {3}, {4}}));
  EXPECT_TRUE(questions_together({}, 4).empty());
}

}  // namespace
}  // namespace vouch
