#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "io/onnx_adapt.h"
#include "io/onnx_attribute.h"
#include "io/onnx_domain.h"
#include "io/onnx_newer.h"
#include "io/onnx_order.h"
#include "io/onnx_scope.h"

namespace vouch {

std::shared_ptr<const Graph> OnnxScope::read_nested(const onnx::GraphProto& proto, const Surroundings& surroundings) {
  auto graph = OnnxScope(context_, proto, this).read(surroundings);
  return graph ? std::make_shared<const Graph>(std::move(*graph)) : nullptr;
}

std::vector<std::string_view> OnnxScope::nested_captures(const Node& node) {
  std::vector<std::string_view> out;
  std::unordered_set<std::string_view> seen;
  for (const auto& attribute : node.attribute()) {
    if (!attribute.has_g()) {
      continue;
    }
    for (std::string_view name : names_captured(attribute.g())) {
      NodeId value = lookup(name);
      if (value != kNoNode && !graph_.has_value(value) && seen.insert(name).second) {
        out.push_back(name);
      }
    }
  }
  return out;
}

// What the body of a scan is given: the state, and slices of what is scanned.
static std::vector<Type> given_to_scan(const OnnxDraft& draft) {
  std::size_t scanned = 0;
  std::vector<std::int64_t> axes;
  for (const auto& attribute : draft.node().attribute()) {
    if (attribute.name() == "num_scan_inputs") {
      scanned = static_cast<std::size_t>(std::max<std::int64_t>(attribute.i(), 0));
    } else if (attribute.name() == "scan_input_axes") {
      axes.assign(attribute.ints().begin(), attribute.ints().end());
    }
  }
  std::vector<Type> out;
  for (std::size_t k = 0; k < draft.operands.size() && scanned <= draft.operands.size(); ++k) {
    Type type = draft.has(k) ? draft.type(k) : Type();
    std::size_t first = draft.operands.size() - scanned;
    if (k >= first && type && type.is_tensor()) {
      std::vector<Term> slice = type.extents();
      auto rank = static_cast<std::int64_t>(slice.size());
      std::int64_t axis = k - first < axes.size() ? axes[k - first] : 0;
      if (axis < -rank || axis >= rank) {
        return {};  // typing says what is wrong
      }
      slice.erase(slice.begin() + (axis < 0 ? axis + rank : axis));
      type = Type::tensor(type.dtype(), std::move(slice));
    }
    out.push_back(type);
  }
  return out;
}

bool OnnxScope::fill_draft(OnnxDraft& draft, Diagnostics& problems, bool with_known_operands) {
  for (const std::string& input : draft.node().input()) {
    NodeId operand = input.empty() ? kNoNode : lookup(input);
    if (operand == kNoNode && !input.empty()) {
      return complete_ = false;  // what gives it has been reported
    }
    draft.operands.push_back(with_known_operands ? constant_if_known(operand) : operand);
  }
  Surroundings surroundings{nested_captures(draft.node()), {}, {}};
  const std::vector<std::string_view>& captures = surroundings.captures;
  if (draft.op == "Loop") {  // iteration, condition, carried values
    surroundings.input_types = {Type::tensor(DType::Int64, Extents()), Type::tensor(DType::Bool, Extents())};
    for (std::size_t k = 2; k < draft.operands.size(); ++k) {
      surroundings.input_types.push_back(draft.has(k) ? draft.type(k) : Type());
    }
  } else if (draft.op == "Scan") {
    surroundings.input_types = given_to_scan(draft);
  }
  TensorSource source{context_.folder, draft.place(), &context_.kept.weight_files};
  auto nested = [&](const onnx::GraphProto& proto) { return read_nested(proto, surroundings); };
  for (const auto& attribute : draft.node().attribute()) {
    surroundings.path =
        fmt::format("{}{}/{}/", path_, draft.node().output_size() == 0 ? "" : draft.node().output(0), attribute.name());
    if (reads_attribute_itself(draft.node(), attribute.name())) {
      continue;
    }
    if (!has_attribute_form(attribute)) {
      draft.leave_alone();
      return true;
    }
    auto value = attribute_of_onnx(attribute, source, nested, problems);
    if (!value || !draft.add_attribute(attribute.name(), std::move(*value))) {
      return false;
    }
  }
  if (!captures.empty()) {
    std::vector<NodeId> items;
    std::transform(captures.begin(), captures.end(), std::back_inserter(items),
                   [this](std::string_view name) { return lookup(name); });
    draft.operands.push_back(shared_.tuple(graph_, items));
  }
  return true;
}

bool OnnxScope::only_renames(const Node& node) {
  bool copies =
      node.op_type() == "Identity" && is_standard_domain(node.domain()) && node.input_size() == 1 && node.output_size() == 1;
  bool is_output = copies && output_names_.count(node.output(0)) != 0;
  NodeId given = copies && !node.input(0).empty() ? lookup(node.input(0)) : kNoNode;
  if (given == kNoNode || !is_output || !graph_.type(given).is_tensor()) {
    return given != kNoNode && !graph_.type(given).is_tensor();
  }
  return graph_.kind(given) == NodeKind::Input || graph_.has_value(given) || output_names_.count(node.input(0)) != 0;
}

bool OnnxScope::reads_empty(const Node& node) {
  return std::any_of(node.input().begin(), node.input().end(), [&](const std::string& name) {
    NodeId read = name.empty() ? kNoNode : lookup(name);
    Type type = read == kNoNode ? Type() : graph_.type(read);
    return type.is_tensor() &&
           std::any_of(type.extents().begin(), type.extents().end(), [](Term e) { return const_int(e) == 0; });
  });
}

void OnnxScope::add_node(const Node& node, bool with_known_operands) {
  if (only_renames(node)) {
    return define(node.output(0), lookup(node.input(0)), place(onnx_node_text(node)));
  }
  if (node.op_type() == "Constant" && is_standard_domain(node.domain())) {
    return add_constant(node);
  }
  if (!is_importable(node)) {
    return add_foreign(node);
  }
  std::string where = place(onnx_node_text(node));
  std::vector<bool> wanted;
  for (const std::string& output : node.output()) {
    wanted.push_back(!output.empty() && read_names_.count(output) != 0);
  }
  Diagnostics problems;
  OnnxDraft draft(graph_, shared_, node, std::move(wanted), context_.opset, where, problems);
  std::size_t names_before = context_.node_names.count();
  bool filled = fill_draft(draft, problems, with_known_operands);
  if (filled && !draft.is_left_alone()) {
    adapt_node(draft);
    draft.finish();
  }
  // ONNX's operators have a meaning on no elements where the table's have none.
  bool reads_nothing = (!filled || draft.failed() || problems.has_errors()) && reads_empty(node);
  if (draft.is_left_alone() || reads_nothing) {
    return !with_known_operands && add_as_known(node, names_before) ? void() : add_foreign(node);
  }
  for (const Diagnostic& problem : problems.all()) {
    context_.diagnostics.add(problem);
  }
  complete_ &= filled && !draft.failed();
  draft.results.resize(static_cast<std::size_t>(node.output_size()), kNoNode);
  for (int i = 0; i < node.output_size(); ++i) {
    if (!node.output(i).empty()) {
      define(node.output(i), draft.results[static_cast<std::size_t>(i)], where);
    }
  }
  name_results(node, draft.results);
}

// A node of one result is named as in the file if that name is free, else by its value. Of several results each is
// named by its value.
std::string OnnxScope::claim_name(const Node& node, const std::string& value, bool single) {
  bool own = node.name() == value || context_.kept.values.count(node.name()) == 0;
  if (single && !node.name().empty() && own && context_.node_names.claim(node.name())) {
    return node.name();
  }
  std::string wish = value.empty() ? node.name() : value;
  std::string name = wish;
  for (int k = 1; !wish.empty() && !context_.node_names.claim(name); ++k) {
    name = fmt::format("{}#{}", wish, k);  // the same name in another graph
  }
  return name;
}

static OnnxNodeKept kept_of(const onnx::NodeProto& node, const std::string& value) {
  OnnxNodeKept kept{node.name(),
                    value,
                    node.op_type(),
                    node.domain(),
                    node.doc_string(),
                    newer_fields(node),
                    {node.output().begin(), node.output().end()}};
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) {
      kept.bodies.emplace(attribute.name(), attribute.g().name());
    }
  }
  return kept;
}

void OnnxScope::name_result(const Node& node, NodeId result, const std::string& value, bool single) {
  NodeKind kind = graph_.kind(result);
  if (kind == NodeKind::Input || kind == NodeKind::Parameter) {
    return;
  }
  std::string name = claim_name(node, value, single);
  if (!name.empty()) {
    context_.kept.nodes[name] = kept_of(node, value);
    graph_.set_name(result, std::move(name));
  }
}

// Of a node of several results: it is none of its values.
void OnnxScope::name_call(const Node& node, NodeId call) {
  std::string name = claim_name(node, node.name().empty() ? node.output(0) + "#node" : std::string(), !node.name().empty());
  context_.kept.nodes[name] = kept_of(node, {});
  graph_.set_name(call, std::move(name));
}

void OnnxScope::name_results(const Node& node, const std::vector<NodeId>& results) {
  bool single = std::count_if(results.begin(), results.end(), [](NodeId id) { return id != kNoNode; }) == 1;
  NodeId call = kNoNode;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i] != kNoNode) {
      bool part = graph_.kind(results[i]) == NodeKind::Projection;
      call = part ? graph_.operands(results[i])[0] : call;
      name_result(node, results[i], node.output(static_cast<int>(i)), single && !part);
    }
  }
  if (call != kNoNode) {
    name_call(node, call);
  }
}

// --- constants

void OnnxScope::add_constant(const Node& node) {
  std::string where = place(onnx_node_text(node));
  if (node.output_size() != 1) {
    error(where, fmt::format("Constant has one output, found {}", node.output_size()));
    return;
  }
  if (node.attribute_size() == 1 && !is_constant_form(node.attribute(0))) {
    return add_foreign(node);
  }
  auto value = constant_value(node, where);
  complete_ &= value.has_value();
  NodeId constant = value ? graph_.add_constant(std::move(*value)) : kNoNode;
  define(node.output(0), constant, where);
  if (constant != kNoNode) {
    shared_.note(graph_, constant);
    name_result(node, constant, node.output(0), false);
  }
}

std::optional<Tensor> OnnxScope::constant_value(const Node& node, const std::string& where) {
  TensorSource source{context_.folder, where, &context_.kept.weight_files};
  if (node.attribute_size() != 1) {
    error(where, fmt::format("Constant has one attribute, found {}", node.attribute_size()));
    return std::nullopt;
  }
  const auto& attribute = node.attribute(0);
  if (attribute.name() == "value") {
    return tensor_of_proto(attribute.t(), source, context_.diagnostics);
  }
  if (attribute.name() == "sparse_value") {
    return tensor_of_sparse(attribute.sparse_tensor(), source, context_.diagnostics);
  }
  if (attribute.name() == "value_int") {
    return Tensor::of_ints(DType::Int64, {}, std::span(std::initializer_list<std::int64_t>{attribute.i()}));
  }
  if (attribute.name() == "value_ints") {
    auto count = static_cast<std::size_t>(attribute.ints_size());
    return Tensor::of_ints(DType::Int64, {attribute.ints_size()}, {attribute.ints().data(), count});
  }
  if (attribute.name() == "value_float") {
    return Tensor::of_doubles(DType::Float32, {}, std::span(std::initializer_list<double>{attribute.f()}));
  }
  if (attribute.name() == "value_floats") {
    std::vector<double> values(attribute.floats().begin(), attribute.floats().end());
    return Tensor::of_doubles(DType::Float32, {attribute.floats_size()}, values);
  }
  error(where, fmt::format("constants given as '{}' are not supported", attribute.name()));
  return std::nullopt;
}

}  // namespace vouch
