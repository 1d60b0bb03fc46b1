#include "io/onnx_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "io/onnx_domain.h"
#include "io/onnx_newer.h"
#include "io/onnx_order.h"

namespace vouch {
namespace {

constexpr int kDeepestCalls = 64;
constexpr std::int64_t kMostNodes = 1000000;

using Names = std::unordered_map<std::string, std::string>;

struct Function {
  const onnx::FunctionProto* proto = nullptr;
  std::vector<onnx::AttributeProto> defaults = {};
};
// By domain, name and overload.
using Functions = std::map<std::tuple<std::string, std::string, std::string>, Function>;

class Inliner {
 public:
  Inliner(onnx::ModelProto& model, const std::string& place, Diagnostics& diagnostics)
      : model_(model), place_(place), diagnostics_(diagnostics) {}

  bool run() {
    if (!names_are_free() || !collect()) {
      return false;
    }
    if (functions_.empty()) {
      return true;
    }
    if (!expand(*model_.mutable_graph(), 0)) {
      return false;
    }
    if (functions_.size() == static_cast<std::size_t>(model_.functions_size())) {
      model_.clear_functions();  // none is called any more
    }
    return true;
  }

 private:
  bool fail(const std::string& message) {
    diagnostics_.error_at(place_, message);
    return false;
  }

  // ONNX leaves it to those who run a model which is meant where a function is called as an operator.
  bool names_are_free() {
    for (const auto& function : model_.functions()) {
      if (operator_of_onnx(function.domain(), function.name())) {
        return fail(
            fmt::format("function '{}' has the name of an operator of {}, and runtimes differ in which of them a node means: "
                        "give it another name or domain",
                        function.name(), is_standard_domain(function.domain()) ? "ONNX" : function.domain()));
      }
    }
    return true;
  }

  bool collect() {
    for (const auto& function : model_.functions()) {
      if (!opsets_agree(function) || is_standard_domain(function.domain())) {
        continue;
      }
      auto defaults = default_attributes(function);
      if (!defaults) {
        return fail(fmt::format("function '{}': what an attribute is by default cannot be read", function.name()));
      }
      functions_[{function.domain(), function.name(), overload_of(function)}] = {&function, std::move(*defaults)};
      import_domains(function);  // the next has to agree with it, too
    }
    return true;
  }

  // A function that is written for other versions of the operators stays a function, and calls of it what they are.
  bool opsets_agree(const onnx::FunctionProto& function) const {
    for (const auto& used : function.opset_import()) {
      for (const auto& import : model_.opset_import()) {
        if (is_same_domain(used.domain(), import.domain()) && used.version() != import.version()) {
          return false;
        }
      }
    }
    return true;
  }

  // What the body uses is used by the model from now on.
  void import_domains(const onnx::FunctionProto& function) {
    for (const auto& used : function.opset_import()) {
      bool known = std::any_of(model_.opset_import().begin(), model_.opset_import().end(),
                               [&](const auto& import) { return is_same_domain(import.domain(), used.domain()); });
      if (!known) {
        *model_.add_opset_import() = used;
      }
    }
  }

  const Function* function_of(const onnx::NodeProto& node) const {
    auto found = functions_.find({node.domain(), node.op_type(), overload_of(node)});
    return found == functions_.end() ? nullptr : &found->second;
  }

  // Recursion follows nested graphs (bounded by parsing) and calls (bounded here).
  bool expand(onnx::GraphProto& graph, int depth) {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(graph.mutable_node());
    for (onnx::NodeProto& node : nodes) {
      if (!expand_node(node, depth, *graph.mutable_node())) {
        return false;
      }
    }
    return true;
  }

  bool expand_node(onnx::NodeProto& node, int depth, google::protobuf::RepeatedPtrField<onnx::NodeProto>& out) {
    if (++made_ > kMostNodes) {
      return fail(fmt::format("its functions expand to more than {} nodes", kMostNodes));
    }
    if (const auto* function = function_of(node)) {
      return expand_call(node, *function, depth, out);
    }
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g() && !expand(*attribute.mutable_g(), depth)) {
        return false;
      }
    }
    *out.Add() = std::move(node);
    return true;
  }

  bool expand_call(const onnx::NodeProto& call, const Function& called, int depth,
                   google::protobuf::RepeatedPtrField<onnx::NodeProto>& out) {
    const onnx::FunctionProto& function = *called.proto;
    if (depth >= kDeepestCalls) {
      return fail(
          fmt::format("function '{}' calls itself, or calls are nested more than {} deep", function.name(), kDeepestCalls));
    }
    if (call.input_size() > function.input_size() || call.output_size() > function.output_size()) {
      return fail(fmt::format("{}: function '{}' has {} inputs and {} outputs", onnx_node_text(call), function.name(),
                              function.input_size(), function.output_size()));
    }
    std::string prefix = fmt::format("{}#{}/", function.name(), ++calls_);
    Names names;
    for (int i = 0; i < function.input_size(); ++i) {
      names[function.input(i)] = i < call.input_size() ? call.input(i) : std::string();
    }
    for (int i = 0; i < call.output_size(); ++i) {
      if (!call.output(i).empty()) {
        names[function.output(i)] = call.output(i);
      }
    }
    const Attributes given = attributes_of(call, called.defaults);
    for (const onnx::NodeProto& inner : function.node()) {
      onnx::NodeProto copy = inner;
      fill_attributes(copy, given);
      rename(copy, names, prefix);
      if (!expand_node(copy, depth + 1, out)) {
        return false;
      }
    }
    return true;
  }

  using Attributes = std::map<std::string, const onnx::AttributeProto*>;

  static Attributes attributes_of(const onnx::NodeProto& call, const std::vector<onnx::AttributeProto>& defaults) {
    Attributes out;
    for (const auto& given : call.attribute()) {
      out.emplace(given.name(), &given);
    }
    for (const auto& otherwise : defaults) {
      out.emplace(otherwise.name(), &otherwise);
    }
    return out;
  }

  // An attribute that refers to one of the call takes its value, and is absent if that has none.
  static void fill_attributes(onnx::NodeProto& node, const Attributes& given) {
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> attributes;
    attributes.Swap(node.mutable_attribute());
    for (onnx::AttributeProto& attribute : attributes) {
      if (attribute.has_g()) {
        for (onnx::NodeProto& inner : *attribute.mutable_g()->mutable_node()) {
          fill_attributes(inner, given);
        }
      }
      if (attribute.ref_attr_name().empty()) {
        *node.add_attribute() = std::move(attribute);
        continue;
      }
      if (auto found = given.find(attribute.ref_attr_name()); found != given.end()) {
        onnx::AttributeProto* filled = node.add_attribute();
        *filled = *found->second;
        filled->set_name(attribute.name());
      }
    }
  }

  static void rename(std::string& name, Names& names, const std::string& prefix) {
    if (!name.empty()) {
      name = names.emplace(name, prefix + name).first->second;
    }
  }

  static void rename(onnx::NodeProto& node, Names& names, const std::string& prefix) {
    if (!node.name().empty()) {
      node.set_name(prefix + node.name());
    }
    for (std::string& input : *node.mutable_input()) {
      rename(input, names, prefix);
    }
    for (std::string& output : *node.mutable_output()) {
      rename(output, names, prefix);
    }
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) {
        rename(*attribute.mutable_g(), names, prefix);
      }
    }
  }

  static void rename(onnx::GraphProto& graph, Names& names, const std::string& prefix) {
    for (auto& input : *graph.mutable_input()) {
      rename(*input.mutable_name(), names, prefix);
    }
    for (auto& tensor : *graph.mutable_initializer()) {
      rename(*tensor.mutable_name(), names, prefix);
    }
    for (auto& tensor : *graph.mutable_sparse_initializer()) {
      rename(*tensor.mutable_values()->mutable_name(), names, prefix);
    }
    for (onnx::NodeProto& node : *graph.mutable_node()) {
      rename(node, names, prefix);
    }
    for (auto* declared : {graph.mutable_output(), graph.mutable_value_info()}) {
      for (auto& value : *declared) {
        rename(*value.mutable_name(), names, prefix);
      }
    }
  }

  onnx::ModelProto& model_;
  const std::string& place_;
  Diagnostics& diagnostics_;
  Functions functions_;
  std::int64_t made_ = 0;
  std::int64_t calls_ = 0;
};

}  // namespace

bool inline_functions(onnx::ModelProto& model, const std::string& place, Diagnostics& diagnostics) {
  return Inliner(model, place, diagnostics).run();
}

}  // namespace vouch
