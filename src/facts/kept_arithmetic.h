// What was found to follow of facts, for proofs of one rule that state the same ones: instances that differ in element types, or
// in what is computed, have the sizes of others.
#pragma once

#include <memory>
#include <unordered_map>

#include "facts/arithmetic.h"

namespace vouch {

class KeptArithmetic {
 public:
  // With what it knows from before, if it was kept, and no questions counted.
  std::unique_ptr<Arithmetic> take(const Facts& base);
  // Not where a limit was met: what follows was then not asked to the end.
  void keep(const Facts& base, std::unique_ptr<Arithmetic> arithmetic);

 private:
  std::unordered_map<Ids, std::unique_ptr<Arithmetic>, WordsHash> kept_;
};

}  // namespace vouch
