// A sound rule as a Coq file: statements and proofs, over any scalars if that is proven, else over the standard library's reals.
//
// A theorem speaks of one instance of the rule (ranks, axes, lists and operators are fixed; sizes, attributes and elements are
// not): under the conditions that make the source legal, the target is legal and has the source's sizes, and every element
// of each output is the same on both sides. What is stated is printed from the instance, not from any normal form. Division
// by 0 gives 0 on both sides, as Coq has it: that the target is defined where the source is, is not stated.
#pragma once

#include <string>
#include <vector>

#include "instance/instance.h"
#include "theorem/coq_term.h"

namespace vouch {

struct CoqOptions {
  InstanceOptions instances;
  std::size_t most_theorems = 12;  // instances stated at most; spread evenly over all that differ
};

struct CoqRule {
  std::string text;                      // about elements; empty if no proof was found
  std::vector<std::string> theorems;     // their names, in order
  std::string operators;                 // what follows it in the file: the same of operators by name, or nothing
  std::vector<std::string> by_name;      // the theorems there
  std::size_t stated = 0;                // instances in the file
  std::size_t distinct = 0;              // instances that differ in what is to be proven, vacuous ones left out
  bool complete = true;                  // no instance was left out because there are more than are looked at
  std::size_t outputs = 0;               // of these instances
  std::string why_unnamed;               // why not all have a theorem there
  std::string reason;                    // why there is no file
  CoqScalars scalars = CoqScalars::Any;  // what its theorems are about
  std::string why_reals;                 // if these are the reals: why no proof over any scalars was found
};

CoqRule coq_rule(const Rule& rule, const CoqOptions& options);

}  // namespace vouch
