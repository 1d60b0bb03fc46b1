#include "certify/versions.h"

#include <fmt/format.h>

#include <algorithm>

#include "certify/affine.h"
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
    "From Vouch Require certify.Witness.\n";

// How the certificate of one kernel's versions reads.
class Writer {
 public:
  Writer(const IndexKernel& kernel, const std::vector<KernelVersion>& versions, const VersionsWay& way)
      : kernel_(kernel), versions_(versions), way_(way) {
    const auto& first = versions.front().tiling;
    if (first && !first->splits.empty()) {
      order_ = reordered(kernel, first->splits);
    }
    for (const KernelVersion& version : versions) {
      bool same = order_ ? version.tiling && version.tiling->splits.size() == first->splits.size()
                         : !version.tiling || version.tiling->splits.empty();
      ensure(same && array::verify_program(version.program), "versions are well-typed programs that add in one order");
    }
  }

  std::string kernels() const {
    std::string out(kPreamble);
    if (way_.fused) {
      out += "From Vouch Require Import index.Fuse.\n";
    }
    if (order_) {
      out += "From Vouch Require Import regroup.Regroup.\n";
    }
    if (way_.fused || order_ || way_.functional) {
      out += "From Vouch Require Import regroup.Whichever.\n";
    }
    out += fmt::format(
        "Import ListNotations.\nLocal Open Scope string_scope.\n\n"
        "(** Index variables and tensors are numbered as in index/Kernel.v. *)\n"
        "Definition index_kernel : ikernel := {}.\n\n",
        coq_index_kernel(kernel_));
    if (order_) {
      out += fmt::format(
          "(** What is computed: the same sums in another order. *)\n"
          "Definition ordered_kernel : ikernel := {}.\n\n",
          coq_index_kernel(order_->kernel()));
    }
    for (const KernelVersion& version : versions_) {
      out += module_of(version);
    }
    return out + all_versions();
  }

  std::string meaning() const {
    std::string out =
        "Theorem checked : certifies_versions kernels kernel_text = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\n\n"
        "Theorem certified : CertifiedVersions kernels kernel_text.\n"
        "Proof. exact (certifies_versions_sound _ _ checked). Qed.\n";
    if (order_) {
      out += coq_regrouping(order_->regrouping());
    }
    return out + "\n" + whichever() + (way_.functional != nullptr ? functional() : "");
  }

 private:
  const char* computed() const { return order_ ? "ordered_kernel" : "index_kernel"; }

  std::string module_of(const KernelVersion& version) const {
    return fmt::format("Module {0}.\nDefinition kernel : source := {1}.\n\n{2}End {0}.\n\n", version.word,
                       array::coq_source(version.program),
                       way_.fused ? coq_fused_lowering(kernel_, version.tiling) : coq_lowering(version.tiling, computed()));
  }

  std::string all_versions() const {
    std::vector<std::string> others;
    std::string computes = "@Forall_nil _ _";
    for (std::size_t k = versions_.size(); k-- > 0;) {
      computes = fmt::format("@Forall_cons _ _ _ _ {}.computes_{} ({})", versions_[k].word, computed(), computes);
    }
    for (std::size_t k = 1; k < versions_.size(); ++k) {
      others.push_back(fmt::format("({}, {}.kernel)", array::version_target(versions_[k].word)->coq, versions_[k].word));
    }
    return fmt::format(
        "Definition kernels : versions := {{| vs_generic := {}.kernel; vs_targets := [{}] |}}.\n\n"
        "Theorem computes_{} : Forall ({} {}) (sources kernels).\n"
        "Proof. exact ({}). Qed.\n\n",
        versions_.front().word, fmt::join(others, "; "), computed(), way_.fused ? "ComputesFused" : "ComputesIndex", computed(),
        computes);
  }

  std::string whichever() const {
    if (way_.fused && order_) {
      return "(** Whatever the processor answers, the text leaves the elements of the ordered kernel, its products added without "
             "being\n"
             "    rounded; and those of the kernel as it was written where addition has its laws and fma is a product and a sum. "
             "*)\n"
             "Definition whichever_is_called :=\n"
             "  versions_fused_reordered index_kernel ordered_kernel pieces _ _ reordered computes_ordered_kernel certified.\n\n";
    }
    if (way_.fused) {
      return "(** Whatever the processor answers, the text leaves the kernel's elements, its products added without being\n"
             "    rounded; so all versions agree, bit for bit. *)\n"
             "Definition whichever_is_called := versions_fused index_kernel _ _ certified computes_index_kernel.\n\n";
    }
    if (order_) {
      return "(** Whatever the processor answers, the text leaves the elements of the ordered kernel, bit for bit; and those of\n"
             "    the kernel as it was written where addition has its laws. *)\n"
             "Definition whichever_is_called :=\n"
             "  versions_reordered index_kernel ordered_kernel pieces _ _ reordered computes_ordered_kernel certified.\n\n";
    }
    return "(** Whatever the processor answers, the text leaves the kernel's elements; so all versions agree, bit for bit. *)\n"
           "Definition whichever_is_called := versions_index index_kernel _ _ certified computes_index_kernel.\n"
           "Definition agree := versions_agree index_kernel _ _ certified computes_index_kernel.\n\n";
  }

  std::string functional() const {
    std::string by = order_ ? "versions_reordered_functional functional index_kernel ordered_kernel pieces _ _ reordered\n"
                              "    computes_ordered_kernel certified reads_functional eq_refl eq_refl"
                            : "versions_functional functional index_kernel _ _ certified computes_index_kernel reads_functional";
    return affine_reading(*way_.functional, kernel_, "index_kernel") +
           fmt::format(
               "\n(** Whichever is called, the text computes the functional program. *)\n"
               "Definition computes_functional :=\n  {}.\n\n",
               by);
  }

  const IndexKernel& kernel_;
  const std::vector<KernelVersion>& versions_;
  const VersionsWay& way_;
  std::optional<Reordering> order_;
};

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

std::string size_theorems(const std::vector<Integer>& witness, const std::vector<array::Size>& limits) {
  return fmt::format(
      "(** Sizes that satisfy all that is assumed of sizes; and what has to stay below 2^63. *)\n"
      "Theorem witnessed : forallb (fun k => certify.Witness.witness_ok k {}) (sources kernels) = true.\n"
      "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
      "Theorem limited : forallb (fun k => certify.Witness.limits_among k {}) (sources kernels) = true.\n"
      "Proof. vm_cast_no_check (eq_refl true). Qed.\n",
      numbers_of(witness), sizes_of(limits));
}

}  // namespace

std::vector<array::ProgramVersion> version_programs(const std::vector<KernelVersion>& versions) {
  std::vector<array::ProgramVersion> programs;
  std::transform(versions.begin(), versions.end(), std::back_inserter(programs), [](const KernelVersion& version) {
    return array::ProgramVersion{version.word, version.program};
  });
  return programs;
}

array::Certified certify_versions(const IndexKernel& kernel, const std::vector<KernelVersion>& versions, const VersionsWay& way,
                                  const std::string& origin, const std::vector<Integer>& witness,
                                  const std::vector<array::Size>& limits) {
  std::vector<array::ProgramVersion> programs = version_programs(versions);
  std::string c = array::versions_text(programs);
  Writer writer(kernel, versions, way);
  std::string data =
      fmt::format("(** The kernel {} of {}, and a C text with versions of it that are proven to compute it. *)\n\n", kernel.name,
                  origin) +
      writer.kernels() + fmt::format("Definition kernel_text : string :=\n{}.\n\n", array::coq_text(c));
  return {c, array::versions_header(programs, origin), data + writer.meaning() + size_theorems(witness, limits),
          data +
              "Theorem refuted : certifies_versions kernels kernel_text = false.\n"
              "Proof. vm_cast_no_check (eq_refl false). Qed.\n"};
}

}  // namespace vouch
