#include "io/onnx_foreign.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/unknown_size.h"
#include "io/onnx_domain.h"
#include "io/onnx_order.h"
#include "io/onnx_revisions.h"
#include "io/onnx_tensor.h"
#include "support/fault.h"
#include "term/print.h"

namespace vouch {
namespace {

using Names = std::unordered_map<std::string, std::string>;

// Element types that newer versions of ONNX have (onnx.proto3), with their width in bits; 0 for strings.
constexpr struct {
  int number;
  std::string_view name;
  std::uint64_t bits;
} kElements[] = {
    {8, "string", 0},      {14, "complex64", 64}, {15, "complex128", 128}, {23, "float4e2m1", 4},
    {24, "float8e8m0", 8}, {25, "uint2", 2},      {26, "int2", 2},
};

std::string element_text(int number) {
  if (auto dtype = dtype_of_onnx(number)) {
    return std::string(dtype_name(*dtype));
  }
  for (const auto& row : kElements) {
    if (row.number == number) {
      return std::string(row.name);
    }
  }
  return fmt::format("element type {}", number);
}

std::string dimension_text(const onnx::TensorShapeProto::Dimension& dim) {
  return dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.dim_param().empty() ? "?" : dim.dim_param();
}

// Recursion follows the nesting of the message, which parsing bounds.
std::string type_text(const onnx::TypeProto& type) {
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType: {
      const auto& tensor = type.tensor_type();
      if (!tensor.has_shape()) {
        return fmt::format("{} of unknown rank", element_text(tensor.elem_type()));
      }
      std::string dims;
      for (const auto& dim : tensor.shape().dim()) {
        dims += (dims.empty() ? "" : ", ") + dimension_text(dim);
      }
      return fmt::format("{}[{}]", element_text(tensor.elem_type()), dims);
    }
    case onnx::TypeProto::kSequenceType: return fmt::format("sequence of {}", type_text(type.sequence_type().elem_type()));
    case onnx::TypeProto::kOptionalType: return fmt::format("optional {}", type_text(type.optional_type().elem_type()));
    case onnx::TypeProto::kMapType:
      return fmt::format("map from {} to {}", element_text(type.map_type().key_type()), type_text(type.map_type().value_type()));
    case onnx::TypeProto::kSparseTensorType: return fmt::format("sparse {}", element_text(type.sparse_tensor_type().elem_type()));
    case onnx::TypeProto::kOpaqueType: return fmt::format("opaque {}", type.opaque_type().name());
    case onnx::TypeProto::VALUE_NOT_SET: break;
  }
  return "untyped";
}

Term declared_extent(const onnx::TensorShapeProto::Dimension& dim, const std::string& value, int axis) {
  if (dim.has_dim_value() && dim.dim_value() >= 0) {
    return dim.dim_value();
  }
  bool named = !dim.dim_param().empty() && !is_unknown_size(dim.dim_param());
  return int_var(named ? dim.dim_param() : open_size_name(value, axis));
}

void rename(std::string& name, const Names& names) {
  if (auto found = names.find(name); found != names.end()) {
    name = found->second;
  }
}

// Every occurrence, in nested graphs too: names are unique along the nesting.
void rename_all(onnx::GraphProto& graph, const Names& names) {
  for (auto* list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()}) {
    for (auto& value : *list) {
      rename(*value.mutable_name(), names);
    }
  }
  for (auto& tensor : *graph.mutable_initializer()) {
    rename(*tensor.mutable_name(), names);
  }
  for (auto& tensor : *graph.mutable_sparse_initializer()) {
    rename(*tensor.mutable_values()->mutable_name(), names);
  }
  for (auto& node : *graph.mutable_node()) {
    for (auto* list : {node.mutable_input(), node.mutable_output()}) {
      for (std::string& value : *list) {
        rename(value, names);
      }
    }
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) {
        rename_all(*attribute.mutable_g(), names);
      }
      for (auto& nested : *attribute.mutable_graphs()) {
        rename_all(nested, names);
      }
    }
  }
}

void collect_defined(const onnx::GraphProto& graph, std::vector<std::string>& out) {
  for (const auto& input : graph.input()) {
    out.push_back(input.name());
  }
  for (const auto& tensor : graph.initializer()) {
    out.push_back(tensor.name());
  }
  for (const auto& node : graph.node()) {
    std::copy_if(node.output().begin(), node.output().end(), std::back_inserter(out), [](const auto& s) { return !s.empty(); });
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) {
        collect_defined(attribute.g(), out);
      }
      for (const auto& nested : attribute.graphs()) {
        collect_defined(nested, out);
      }
    }
  }
}

std::vector<onnx::GraphProto*> subgraphs_of(onnx::NodeProto& node) {
  std::vector<onnx::GraphProto*> out;
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) {
      out.push_back(attribute.mutable_g());
    }
    for (auto& graph : *attribute.mutable_graphs()) {
      out.push_back(&graph);
    }
  }
  return out;
}

}  // namespace

bool is_foreign_element(int data_type) { return !dtype_of_onnx(data_type).has_value(); }

std::string open_size_name(const std::string& value, int axis) { return fmt::format("{}.{}", value, axis); }

Type declared_type(const onnx::TypeProto& declared, const std::string& value) {
  const auto& tensor = declared.tensor_type();
  auto dtype = declared.has_tensor_type() && tensor.has_shape() ? dtype_of_onnx(tensor.elem_type()) : std::nullopt;
  if (!dtype) {
    return foreign_type(type_text(declared), message_bytes(declared));
  }
  std::vector<Term> extents;
  for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
    extents.push_back(declared_extent(tensor.shape().dim(axis), value, axis));
  }
  return Type::tensor(*dtype, std::move(extents));
}

void declare_type(Type type, onnx::TypeProto& out) {
  if (is_foreign(type)) {
    Diagnostics none;
    bool read = foreign_spelling(type).empty() || parse_message(foreign_spelling(type), out, {}, none);
    ensure(read, "a type is spelt as it was read");
    return;
  }
  auto* tensor = out.mutable_tensor_type();
  tensor->set_elem_type(onnx_of_dtype(type.dtype()));
  tensor->mutable_shape();
  for (Term extent : type.extents()) {
    auto* dim = tensor->mutable_shape()->add_dim();
    if (auto known = const_int(extent)) {
      dim->set_dim_value(*known);
    } else if (unknown_sizes(extent).empty()) {  // names of those are ours alone
      dim->set_dim_param(extent.kind() == TermKind::IntVar ? extent->symbol.name() : print_term(extent));
    }
  }
}

std::optional<std::uint64_t> foreign_byte_count(const onnx::TensorProto& tensor) {
  auto count = element_count(Extents(tensor.dims().begin(), tensor.dims().end()));
  for (const auto& row : kElements) {
    if (row.number == tensor.data_type() && row.bits != 0 && count && *count < INT64_MAX / 128) {
      return (static_cast<std::uint64_t>(*count) * row.bits + 7) / 8;
    }
  }
  return std::nullopt;
}

std::vector<std::string> names_of_operands(const onnx::NodeProto& node) {
  std::vector<std::string> out;
  for (std::string_view name : names_read(node)) {
    out.emplace_back(name);
  }
  return out;
}

void rename_operands(onnx::NodeProto& node, const std::vector<std::string>& names,
                     const std::function<std::string(const std::string&)>& claim) {
  std::size_t next = 0;
  for (std::string& input : *node.mutable_input()) {
    if (!input.empty()) {
      input = names.at(next++);
    }
  }
  for (onnx::GraphProto* graph : subgraphs_of(node)) {
    Names renamed;
    for (std::string_view captured : names_captured(*graph)) {
      renamed.emplace(captured, names.at(next++));
    }
    std::vector<std::string> defined;
    collect_defined(*graph, defined);
    for (const std::string& name : defined) {
      if (renamed.count(name) == 0) {
        renamed.emplace(name, claim(name));
      }
    }
    rename_all(*graph, renamed);
  }
}

std::string meaning_of_foreign(const onnx::NodeProto& node, std::int64_t opset) {
  bool closed = std::all_of(node.attribute().begin(), node.attribute().end(), [](const auto& attribute) {
    return !attribute.has_g() && attribute.graphs_size() == 0 && attribute.ref_attr_name().empty();
  });
  if (!closed || !is_standard_domain(node.domain()) || !is_onnx_function(node.op_type())) {
    return {};
  }
  onnx::NodeProto plain;
  plain.set_op_type(node.op_type());
  for (const std::string& input : node.input()) {
    plain.add_input(input.empty() ? "" : "given");
  }
  for (const std::string& output : node.output()) {
    plain.add_output(output.empty() ? "" : "wanted");
  }
  std::vector<onnx::AttributeProto> attributes(node.attribute().begin(), node.attribute().end());
  std::stable_sort(attributes.begin(), attributes.end(), [](const auto& a, const auto& b) { return a.name() < b.name(); });
  for (onnx::AttributeProto& attribute : attributes) {
    attribute.clear_doc_string();
    *plain.add_attribute() = std::move(attribute);
  }
  return fmt::format("{} {}", revision_of(node.op_type(), opset), message_bytes(plain));
}

std::string meaning_of_foreign(const onnx::TensorProto& value) {
  onnx::TensorProto plain = value;
  plain.clear_name();
  plain.clear_doc_string();
  return "value " + message_bytes(plain);
}

// Recursion follows the nesting of subgraphs, which parsing has bounded.
std::optional<std::string> changed_operator(const onnx::NodeProto& node, std::int64_t opset, std::int64_t other) {
  if (is_standard_domain(node.domain()) && !is_same_revision(node.op_type(), opset, other)) {
    return node.op_type();
  }
  for (const auto& attribute : node.attribute()) {
    for (const auto& inner : attribute.g().node()) {
      if (auto found = changed_operator(inner, opset, other)) {
        return found;
      }
    }
    for (const auto& graph : attribute.graphs()) {
      for (const auto& inner : graph.node()) {
        if (auto found = changed_operator(inner, opset, other)) {
          return found;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace vouch
