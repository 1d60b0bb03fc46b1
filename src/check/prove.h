// The proof of one instance of a rule: the target is legal, its sizes are the source's, it is defined where the source is,
// and every element is equal.
#pragma once

#include <string>
#include <vector>

#include "facts/arithmetic.h"
#include "facts/kept_arithmetic.h"
#include "instance/instance.h"

namespace vouch {

enum class ProofResult : std::uint8_t {
  Exact,     // equal without any law of arithmetic
  Real,      // equal over the reals
  IllTyped,  // the source is legal somewhere, the target is ill-typed there whatever the sizes
  Vacuous,   // no sizes meet the assumptions
  Unknown,
};

struct Proof {
  ProofResult result = ProofResult::Unknown;
  std::string reason;     // of IllTyped and Unknown
  std::string remainder;  // what was left of source - target
  std::size_t queries = 0;
  std::size_t unknowns = 0;
  double slowest_query_ms = 0;
  std::vector<QueryText> scripts;  // if asked for
};

struct ProveOptions {
  bool keep_scripts = false;
  std::size_t fuel = 3000;
  bool explain = true;               // `remainder` is wanted
  std::size_t questions = 20'000;    // asked of integers, and summands simplified, before it is given up
  std::size_t summands = 2'000'000;  // put together in normal forms, of each algebra
  std::size_t pairs = 10'000;        // of summands looked at, in each algebra
};

Proof prove_instance(const Instance& instance, const ProveOptions& options);
// With what was found to follow of the facts of instances of the same rule.
Proof prove_instance(const Instance& instance, const ProveOptions& options, KeptArithmetic& kept);

}  // namespace vouch
