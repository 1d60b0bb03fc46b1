// A call's meaning, made ready to become C: what is known of its operands ahead of time is part of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "kernel/kernel.h"

namespace vouch {

// One tensor of the graph: a node, and which item of a tuple.
struct GraphTensor {
  NodeId node = kNoNode;
  std::uint32_t item = 0;
  friend auto operator<=>(const GraphTensor&, const GraphTensor&) = default;
};

// The tensors that a node is: those of a tuple's items, in order.
std::vector<GraphTensor> tensors_of(const Graph& graph, NodeId node);
Type tensor_type(const Graph& graph, GraphTensor tensor);

struct NodeMeaning {
  Kernel kernel;                      // its inputs are those that it reads
  std::vector<GraphTensor> operands;  // one for each of the first of them
  std::vector<Tensor> tables;         // what the others hold
};

// Of a call. Elements of operands that are known (sizes, lists, scalars) stand in the kernel as numbers; a maximum, minimum or
// product over few elements is written out; subscripts have no choices; inputs that are not read are gone. Else `why` says why
// there is none.
// `plain`: as the definition has it; else windows go one axis after the other (build/windows.h).
std::optional<NodeMeaning> meaning_of_node(const Graph& graph, NodeId node, bool plain, std::string& why);

// A size in the kernel that is no number, since data decide it. What reads no operand may speak of one all the same (Shape,
// Range).
std::optional<Symbol> open_size(const Kernel& kernel);

}  // namespace vouch
