// From kernels of one statement in index notation to the kernels of a library, each distinct one once.
#pragma once

#include <map>
#include <set>

#include "build/call_plan.h"

namespace vouch {

// Inputs, output, and what is computed.
bool only_floats(const IndexKernel& kernel);

// On the heap: not for a library.
bool takes_memory(const array::Program& program);

// A kernel, and kernels that copy some of its inputs into the layout that it wants.
struct PackedKernels {
  struct Copy {
    std::size_t input = 0;  // of the kernel as it was
    IndexKernel kernel;
  };
  std::vector<Copy> copies;
  IndexKernel kernel;                    // its inputs are copies, then inputs as they were
  std::vector<std::size_t> from_copies;  // for each input that is a copy, which one
  std::vector<std::size_t> from_inputs;  // for each other input, which one it was
  std::optional<IndexTiling> tiling;
};
// `kernel` has no locals, and only floats; inputs `ahead` are weights, whose copies are made with the library.
PackedKernels planned(const IndexKernel& kernel, const std::set<unsigned>& ahead, const TileTarget& target = kTileTargets[0]);

// The plan that adds in another order (certify/index_reorder.h), where one is worth it and takes no memory for any processor.
std::optional<IndexTiling> in_another_order(const IndexKernel& kernel);

// Copies of inputs first (build/stage.h), where a plan makes use of them.
struct StagedKernel {
  PackedKernels packed;                            // its copies are of inputs as they were given
  std::vector<std::optional<IndexKernel>> stages;  // of each input: the copy that is read instead, if `packed` reads one
};
StagedKernel prepare(const IndexKernel& kernel, const std::set<unsigned>& ahead, const TileTarget& target);

// The kernels of a library, of all its plans, found by what they are.
class KernelPool {
 public:
  KernelPool(std::string library, bool fma, bool lanes) : library_(std::move(library)), fma_(fma), lanes_(lanes) {}
  // Its number among `kernels`. A new one is called after the library and `wish`.
  std::size_t add(IndexKernel kernel, std::optional<IndexTiling> tiling, const std::string& wish);
  const std::vector<PlanKernel>& kernels() const { return kernels_; }

 private:
  std::string library_;
  bool fma_;    // of those that add products
  bool lanes_;  // of those that have exp, tanh or erf
  std::vector<PlanKernel> kernels_;
  std::map<std::string, std::size_t> known_;
};

}  // namespace vouch
