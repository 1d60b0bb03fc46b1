// How much stack a library's functions take, as a compiler of this machine lays them out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "driver/library_recipe.h"

namespace vouch {

struct StackBound {
  std::int64_t run_bytes = 0;   // of NAME_run and all that it calls, the return addresses included
  std::int64_t most_bytes = 0;  // of any function of the library
  std::string compiler;         // and its options
};

// The deepest chain of frames: gcc's figures (`-fcallgraph-info=su`) summed over its call graph. Functions of the C library are
// not in it. With OpenMP each thread of a team has at most the same. Else `why` says why there is none: no gcc, recursion, a call
// through a pointer, a frame whose size is not known ahead.
std::optional<StackBound> stack_bound(const BuiltLibrary& built, std::string& why);

// Frames and calls of the texts that gcc writes, as it writes them (VCG). Exposed for tests.
class CallGraph {
 public:
  void add(const std::string& text);
  // Deepest sum from `function` (any, where it is empty).
  std::optional<std::int64_t> deepest(const std::string& function, std::string& why) const;

 private:
  struct Function {
    std::int64_t bytes = 0;
    bool bounded = true;
    std::set<std::string> calls;
  };
  std::optional<std::int64_t> depth(const std::string& function, std::map<std::string, std::optional<std::int64_t>>& known,
                                    std::string& why) const;
  std::map<std::string, Function> functions_;
};

}  // namespace vouch
