// One of TASO's published substitutions, as its JSON says it: two lists of nodes, and which results of the one are which of the
// other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "io/json_text.h"

namespace vouch::taso {

enum class Op : std::uint8_t { MatMul, Conv, Concat, Split, Add, Mul, Relu };

// A pattern variable (`node` is -k), or a result of a node of the same side.
struct Ref {
  std::int64_t node = 0;
  std::int64_t result = 0;
};

struct Node {
  Op op = Op::Relu;
  std::vector<Ref> inputs;
  std::int64_t axis = 0;
  std::int64_t rank = 0;  // of a concat
  bool relu = false;      // an activation after it
};

struct Rule {
  std::int64_t id = 0;
  std::vector<Node> sides[2];  // source, target
  std::vector<Ref> outputs[2];
};

// Reports what the format does not allow, at its place.
std::optional<Rule> read_rule(const JsonValue& object, Diagnostics& diagnostics);

}  // namespace vouch::taso
