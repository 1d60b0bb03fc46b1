// What a theorem about an instance supposes: the conditions that make its source legal, and what a proof uses of scalars.
#pragma once

#include <string>

#include "theorem/coq_instance.h"
#include "theorem/coq_proof.h"

namespace vouch {

class CoqHypotheses {
 public:
  explicit CoqHypotheses(CoqInstance& of) : of_(of) {}

  std::string of_instance();
  std::string of_proof(const CoqProof& proof);

 private:
  std::string of_every_element(const ElementCondition& condition);
  std::string of_elements(const InputTensor& input, const std::string& what, const std::string& before, const std::string& after);

  CoqInstance& of_;
};

// Of a comment, which must not end early.
std::string coq_comment(std::string text);

}  // namespace vouch
