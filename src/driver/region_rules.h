// The regions of `vouch equiv` as rules that `vouch check` reads (docs/gsl.md): what was proven, and what is open.
//
// A rule says what its region says, at the same sizes and attributes: inputs are any tensors of their types, constants that the
// proof looked at have their elements, a parameter that is another one reshaped or transposed is written so.
#pragma once

#include <string>
#include <vector>

#include "equiv/equiv.h"
#include "rule/ast.h"

namespace vouch {

struct RegionRule {
  std::string name;
  std::string tensor;  // of the second model
  bool proven = false;
  bool folded = false;       // proven with the values of parameters, which the rule does not say
  std::string text;          // empty: it has no form as a rule
  std::string why;           // then
  std::vector<Rule> parsed;  // one, of `text`
};

// Each region once, by its text; in the order of the proof, open ones last.
std::vector<RegionRule> region_rules(const EquivResult& result);

// DIR/proven.gsl (each `expect sound`), DIR/folded.gsl and DIR/open.gsl; comments name what has no form.
bool write_region_rules(const std::vector<RegionRule>& rules, const std::string& folder, Diagnostics& diagnostics);

// Theorems of proven regions for Coq, as `vouch check --coq` writes them. Nothing, and an error: they cannot be written.
struct RegionTheorems {
  std::size_t with = 0;
  std::vector<std::string> without;  // names of regions, with the reason
};
std::optional<RegionTheorems> write_region_theorems(const std::vector<RegionRule>& rules, const std::string& folder,
                                                    Diagnostics& diagnostics);

}  // namespace vouch
