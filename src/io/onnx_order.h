// The order in which the nodes of an ONNX graph can be read: files need not be sorted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/onnx_proto.h"

namespace vouch {

// `Conv node 'conv1'`, `Add node giving 'sum'`, for messages.
std::string onnx_node_text(const onnx::NodeProto& node);

// Names, as they stand in the message, that the node reads: its inputs, and what its subgraphs take from around them.
std::vector<std::string_view> names_read(const onnx::NodeProto& node);
// Names that the graph reads and does not define, each once, in order.
std::vector<std::string_view> names_captured(const onnx::GraphProto& graph);

// The nodes, producers first, else in the order of the file. Reports values that are produced twice, produced by
// nothing (`is_known` says what is there besides), and cycles. Linear in nodes and edges; an explicit stack.
std::optional<std::vector<const onnx::NodeProto*>> order_nodes(const onnx::GraphProto& graph,
                                                               const std::function<bool(std::string_view)>& is_known,
                                                               const std::string& place, Diagnostics& diagnostics);

}  // namespace vouch
