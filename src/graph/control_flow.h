// If, Loop and Scan as calls without nested graphs: of a conditional both branches and a choice (ONNX's Where), or the branch
// that is known to be taken; of a loop its body as often as it runs. So their meaning is that of the calls in them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/copy_graph.h"
#include "graph/graph.h"
#include "graph/known_value.h"

namespace vouch {

bool is_control_flow(OpId op);

class ControlFlow {
 public:
  using Nodes = std::vector<NodeId>;

  // Adds a call of a branch or a body, which stands at `place`; one that nests graphs again may come back here.
  using AddNested = std::function<NodeId(OpId op, const Nodes& operands, AttrDict attributes, const std::string& place)>;

  // `add` adds to `graph`, where all sizes are numbers. One for a graph: what is known of nodes is worked out once, and what is
  // written out is counted over all calls, those within others among them.
  ControlFlow(Graph& graph, AddNested add, Diagnostics& diagnostics)
      : graph_(graph), add_(std::move(add)), diagnostics_(diagnostics), known_(graph) {}

  // The results of a call that is well-typed. Reports at `place` what has no such form: branches of unlike types, of which one is
  // chosen when it runs; a number of iterations that depends on data, is none or beyond 1024; more than 65536 calls in all.
  std::optional<Nodes> results(OpId op, const Nodes& operands, AttrDict attributes, const std::string& place);

  // What a body takes besides iterations and slices.
  struct Given {
    Nodes values;    // carried or scanned
    Nodes captured;  // of the graph around
  };

 private:
  std::optional<Nodes> conditional(const Nodes& operands, AttrDict attributes, const std::string& place);
  std::optional<Nodes> choice(NodeId condition, const Nodes& then, const Nodes& otherwise, const std::string& place);
  std::optional<Nodes> loop(const Nodes& operands, AttrDict attributes, const std::string& place);
  bool iterate(const Graph& body, Given& from, NodeId condition, std::int64_t most, std::vector<Nodes>& items,
               const std::string& place);
  std::optional<std::int64_t> trips(NodeId given, const std::string& place);
  std::optional<std::vector<Nodes>> sliced(const Nodes& wholes, AttrDict attributes, const std::string& place);
  bool append_collected(Nodes& results, std::vector<Nodes>& items, AttrDict attributes, const std::string& place);
  std::optional<Nodes> scan(const Nodes& operands, AttrDict attributes, const std::string& place);
  std::optional<Nodes> copied(const Graph& body, const Nodes& inputs, const std::string& place);
  // Whether it goes on after `done` iterations; nothing, reported, if that is not known.
  std::optional<bool> goes_on(NodeId condition, std::int64_t done, const std::string& place);
  std::optional<NodeId> collected(const Nodes& items, std::int64_t axis, const std::string& place);
  std::nullopt_t refuse(const std::string& place, const std::string& why);

  Graph& graph_;
  AddNested add_;
  Diagnostics& diagnostics_;
  KnownNodes known_;
  std::size_t copied_ = 0;
};

}  // namespace vouch
