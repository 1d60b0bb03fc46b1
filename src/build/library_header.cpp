#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "build/library_c.h"
#include "build/library_sizes.h"
#include "imp/compiler_flags.h"
#include "imp/elements.h"

namespace vouch {
namespace {

constexpr std::string_view kHeader = R"(/* @NAME@: a model as a C library, made by vouch. C99, and nothing but the C library.
 *
@SIZES@@TENSORS@ *
 * Tensors are row-major: the last axis varies fastest, nothing is between the elements. Outputs, arena and what is read must not
 * overlap. All memory is the caller's@ALLOCATION@; no function keeps state, so several threads may run the model at the same
 * time, each with outputs and an arena of its own. @WEIGHTS@
 *
 * Compile with @FLAGS@: then the result is the same, bit for bit, on any number of threads.
 * The same on another machine needs the same C library's expf and the like, where the model has them.@LANES@@ORDER@
 *
 * Largest sum of live intermediate tensors: @LEAST@ bytes; the arena: @ARENA_BYTES@ bytes@OF_ALL@. */
#ifndef VOUCH_@UPPER@_H
#define VOUCH_@UPPER@_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define @UPPER@_ARENA_FLOATS @ARENA@
#define @UPPER@_WEIGHT_FLOATS @WEIGHT_FLOATS@
@COUNTS@
enum @NAME@_code {
  @UPPER@_OK = 0,
  @UPPER@_NULL = 1,      /* an argument is a null pointer */
  @UPPER@_ARENA = 2,     /* the arena is too small */
  @UPPER@_ALIGNMENT = 3, /* a pointer is not aligned for its elements */
  @UPPER@_OVERLAP = 4,   /* an output or the arena overlaps something else */
  @UPPER@_WEIGHTS = 5,   /* these are not the weights: the number of bytes or SHA-256 differs */
  @UPPER@_FILE = 6,      /* the file of weights cannot be read */
@MEMORY_CODE@};
const char *@NAME@_message(int code);

@FUNCTIONS@
#ifdef __cplusplus
}
#endif

#endif
)";

constexpr std::string_view kRunFile =
    R"(/* The model. `weights`: @UPPER@_WEIGHT_FLOATS floats that @NAME@_check_weights accepts; `arena`: at least @UPPER@_ARENA_FLOATS
 * floats, of any content@ABOUT_MORE@. Returns @UPPER@_OK, or @SIZE_OR@NULL, ARENA, ALIGNMENT or OVERLAP, and then nothing was read or written. */
int @NAME@_run(@RUN_PARAMETERS@, const float *weights, float *arena, size_t arena_floats@MORE_PARAMETER@);

/* Are these the weights, as they are in @NAME@.weights? Returns @UPPER@_OK, NULL or WEIGHTS. */
int @NAME@_check_weights(const float *weights, size_t floats);
/* Reads them from that file, and checks them. Returns @UPPER@_OK, NULL, FILE or WEIGHTS. */
int @NAME@_load_weights(const char *path, float *weights, size_t floats);
)";

constexpr std::string_view kRun = R"(/* The model. `arena`: at least @UPPER@_ARENA_FLOATS floats, of any content@ABOUT_MORE@.
 * Returns @UPPER@_OK, or @SIZE_OR@NULL, ARENA, ALIGNMENT or OVERLAP, and then nothing was read or written. */
int @NAME@_run(@RUN_PARAMETERS@, float *arena, size_t arena_floats@MORE_PARAMETER@);
)";

constexpr std::string_view kModel = R"(
/* The same with memory of its own: one arena@OWN_WEIGHTS@. For one thread at a time. */
typedef struct @NAME@ @NAME@;
int @NAME@_open(@PATH_PARAMETER@@NAME@ **model);
int @NAME@_call(@NAME@ *model, @RUN_PARAMETERS@);
void @NAME@_close(@NAME@ *model);
)";

std::string tensor_lines(const Library& library) {
  std::string text;
  for (const Library& plan : library.plans) {
    text += fmt::format(" *\n * with {}:\n{}", comment_text(choice_text(library.sizes, plan.at)), tensor_lines(plan));
  }
  if (!text.empty()) {
    return text;
  }
  for (std::size_t k = 0; k < library.inputs.size(); ++k) {
    const PlanTensor& tensor = library.plan.inputs[k];
    text += fmt::format(" * reads    {}: {}, '{}' of the model\n", library.inputs[k],
                        shape_text(element_of(library, tensor), tensor.extents), comment_text(tensor.name));
  }
  for (std::size_t k = 0; k < library.outputs.size(); ++k) {
    const PlanTensor& tensor = library.plan.outputs[k];
    text += fmt::format(" * writes   {}: {}, '{}' of the model\n", library.outputs[k],
                        shape_text(element_of(library, tensor), tensor.extents), comment_text(tensor.name));
  }
  return text;
}

// What NAME_run is told.
std::string size_lines(const Library& library) {
  std::string text;
  for (const LibrarySize& size : library.sizes) {
    text += fmt::format(" * told     {}: one of {}; '{}' of the model\n", size.parameter, fmt::join(size.values, ", "),
                        comment_text(size.name));
  }
  return text;
}

std::string memory_code(const Library& library) {
  std::string upper = upper_case(library.plan.name);
  return library.sizes.empty() ? fmt::format("  {}_MEMORY = 7     /* there is no memory */\n", upper)
                               : fmt::format(
                                     "  {0}_MEMORY = 7,    /* there is no memory */\n"
                                     "  {0}_SIZE = 8       /* it was not made for these sizes */\n",
                                     upper);
}

std::string count_lines(const Library& library) {
  std::string text;
  for (std::size_t k = 0; k < library.inputs.size(); ++k) {
    const PlanTensor& tensor = library.plan.inputs[k];
    text += fmt::format("#define {} {}\n", count_name(library, "INPUT", k, tensor), library.plan.values[tensor.value].cells);
  }
  for (std::size_t k = 0; k < library.outputs.size(); ++k) {
    const PlanTensor& tensor = library.plan.outputs[k];
    text += fmt::format("#define {} {}\n", count_name(library, "OUTPUT", k, tensor), library.plan.values[tensor.value].cells);
  }
  for (const Library& plan : library.plans) {
    text += fmt::format("\n/* with {} */\n{}", comment_text(choice_text(library.sizes, plan.at)), count_lines(plan));
  }
  return text;
}

// The arena, where elements of other types than float live in it, too.
std::string more_union(const Library& library) {
  std::string members;
  for (const LibraryBuffer& buffer : buffers_of(library)) {
    if (buffer.kind == Buffer::Arena && buffer.cells > 0) {
      members += fmt::format("  {} {}[{}];\n", array::c_held(buffer.element), buffer.name, buffer.cells);
    }
  }
  return !library.has_other_arenas() ? ""
                                     : fmt::format(
                                           "/* All that lives in the arena: bytes are of one type now, of another one later. */\n"
                                           "typedef union {0}_more {{\n{1}}} {0}_more;\n\n",
                                           library.plan.name, members);
}

}  // namespace

std::string library_header(const Library& library) {
  bool by_file = library.has_weights() && !library.options.embed;
  std::map<std::string, std::string> values{
      {"NAME", library.plan.name},
      {"UPPER", upper_case(library.plan.name)},
      {"TENSORS", tensor_lines(library)},
      {"RUN_PARAMETERS", run_parameters(library)},
      {"ALLOCATION", library.options.no_alloc ? "" : fmt::format(" (but for {}_open)", library.plan.name)},
      {"WEIGHTS", by_file ? fmt::format("Weights: {} bytes,\n * SHA-256 {}.", library.weights[0].size(), library.weights_hash)
                  : library.has_text_weights() ? "Weights are part of the library."
                                               : "It has no weights."},
      {"FLAGS", fmt::format("{} {}", library.options.threads ? kOpenMp : kOpenMpLanes, kRoundedOneByOne) +
                    (library.options.fma ? fmt::format(", on x86 {} (where the processor has it)", kFmaInstruction) : "")},
      {"LANES", library.options.lanes ? " exp, tanh and erf are\n * exp_lanes, tanh_lanes and erf_lanes instead, off by less "
                                        "than 1, 1.4 and 1.2 units in the last place."
                                      : ""},
      {"ORDER", reordered_kernels(library) > 0
                    ? " Some sums are not in\n * the order of the model's operators: over the reals they are the same."
                    : ""},
      {"LEAST", std::to_string(library.memory.least_bytes)},
      {"ARENA_BYTES", std::to_string(library.memory.arena_bytes)},
      {"ARENA", std::to_string(library.arena_floats())},
      {"WEIGHT_FLOATS", std::to_string(library.weight_floats())},
      {"SIZES", size_lines(library)},
      {"SIZE_OR", library.sizes.empty() ? "" : "SIZE, "},
      {"MEMORY_CODE", memory_code(library)},
      {"OF_ALL", library.sizes.empty() ? "" : ", the most of all sizes"},
      {"COUNTS", (library.sizes.empty() ? "" : "/* as many as at any sizes */\n") + count_lines(library)},
      {"OWN_WEIGHTS", by_file ? ", and the weights, read from `path`" : ""},
      {"PATH_PARAMETER", by_file ? "const char *path, " : ""},
  };
  values["ABOUT_MORE"] = library.has_other_arenas() ? "; `more`: the same" : "";
  values["MORE_PARAMETER"] = library.has_other_arenas() ? fmt::format(", {}_more *more", library.plan.name) : "";
  std::string functions = weights_declarations(library) + more_union(library) + filled(by_file ? kRunFile : kRun, values);
  functions += library.options.no_alloc ? "" : filled(kModel, values);
  values["FUNCTIONS"] = functions;
  return filled(kHeader, values);
}

}  // namespace vouch
