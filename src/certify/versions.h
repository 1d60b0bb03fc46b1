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
};

std::vector<array::ProgramVersion> version_programs(const IndexKernel& kernel, const std::vector<KernelVersion>& versions);
// No tiling has sums in another order. `witness` and `limits` are of all versions (certify/size_witness.h).
array::Certified certify_versions(const IndexKernel& kernel, const std::vector<KernelVersion>& versions,
                                  const std::string& origin, const std::vector<Integer>& witness,
                                  const std::vector<array::Size>& limits);

}  // namespace vouch
