// Names of values in an ONNX graph: every tensor that a node gives has one, and no two are equal.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "graph/graph.h"

namespace vouch {

struct OnnxKept;

// Names in use, shared by nested graphs, which see those around them.
class OnnxNamePool {
 public:
  // `reserved`: the names that the model had when it was read, which no new value takes.
  explicit OnnxNamePool(const std::unordered_set<std::string>* reserved = nullptr) : reserved_(reserved) {}

  // `wish`, or with a number appended if it is taken or reserved.
  std::string claim(const std::string& wish);
  // A name that the model had: given as it is if it is free.
  std::string claim_own(const std::string& name);
  // A name that a nested graph had; another graph beside it may use it.
  void release(const std::string& name) { taken_.erase(name); }

 private:
  const std::unordered_set<std::string>* reserved_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;  // number to try for a wish
};

class OnnxValueNames {
 public:
  // What a graph around gives a parameter of this one, if it does.
  using Around = std::function<std::optional<std::string>(NodeId)>;

  // Claims inputs first, then outputs, parameters, what the model named, and the rest, so that the first keep their names.
  OnnxValueNames(const Graph& graph, const std::vector<NodeId>& order, OnnxNamePool& pool, const OnnxKept* kept,
                 const Around& around);

  // The value of a node: a tensor, or what is of a foreign type.
  const std::string& of(NodeId node, std::uint32_t item = 0) const { return names_.at({node, item}); }
  void set(NodeId node, std::string name) { names_[{node, 0}] = std::move(name); }
  // What the graph's outputs are called; one differs from its value's name if that has another already.
  const std::vector<std::string>& outputs() const { return outputs_; }
  bool is_around(NodeId parameter) const { return around_.count(parameter) != 0; }
  OnnxNamePool& pool() { return pool_; }
  // Gives back all names that were claimed here.
  void release();

 private:
  using Key = std::pair<NodeId, std::uint32_t>;

  std::string claim(NodeId node);
  std::string note(std::string name);
  bool is_own(NodeId node) const;
  void claim_outputs();
  void claim_value(NodeId node, bool own_only);
  // The call's item that a projection selects; a projection of a tuple construction selects another node.
  Key source_of(NodeId node) const;

  const Graph& graph_;
  OnnxNamePool& pool_;
  const OnnxKept* kept_;
  std::map<Key, std::string> names_;
  std::vector<std::string> outputs_;
  std::vector<std::string> claimed_;
  std::unordered_set<NodeId> around_;
};

}  // namespace vouch
