#include <fmt/format.h>

#include "certify/affine.h"
#include "certify/coq_text.h"
#include "certify/index_plan.h"
#include "certify/reading.h"
#include "support/fault.h"

namespace vouch {

bool reads_alike(const array::Program& program, const IndexKernel& kernel) {
  auto own = array::element_statement(program);
  return own && own == array::element_statement(lower_index(kernel, std::nullopt));
}

std::string affine_certificate(const array::Program& program, const IndexKernel& kernel) {
  auto element = array::element_statement(program);
  ensure(element && reads_alike(program, kernel), "only programs that read as their kernels are certified so");
  return fmt::format(
      "\n(** The functional program as it is written, and what it says of one element: so does the kernel. *)\n"
      "From Vouch Require Import certify.Statement index.Reads.\n\n"
      "Definition functional : source := {}.\n\n"
      "Definition element : Statement.statement :=\n  {}.\n\n"
      "Theorem reads_as_kernel : reads_as functional index_kernel element = true.\n"
      "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
      "Theorem reads_functional : ReadsAs functional index_kernel.\n"
      "Proof. exact (reads_as_sound _ _ _ reads_as_kernel). Qed.\n\n"
      "(** The C text computes the functional program. *)\n"
      "Definition computes_functional := text_of_program _ _ _ _ certified computes_index_kernel reads_functional.\n",
      array::coq_source(program), *element);
}

}  // namespace vouch
