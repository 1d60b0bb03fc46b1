#include "rewrite/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/inline_if.h"
#include "graph/unknown_size.h"
#include "rewrite/cleanup.h"
#include "rewrite/unfold.h"
#include "support/hash.h"

namespace vouch {
namespace {

constexpr std::pair<Pass, std::string_view> kPasses[] = {
    {Pass::InlineIfs, "inline-constant-ifs"},
    {Pass::ForwardProjections, "forward-projections"},
    {Pass::MergeCommon, "merge-common-subexpressions"},
    {Pass::FoldParameters, "fold-parameters"},
    {Pass::UnpackParameters, "unpack-parameters"},
    {Pass::UnfoldRoots, "unfold-roots"},
    {Pass::RemoveDead, "remove-dead-nodes"},
};

// As floats, quantised weights are as much longer as a fold may be.
FoldLimits unpacking(FoldLimits limits) {
  limits.unpack = true;
  limits.most_bytes = limits.most_bytes > UINT64_MAX / limits.factor ? UINT64_MAX : limits.most_bytes * limits.factor;
  return limits;
}

std::string_view bytes_of(const Tensor& value) {
  return {reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size()};
}

std::string node_form(const Graph& graph, NodeId node, SizeNumbering& sizes) {
  std::string out;
  switch (graph.kind(node)) {
    case NodeKind::Call: out = fmt::format("{} {}", op_def(graph.op(node)).name, sizes(graph.attributes(node)).text()); break;
    case NodeKind::Tuple: out = "tuple"; break;
    case NodeKind::Projection: out = fmt::format("projection {}", graph.projection_index(node)); break;
    case NodeKind::Constant:
    case NodeKind::Parameter: out = "constant " + content_hash(bytes_of(graph.value(node))); break;
    case NodeKind::Input:
    case NodeKind::Erased: return "none";
  }
  std::vector<std::string> operands;
  for (NodeId operand : graph.operands(node)) {
    operands.push_back(operand == kNoNode ? "_" : std::to_string(operand));
  }
  return fmt::format("{} ({}) : {}", out, fmt::join(operands, ", "), sizes(graph.type(node)).text());
}

}  // namespace

const BodyPath& body_of(const AnyStep& step) {
  return std::visit([](const auto& any) -> const BodyPath& { return any.body; }, step);
}

std::string_view pass_name(Pass pass) {
  for (const auto& [known, name] : kPasses) {
    if (known == pass) {
      return name;
    }
  }
  return {};
}

std::optional<Pass> find_pass(std::string_view name) {
  for (const auto& [pass, known] : kPasses) {
    if (known == name) {
      return pass;
    }
  }
  return std::nullopt;
}

std::size_t run_pass(Graph& graph, Pass pass, const FoldLimits& limits, const FoldWatch& watch) {
  switch (pass) {
    case Pass::InlineIfs: return inline_constant_ifs(graph);
    case Pass::ForwardProjections: return forward_projections(graph);
    case Pass::MergeCommon: return merge_common_subexpressions(graph);
    case Pass::FoldParameters: return fold_parameters(graph, limits, watch);
    case Pass::UnpackParameters: return fold_parameters(graph, unpacking(limits), watch);
    case Pass::UnfoldRoots: return unfold_roots(graph);
    case Pass::RemoveDead: return remove_dead_nodes(graph);
  }
  return 0;
}

std::string state_hash(const Graph& graph) {
  std::string all;
  SizeNumbering sizes;
  for (std::size_t id = 0; id < graph.id_limit(); ++id) {
    auto node = static_cast<NodeId>(id);
    if (graph.is_live(node)) {
      bool input = graph.kind(node) == NodeKind::Input;
      all += fmt::format(
          "{} {}\n", id,
          input ? "input " + graph.name(node) + " : " + sizes(graph.type(node)).text() : node_form(graph, node, sizes));
      for (const auto& [name, value] : graph.attributes(node).entries()) {
        all += value.graph() != nullptr ? fmt::format("{} {}\n", name.name(), state_hash(*value.graph())) : std::string();
      }
    }
  }
  for (const GraphOutput& output : graph.outputs()) {
    all += fmt::format("output {} is {}\n", output.name, output.node);
  }
  return content_hash(all);
}

TraceStep trace_step(const Graph& graph, const std::vector<Rule>& rules, const RewriteStep& step, ContentHashes* hashes) {
  const Rule& rule = rules[step.rule];
  const Match& match = *step.match;
  TraceStep out;
  out.rule = rule.name;
  out.rule_hash = hashes != nullptr ? hashes->of(rule) : std::string();
  out.verdict = step.grounds;
  out.outputs = match.outputs;
  out.output_counts = match.output_counts;
  out.output_names = *step.replaced;
  for (PatternId id : rule.source_order) {
    if (step.plan->owner[id] == kNone && match.nodes[id] != kNoNode) {
      out.nodes.emplace_back(id, match.nodes[id]);
    }
  }
  for (std::size_t f = 1; f < match.frames.size(); ++f) {
    const Match::Frame& frame = match.frames[f];
    TraceStep::Instance instance{frame.variadic, frame.outer, {}};
    for (std::size_t k = 0; k < rule.pattern(frame.variadic).templates.size(); ++k) {
      instance.templates.push_back(match.cells[frame.first_cell + k].node);
    }
    out.instances.push_back(std::move(instance));
  }
  out.axis_numbers = match.axis_numbers;
  for (OpId op : match.operators) {
    out.operators.emplace_back(op == kNoOperator ? std::string_view() : op_def(op).name);
  }
  for (NodeId node : step.application->new_nodes) {
    SizeNumbering sizes;
    out.new_nodes.push_back({node, node_form(graph, node, sizes)});
  }
  out.results = step.application->results;
  return out;
}

}  // namespace vouch
