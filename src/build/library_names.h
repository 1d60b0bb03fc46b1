// The names that a library's C texts have, and texts with places for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "build/call_plan.h"
#include "build/memory.h"

namespace vouch {

struct LibraryOptions {
  bool embed = false;     // weights as C, not as a file
  bool no_alloc = false;  // nothing that takes memory: the caller gives it
  bool threads = false;   // the build file asks for OpenMP
  bool plain = false;     // kernels element by element, as the definitions have them
};

struct Library {
  CallPlan plan;
  MemoryPlan memory;
  LibraryOptions options;
  std::vector<std::string> inputs;  // names in C of the parameters
  std::vector<std::string> outputs;
  std::string weights;       // the bytes, little-endian binary32
  std::string weights_hash;  // SHA-256

  std::string weights_file() const { return plan.name + ".weights"; }
  bool has_weights() const { return memory.weight_cells > 0; }
};

// A name in C made from any text: other characters become `_`.
std::string c_identifier(const std::string& text);
Library name_library(CallPlan plan, const LibraryOptions& options);

// `float[1, 3, 32, 32]`.
std::string shape_text(const Extents& extents);
// For a comment in C: bytes that might end it, or mean anything there, are shown as `%2A`.
std::string comment_text(const std::string& text);
std::string upper_case(std::string text);  // of ASCII letters
// The text with each `@KEY@` replaced; unknown keys are a fault.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace vouch
