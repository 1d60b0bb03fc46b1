#include "build/versions.h"

#include <algorithm>

#include "build/kernels.h"
#include "certify/index_fuse.h"
#include "certify/index_narrow.h"
#include "certify/index_reorder.h"
#include "certify/versions.h"
#include "support/fault.h"

namespace vouch {
namespace {

std::vector<Integer> numbers(const std::vector<array::Size>& extents) {
  std::vector<Integer> out;
  for (const array::Size& n : extents) {
    ensure(n->kind == array::SizeKind::Const, "sizes of a library are numbers");
    out.push_back(n->value);
  }
  return out;
}

KernelVersion version_of(const PlanKernel& kernel, const std::string& word) {
  const TileTarget* target = tile_target(word);
  ensure(target != nullptr, "every version has a size of tiles");
  IndexTiling tiling = *kernel.tiling;
  if (is_reordered(kernel.tiling)) {
    auto planned = plan_reordered(kernel.kernel, *target);
    ensure(planned && is_reordered(planned), "an order of sums is no matter of the processor");
    tiling = std::move(*planned);
  } else {
    tiling.plan = narrowed(tiling.plan, numbers(kernel.kernel.output.extents), *target);
  }
  array::Program program = lower_index(kernel.kernel, tiling);
  ensure(!takes_memory(program), "smaller tiles need no more memory");
  if (kernel.fused) {
    auto fused = fused_program(program);
    ensure(fused.has_value(), "what tiles add does not depend on their sizes");
    program = std::move(*fused);
  }
  return {word, std::move(tiling), std::move(program)};
}

}  // namespace

bool is_versioned(const PlanKernel& kernel, const LibraryOptions& options) {
  return !options.targets.empty() && kernel.tiling.has_value();
}

KernelCertificate certify_versions(const PlanKernel& kernel, const std::string& library,
                                   const std::vector<std::string>& targets) {
  std::vector<KernelVersion> versions;
  std::transform(targets.begin(), targets.end(), std::back_inserter(versions),
                 [&](const std::string& word) { return version_of(kernel, word); });
  array::Certified certified = certify_versions(kernel.kernel, versions, {kernel.fused, nullptr}, library, {}, {});
  return {kernel.name, std::move(certified.c), std::move(certified.certificate), std::move(certified.refutation)};
}

}  // namespace vouch
