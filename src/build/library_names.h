// The names that a library's C texts have, and texts with places for them.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "build/call_plan.h"
#include "build/memory.h"
#include "certify/index_plan.h"

namespace vouch {

struct LibraryOptions {
  bool embed = false;                         // weights as C, not as a file
  bool no_alloc = false;                      // nothing that takes memory: the caller gives it
  bool threads = false;                       // the build file asks for OpenMP
  bool plain = false;                         // kernels element by element, as the definitions have them
  bool fma = false;                           // products are added by `fma`
  bool lanes = false;                         // exp, tanh and erf are approximations
  bool reorder = false;                       // sums of kernels that read no copies may be in another order
  std::string target = kTileTargets[0].name;  // without `targets`, whose tiles kernels have (certify/index_plan.h)
  std::vector<std::string> targets = {};      // processors that kernels in tiles have versions for; none: one text for all
};

// A size of the model's inputs that the library is told when it is called.
struct LibrarySize {
  std::string name;       // in the model
  std::string parameter;  // in C
  std::vector<std::int64_t> values;
};

struct Library {
  CallPlan plan;  // with `sizes`, what all plans have in common: tensors as large as any has them, all kernels, no calls
  MemoryPlan memory;
  LibraryOptions options;
  std::vector<std::string> inputs;  // names in C of the parameters
  std::vector<std::string> outputs;
  std::array<std::string, array::kElementCount> weights;  // the bytes by type of element, little-endian
  std::string weights_hash;                               // SHA-256 of those of float32
  std::vector<LibrarySize> sizes;                         // in the order of its parameters; none: it has one plan
  std::vector<Library> plans;                             // with `sizes`: one for each choice (build/library_sizes.h)
  std::vector<std::int64_t> at;                           // of such a plan: its choice

  std::string weights_file() const { return plan.name + ".weights"; }
  std::int64_t weight_floats() const { return memory.weights[0]; }
  // Where values of other types live in the arena, all of it is NAME_more.
  std::int64_t arena_floats() const { return has_other_arenas() ? 0 : memory.arena[0]; }
  bool has_weights() const { return weight_floats() > 0; }  // of float32; others are always part of the library's text
  bool has_text_weights() const { return (has_weights() && options.embed) || memory.weight_bytes() > 4 * weight_floats(); }
  bool has_other_arenas() const { return memory.has_other_arenas(); }
};

// What a plan's calls are given, in the order of the parameters of NAME_plan: inputs, outputs, weights, arenas. Those of float32
// are always there, those of other types where they have cells.
struct LibraryBuffer {
  Buffer kind;
  std::size_t number;  // as in Place
  std::string name;
  array::Element element;
  std::int64_t cells;
  bool written() const { return kind == Buffer::Output || kind == Buffer::Arena; }
};
std::vector<LibraryBuffer> buffers_of(const Library& library);
array::Element element_of(const Library& library, const PlanTensor& tensor);

// Of how many kernels the sums are in another order.
std::size_t reordered_kernels(const Library& library);

// A name in C made from any text: other characters become `_`.
std::string c_identifier(const std::string& text);
// Where all of it lies, and what it is called.
Library name_library(CallPlan plan, const LibraryOptions& options);
// Names that its texts have for themselves beside its parameters.
std::vector<std::string> own_names(const std::string& library);
// A parameter's name in C, which is taken then. Those that begin with the library's are its functions, kernels and macros.
std::string parameter_name(const std::string& name, const std::string& library, std::vector<std::string>& taken);
// C's names of a plan's tensors, in a library of that name with these sizes.
void name_tensors(Library& plan, const std::string& library, const std::vector<LibrarySize>& sizes);

// `float[1, 3, 32, 32]`.
std::string shape_text(array::Element element, const Extents& extents);
// `X_INPUT_0_FLOATS`, `X_OUTPUT_1_CELLS`.
std::string count_name(const Library& library, std::string_view what, std::size_t number, const PlanTensor& tensor);
// For a comment in C: bytes that might end it, or mean anything there, are shown as `%2A`.
std::string comment_text(const std::string& text);
std::string upper_case(std::string text);  // of ASCII letters
// The text with each `@KEY@` replaced; unknown keys are a fault.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace vouch
