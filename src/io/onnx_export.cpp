#include "io/onnx_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "graph/foreign.h"
#include "graph/order.h"
#include "io/file.h"
#include "io/onnx_adapt.h"
#include "io/onnx_domain.h"
#include "io/onnx_external.h"
#include "io/onnx_foreign.h"
#include "io/onnx_write.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUsualOpset = 17;
constexpr std::int64_t kLeastIr = 4;  // initialisers need not be inputs

// The first version of the model format that goes with an opset (ONNX's Versioning.md).
std::int64_t ir_of_opset(std::int64_t opset) {
  constexpr std::pair<std::int64_t, std::int64_t> kFirst[] = {{25, 12}, {24, 12}, {23, 11}, {21, 10}, {19, 9},
                                                              {15, 8},  {12, 7},  {11, 6},  {10, 5},  {9, 4}};
  for (auto [first, ir] : kFirst) {
    if (opset >= first) {
      return ir;
    }
  }
  return kLeastIr;
}

struct Need {
  std::int64_t opset = 1;
  std::string node;  // that has it
};

// Of nested graphs too; recursion follows their nesting, which import bounds.
Need needed_opset(const Graph& graph, const OnnxKept* kept) {
  Need need;
  for (NodeId node : reverse_post_order(graph)) {
    if (graph.kind(node) != NodeKind::Call) {
      continue;
    }
    if (std::int64_t least = least_opset(graph, node, kept); least > need.opset) {
      need = {least, graph.name(node)};
    }
    for (const auto& [name, value] : graph.attributes(node).entries()) {
      if (Need inner = value.graph() ? needed_opset(*value.graph(), kept) : Need(); inner.opset > need.opset) {
        need = inner;
      }
    }
  }
  return need;
}

// A node that is kept as its file spells it, and means something else in models of this opset; nested graphs as above.
struct Unlike {
  std::string node;
  std::string op;
  std::int64_t opset = 0;  // that the file was read by
};

std::optional<Unlike> unlike_in(const Graph& graph, std::int64_t opset) {
  for (NodeId node : reverse_post_order(graph)) {
    if (graph.kind(node) != NodeKind::Call) {
      continue;
    }
    if (graph.op(node) == foreign_op()) {
      ForeignCall call = foreign_call(graph.attributes(node));
      onnx::NodeProto spelt;
      bool is_node = !call.is_value && call.opset != opset && spelt.ParseFromString(call.spelling);
      if (auto op = is_node ? changed_operator(spelt, call.opset, opset) : std::nullopt) {
        return Unlike{graph.name(node), *op, call.opset};
      }
    }
    for (const auto& [name, value] : graph.attributes(node).entries()) {
      if (auto inner = value.graph() ? unlike_in(*value.graph(), opset) : std::nullopt) {
        return inner;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> wanted_opset(const Graph& graph, Diagnostics& diagnostics, const OnnxWriteOptions& options) {
  constexpr std::int64_t kOldest = 7;
  Need need = needed_opset(graph, options.kept);
  if (options.opset) {
    std::int64_t newest = std::max(kTableOpset, options.kept ? options.kept->opset : kTableOpset);
    if (*options.opset < std::max(kOldest, need.opset) || *options.opset > newest) {
      diagnostics.error_at("--opset", need.opset > *options.opset
                                          ? fmt::format("node '{}' needs opset {}", need.node, need.opset)
                                          : fmt::format("expected opset {} to {}, found {}", kOldest, newest, *options.opset));
      return std::nullopt;
    }
    return options.opset;
  }
  std::int64_t own = options.kept ? std::max(options.kept->opset, kOldest) : kUsualOpset;
  std::int64_t opset = std::max(own, need.opset);
  return options.kept || opset <= kUsualOpset ? opset : std::max(opset, kTableOpset);
}

std::optional<std::int64_t> chosen_opset(const Graph& graph, Diagnostics& diagnostics, const OnnxWriteOptions& options) {
  auto opset = wanted_opset(graph, diagnostics, options);
  auto unlike = opset ? unlike_in(graph, *opset) : std::nullopt;
  if (unlike) {
    diagnostics.error_at(fmt::format("node '{}'", unlike->node),
                         fmt::format("{} is kept as the file has it, in opset {}, and may mean something else in opset {}",
                                     unlike->op, unlike->opset, *opset),
                         options.opset ? "leave --opset out"
                                       : fmt::format("node '{}' needs opset {}", needed_opset(graph, options.kept).node, *opset));
    return std::nullopt;
  }
  return opset;
}

void set_opset(onnx::ModelProto& model, std::int64_t opset, const std::set<std::string>& domains) {
  bool found = false;
  std::set<std::string> imported;
  for (auto& import : *model.mutable_opset_import()) {
    imported.insert(import.domain());
    if (is_standard_domain(import.domain())) {
      import.set_version(opset);
      found = true;
    }
  }
  if (!found && (imported.empty() || uses_standard_domain(model.graph()))) {
    auto* import = model.add_opset_import();
    import->set_domain("");
    import->set_version(opset);
  }
  for (const std::string& domain : domains) {
    if (!is_standard_domain(domain) && imported.count(domain) == 0) {
      auto* import = model.add_opset_import();
      import->set_domain(domain);
      import->set_version(1);
    }
  }
}

// Declarations of values that the graph still has, each once.
void keep_declarations(onnx::GraphProto& graph) {
  std::unordered_set<std::string> defined;
  for (const auto& node : graph.node()) {
    defined.insert(node.output().begin(), node.output().end());
  }
  for (const auto& output : graph.output()) {
    if (output.type().tensor_type().has_shape()) {
      defined.erase(output.name());  // says it already
    }
  }
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> declared(graph.GetArena());  // another's would be copied
  declared.Swap(graph.mutable_value_info());
  for (auto at = declared.rbegin(); at != declared.rend(); ++at) {
    if (defined.erase(at->name()) != 0) {
      *graph.add_value_info() = std::move(*at);
    }
  }
  std::reverse(graph.mutable_value_info()->begin(), graph.mutable_value_info()->end());
}

std::unordered_set<std::string> node_names(const OnnxKept* kept) {
  std::unordered_set<std::string> out;
  for (const auto& [name, node] : kept ? kept->nodes : std::unordered_map<std::string, OnnxNodeKept>()) {
    out.insert(node.node);
  }
  return out;
}

// Null, and why, where the graph cannot be written.
onnx::ModelProto* model_of(const Graph& graph, const std::string& name, google::protobuf::Arena& arena, Diagnostics& diagnostics,
                           const OnnxWriteOptions& options) {
  auto opset = chosen_opset(graph, diagnostics, options);
  if (!opset) {
    return nullptr;
  }
  onnx::ModelProto& model = *google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  if (options.kept != nullptr) {
    model = options.kept->shell;
    model.mutable_graph()->clear_input();
    model.mutable_graph()->clear_output();
  } else {
    model.set_producer_name("vouch");
    model.set_ir_version(0);
  }
  if (model.graph().name().empty()) {
    model.mutable_graph()->set_name(name.empty() ? "graph" : name);
  }
  model.set_ir_version(
      std::max(model.ir_version(), options.kept && *opset == options.kept->opset ? kLeastIr : ir_of_opset(*opset)));
  std::unordered_set<std::string> taken = node_names(options.kept);
  OnnxExportContext context{*opset,
                            diagnostics,
                            options.kept,
                            OnnxNamePool(options.kept ? &options.kept->values : nullptr),
                            OnnxNamePool(&taken),
                            model.mutable_graph(),
                            {},
                            {},
                            {}};
  if (!OnnxWriter(context, graph, *model.mutable_graph()).write()) {
    return nullptr;
  }
  set_opset(model, *opset, context.domains);
  keep_declarations(*model.mutable_graph());
  return &model;
}

}  // namespace

std::optional<std::string> export_onnx(const Graph& graph, const std::string& name, Diagnostics& diagnostics,
                                       const OnnxWriteOptions& options) {
  google::protobuf::Arena arena;
  const onnx::ModelProto* model = model_of(graph, name, arena, diagnostics, options);
  if (model == nullptr) {
    return std::nullopt;
  }
  if (model->ByteSizeLong() > INT32_MAX) {
    diagnostics.error_at(name, "the model is larger than the 2 GiB that one ONNX file may hold");
    return std::nullopt;
  }
  return message_bytes(*model);
}

bool write_onnx(const Graph& graph, const std::string& name, const std::string& path, Diagnostics& diagnostics,
                const OnnxWriteOptions& options) {
  google::protobuf::Arena arena;
  onnx::ModelProto* model = model_of(graph, name, arena, diagnostics, options);
  if (model == nullptr) {
    return false;
  }
  bool apart = options.external_data || model->ByteSizeLong() > INT32_MAX;
  if (apart && !move_weights(*model, path, options.kept ? options.kept->weight_files : std::set<std::string>(), diagnostics)) {
    return false;
  }
  if (model->ByteSizeLong() > INT32_MAX) {
    diagnostics.error_at(path, "the model is larger than 2 GiB even without its weights");
    return false;
  }
  return write_file(path, MessageBytes(*model).view(), diagnostics);
}

}  // namespace vouch
