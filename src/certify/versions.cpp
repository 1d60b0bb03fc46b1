#include "certify/versions.h"

#include <fmt/format.h>

#include <algorithm>

#include "certify/coq_text.h"
#include "certify/index_coq.h"
#include "imp/print_versions.h"
#include "support/fault.h"

namespace vouch {
namespace {

constexpr std::string_view kPreamble =
    "From Coq Require Import ZArith NArith List String.\n"
    "From Vouch Require Import lib.Size array.Syntax certify.Text certify.Print certify.Certificate.\n"
    "From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Versions.\n"
    "From Vouch Require certify.Witness.\n"
    "Import ListNotations.\n"
    "Local Open Scope string_scope.\n";

std::string version_module(const array::ProgramVersion& version, const std::optional<IndexTiling>& tiling) {
  return fmt::format("Module {0}.\nDefinition kernel : source := {1}.\n\n{2}End {0}.\n\n", version.word,
                     array::coq_source(version.program), coq_lowering(tiling));
}

std::string all_versions(const std::vector<array::ProgramVersion>& versions) {
  std::vector<std::string> others;
  std::string computes = "@Forall_nil _ _";
  for (std::size_t k = versions.size(); k-- > 0;) {
    computes = fmt::format("@Forall_cons _ _ _ _ {}.computes_index_kernel ({})", versions[k].word, computes);
  }
  for (std::size_t k = 1; k < versions.size(); ++k) {
    others.push_back(fmt::format("({}, {}.kernel)", array::version_target(versions[k].word)->coq, versions[k].word));
  }
  return fmt::format(
      "Definition kernels : versions := {{| vs_generic := {}.kernel; vs_targets := [{}] |}}.\n\n"
      "Theorem computes_index_kernel : Forall (ComputesIndex index_kernel) (sources kernels).\n"
      "Proof. exact ({}). Qed.\n\n",
      versions.front().word, fmt::join(others, "; "), computes);
}

std::string numbers_of(const std::vector<Integer>& witness) {
  std::vector<std::string> values;
  std::transform(witness.begin(), witness.end(), std::back_inserter(values), [](const Integer& value) { return value.str(); });
  return fmt::format("[{}]%N", fmt::join(values, "; "));
}

std::string sizes_of(const std::vector<array::Size>& limits) {
  std::vector<std::string> sizes;
  std::transform(limits.begin(), limits.end(), std::back_inserter(sizes), array::coq_size);
  return fmt::format("[{}]", fmt::join(sizes, "; "));
}

std::string theorems(const std::vector<Integer>& witness, const std::vector<array::Size>& limits) {
  return fmt::format(
      "Theorem checked : certifies_versions kernels kernel_text = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\n\n"
      "Theorem certified : CertifiedVersions kernels kernel_text.\n"
      "Proof. exact (certifies_versions_sound _ _ checked). Qed.\n\n"
      "(** Whatever the processor answers, the text leaves the kernel's elements; so all versions agree, bit for bit. *)\n"
      "Definition whichever_is_called := versions_index index_kernel _ _ certified computes_index_kernel.\n"
      "Definition agree := versions_agree index_kernel _ _ certified computes_index_kernel.\n\n"
      "(** Sizes that satisfy all that is assumed of sizes; and what has to stay below 2^63. *)\n"
      "Theorem witnessed : forallb (fun k => certify.Witness.witness_ok k {}) (sources kernels) = true.\n"
      "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
      "Theorem limited : forallb (fun k => certify.Witness.limits_among k {}) (sources kernels) = true.\n"
      "Proof. vm_cast_no_check (eq_refl true). Qed.\n",
      numbers_of(witness), sizes_of(limits));
}

}  // namespace

std::vector<array::ProgramVersion> version_programs(const IndexKernel& kernel, const std::vector<KernelVersion>& versions) {
  std::vector<array::ProgramVersion> programs;
  for (const KernelVersion& version : versions) {
    ensure(!version.tiling || version.tiling->splits.empty(), "versions add in the kernel's order");
    programs.push_back({version.word, lower_index(kernel, version.tiling)});
    ensure(array::verify_program(programs.back().program), "only well-typed programs are certified");
  }
  return programs;
}

array::Certified certify_versions(const IndexKernel& kernel, const std::vector<KernelVersion>& versions,
                                  const std::string& origin, const std::vector<Integer>& witness,
                                  const std::vector<array::Size>& limits) {
  std::vector<array::ProgramVersion> programs = version_programs(kernel, versions);
  std::string c = array::versions_text(programs);
  std::string data = fmt::format(
      "(** The kernel {} of {}, and a C text with versions of it that are proven to compute it. *)\n\n{}\n"
      "(** Index variables and tensors are numbered as in index/Kernel.v. *)\n"
      "Definition index_kernel : ikernel := {}.\n\n",
      kernel.name, origin, kPreamble, coq_index_kernel(kernel));
  for (std::size_t k = 0; k < versions.size(); ++k) {
    data += version_module(programs[k], versions[k].tiling);
  }
  data += all_versions(programs) + fmt::format("Definition kernel_text : string :=\n{}.\n\n", array::coq_text(c));
  return {c, array::versions_header(programs, origin), data + theorems(witness, limits),
          data +
              "Theorem refuted : certifies_versions kernels kernel_text = false.\n"
              "Proof. vm_cast_no_check (eq_refl false). Qed.\n"};
}

}  // namespace vouch
