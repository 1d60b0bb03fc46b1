// How a kernel's files come from a source text: what `vouch compile` and `vouch grad` were given, as data. The manifest of a
// folder holds it, and `vouch verify` goes by it: the same recipe and the same source give the same files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "autodiff/chain.h"
#include "certify/index_plan.h"
#include "driver/operator_kernel.h"

namespace vouch {

struct DerivativeRecipe {
  bool forward = false;              // tangents
  bool cpp = false;                  // also NAME.cpp and NAME.hpp
  Ties ties = Ties::First;           // of max and min
  std::vector<std::string> targets;  // instead of the kernel's own
  OperatorCall call;                 // of an operator, and then there is no source text
};

struct KernelRecipe {
  std::string origin;              // `comment_name` of the source file, whose ending says how it reads; or of the operator
  std::vector<std::string> sizes;  // NAME=VALUE
  bool derivation = false;         // also the translation rule by rule
  bool planned = false;            // a functional program: by a plan, as a kernel in index notation, not by its own loops
  std::optional<DerivativeRecipe> derivative = {};
  std::optional<std::string> schedule = {};   // text (certify/index_schedule.h) of what is beside the source; else the planner's
  bool fused = false;                         // a kernel in index notation: products are added by `fma`
  bool lanes = false;                         // exp, tanh and erf are approximations (certify/index_lanes.h)
  std::string target = kTileTargets[0].name;  // whose tiles the planner makes (certify/index_plan.h)
  bool reordered = false;                     // the planner may add in another order (certify/index_reorder.h)
  std::vector<std::string> targets = {};      // of a kernel in index notation: versions (imp/print_versions.h); none: one text

  bool has_source() const { return !derivative || derivative->call.op.empty(); }
  // Is the source a functional program, or a kernel in index notation?
  bool is_functional() const { return origin.ends_with(".fun"); }
};

// Name of the file that keeps the source of the kernel `name`, beside its C text.
std::string source_file(const KernelRecipe& recipe, const std::string& name);

nlohmann::ordered_json recipe_json(const KernelRecipe& recipe);
// Nothing if it is no recipe: every member must be there, of its kind, and no other.
std::optional<KernelRecipe> read_recipe(const nlohmann::ordered_json& json);

// `name` for a comment in C or Coq: bytes that might end it, or mean anything there, are shown as `%2A`.
std::string comment_name(const std::string& name);

}  // namespace vouch
