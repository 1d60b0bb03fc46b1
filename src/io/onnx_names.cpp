#include "io/onnx_names.h"

#include <fmt/format.h>

#include "graph/foreign.h"
#include "io/onnx_kept.h"

namespace vouch {

std::string OnnxNamePool::claim(const std::string& wish) {
  std::string name = wish.empty() ? "value" : wish;
  while ((reserved_ != nullptr && reserved_->count(name) != 0) || !taken_.insert(name).second) {
    name = fmt::format("{}_{}", wish.empty() ? "value" : wish, ++next_[wish]);
  }
  return name;
}

std::string OnnxNamePool::claim_own(const std::string& name) {
  return !name.empty() && taken_.insert(name).second ? name : claim(name);
}

OnnxValueNames::OnnxValueNames(const Graph& graph, const std::vector<NodeId>& order, OnnxNamePool& pool, const OnnxKept* kept,
                               const Around& around)
    : graph_(graph), pool_(pool), kept_(kept) {
  for (NodeId input : graph.inputs()) {
    names_[{input, 0}] = note(pool.claim_own(graph.name(input)));
  }
  claim_outputs();
  for (NodeId node : order) {
    if (graph.kind(node) == NodeKind::Parameter && names_.count({node, 0}) == 0) {
      auto outside = around ? around(node) : std::nullopt;
      if (outside) {
        around_.insert(node);
      }
      names_[{node, 0}] = outside ? *outside : claim(node);
    }
  }
  for (bool own_only : {true, false}) {
    for (NodeId node : order) {
      claim_value(node, own_only);
    }
  }
}

void OnnxValueNames::release() {
  for (const std::string& name : claimed_) {
    pool_.release(name);
  }
  claimed_.clear();
}

std::string OnnxValueNames::note(std::string name) {
  claimed_.push_back(name);
  return name;
}

// Whether the value, or the node in whose place it stands, was there when the model was read.
bool OnnxValueNames::is_own(NodeId node) const {
  return kept_ != nullptr && (kept_->find(graph_.name(node)) != nullptr || kept_->values.count(graph_.name(node)) != 0);
}

std::string OnnxValueNames::claim(NodeId node) {
  const OnnxNodeKept* known = kept_ != nullptr ? kept_->find(graph_.name(node)) : nullptr;
  if (known != nullptr && !known->value.empty()) {
    return note(pool_.claim_own(known->value));
  }
  return note(is_own(node) ? pool_.claim_own(graph_.name(node)) : pool_.claim(graph_.name(node)));
}

OnnxValueNames::Key OnnxValueNames::source_of(NodeId node) const {
  while (graph_.kind(node) == NodeKind::Projection) {
    NodeId tuple = graph_.operands(node)[0];
    if (graph_.kind(tuple) != NodeKind::Tuple) {
      return {tuple, graph_.projection_index(node)};
    }
    node = graph_.operands(tuple)[graph_.projection_index(node)];
  }
  return {node, 0};
}

// A value that calls give takes the name of the first output it is; so does a parameter that has no other use. What is an
// output under its own name, or twice under one name, needs no other.
void OnnxValueNames::claim_outputs() {
  std::unordered_map<std::string, Key> given;
  for (NodeId input : graph_.inputs()) {
    given.emplace(names_.at({input, 0}), Key{input, 0});
  }
  for (const GraphOutput& output : graph_.outputs()) {
    Key source = source_of(output.node);
    auto before = given.find(output.name);
    bool same = before != given.end() && before->second == source;
    outputs_.push_back(same ? output.name : note(pool_.claim_own(output.name)));
    given.emplace(outputs_.back(), source);
    NodeKind kind = graph_.kind(source.first);
    if (kind == NodeKind::Call || kind == NodeKind::Constant ||
        (kind == NodeKind::Parameter && graph_.name(source.first) == output.name)) {
      names_.emplace(source, outputs_.back());
    }
  }
}

void OnnxValueNames::claim_value(NodeId node, bool own_only) {
  bool has_value = graph_.type(node).is_tensor() || is_foreign(graph_.type(node));
  if (!has_value || (own_only && !is_own(node))) {
    return;
  }
  Key source = source_of(node);
  if (names_.count(source) == 0) {
    names_[source] = claim(node);
  }
  names_[{node, 0}] = names_.at(source);
}

}  // namespace vouch
