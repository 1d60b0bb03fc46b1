// manifest.json: for each kernel of a folder the hashes of its files, and what made them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace vouch {

// What follows a kernel's name in the name of its derivation.
inline constexpr std::string_view kDerivationEnding = "_derivation.v";

struct KernelEntry {
  std::string origin;                        // the file it was compiled from
  std::map<std::string, std::string> files;  // file name to content hash
  std::map<std::string, std::string> tools;  // name to version
};
using Manifest = std::map<std::string, KernelEntry>;  // by kernel

// An empty one if there is no such file.
std::optional<Manifest> read_manifest(const std::string& path, Diagnostics& diagnostics);
std::string print_manifest(const Manifest& manifest);

}  // namespace vouch
