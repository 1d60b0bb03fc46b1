#include "certify/certificate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "array/parse.h"
#include "certify/coq_text.h"
#include "certify/derivation.h"

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
  EXPECT_NE(certified.certificate.find(coq_string(certified.c)), std::string::npos);
  EXPECT_NE(certified.header.find("requires ho * sh + r * dh + 1 <= top + h + bottom + sh + dh"), std::string::npos)
      << certified.header;
  EXPECT_EQ(certified.header.find("restrict"), std::string::npos);
}

TEST(Certificate, CheckSpeaksOfTheTextOnDisk) {
  std::string check = certificate_check("Subject.Kernel", "say \"this\"\n");
  EXPECT_NE(check.find("\"say \"\"this\"\"\n\"%string"), std::string::npos) << check;
  EXPECT_NE(check.find("Print Assumptions certified."), std::string::npos);
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
