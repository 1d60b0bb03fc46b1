// Writing one graph into an ONNX GraphProto. For onnx_export.cpp and the rows of onnx_lower.cpp.
#pragma once

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "io/onnx_foreign.h"
#include "io/onnx_kept.h"
#include "io/onnx_names.h"
#include "io/onnx_proto.h"

namespace vouch {

struct OnnxExportContext {
  std::int64_t opset;
  Diagnostics& diagnostics;
  const OnnxKept* kept;  // null: the graph was read from no ONNX model
  OnnxNamePool values;   // names of values
  OnnxNamePool nodes;    // names of nodes, which are unique likewise
  onnx::GraphProto* outermost;
  // Initialisers of the outermost graph so far, by the name that the graph gives the parameter: nested graphs refer to them.
  struct Shared {
    const Tensor* value;
    std::string name;
  };
  std::unordered_map<std::string, Shared> parameters;
  std::set<std::string> domains;     // that nodes were written in
  std::set<std::string> open_sizes;  // of inputs: they are called so in the graph, and in no model
};

// The first version of ONNX's operators in which the call has a form.
std::int64_t least_opset(const Graph& graph, NodeId call, const OnnxKept* kept);
// Removes attributes that `opset` does not know yet; they say what was so before.
void drop_later(std::string_view op, std::int64_t opset, std::vector<onnx::AttributeProto>& attributes);

class OnnxWriter {
 public:
  using Names = std::vector<std::string>;
  using Attributes = std::vector<onnx::AttributeProto>;

  OnnxWriter(OnnxExportContext& context, const Graph& graph, onnx::GraphProto& proto, bool nested = false);

  // `captured`: names around a nested graph for its first inputs. False, reported, if a call has no ONNX form.
  bool write(const Names& captured = {});

  // --- for lowering a call
  const Graph& graph() const { return graph_; }
  std::int64_t opset() const { return context_.opset; }
  // Inputs of the ONNX node for this call's operands: tuples flattened, absent ones empty, none of them at the end.
  Names operand_names(NodeId call) const;
  // Adds a node that gives one value of a new name, like `wish`.
  std::string emit(const std::string& op, const Names& inputs, const std::string& wish, Attributes attributes = {});
  onnx::NodeProto& emit_to(const Names& outputs, const std::string& op, const Names& inputs, Attributes attributes = {},
                           const std::string& name = {});
  // A constant value.
  std::string constant(const Tensor& value, const std::string& wish);
  std::string ints(const std::vector<std::int64_t>& values, const std::string& wish);
  Names result_names(NodeId call);
  bool fail(NodeId call, const std::string& message);

 private:
  bool write_node(NodeId node);
  bool write_call(NodeId call);
  bool write_plain_call(NodeId call);
  bool write_attributes(NodeId call, const std::string& name, Attributes& attributes);
  void write_parameter(NodeId parameter);
  // What the model says of the initialiser, or of the node in whose place this one stands, besides what it is.
  void add_told(const std::string& initializer, onnx::TensorProto& tensor) const;
  void add_told(NodeId node, onnx::NodeProto& proto) const;
  bool write_foreign(NodeId call);
  void write_foreign_value(const std::string& name, const ForeignCall& call);
  std::optional<std::string> parameter_around(NodeId parameter);
  const OnnxNodeKept* known(NodeId call) const { return context_.kept ? context_.kept->find(graph_.name(call)) : nullptr; }
  std::string node_name(NodeId call, const Names& results) const;
  // Of a result that nobody reads: as the model has it.
  std::string unread_name(NodeId call, std::size_t result, const std::string& wish);
  std::string body_name(NodeId call, const std::string& name, std::string_view attribute) const;
  bool write_nested(NodeId call, const Graph& nested, onnx::AttributeProto& attribute);
  void group_further_results(const std::vector<NodeId>& order);
  void write_inputs(const Names& captured);
  void write_outputs();
  void drop_unread_constants();
  void declare(const std::string& name, Type type, const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>* known,
               onnx::ValueInfoProto& out) const;

  OnnxExportContext& context_;
  const Graph& graph_;
  onnx::GraphProto& proto_;
  bool nested_;
  std::vector<NodeId> order_;
  std::vector<bool> needed_;  // by some output
  OnnxValueNames names_;
  // Calls that are results of one ONNX node (y and mask of Dropout), by the first of them; the others give nothing.
  std::map<NodeId, std::vector<NodeId>> groups_;
  std::map<NodeId, NodeId> group_of_;
};

// Attributes in ONNX form.
onnx::AttributeProto onnx_int(const std::string& name, std::int64_t value);
onnx::AttributeProto onnx_ints(const std::string& name, const std::vector<std::int64_t>& values);
onnx::AttributeProto onnx_string(const std::string& name, const std::string& value);
onnx::AttributeProto onnx_tensor(const Tensor& value);  // called `value`
onnx::AttributeProto onnx_float(const std::string& name, double value);

// Operators that are no ONNX operators, as ONNX nodes: false, reported, if the call has no such form.
bool lower_to_onnx(OnnxWriter& writer, NodeId call);
// What differs between the table's form and that of the writer's opset.
void adapt_to_opset(OnnxWriter& writer, NodeId call, std::string& op, OnnxWriter::Names& inputs,
                    OnnxWriter::Attributes& attributes);

// The ONNX operator whose result this operator is, and which one.
std::pair<std::string_view, std::size_t> onnx_result(std::string_view op);

}  // namespace vouch
