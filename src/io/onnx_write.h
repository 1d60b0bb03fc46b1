// Writing one graph into an ONNX GraphProto. For onnx_export.cpp and the rows of onnx_lower.cpp.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "io/onnx_names.h"
#include "io/onnx_proto.h"

namespace vouch {

struct OnnxExportContext {
  std::int64_t opset;
  OnnxNamePool& pool;
  Diagnostics& diagnostics;
};

// Whether the call has no form in opset 17.
bool needs_opset_20(const Graph& graph, NodeId call);

class OnnxWriter {
 public:
  using Names = std::vector<std::string>;
  using Attributes = std::vector<onnx::AttributeProto>;

  OnnxWriter(OnnxExportContext& context, const Graph& graph, onnx::GraphProto& proto);

  // `captured`: names around a nested graph for its first inputs. False, reported, if a call has no ONNX form.
  bool write(const Names& captured = {});

  // --- for lowering a call
  const Graph& graph() const { return graph_; }
  std::int64_t opset() const { return context_.opset; }
  // Inputs of the ONNX node for this call's operands: tuples flattened, absent ones empty, none of them at the end.
  Names operand_names(NodeId call) const;
  // Adds a node that gives one value of a new name, like `wish`.
  std::string emit(const std::string& op, const Names& inputs, const std::string& wish, Attributes attributes = {});
  void emit_to(const Names& outputs, const std::string& op, const Names& inputs, Attributes attributes = {},
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
  bool write_attributes(NodeId call, Attributes& attributes);
  bool write_nested(NodeId call, const AttrDef& declared, const Graph& nested, Attributes& attributes);
  void group_further_results(const std::vector<NodeId>& order);
  void write_inputs(const Names& captured);
  void write_outputs();
  void write_value(const std::string& name, Type type, onnx::ValueInfoProto& value) const;

  OnnxExportContext& context_;
  const Graph& graph_;
  onnx::GraphProto& proto_;
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
onnx::AttributeProto onnx_float(const std::string& name, double value);

// Operators that are no ONNX operators, as ONNX nodes: false, reported, if the call has no such form.
bool lower_to_onnx(OnnxWriter& writer, NodeId call);
// What differs between the table's form and that of the writer's opset: may change inputs and attributes.
bool adapt_to_opset(OnnxWriter& writer, NodeId call, OnnxWriter::Names& inputs, OnnxWriter::Attributes& attributes);

}  // namespace vouch
