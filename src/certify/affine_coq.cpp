#include <fmt/format.h>

#include <algorithm>

#include "certify/affine.h"
#include "certify/affine_value.h"
#include "certify/coq_text.h"
#include "certify/index_plan.h"
#include "certify/reading.h"
#include "support/fault.h"

namespace vouch {
namespace {

// Of the kernel with the program's names, element by element.
std::optional<std::string> kernel_statement(const array::Program& program, IndexKernel kernel) {
  kernel.sizes = program.sizes;
  for (std::size_t k = 0; k < kernel.inputs.size(); ++k) {
    kernel.inputs[k].name = program.inputs.at(k).name;
  }
  return array::element_statement(lower_index(kernel, std::nullopt), kernel.output.extents.size());
}

// `same_cells` of coq/index/Reads.v.
bool same_cells(const array::Type& a, const array::Type& b) {
  bool one = a->kind == array::TypeKind::Num && b->kind == array::TypeKind::Array && array::is_const(b->size, 1) &&
             b->parts[0]->kind == array::TypeKind::Num;
  return a == b || one;
}

}  // namespace

bool reads_alike(const array::Program& program, const IndexKernel& kernel) {
  auto known = [&](const array::SizeFact& fact) {
    return std::find(kernel.facts.begin(), kernel.facts.end(), fact) != kernel.facts.end();
  };
  auto same = [](const array::Parameter& a, const array::Parameter& b) { return same_cells(a.type, b.type); };
  if (!std::equal(program.inputs.begin(), program.inputs.end(), kernel.inputs.begin(), kernel.inputs.end(), same) ||
      !std::all_of(program.facts.begin(), program.facts.end(), known)) {
    return false;
  }
  auto own = array::element_statement(program, kernel.output.extents.size());
  return own && own == kernel_statement(program, kernel);
}

std::string affine_reading(const array::Program& program, const IndexKernel& kernel, const std::string& name) {
  auto element = array::element_statement(program, kernel.output.extents.size());
  ensure(element && reads_alike(program, kernel), "only programs that read as their kernels are certified so");
  return fmt::format(
      "\n(** The functional program as it is written, and what it says of one element: so does the kernel. *)\n"
      "From Coq Require Import ZArith NArith List String.\n"
      "From Vouch Require Import lib.Size array.Syntax certify.Print certify.Certificate certify.Statement index.Reads.\n"
      "Import ListNotations.\nLocal Open Scope string_scope.\n\n"
      "Definition functional : source := {1}.\n\n"
      "Definition element : Statement.statement :=\n  {2}.\n\n"
      "Theorem reads_as_kernel : reads_as functional {0} element = true.\n"
      "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
      "Theorem reads_functional : ReadsAs functional {0}.\n"
      "Proof. exact (reads_as_sound _ _ _ reads_as_kernel). Qed.\n",
      name, array::coq_source(program), *element);
}

std::string affine_certificate(const array::Program& program, const IndexKernel& kernel, bool reordered) {
  return affine_reading(program, kernel, "index_kernel") +
         "\n(** The C text computes the functional program. *)\n"
         "Definition computes_functional := " +
         (reordered
              ? "text_of_reordered_program _ _ _ _ _ computes_index_kernel computes_ordered_kernel reads_functional eq_refl "
                "eq_refl.\n"
              : "text_of_program _ _ _ _ certified computes_index_kernel reads_functional.\n");
}

}  // namespace vouch
