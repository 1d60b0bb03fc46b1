// From a recipe and a source text to the texts of a folder. `vouch compile` and `vouch grad` write them; `vouch verify` makes
// them anew and believes nothing else.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "array/program.h"
#include "autodiff/gradient.h"
#include "driver/manifest.h"
#include "notation/tk_kernel.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace vouch {

struct KernelTexts {
  std::string name;
  std::string c;
  std::string certificate;
  std::string refutation;  // in no folder: certify/certificate.h
  std::optional<std::string> derivation;
  std::optional<std::string> adjoint;         // of a gradient: that it is one
  std::string no_adjoint;                     // of a gradient without that: why
  std::map<std::string, std::string> others;  // by file name: header, source, and what is there for people

  SizeAssumptions sizes;
  std::vector<std::string> uncertified;             // those of `others` that a C compiler might be given without a certificate
  std::vector<std::string> rounded_otherwise = {};  // why its bits are not those of the kernel as it is written

  // All of them by file name.
  std::map<std::string, std::string> files() const;
};

// A kernel in index notation and its derivative.
struct Derived {
  std::optional<array::Program> program;  // what the kernel was read from, if that is a functional program
  TkKernel kernel;
  std::vector<Symbol> targets;
  TkKernel derivative;
  GradientRecord record;  // empty of a tangent
};

// `recipe` asks for a derivative; `source` is null for one of an operator.
std::optional<Derived> derive(const KernelRecipe& recipe, const SourceRef& source, Diagnostics& diagnostics);
// The derivative as text and as JSON, by file name.
std::map<std::string, std::string> derivative_texts(const TkKernel& derivative);
// Certified texts of each output of a derivative, and what else its recipe asks for. Errors: what certificates do not cover.
std::optional<std::vector<KernelTexts>> certified_derivative(const Derived& derived, const KernelRecipe& recipe,
                                                             const SourceRef& source, Diagnostics& diagnostics);

// Certified texts of every kernel that the source gives by the recipe.
std::optional<std::vector<KernelTexts>> compile_texts(const KernelRecipe& recipe, const SourceRef& source,
                                                      Diagnostics& diagnostics);

}  // namespace vouch
