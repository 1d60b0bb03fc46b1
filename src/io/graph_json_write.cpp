#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "graph/foreign.h"
#include "graph/order.h"
#include "io/file.h"
#include "io/graph_json.h"
#include "io/json_text.h"
#include "io/onnx_names.h"
#include "tensor/element.h"

namespace vouch {
namespace {

constexpr std::int64_t kMostInlineElements = 64;

std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  bool plain = text.find_first_of(".e") == std::string::npos;
  return plain ? text + ".0" : text;  // keeps the sign of -0
}

std::string element_text(const Tensor& tensor, std::int64_t i) {
  return is_float(tensor.dtype()) ? real_text(tensor.double_at(i)) : whole_element(tensor, i).str();
}

class Writer {
 public:
  Writer(const Graph& graph, Diagnostics& diagnostics, std::string* weights)
      : graph_(graph), diagnostics_(diagnostics), weights_(weights) {}

  // `inputs`, `nodes` and `outputs`, as members of an object.
  std::optional<std::string> members(const std::string& indent) {
    indent_ = indent;
    name_nodes();
    std::string out = indent + "\"inputs\": [" + list(inputs()) + "],\n";
    out += indent + "\"nodes\": [" + list(nodes()) + "],\n";
    out += indent + "\"outputs\": [" + list(outputs()) + "]\n";
    return complete_ ? std::optional(out) : std::nullopt;
  }

 private:
  void name_nodes() {
    names_.resize(graph_.id_limit());
    for (NodeId node = 0; node < graph_.id_limit(); ++node) {
      if (graph_.is_live(node)) {
        names_[node] = pool_.claim(graph_.name(node));
      }
    }
  }

  std::string list(const std::vector<std::string>& items) const {
    std::string out;
    for (const std::string& item : items) {
      out += fmt::format("{}\n{}  {}", out.empty() ? "" : ",", indent_, item);
    }
    return items.empty() ? out : out + "\n" + indent_;
  }

  std::vector<std::string> inputs() {
    std::vector<std::string> out;
    for (NodeId input : graph_.inputs()) {
      out.push_back(fmt::format("{{\"name\": {}, \"type\": \"{}\", \"dims\": [{}]}}", json_quote(names_[input]),
                                dtype_name(graph_.type(input).dtype()), sizes(input)));
    }
    return out;
  }

  std::string sizes(NodeId input) {
    std::vector<std::string> out;
    for (Term extent : graph_.type(input).extents()) {
      auto known = const_int(extent);
      if (!known && extent.kind() != TermKind::IntVar) {
        complete_ = false;
        diagnostics_.error_at(
            fmt::format("input '{}'", graph_.name(input)),
            fmt::format("the type {} has no JSON form: a size is neither a number nor a name", graph_.type(input).text()));
        return {};
      }
      out.push_back(known ? std::to_string(*known) : json_quote(extent->symbol.name()));
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }

  std::vector<std::string> nodes() {
    std::vector<std::string> out;
    for (NodeId node : order()) {
      switch (graph_.kind(node)) {
        case NodeKind::Erased:
        case NodeKind::Input: break;
        case NodeKind::Parameter:
        case NodeKind::Constant:
          out.push_back(fmt::format("{{\"name\": {}, \"kind\": \"{}\", {}}}", json_quote(names_[node]),
                                    graph_.kind(node) == NodeKind::Constant ? "constant" : "parameter",
                                    tensor(graph_.value(node), true)));
          break;
        case NodeKind::Call:
          out.push_back(fmt::format("{{\"name\": {}, \"op\": {}, \"operands\": [{}]{}}}", json_quote(names_[node]),
                                    json_quote(op_def(graph_.op(node)).name), operands(node), attributes(node)));
          break;
        case NodeKind::Tuple:
          out.push_back(
              fmt::format("{{\"name\": {}, \"kind\": \"tuple\", \"operands\": [{}]}}", json_quote(names_[node]), operands(node)));
          break;
        case NodeKind::Projection:
          out.push_back(fmt::format("{{\"name\": {}, \"kind\": \"projection\", \"operands\": [{}], \"index\": {}}}",
                                    json_quote(names_[node]), operands(node), graph_.projection_index(node)));
          break;
      }
    }
    return out;
  }

  // By id where that puts operands first (always, until a rewrite); nodes that no output needs are kept too.
  std::vector<NodeId> order() const {
    std::vector<NodeId> all;
    bool sorted = true;
    for (NodeId node = 0; node < graph_.id_limit(); ++node) {
      if (graph_.is_live(node)) {
        all.push_back(node);
        for (NodeId operand : graph_.operands(node)) {
          sorted = sorted && (operand == kNoNode || operand < node);
        }
      }
    }
    return sorted ? all : reverse_post_order(graph_);
  }

  std::string operands(NodeId node) const {
    std::vector<std::string> out;
    for (NodeId operand : graph_.operands(node)) {
      out.push_back(operand == kNoNode ? "null" : json_quote(names_[operand]));
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }

  std::string tensor(const Tensor& value, bool may_be_aside) {
    std::string out =
        fmt::format("\"type\": \"{}\", \"dims\": [{}], ", dtype_name(value.dtype()), fmt::join(value.extents(), ", "));
    if (may_be_aside && weights_ && value.count() > kMostInlineElements) {
      std::size_t begin = weights_->size();
      weights_->append(reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size());
      return out + fmt::format("\"bytes\": [{}, {}]", begin, weights_->size());
    }
    if (!all_finite(value)) {
      std::string hex;
      for (std::byte byte : value.bytes()) {
        hex += fmt::format("{:02x}", static_cast<unsigned>(byte));
      }
      return out + fmt::format("\"hex\": \"{}\"", hex);
    }
    std::string elements;
    for (std::int64_t i = 0; i < value.count(); ++i) {
      elements += (i == 0 ? "" : ", ") + element_text(value, i);
    }
    return out + fmt::format("\"data\": [{}]", elements);
  }

  std::string attributes(NodeId node) {
    std::string out;
    for (const auto& [name, value] : graph_.attributes(node).entries()) {
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", json_quote(name.name()), attribute(value, node));
    }
    return out.empty() ? out : fmt::format(", \"attributes\": {{{}}}", out);
  }

  std::string attribute(const AttrValue& value, NodeId node) {
    if (const Term* number = value.number()) {
      return number_text(*number, node);
    }
    if (const std::string* text = value.string()) {
      return json_quote(*text);
    }
    if (const Tensor* held = value.tensor()) {
      return fmt::format("{{\"tensor\": {{{}}}}}", tensor(*held, false));
    }
    if (const Graph* nested = value.graph()) {
      auto inner = Writer(*nested, diagnostics_, nullptr).members(indent_ + "    ");
      complete_ = complete_ && inner;
      return fmt::format("{{\"graph\": {{\n{}{}  }}}}", inner.value_or(std::string()), indent_);
    }
    std::vector<std::string> items;
    for (const AttrValue& item : *value.tuple()) {
      items.push_back(attribute(item, node));
    }
    return fmt::format("[{}]", fmt::join(items, ", "));
  }

  std::string number_text(Term number, NodeId node) {
    if (auto whole = const_int(number); whole && number.sort() == Sort::Int) {
      return std::to_string(*whole);
    }
    if (number.kind() == TermKind::IntVar) {
      return fmt::format("{{\"size\": {}}}", json_quote(number->symbol.name()));
    }
    if (number.kind() == TermKind::RealConst) {
      double nearest = double_of(number->value);
      bool exact = std::isfinite(nearest) && rational_of(nearest) == number->value;
      return exact ? fmt::format("{{\"float\": {}}}", real_text(nearest))
                   : fmt::format("{{\"ratio\": \"{}\"}}", to_text(number->value));
    }
    complete_ = false;
    diagnostics_.error_at(fmt::format("node '{}'", graph_.name(node)), "a symbolic attribute has no JSON form");
    return {};
  }

  std::vector<std::string> outputs() const {
    std::vector<std::string> out;
    for (const GraphOutput& output : graph_.outputs()) {
      out.push_back(fmt::format("{{\"name\": {}, \"value\": {}}}", json_quote(output.name), json_quote(names_[output.node])));
    }
    return out;
  }

  const Graph& graph_;
  Diagnostics& diagnostics_;
  std::string* weights_;
  std::string indent_;
  OnnxNamePool pool_;
  std::vector<std::string> names_;
  bool complete_ = true;
};

// A node that is kept as an ONNX file spells it, of nested graphs too; recursion follows their nesting, which readers bound.
std::optional<std::string> foreign_node(const Graph& graph) {
  for (std::size_t id = 0; id < graph.id_limit(); ++id) {
    auto node = static_cast<NodeId>(id);
    if (!graph.is_live(node)) {
      continue;
    }
    bool call = graph.kind(node) == NodeKind::Call;
    if (has_foreign(graph.type(node)) || (call && graph.op(node) == foreign_op())) {
      return graph.name(node);
    }
    for (const auto& [name, value] : call ? graph.attributes(node).entries() : std::span<const AttrDict::Entry>()) {
      if (auto inner = value.graph() ? foreign_node(*value.graph()) : std::nullopt) {
        return inner;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> print_graph(const Graph& graph, Diagnostics& diagnostics, std::string* weights,
                                       const std::string& weights_file) {
  if (auto foreign = foreign_node(graph)) {
    diagnostics.error_at(fmt::format("node '{}'", *foreign), "what is kept as an ONNX file has it has no JSON form");
    return std::nullopt;
  }
  auto members = Writer(graph, diagnostics, weights).members("  ");
  if (!members) {
    return std::nullopt;
  }
  std::string aside = weights && !weights->empty() ? fmt::format("  \"weights\": {},\n", json_quote(weights_file)) : "";
  return fmt::format("{{\n  \"vouch\": 1,\n{}{}}}\n", aside, *members);
}

bool write_graph(const Graph& graph, const std::string& path, Diagnostics& diagnostics) {
  std::string weights;
  std::filesystem::path aside = std::filesystem::path(path).replace_extension(".bin");
  auto text = print_graph(graph, diagnostics, &weights, aside.filename().string());
  return text && (weights.empty() || write_file(aside.string(), weights, diagnostics)) && write_file(path, *text, diagnostics);
}

}  // namespace vouch
