// One ONNX node on its way into the graph: adaptations change it until it has the form of the operator table, then it
// is typed and added.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "graph/graph.h"
#include "io/onnx_proto.h"
#include "io/onnx_shared.h"

namespace vouch {

class OnnxDraft {
 public:
  // `wanted`: which outputs somebody reads; the others need not be supported.
  OnnxDraft(Graph& graph, OnnxShared& shared, const onnx::NodeProto& node, std::vector<bool> wanted, std::int64_t opset,
            std::string place, Diagnostics& diagnostics);

  std::string op;
  std::vector<NodeId> operands;  // kNoNode: absent
  // Filled by an adaptation that built the node from others: one per output.
  std::vector<NodeId> results;

  const onnx::NodeProto& node() const { return node_; }
  std::int64_t opset() const { return opset_; }
  const std::string& place() const { return place_; }
  Graph& graph() { return graph_; }
  std::size_t output_count() const { return wanted_.size(); }
  bool wants_output(std::size_t output) const { return output < wanted_.size() && wanted_[output]; }
  bool failed() const { return failed_ || left_alone_; }
  // The node has a form or a meaning that the table has not: it stays as it is.
  void leave_alone() { left_alone_ = true; }
  bool is_left_alone() const { return left_alone_; }
  void fail(const std::string& message, std::string hint = {});

  // --- operands
  bool has(std::size_t operand) const { return operand < operands.size() && operands[operand] != kNoNode; }
  Type type(std::size_t operand) const { return graph_.type(operands[operand]); }
  const std::vector<Term>* contents(std::size_t operand) const { return graph_.contents(operands[operand]); }
  void set_operand(std::size_t operand, NodeId node);  // earlier ones become absent if need be

  // --- attributes
  bool add_attribute(std::string_view name, AttrValue value);  // false, reported: it is given twice
  const AttrValue* attribute(std::string_view name) const;
  std::optional<AttrValue> take(std::string_view name);  // and remove
  std::int64_t take_int(std::string_view name, std::int64_t otherwise);
  void drop(std::initializer_list<std::string_view> names);
  void set(std::string_view name, AttrValue value);
  AttrDict dict() const;

  // --- building; a call that is ill-typed fails the draft and gives kNoNode, as does one with an operand kNoNode
  NodeId constant(Tensor value) { return shared_.constant(graph_, std::move(value)); }
  NodeId ints(std::span<const std::int64_t> values);
  NodeId ints(std::initializer_list<std::int64_t> values);
  NodeId call(std::string_view name, std::initializer_list<NodeId> items, std::vector<AttrDict::Entry> attributes = {});

  // Adds the node in its present form and fills `results`.
  void finish();

 private:
  void add_results(NodeId call);
  std::vector<NodeId> gathered_operands(const OpDef& def);
  NodeId checked_call(OpId id, std::span<const NodeId> items, AttrDict attributes);
  void add_further(const OpDef& def, std::span<const NodeId> items);

  Graph& graph_;
  OnnxShared& shared_;
  const onnx::NodeProto& node_;
  std::vector<bool> wanted_;
  std::int64_t opset_;
  std::string place_;
  Diagnostics& diagnostics_;
  std::vector<AttrDict::Entry> attributes_;
  std::unordered_set<Symbol> attribute_names_;  // that were given
  bool is_beyond_typing(const OpDef& def, std::span<const NodeId> items) const;
  bool depends_on_data(const OpDef& def, std::span<const NodeId> items) const;
  bool is_undecided(OpId id, std::span<const NodeId> items, AttrDict attributes) const;
  bool is_newer_form(const OpDef& def) const;

  bool failed_ = false;
  bool left_alone_ = false;
};

}  // namespace vouch
