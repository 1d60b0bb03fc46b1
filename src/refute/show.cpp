#include "refute/show.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "refute/open_attribute.h"

namespace vouch {
namespace {

std::string element_text(const Tensor& tensor, std::int64_t at) {
  if (is_float(tensor.dtype())) {
    double element = tensor.double_at(at);
    return std::isfinite(element) ? to_text(rational_of(element)) : fmt::format("{}", element);  // inf, -inf, nan
  }
  return std::to_string(tensor.int_at(at));
}

// The rows of one matrix, columns aligned.
std::string matrix(const std::vector<std::string>& cells, std::size_t columns) {
  std::size_t width = 0;
  for (const std::string& cell : cells) {
    width = std::max(width, cell.size());
  }
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out += fmt::format("{}{:>{}}{}", i % columns == 0 ? "    " : " ", cells[i], width, (i + 1) % columns == 0 ? "\n" : "");
  }
  return out;
}

std::string node_text(const Graph& graph, NodeId node) {
  std::string operands;
  for (NodeId operand : graph.operands(node)) {
    operands += (operands.empty() ? "" : ", ") + (operand == kNoNode ? std::string("_") : graph.name(operand));
  }
  switch (graph.kind(node)) {
    case NodeKind::Call:
      return fmt::format("{}({}){}{}", op_def(graph.op(node)).name, operands, graph.attributes(node).text().empty() ? "" : " ",
                         graph.attributes(node).text());
    case NodeKind::Tuple: return fmt::format("({})", operands);
    case NodeKind::Projection: return fmt::format("{}[{}]", operands, graph.projection_index(node));
    case NodeKind::Input:
    case NodeKind::Parameter:
    case NodeKind::Constant:
    case NodeKind::Erased: break;
  }
  return graph.name(node);
}

// Constants with their elements, calls one a line.
std::string show_graph(const Graph& graph, const std::string& title) {
  std::string out = fmt::format("  {}:\n", title);
  bool computed = false;
  for (NodeId node = 0; node < graph.id_limit(); ++node) {
    bool used = !graph.uses(node).empty() || graph.output_count(node) > 0;
    if (graph.kind(node) == NodeKind::Constant && used) {
      std::string shown = show_tensor(graph.name(node), graph.value(node));
      out += shown;
    } else if (graph.kind(node) == NodeKind::Call || graph.kind(node) == NodeKind::Tuple ||
               graph.kind(node) == NodeKind::Projection) {
      out += fmt::format("    {} = {}: {}\n", graph.name(node), node_text(graph, node), graph.type(node).text());
      computed = true;
    }
  }
  for (const GraphOutput& output : graph.outputs()) {
    out += computed ? "" : fmt::format("    {}: {}\n", graph.name(output.node), graph.type(output.node).text());
  }
  return out;
}

std::string place(const Counterexample& c) {
  const std::vector<GraphOutput>& outputs = c.source.outputs();
  std::string name = c.output < outputs.size() ? outputs[c.output].name : "the output";
  return c.index.empty() ? name : fmt::format("{}[{}]", name, fmt::join(c.index, ", "));
}

}  // namespace

std::string show_tensor(const std::string& name, const Tensor& tensor) {
  std::string out = fmt::format("  {}: {}\n", name, Type::tensor(tensor.dtype(), tensor.extents()).text());
  std::size_t columns = tensor.rank() == 0 ? 1 : static_cast<std::size_t>(tensor.extents().back());
  std::size_t rows = tensor.rank() < 2 ? 1 : static_cast<std::size_t>(tensor.extents()[tensor.rank() - 2]);
  std::size_t each = rows * columns;
  std::size_t count = static_cast<std::size_t>(tensor.count());
  for (std::size_t begin = 0; each > 0 && begin < count; begin += each) {
    std::vector<std::string> cells;
    for (std::size_t i = begin; i < begin + each; ++i) {
      cells.push_back(element_text(tensor, static_cast<std::int64_t>(i)));
    }
    if (tensor.rank() > 2 && count > each) {
      std::vector<std::int64_t> outer(tensor.rank() - 2);
      std::size_t position = begin / each;
      for (std::size_t axis = outer.size(); axis-- > 0;) {
        auto extent = static_cast<std::size_t>(tensor.extents()[axis]);
        outer[axis] = static_cast<std::int64_t>(position % extent);
        position /= extent;
      }
      out += fmt::format("   [{}]\n", fmt::join(outer, ", "));
    }
    out += matrix(cells, columns);
  }
  return out;
}

std::string show_difference(const Counterexample& c) {
  switch (c.failing) {
    case Failing::Differs:
      return fmt::format("{}: {} in the source, {} in the target", place(c), to_text(c.source_value), to_text(c.target_value));
    case Failing::Undefined:
      return fmt::format("{}: {} in the source, no value in the target ({})", place(c), to_text(c.source_value), c.reason);
    case Failing::Types: return c.reason;
    case Failing::IllTyped: return fmt::format("the target is ill-typed: {}", c.reason);
  }
  return {};
}

std::string show_counterexample(const Counterexample& c) {
  std::string out = c.label.empty() ? std::string() : fmt::format("  at {}\n", c.label);
  std::string symbols;
  for (const auto& [name, value] : c.symbols) {
    symbols += fmt::format("{}{} = {}", symbols.empty() ? "" : ", ", name, to_text(value));
  }
  if (!symbols.empty()) {
    out += fmt::format("  with {}\n", symbols);
  }
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    out += c.failing == Failing::IllTyped || c.failing == Failing::Types
               ? fmt::format("  {}: {}\n", c.source.name(c.source.inputs()[k]),
                             Type::tensor(c.inputs[k].dtype(), c.inputs[k].extents()).text())
               : show_tensor(c.source.name(c.source.inputs()[k]), c.inputs[k]);
  }
  out += show_graph(c.source, "source");
  if (c.target) {
    out += show_graph(*c.target, "target");
  }
  return out + "  " + show_difference(c) + "\n";
}

std::string show_counterexample(const Counterexample& c, const Rule& rule) {
  return show_counterexample(c) + show_open_attributes(c, rule);
}

}  // namespace vouch
