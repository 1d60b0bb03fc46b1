#include "io/onnx_shared.h"

#include <optional>

namespace vouch {
namespace {

constexpr std::size_t kMostBytes = 128;  // lists of axes and sizes, bounds

std::optional<std::string> key_of(const Tensor& value) {
  if (value.bytes().size() > kMostBytes || value.rank() > 1) {
    return std::nullopt;
  }
  std::string key{static_cast<char>(value.dtype()), static_cast<char>(value.rank())};
  key.append(reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size());
  return key;
}

}  // namespace

NodeId OnnxShared::constant(Graph& graph, Tensor value) {
  std::optional<std::string> key = key_of(value);
  auto known = key ? by_value_.find(*key) : by_value_.end();
  if (known != by_value_.end()) {
    return known->second;
  }
  NodeId node = graph.add_constant(std::move(value));
  if (key) {
    by_value_.emplace(std::move(*key), node);
  }
  return node;
}

void OnnxShared::note(const Graph& graph, NodeId node) {
  if (std::optional<std::string> key = key_of(graph.value(node))) {
    by_value_.emplace(std::move(*key), node);
  }
}

void OnnxShared::prefer(Graph& graph, NodeId parameter) {
  std::optional<std::string> key = key_of(graph.value(parameter));
  if (!key) {
    return;
  }
  auto [known, is_new] = by_value_.try_emplace(std::move(*key), parameter);
  if (!is_new && !graph.has_name(known->second)) {
    graph.replace_uses(known->second, parameter);
    graph.erase(known->second);
    known->second = parameter;
  }
}

NodeId OnnxShared::tuple(Graph& graph, std::span<const NodeId> items) {
  auto [known, is_new] = by_items_.try_emplace(std::vector<NodeId>(items.begin(), items.end()), kNoNode);
  if (is_new) {
    known->second = graph.add_tuple(items);
  }
  return known->second;
}

}  // namespace vouch
