#include <fmt/format.h>

#include "certify/adjoint_witness.h"
#include "certify/index_coq.h"

namespace vouch {
namespace {

template <class T, class F>
std::string list(const std::vector<T>& items, const char* between, F print) {
  std::vector<std::string> out;
  for (const T& item : items) {
    out.push_back(print(item));
  }
  return fmt::format("[{}]", fmt::join(out, between));
}

std::string coq(const std::vector<IndexTerm>& terms) {
  return list(terms, "; ", [](const IndexTerm& term) { return coq_index_term(term); });
}

std::string coq(const AdjointChanges& changes) {
  return list(changes, ";\n     ", [](const std::optional<AdjointChange>& change) {
    return change ? fmt::format("Some {{| ch_to := {};\n       ch_from := {} |}}", coq(change->to), coq(change->from))
                  : std::string("None");
  });
}

struct PrintOrigin {
  std::string operator()(const CopyOf& copy) const { return fmt::format("Copy {}", copy.forward); }
  std::string operator()(const CotangentOfOutput&) const { return "Seed"; }
  std::string operator()(const CotangentOf& cotangent) const { return fmt::format("SeedOf {}", cotangent.forward); }
  std::string operator()(const AdjointOf& adjoint) const {
    return fmt::format("Adjoint {}\n    {}", adjoint.forward, coq(adjoint.changes));
  }
};

std::string coq_witness(const AdjointCertificate& certificate) {
  return fmt::format("{{|\n  wi_target := {};\n  wi_outputs := {};\n  wi_origins := {};\n  wi_changes :=\n    {} |}}",
                     certificate.target, list(certificate.outputs, "; ", [](unsigned local) { return std::to_string(local); }),
                     list(certificate.origins, ";\n    ", [](const TensorOrigin& o) { return std::visit(PrintOrigin{}, o); }),
                     coq(certificate.changes));
}

}  // namespace

std::string adjoint_text(const AdjointCertificate& certificate, const std::string& origin) {
  return fmt::format(
      "(** The kernel {} is a gradient of {}: the adjoint of the tangent, over every commutative ring (adjoint/Rings.v says\n"
      "    what is asked of it). Of floats, whose sums round, nothing is said here; {}.v says that the C text computes this\n"
      "    kernel over any scalars. *)\n\n"
      "From Coq Require Import ZArith List.\n"
      "From Vouch Require Import lib.Size array.Syntax index.Kernel adjoint.Change adjoint.Adjoint adjoint.AdjointProof.\n"
      "Import ListNotations.\n\n"
      "Definition forward_kernel : ikernel := {}.\n\n"
      "Definition gradient_kernel : ikernel := {}.\n\n"
      "(** What each tensor of the gradient is, and how the indices change from each place where a tensor is read. *)\n"
      "Definition gradient_witness : witness := {}.\n\n"
      "Theorem gradient_checked : is_gradient forward_kernel gradient_kernel gradient_witness = true.\n"
      "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
      "Theorem gradient : Gradient forward_kernel gradient_kernel gradient_witness.\n"
      "Proof. exact (gradient_sound _ _ _ gradient_checked). Qed.\n",
      certificate.gradient.name, origin, certificate.gradient.name, coq_index_kernel(certificate.forward),
      coq_index_kernel(certificate.gradient), coq_witness(certificate));
}

}  // namespace vouch
