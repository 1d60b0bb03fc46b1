// What a graph gives on concrete tensors: each call is typed again with the sizes at hand and its meaning evaluated, so
// that conditions on symbolic sizes are checked where they arise. Opaque operators: recurrences by unrolling, If by its
// chosen branch, Loop by repeating its body, ScatterND by moving elements.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/foreign.h"
#include "graph/graph.h"
#include "tensor/memory_budget.h"

namespace vouch {

// The results of a call that the operator table gives no meaning (graph/foreign.h); nothing if it has none, and in `why` what is
// wrong with it, or nothing where whoever is asked does not know the operator. What it makes has to have its place in `memory`.
using ForeignMeaning = std::function<std::optional<std::vector<Tensor>>(
    const ForeignCall& call, const std::vector<Tensor>& operands, const MemoryBudget& memory, std::string& why)>;

struct RunOptions {
  // Called before each node is evaluated.
  std::function<void(std::size_t done, std::size_t total, const std::string& node)> progress;
  // That what is computed (not what is given: inputs, weights) may hold at one time, in nested graphs and within calls, too.
  std::int64_t most_bytes = MemoryBudget::kDefault;
  // Of one call: terms of sums (multiplications of a product of matrices), which say how long it takes.
  double most_terms = 4294967296.0;
  ForeignMeaning foreign;  // without it, foreign calls cannot be evaluated
  // Sees each node of the outermost graph with its value, operands before users.
  std::function<void(NodeId, const struct EvalValue&)> observe;
};

// The value of a node: a tensor, or the items of a tuple; an absent operand has neither. A tuple's last item may itself
// be a tuple (what a loop captures): then its items are the last `nested` ones.
struct EvalValue {
  bool is_tuple = false;
  std::vector<Tensor> items;
  std::size_t nested = 0;
};

// Keeps the meanings of calls of one form, so that many calls and many runs share them. Not for several threads at once.
class GraphEvaluator {
 public:
  explicit GraphEvaluator(RunOptions options = {});
  ~GraphEvaluator();

  // One tensor for each graph output. `inputs` are in the order of the graph's. Reports inputs that do not fit their
  // types (sizes of one name must agree) and calls that fail, by node. Tensors are released after their last use.
  std::optional<std::vector<Tensor>> run(const Graph& graph, std::vector<Tensor> inputs, Diagnostics& diagnostics);

  // The results of one call; `operands` may leave optional ones out by a value without items.
  std::optional<std::vector<Tensor>> call(OpId op, const std::vector<EvalValue>& operands, AttrDict attributes,
                                          const std::string& place, Diagnostics& diagnostics);

 private:
  class Calls;
  std::unique_ptr<Calls> calls_;
  RunOptions options_;
};

// The same for a single run.
std::optional<std::vector<Tensor>> eval_graph(const Graph& graph, std::vector<Tensor> inputs, Diagnostics& diagnostics,
                                              RunOptions options = {});

// Whether these tensors may be the graph's inputs; reports each that may not.
bool verify_inputs(const Graph& graph, const std::vector<Tensor>& inputs, Diagnostics& diagnostics);

}  // namespace vouch
