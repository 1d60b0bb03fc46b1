// A folder of kernels: each with its C text, certificate, header, source, and its entry in the manifest.
#pragma once

#include <string>
#include <vector>

#include "driver/kernel_texts.h"
#include "driver/manifest.h"
#include "support/diagnostic.h"

namespace vouch {

struct KernelToWrite {
  const KernelRecipe* recipe;
  const KernelTexts* texts;
};

// What the manifest says of a kernel.
KernelEntry entry_of(const KernelRecipe& recipe, const KernelTexts& texts);

// C texts are written last, once all certificates and the manifest are there. The manifest keeps its other kernels.
bool write_kernels(const std::string& folder, const std::vector<KernelToWrite>& kernels, Diagnostics& diagnostics);

}  // namespace vouch
