// The subcommands `show` and `grad`: kernels in index notation.
#pragma once

#include <string>
#include <vector>

#include "array/program.h"
#include "autodiff/chain.h"
#include "driver/exit_code.h"
#include "driver/operator_kernel.h"
#include "notation/tk_parse.h"

namespace CLI {
class App;
}

namespace vouch {

struct ShowCommand {
  std::string kernel;              // .json, or the text form
  std::vector<std::string> sizes;  // NAME=VALUE
  std::string json;                // the same and the messages, to this file
};
// Each statement with the kind and the domain of its indices.
ExitCode show_kernel(const ShowCommand& command);

struct GradCommand {
  std::string kernel;  // or
  OperatorCall call;   // an operator
  std::string out;
  std::vector<std::string> sizes;
  std::string target = "native";     // whose tiles certified texts have (driver/processor.h)
  std::vector<std::string> targets;  // instead of the kernel's own
  bool forward = false;              // tangents
  bool cpp = false;                  // also NAME.cpp and NAME.hpp, with references to arrays
  Ties ties = Ties::First;           // what max and min are differentiated to where both arguments are equal
  bool check = false;                // proves the change of indices, and compares with exact differences
};
// NAME.tk and NAME.json of the derivative, and certified C of each output (NAME.c, or NAME_OUTPUT.c if there are several).
ExitCode differentiate_kernel(const GradCommand& command);

// No text of a kernel is longer.
inline constexpr std::uint64_t kMostKernelBytes = 16 << 20;

// The file's text; a file that by its name holds rules or a model is none.
std::optional<std::string> read_kernel_file(const std::string& path, Diagnostics& diagnostics);

// `NAME=VALUE`, by name.
std::optional<SizeValues> parse_sizes(const std::vector<std::string>& texts, Diagnostics& diagnostics);

std::optional<array::Program> read_program(const SourceRef& source, const std::vector<std::string>& sizes,
                                           Diagnostics& diagnostics);
// A functional program at these sizes, and what it is in index notation; with proof that reads stay inside.
struct FunctionalKernel {
  array::Program program;
  TkKernel kernel;
};
std::optional<FunctionalKernel> read_functional_kernel(const SourceRef& source, const std::vector<std::string>& sizes,
                                                       Diagnostics& diagnostics);

// Reads a kernel, or a functional program as one, and proves that its guarded reads stay inside.
std::optional<TkKernel> read_index_kernel(const SourceRef& source, const std::vector<std::string>& sizes,
                                          Diagnostics& diagnostics);
std::optional<TkKernel> load_kernel(const std::string& path, const std::vector<std::string>& sizes, Diagnostics& diagnostics);

// Adds the subcommands to the command; they set `code`.
void add_index_commands(CLI::App& app, ExitCode& code);

}  // namespace vouch
