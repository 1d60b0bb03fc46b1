#include "equiv/wide_run.h"

#include <numeric>

#include "graph/eval.h"

namespace vouch {
namespace {

// Of which node of the pair a node of the wide graph is; none of conversions in between.
std::vector<NodeId> origins(const WideGraph& wide) {
  std::vector<NodeId> out(wide.graph.id_limit(), kNoNode);
  for (NodeId node = 0; node < wide.at.size(); ++node) {
    out[wide.at[node]] = node;
  }
  return out;
}

}  // namespace

WideGraph as_it_is(Graph graph) {
  WideGraph out{std::move(graph), {}};
  out.at.resize(out.graph.id_limit());
  std::iota(out.at.begin(), out.at.end(), NodeId{0});
  return out;
}

bool computes_narrow(const WideGraph& wide) {
  // Conversions around it are what the pair has no nodes for.
  return wide.graph.id_limit() != wide.at.size();
}

std::vector<Tensor> fitting(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> out;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    bool wide = graph.type(graph.inputs()[k]).dtype() == DType::Float64;
    out.push_back(wide ? widened(inputs[k]) : inputs[k]);
  }
  return out;
}

Outputs run_wide(const WideGraph& wide, const std::vector<Tensor>& inputs, const ForeignMeaning& foreign,
                 std::vector<Fingerprint>* prints, std::string& failure) {
  const Graph& graph = wide.graph;
  RunOptions options;
  options.foreign = foreign;
  if (prints != nullptr) {
    prints->assign(wide.at.size(), {});
    options.observe = [prints, origin = origins(wide)](NodeId node, const EvalValue& value) {
      if (origin[node] != kNoNode && !value.is_tuple && value.items.size() == 1) {
        (*prints)[origin[node]] = print_of(value.items[0]);
      }
    };
  }
  Diagnostics diagnostics;
  auto outputs = eval_graph(graph, fitting(graph, inputs), diagnostics, std::move(options));
  if (!outputs) {
    failure = diagnostics.all().empty() ? "no value" : diagnostics.all()[0].place + ": " + diagnostics.all()[0].message;
  }
  return outputs;
}

}  // namespace vouch
