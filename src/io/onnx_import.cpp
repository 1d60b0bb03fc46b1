#include "io/onnx_import.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/file.h"
#include "io/onnx_domain.h"
#include "io/onnx_functions.h"
#include "io/onnx_kept.h"
#include "io/onnx_newer.h"
#include "io/onnx_scope.h"
#include "io/utf8.h"

namespace vouch {
namespace {

constexpr std::int64_t kNewestOpset = 26;

std::optional<std::int64_t> opset_of(const onnx::ModelProto& model, const std::string& name, Diagnostics& diagnostics) {
  std::optional<std::int64_t> version;
  for (const auto& import : model.opset_import()) {
    if (is_standard_domain(import.domain())) {
      version = import.version();
    }
  }
  bool before_opsets = model.opset_import_size() == 0;
  if (before_opsets || (!version && !uses_standard_domain(model.graph()))) {
    version = 1;
  }
  if (!version || *version < 1 || *version > kNewestOpset) {
    diagnostics.error_at(name, version ? fmt::format("expected opset 1 to {}, found {}", kNewestOpset, *version)
                                       : std::string("the model imports no opset of the domain ai.onnx, whose operators it has"));
    return std::nullopt;
  }
  return version;
}

// Names stand in texts of many kinds (traces, pages, messages), all of which are UTF-8.
class NameCheck {
 public:
  NameCheck(const std::string& place, Diagnostics& diagnostics) : place_(place), diagnostics_(diagnostics) {}

  bool run(const onnx::ModelProto& model) {
    return run(model.graph()) && std::all_of(model.functions().begin(), model.functions().end(),
                                             [this](const auto& function) { return run(function); });
  }

 private:
  bool run(const onnx::FunctionProto& function) {
    bool good = good_name(function.name(), "the name of a function") && good_name(function.domain(), "a domain");
    for (const auto* list : {&function.input(), &function.output()}) {
      for (const std::string& value : *list) {
        good = good && good_name(value, "the name of a value");
      }
    }
    return good && std::all_of(function.node().begin(), function.node().end(), [this](const auto& n) { return node_is_good(n); });
  }

  bool run(const onnx::GraphProto& graph) {
    bool good = good_name(graph.name(), "the graph's name");
    for (const auto* list : {&graph.input(), &graph.output()}) {
      for (const auto& value : *list) {
        good &= good_name(value.name(), "the name of an input or output");
      }
    }
    for (const auto& tensor : graph.initializer()) {
      good &= good_name(tensor.name(), "the name of an initializer");
    }
    for (const auto& tensor : graph.sparse_initializer()) {
      good &= good_name(tensor.values().name(), "the name of an initializer");
    }
    for (const auto& node : graph.node()) {
      good &= node_is_good(node);
    }
    return good;
  }

  bool node_is_good(const onnx::NodeProto& node) {
    bool good = good_name(node.name(), "the name of a node") && good_name(node.op_type(), "an operator's name") &&
                good_name(node.domain(), "a domain");
    for (const auto* list : {&node.input(), &node.output()}) {
      for (const std::string& value : *list) {
        good = good && good_name(value, "the name of a value");
      }
    }
    for (const auto& attribute : node.attribute()) {
      good = good && good_name(attribute.name(), "the name of an attribute") && (!attribute.has_g() || run(attribute.g()));
    }
    return good;
  }

  bool good_name(const std::string& name, std::string_view what) {
    if (is_utf8(name)) {
      return true;
    }
    diagnostics_.error_at(place_, fmt::format("{} is not in UTF-8: '{}'", what, in_ascii(name)));
    return false;
  }

  const std::string& place_;
  Diagnostics& diagnostics_;
};

// The declarations and all that is no graph.
onnx::ModelProto shell_of(const onnx::ModelProto& model) {
  onnx::ModelProto shell;
  shell.set_ir_version(model.ir_version());
  *shell.mutable_opset_import() = model.opset_import();
  shell.set_producer_name(model.producer_name());
  shell.set_producer_version(model.producer_version());
  shell.set_domain(model.domain());
  shell.set_model_version(model.model_version());
  shell.set_doc_string(model.doc_string());
  *shell.mutable_metadata_props() = model.metadata_props();
  *shell.mutable_training_info() = model.training_info();
  *shell.mutable_functions() = model.functions();
  onnx::GraphProto& graph = *shell.mutable_graph();
  graph.set_name(model.graph().name());
  graph.set_doc_string(model.graph().doc_string());
  *graph.mutable_input() = model.graph().input();
  *graph.mutable_output() = model.graph().output();
  *graph.mutable_value_info() = model.graph().value_info();
  *graph.mutable_quantization_annotation() = model.graph().quantization_annotation();
  add_newer_fields(newer_fields(model.graph()), graph);
  add_newer_fields(newer_fields(model), shell);
  return shell;
}

// The names that any graph of the model gives values and sizes.
class GivenNames {
 public:
  void collect(const onnx::GraphProto& graph) {
    for (const auto* declared : {&graph.input(), &graph.output(), &graph.value_info()}) {
      std::for_each(declared->begin(), declared->end(), [&](const auto& value) { collect_sizes(value); });
    }
    for (const auto& input : graph.input()) {
      values.insert(input.name());
    }
    for (const auto& tensor : graph.initializer()) {
      values.insert(tensor.name());
    }
    for (const auto& tensor : graph.sparse_initializer()) {
      values.insert(tensor.values().name());
    }
    for (const auto& node : graph.node()) {
      collect_node(node);
    }
  }

  std::unordered_set<std::string> values;
  std::unordered_set<std::string> sizes;

 private:
  void collect_sizes(const onnx::ValueInfoProto& value) {
    for (const auto& dim : value.type().tensor_type().shape().dim()) {
      sizes.insert(dim.dim_param());
    }
  }

  void collect_node(const onnx::NodeProto& node) {
    values.insert(node.output().begin(), node.output().end());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) {
        collect(attribute.g());
      }
      for (const auto& nested : attribute.graphs()) {
        collect(nested);
      }
    }
  }
};

}  // namespace

std::optional<OnnxModel> import_onnx_bytes(std::string_view bytes, const std::string& name, const std::string& folder,
                                           Diagnostics& diagnostics, const OnnxOptions& options) {
  google::protobuf::Arena arena;  // thousands of small messages go together
  onnx::ModelProto& model = *google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  if (!parse_message(bytes, model, name, diagnostics)) {
    return std::nullopt;
  }
  if (!model.has_graph()) {
    diagnostics.error_at(name, "the model has no graph");
    return std::nullopt;
  }
  if (!NameCheck(name, diagnostics).run(model) || !inline_functions(model, name, diagnostics)) {
    return std::nullopt;
  }
  auto opset = opset_of(model, name, diagnostics);  // what functions use counts
  if (!opset) {
    return std::nullopt;
  }
  auto kept = std::make_shared<OnnxKept>();
  kept->shell = shell_of(model);
  kept->opset = *opset;
  GivenNames names;
  names.collect(model.graph());
  kept->values = std::move(names.values);
  OnnxImportContext context{name, folder, *opset, options, diagnostics, *kept, {}, {}, std::move(names.sizes), {}};
  auto graph = OnnxScope(context, model.graph(), nullptr).read();
  if (!graph) {
    return std::nullopt;
  }
  return OnnxModel{std::move(*graph),           model.graph().name(),     *opset,
                   std::move(context.defaults), std::move(context.unfed), std::move(kept)};
}

std::set<std::string> weight_files(const OnnxModel& model) {
  return model.kept ? model.kept->weight_files : std::set<std::string>();
}

std::optional<OnnxModel> import_onnx(const std::string& path, Diagnostics& diagnostics, const OnnxOptions& options) {
  auto bytes = read_large_file(path, diagnostics);
  if (!bytes) {
    return std::nullopt;
  }
  std::string folder = std::filesystem::absolute(path).parent_path().string();
  return import_onnx_bytes(bytes->view(), path, folder, diagnostics, options);
}

}  // namespace vouch
