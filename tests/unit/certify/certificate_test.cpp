#include "certify/certificate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "array/parse.h"
#include "certify/coq_text.h"
#include "certify/derivation.h"
#include "certify/reading.h"

namespace vouch::array {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(std::string(VOUCH_ROOT) + path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Program kernel(const std::string& path) {
  Diagnostics diagnostics;
  auto program = parse_program(std::make_shared<Source>(path, contents(path)), diagnostics);
  EXPECT_TRUE(program) << diagnostics.text();
  return *program;
}

// The texts that the examples of the Coq library prove themselves.
TEST(Certificate, TextsOfTheCoqExamples) {
  Program product = kernel("/kernels/vector/product.fun");
  product.name = "dot";
  EXPECT_NE(contents("/coq/certify/DotExample.v").find(coq_string(certify(product, "").c)), std::string::npos);
  EXPECT_NE(contents("/coq/certify/MatmulExample.v").find(coq_string(certify(kernel("/kernels/matrix/matmul.fun"), "").c)),
            std::string::npos);
  EXPECT_NE(contents("/coq/certify/TiledExample.v").find(coq_string(certify(kernel("/kernels/matrix/matmul_tiled.fun"), "").c)),
            std::string::npos);
}

TEST(Certificate, HoldsTheTextItCertifies) {
  Program program = kernel("/kernels/network/conv2d.fun");
  Certified certified = certify(program, "conv2d.fun");
  EXPECT_NE(certified.certificate.find(coq_source(program)), std::string::npos);
  EXPECT_NE(certified.certificate.find(coq_text(certified.c)), std::string::npos);
  EXPECT_NE(certified.header.find("requires ho * sh + r * dh + 1 <= top + h + bottom + sh + dh"), std::string::npos)
      << certified.header;
  EXPECT_EQ(certified.header.find("restrict"), std::string::npos);
}

std::string statement(const Program& program) {
  std::string theorem = readable_theorem(program).value_or("");
  return theorem.substr(0, theorem.find("Proof."));
}

TEST(Reading, MatrixProduct) {
  EXPECT_EQ(statement(kernel("/kernels/matrix/matmul.fun")),
            "Theorem computes : forall (m n p : nat) (K : scalars) (before after : mem K),\n"
            "  runs kernel_text [m; n; p] before after ->\n"
            "  let a := fun i1 i2 => before 0 (i1 * n + i2) in\n"
            "  let b := fun i1 i2 => before 1 (i1 * p + i2) in\n"
            "  let c := fun i1 i2 => after 2 (i1 * p + i2) in\n"
            "  forall i, i < m ->\n"
            "  forall j, j < p ->\n"
            "  c i j =\n"
            "    fold k < n from whole 0 as s gives s +. a i k *. b k j.\n");
}

// Tiles and transposed tiles are no part of what is computed.
TEST(Reading, TiledMatrixProduct) {
  EXPECT_NE(
      statement(kernel("/kernels/matrix/matmul_tiled.fun")).find("fold l < k from whole 0 as s gives fmaf (a i l) (b l j) s."),
      std::string::npos);
}

TEST(Reading, RemaindersAndDifferences) {
  EXPECT_NE(statement(kernel("/kernels/block/sum_block.fun")).find("a (k / n1) (k mod n1) i j."), std::string::npos);
  EXPECT_NE(statement(kernel("/kernels/vector/reverse_vec.fun")).find("xs (n - (i + 1))."), std::string::npos);
}

TEST(Reading, EveryShippedKernelHasAStatement) {
  int count = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(std::string(VOUCH_ROOT) + "/kernels")) {
    if (file.path().extension() == ".fun") {
      ++count;
      Program program = kernel(file.path().string().substr(std::string(VOUCH_ROOT).size()));
      EXPECT_TRUE(readable_theorem(program)) << program.name;
    }
  }
  EXPECT_GT(count, 30);
}

Program parsed(const std::string& text) {
  Diagnostics diagnostics;
  auto program = parse_program(std::make_shared<Source>("text", text), diagnostics);
  EXPECT_TRUE(program) << diagnostics.text();
  return *program;
}

// A step that reads its accumulator elsewhere is no fold of scalars; names that Coq has get another.
TEST(Reading, WhatIsRefusedAndRenamed) {
  EXPECT_FALSE(
      readable_theorem(parsed("kernel k(sizes n; xs: num[n, n]) -> ys: num[n] =\n"
                              "  reduce x in xs with a = fill(num[n], 0) { map p in zip(a.reverse, x) { p.fst + p.snd } }\n")));
  std::string renamed =
      statement(parsed("kernel k(sizes forall; before: num[forall]) -> after: num[forall] = map x in before { x }\n"));
  EXPECT_NE(renamed.find("forall i, i < forall_ ->\n  after_ i =\n    before_ i."), std::string::npos) << renamed;
}

// Coq reads a literal as deep as it is long: 34 KB in one overflowed its stack.
TEST(Certificate, LongTextsAreWrittenInParts) {
  std::string line = "  a \"line\" of some length;\n";
  std::string text;
  while (text.size() < 10000) {
    text += line;
  }
  std::string written = coq_text(text);
  std::string together;
  std::size_t parts = 0;
  for (std::size_t at = 0; (at = written.find("the_text\n\"", at)) != std::string::npos; ++parts) {
    at += 10;
    std::size_t end = written.find("\"%text", at);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LE(end - at, 5000U);
    EXPECT_EQ(written[end - 1], '\n');
    together += written.substr(at, end - at);
  }
  EXPECT_EQ(parts, 3U);
  for (std::size_t at = 0; (at = together.find("\"\"", at)) != std::string::npos; ++at) {
    together.erase(at, 1);
  }
  EXPECT_EQ(together, text);
}

TEST(Certificate, CheckSpeaksOfTheTextOnDisk) {
  std::string check = certificates_check({{{"Subject.b0", "Subject.b0.a"}, "", "say \"this\"\n", {}}});
  EXPECT_NE(check.find("Require Subject.b0.\n"), std::string::npos) << check;
  EXPECT_NE(check.find("\"say \"\"this\"\"\n\"%text"), std::string::npos) << check;
  EXPECT_NE(check.find("Certified Subject.b0.a.kernel text_0"), std::string::npos) << check;
  EXPECT_NE(check.find("Satisfiable Subject.b0.a.kernel"), std::string::npos) << check;
  EXPECT_NE(check.find("Definition all := (certified_0, satisfiable_0, (Vouch.certify.Witness.limits_among_sound _ _ "
                       "Subject.b0.a.limited)).\nPrint Assumptions all."),
            std::string::npos)
      << check;
}

// Statements and derivations must not rest on axioms either, however they are stated.
TEST(Certificate, CheckSpeaksOfAllThatIsClaimed) {
  std::string check = certificates_check(
      {{{"S.a", "S.a"}, "Axiom computes: True.", "", {}},
       {{"S.b", "S.b"}, "Theorem computes_index_kernel : True.", "", {"S.c", "S.c"}},
       {{"S.d", "S.d"}, "computes_it recomputes computes' (* computes (* \"*)\" *) computes *) \"computes\"\"(*\"", "", {}}});
  for (const char* claim : {"(certified_0, ", "satisfiable_0, ", "S.a.limited), S.a.computes, certified_1, ",
                            "S.b.limited), S.b.computes_index_kernel, derived_1, certified_2, ", "satisfiable_2, "}) {
    EXPECT_NE(check.find(claim), std::string::npos) << claim << check;
  }
  EXPECT_EQ(check.find("S.d.computes"), std::string::npos) << check;
  EXPECT_NE(check.find("exact (conj S.c.translated (conj S.c.printed S.c.simplified))"), std::string::npos) << check;
}

// The same once more for Coq to compute with: sizes, indices and the cells they lead to.
TEST(Reading, DataOfTheStatement) {
  std::string theorem = readable_theorem(kernel("/kernels/matrix/matmul.fun")).value_or("");
  EXPECT_NE(theorem.find(
                "computes_by kernel certified RUNS [i0; i1]\n    (XAdd (XMul (XVar 0) (XSize (SVar 2))) (XVar 1))\n    (RFold"),
            std::string::npos)
      << theorem;
  EXPECT_NE(theorem.find("(RInput 0 (XAdd\n      (XMul (XVar 0) (XSize (SVar 1))) (XVar 2)))"), std::string::npos) << theorem;
  EXPECT_NE(readable_theorem(kernel("/kernels/vector/dot.fun")).value_or("").find("RUNS (@nil nat)"), std::string::npos);
}

TEST(CoqText, Terms) {
  EXPECT_EQ(coq_const({-3, -2, false, false}), "(Dyadic (-3) (-2))");
  EXPECT_EQ(coq_const({0, 0, true, true}), "(Infinity true)");
  EXPECT_EQ(coq_type(type_array(size_mul(size_const(4), size_var(1)), type_pair(type_num(), type_num()))),
            "(TAry (SMul (SConst 4) (SVar 1)) (TPair TNum TNum))");
  EXPECT_EQ(coq_layout(layout_each(layout_at(index_op(IndexKind::Mod, index_var(0), index_size(size_const(2)))))),
            "(LMap (LAt (XMod (XVar 0) (XSize (SConst 2)))))");
  EXPECT_EQ(coq_exp(exp_op(Op::Fma, exp_var(2))), "(EOp (Op3 Fma) (EVar 2))");
}

}  // namespace
}  // namespace vouch::array
