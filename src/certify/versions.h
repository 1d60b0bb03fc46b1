// A kernel in index notation with a version for each kind of processor, in one C text with a certificate: every version is the
// kernel by a plan of its own, so whichever is called gives the kernel's bits (coq/index/Versions.v).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/certificate.h"
#include "certify/index_plan.h"

namespace vouch {

struct KernelVersion {
  std::string word;  // imp/print_versions.h; the generic one comes first
  std::optional<IndexTiling> tiling;
  array::Program program;  // by that tiling, its products fused if those of all are
};

// How all versions compute the kernel.
struct VersionsWay {
  bool fused = false;                          // products are added without being rounded
  const array::Program* functional = nullptr;  // the program that the kernel was read from, if there is one
};

std::vector<array::ProgramVersion> version_programs(const std::vector<KernelVersion>& versions);
// All tilings have sums in one order; none in another order than the kernel where products are fused. `witness` and `limits` are
// of all versions (certify/size_witness.h).
array::Certified certify_versions(const IndexKernel& kernel, const std::vector<KernelVersion>& versions, const VersionsWay& way,
                                  const std::string& origin, const std::vector<Integer>& witness,
                                  const std::vector<array::Size>& limits);

}  // namespace vouch
