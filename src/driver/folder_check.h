// What a folder holds, against what its sources and recipes give. Files are data here: what they should be is made anew, and
// every byte that differs is named.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/kernel_texts.h"
#include "driver/manifest.h"
#include "support/diagnostic.h"

namespace vouch {

struct KernelCheck {
  std::string folder;
  std::string kernel;
  std::optional<KernelTexts> texts;      // what its source gives; nothing if that cannot be had
  std::vector<std::string> differences;  // pairs that do not match
  std::vector<std::string> remarks;      // what is no difference, and worth to be said
};

// The kernels that the folder's manifest lists, in order of names. `covered` is told every path below the folder that a kernel
// or the manifest accounts for. Errors: a manifest that is none.
std::vector<KernelCheck> check_kernels(const std::string& folder, std::set<std::string>& covered, Diagnostics& diagnostics);

// Everything in the folder, at any depth, that is not covered, each an error; links and what else is no file are among it.
void name_uncovered(const std::string& folder, const std::set<std::string>& covered, Diagnostics& diagnostics);

// A text from a folder, for a terminal: bytes that are no printable ASCII as `\x1b`.
std::string printable(std::string_view text);

// Where two texts first differ: `line 3: expected 'a', found 'b'`.
std::string first_difference(std::string_view expected, std::string_view found);

}  // namespace vouch
