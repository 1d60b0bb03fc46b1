// Reading one ONNX graph (the model's, or one nested in a node) into a Graph.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/graph.h"
#include "graph/known_value.h"
#include "io/onnx_draft.h"
#include "io/onnx_import.h"
#include "io/onnx_kept.h"
#include "io/onnx_proto.h"
#include "io/onnx_shared.h"
#include "io/onnx_tensor.h"

namespace vouch {

// The names that nodes of any graph of a model were given.
class ClaimedNames {
 public:
  bool claim(const std::string& name) {
    bool fresh = names_.insert(name).second;
    if (fresh) {
      in_order_.push_back(name);
    }
    return fresh;
  }
  std::size_t count() const { return in_order_.size(); }
  void forget_since(std::size_t count) {
    for (; in_order_.size() > count; in_order_.pop_back()) {
      names_.erase(in_order_.back());
    }
  }

 private:
  std::unordered_set<std::string> names_;
  std::vector<std::string> in_order_;
};

struct OnnxImportContext {
  std::string model;   // for messages
  std::string folder;  // of external data
  std::int64_t opset = 0;
  const OnnxOptions& options;
  Diagnostics& diagnostics;
  OnnxKept& kept;
  std::vector<NamedTensor> defaults;
  std::set<std::string> unfed;
  std::unordered_set<std::string> size_names;  // every `dim_param` of the model
  ClaimedNames node_names;
};

class OnnxScope {
 public:
  // `outer` is the scope around a nested graph, null for the model's graph.
  OnnxScope(OnnxImportContext& context, const onnx::GraphProto& proto, OnnxScope* outer);

  // What a nested graph is given by its node.
  struct Surroundings {
    std::vector<std::string_view> captures;  // values of the outer scope that become the first inputs
    std::vector<Type> input_types;           // of its own inputs, for those whose type the file leaves open
    std::string path;                        // of the graph: outputs of the nodes around, each with its attribute
  };
  // Nothing, reported, if anything in the graph cannot be read.
  std::optional<Graph> read(const Surroundings& surroundings = {});

 private:
  using Node = onnx::NodeProto;

  std::string place(const std::string& what) const;
  bool error(const std::string& where, const std::string& message);
  void define(std::string_view name, NodeId node, const std::string& where);
  // The value of this name here or around; kNoNode if its producer could not be read. A constant of the graph around is
  // copied into this one.
  NodeId lookup(std::string_view name);
  bool is_known(std::string_view name) const;

  void collect_names();
  void note_reads(const onnx::GraphProto& proto);
  // An Identity that the writer puts where an output must have another name than what it gives, or of a value that is no tensor
  // here, which no rule takes away: no call of the graph.
  bool only_renames(const onnx::NodeProto& node);
  void add_captures(const std::vector<std::string_view>& names);
  void add_inputs(const std::vector<Type>& hints);
  void add_input(const onnx::ValueInfoProto& input, Type hint);
  // What sizes without a name are called after: a value of a nested graph or of a foreign node is in no message.
  std::string size_place(const std::string& value) const;
  std::string size_place(const onnx::ValueInfoProto& input) const;
  void add_default(const onnx::TensorProto& tensor);
  bool need_not_be_fed(const std::string& name) const;
  bool is_overridable(const std::string& name) const;
  void add_fixed_input(const NamedTensor& fixed);
  bool declares_countable(const onnx::ValueInfoProto& input);
  void add_initializers(const onnx::GraphProto& proto);
  void note_told(const onnx::TensorProto& tensor);
  void add_parameter(const std::string& name, std::optional<Tensor> value);
  void add_outputs();

  void add_node(const Node& node, bool with_known_operands = false);
  // What is left alone for want of types has them where elements are known: an operand's, or an If's condition. False: nothing is
  // known, and nothing was added.
  bool add_as_known(const Node& node, std::size_t names_before);
  bool has_known_operand(const Node& node);
  bool reads_empty(const Node& node);  // an operand is known to have no elements
  NodeId constant_if_known(NodeId operand);
  bool add_known_branch(const Node& node);
  void add_nodes_of(const onnx::GraphProto& proto);
  void add_constant(const Node& node);
  std::optional<Tensor> constant_value(const Node& node, const std::string& where);
  bool fill_draft(OnnxDraft& draft, Diagnostics& problems, bool with_known_operands);
  // The node as it stands, with types for its results from what the model declares.
  void add_foreign(const Node& node);
  void add_foreign_value(const onnx::TensorProto& tensor, const std::string& name, const std::string& where);
  bool make_self_contained(onnx::TensorProto& tensor, const std::string& where);
  bool make_self_contained(Node& node, const std::string& where);
  std::vector<Type> declared_types(const Node& node, const std::vector<NodeId>& operands) const;
  std::shared_ptr<const Graph> read_nested(const onnx::GraphProto& proto, const Surroundings& surroundings);
  // What the node's nested graphs take from here and is no constant.
  std::vector<std::string_view> nested_captures(const Node& node);
  void name_results(const Node& node, const std::vector<NodeId>& results);
  void name_call(const Node& node, NodeId call);
  void name_result(const Node& node, NodeId result, const std::string& value, bool single);
  std::string claim_name(const Node& node, const std::string& value, bool single);

  OnnxImportContext& context_;
  const onnx::GraphProto& proto_;
  OnnxScope* outer_;
  Graph graph_;
  KnownNodes known_{graph_};
  std::deque<onnx::NodeProto> taken_;  // conditionals of which one branch stands here
  OnnxShared shared_;
  std::unordered_map<std::string_view, NodeId> values_;
  std::unordered_map<std::string_view, const onnx::ValueInfoProto*> declared_;  // types that the graph says
  std::unordered_set<std::string_view> input_names_;
  std::unordered_set<std::string_view> output_names_;
  std::unordered_set<std::string_view> given_names_;  // every output of a node
  std::unordered_set<std::string_view> read_names_;   // every name that a node or the outside reads
  std::string path_;
  bool complete_ = true;
};

}  // namespace vouch
