#include "driver/picture.h"

#include <fmt/format.h>

#include "graph/foreign.h"
#include "graph/order.h"
#include "support/displayable.h"
#include "support/process.h"

namespace vouch {

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : displayable(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

static std::string node_label(const Graph& graph, NodeId node) {
  constexpr std::size_t kLongest = 60;
  switch (graph.kind(node)) {
    case NodeKind::Call: {
      if (graph.op(node) == foreign_op()) {
        return operator_text(graph, node);
      }
      std::string attributes = graph.attributes(node).text();
      attributes = shortened(attributes, kLongest);
      std::string label(op_def(graph.op(node)).name);
      return attributes.empty() ? label : fmt::format("{}\n{}", label, attributes);
    }
    case NodeKind::Projection: return fmt::format(".{}", graph.projection_index(node));
    case NodeKind::Tuple: return "( )";
    case NodeKind::Input:
    case NodeKind::Parameter:
    case NodeKind::Constant:
    case NodeKind::Erased: break;
  }
  return fmt::format("{}\n{}", graph.name(node), graph.type(node).text());
}

static std::string_view node_shape(NodeKind kind) {
  switch (kind) {
    case NodeKind::Input: return "shape=ellipse, style=\"filled\", fillcolor=\"#dbe9f6\"";
    case NodeKind::Parameter:
    case NodeKind::Constant: return "shape=plaintext, fontsize=9, fontcolor=\"#707070\"";
    case NodeKind::Tuple:
    case NodeKind::Projection: return "shape=circle, width=0.3, fontsize=9";
    case NodeKind::Call:
    case NodeKind::Erased: break;
  }
  return "shape=box, style=\"rounded,filled\", fillcolor=white";
}

std::string picture_of_graph(const Graph& graph, const PictureStyle& style) {
  std::string out =
      "digraph {\n  rankdir=TB; node [fontname=\"Helvetica\", fontsize=11]; edge [fontname=\"Helvetica\", "
      "fontsize=8, color=\"#606060\"];\n";
  for (NodeId node : reverse_post_order(graph)) {
    auto marked = style.fill.find(node);
    std::string fill =
        marked == style.fill.end() ? std::string() : fmt::format(", style=\"filled\", fillcolor=\"{}\"", marked->second);
    out +=
        fmt::format("  n{} [label={}, {}{}];\n", node, dot_quoted(node_label(graph, node)), node_shape(graph.kind(node)), fill);
    for (NodeId operand : graph.operands(node)) {
      if (operand != kNoNode) {
        bool typed = graph.kind(operand) == NodeKind::Call && graph.type(operand).is_tensor();
        out += fmt::format("  n{} -> n{} [label={}];\n", operand, node, dot_quoted(typed ? graph.type(operand).text() : ""));
      }
    }
  }
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const GraphOutput& output = graph.outputs()[i];
    out += fmt::format("  out{} [label={}, shape=ellipse, style=filled, fillcolor=\"#e4f3df\"];\n  n{} -> out{};\n", i,
                       dot_quoted(fmt::format("{}\n{}", output.name, graph.type(output.node).text())), output.node, i);
  }
  return out + "}\n";
}

std::optional<std::string> render(const std::string& dot, std::string_view format, Diagnostics& diagnostics) {
  static const std::string program = find_program("dot");
  if (program.empty()) {
    diagnostics.error_at("dot", "Graphviz' program dot is not there",
                         "apt-get install graphviz, or write a picture that ends in .dot");
    return std::nullopt;
  }
  // Layouts of large graphs do not converge in any useful time: few rounds, straight lines, and a limit.
  constexpr std::chrono::seconds kMost{60};
  constexpr std::size_t kLargeText = 40000;
  ProcessRequest request{{program, fmt::format("-T{}", format)}, std::nullopt, {}, dot, false, {}};
  request.limits.time = kMost;
  if (dot.size() > kLargeText) {
    request.words.insert(request.words.end(), {"-Gnslimit=1", "-Gnslimit1=1", "-Gmclimit=0.3", "-Gsplines=line"});
  }
  ProcessRun run = run_process(request);
  if (!run.ended || run.status != 0) {
    diagnostics.error_at("dot", run.late    ? fmt::format("the graph is too large to draw in {} s", kMost.count())
                                : run.ended ? fmt::format("it failed with exit code {}", run.status)
                                            : run.why);
    return std::nullopt;
  }
  return std::move(run.said);
}

}  // namespace vouch
