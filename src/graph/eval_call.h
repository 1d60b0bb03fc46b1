// One call of an operator on tensors. For eval.h alone.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/eval.h"
#include "kernel/kernel_programs.h"

namespace vouch {

class CallEvaluator {
 public:
  explicit CallEvaluator(const RunOptions& options)
      : memory_(options.most_bytes), most_terms_(options.most_terms), foreign_(options.foreign) {}
  virtual ~CallEvaluator() = default;

  using Results = std::optional<std::vector<Tensor>>;

  Results call(OpId op, const std::vector<EvalValue>& operands, AttrDict attributes, const std::string& place,
               Diagnostics& diagnostics);

 protected:
  // Evaluates the graphs of If and Loop, and unrolled recurrences.
  virtual Results run_nested(const Graph& graph, std::vector<Tensor> inputs, Diagnostics& diagnostics) = 0;

 private:
  struct Request {
    OpId op;
    const std::vector<EvalValue>& operands;
    AttrDict attributes;
    const std::string& place;
    Diagnostics& diagnostics;
    std::vector<Type> types;
  };
  struct Form {
    OpId op;
    const void* attributes;
    std::vector<Type> operands;
    friend bool operator==(const Form&, const Form&) = default;
  };
  struct FormHash {
    std::size_t operator()(const Form& form) const;
  };

  Results call_kernel(const Request& request);
  // A kernel and what was found out of it.
  struct Meaning {
    std::shared_ptr<const Kernel> kernel;
    KernelPrograms programs;
  };
  std::shared_ptr<Meaning> meaning_of(const Request& request);
  std::shared_ptr<Meaning> meaning_with_values(const Request& request);
  bool results_fit(const Request& request, const std::vector<Type>& results);
  // Asked before so many bytes are made; false, reported.
  bool memory_suffices(const Request& request, std::int64_t bytes);
  Results call_foreign(const Request& request);
  Results call_opaque(const Request& request);
  Results call_recurrence(const Request& request);
  Results call_if(const Request& request);
  Results call_loop(const Request& request);
  Results call_scan(const Request& request);
  bool add_slices(const Request& request, std::span<const Tensor> wholes, std::int64_t step, std::vector<Tensor>& inputs);
  Results call_scatter_nd(const Request& request);
  // `data[at …] = combine(data[at …], update)` for one slice
  bool scatter_slice(const Request& request, std::string_view combine, Tensor& data, const Tensor& updates, std::int64_t from,
                     std::int64_t to, const Extents& slice);
  Results run_at(const Request& request, const Graph& graph, std::vector<Tensor> inputs);

  MemoryBudget memory_;
  double most_terms_;
  ForeignMeaning foreign_;
  std::unordered_map<Form, std::shared_ptr<Meaning>, FormHash> meanings_;
  std::unordered_map<Form, std::shared_ptr<const Graph>, FormHash> unrolled_;
};

}  // namespace vouch
