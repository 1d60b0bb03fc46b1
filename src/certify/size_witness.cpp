#include "certify/size_witness.h"

#include <fmt/format.h>

#include "certify/coq_text.h"

namespace vouch::array {

std::string certificate_witness(const std::vector<Integer>& witness, const std::vector<Size>& limits) {
  std::vector<std::string> values;
  for (const Integer& value : witness) {
    values.push_back(value.str());
  }
  std::vector<std::string> sizes;
  for (const Size& size : limits) {
    sizes.push_back(coq_size(size));
  }
  return fmt::format(
      "\n(** Sizes that satisfy all that is assumed of sizes; and what has to stay below 2^63. *)\n"
      "From Vouch Require certify.Witness.\n\n"
      "Theorem witnessed : certify.Witness.witness_ok kernel [{}]%N = true.\n"
      "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
      "Theorem limited : certify.Witness.limits_among kernel [{}] = true.\n"
      "Proof. vm_cast_no_check (eq_refl true). Qed.\n",
      fmt::join(values, "; "), fmt::join(sizes, "; "));
}

}  // namespace vouch::array
