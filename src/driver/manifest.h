// manifest.json: for each kernel of a folder how its files came about, what is assumed of its sizes, and the hashes of its files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/kernel_recipe.h"
#include "support/diagnostic.h"

namespace vouch {

// What follows a kernel's name in the name of its derivation.
inline constexpr std::string_view kDerivationEnding = "_derivation.v";
// Likewise of the certificate that it is a gradient.
inline constexpr std::string_view kAdjointEnding = "_adjoint.v";
inline constexpr std::string_view kManifest = "manifest.json";

// What a certificate assumes of sizes, in the words of its source.
struct SizeAssumptions {
  std::vector<std::string> facts;    // `n <= m`
  std::vector<std::string> limits;   // sizes that must be below 2^63
  std::vector<std::string> witness;  // `n = 1`: sizes that satisfy all of it
};

struct KernelEntry {
  KernelRecipe recipe;
  SizeAssumptions sizes;
  std::map<std::string, std::string> files;  // name, or path below the folder, to SHA-256
  std::map<std::string, std::string> tools;  // name to version
};
using Manifest = std::map<std::string, KernelEntry>;  // by kernel

// From its text; errors name `path`.
std::optional<Manifest> read_manifest(const std::string& path, const std::string& text, Diagnostics& diagnostics);
// The manifest of a file; an empty one if there is no such file.
std::optional<Manifest> load_manifest(const std::string& path, Diagnostics& diagnostics);
std::string print_manifest(const Manifest& manifest);

// What made these certificates.
std::map<std::string, std::string> tool_versions();

}  // namespace vouch
