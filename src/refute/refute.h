// Refutation: looks for small sizes, attributes and tensor elements for which a rule's source is legal and defined and its
// target is ill-typed, not defined, or different. Both sides are run by the interpreter in exact arithmetic, so what is
// found is a counterexample, whatever a proof says. What involves exp and its kin is told apart by enclosures that do not
// meet; instances in which a constant would have to be rounded are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "kernel/exact.h"
#include "refute/assignment.h"
#include "rule/ast.h"

namespace vouch {

enum class Failing : std::uint8_t {
  Differs,    // an element
  Undefined,  // an element of the target has no value where the source's has
  Types,      // both sides are legal, and give results of different types
  IllTyped,   // the target is not legal
};

struct Counterexample {
  Failing failing = Failing::Differs;
  std::string label;                                      // of the instance: ranks, element types, words
  std::vector<std::pair<std::string, Rational>> symbols;  // sizes and attributes
  Graph source;
  std::optional<Graph> target;  // nothing if it is ill-typed
  std::vector<Tensor> inputs;   // of both graphs, in order
  std::string reason;           // of all but Differs: why
  // Differs, Undefined: where, and both values.
  std::size_t output = 0;
  std::vector<std::int64_t> index;
  Enclosure source_value;
  Enclosure target_value;  // of Differs only
};

struct RefuteOptions {
  std::uint32_t seed = 1;
  int assignments = 6;                 // of sizes and attributes, for each instance
  int draws = 3;                       // of elements, for each assignment
  int first_draws = 7;                 // for the first: every kind of elements
  std::size_t least_assignments = 60;  // over all instances: few instances are searched the longer
  std::int64_t most_elements = 600;    // of one tensor
  std::size_t most_instances = 4000;
  std::size_t most_compared = 1500;  // draws over all instances: then the search ends
  bool shrink = true;
  double scale = 1;  // of floats that are drawn, where nothing is asked of them
  InstanceOptions instances;
};

struct Refutation {
  std::optional<Counterexample> counterexample;
  std::size_t instances = 0;  // with symbolic sizes
  std::size_t legal = 0;      // assignments under which the source is legal
  std::size_t compared = 0;   // draws of elements on which both sides have an element to compare
  std::size_t undefined = 0;  // draws on which the source has elements, and none has a value
  std::string unsupported;    // why some instance could not be tried; empty if all could
  std::string first_error;    // why a source was ill-typed, for rules without any instance
};

// The first counterexample among these assignments and draws, made as small as a search by halves makes it.
Refutation refute_instance(const Instance& instance, const RefuteOptions& options);
// The same over all instances of the rule: a quick pass first, then a thorough one.
Refutation refute_rule(const Rule& rule, const RefuteOptions& options = {});

// Whether one of these, found on a rule that differs from this one in its conditions alone, refutes this one as well: its sizes
// and attributes meet the conditions of an instance among the first, and there both sides differ again. `instances`: looked
// through.
bool is_refuted_by(const Rule& rule, const std::vector<Counterexample>& known, const RefuteOptions& options,
                   std::size_t& instances);

// Runs both sides again on the inputs: the counterexample with the first difference that there is, or nothing. One that is
// about types is returned as it is.
std::optional<Counterexample> run_again(const Counterexample& counterexample);

}  // namespace vouch
