#include "kernel/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "kernel/bind.h"
#include "kernel/loop_compile.h"
#include "kernel/loop_product.h"
#include "kernel/loop_run.h"
#include "support/fault.h"
#include "support/worker_pool.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::int64_t kFewLanes = 64;  // a row of lanes takes in outer axes until it is as long as this

class KernelRun {
 public:
  KernelRun(const Kernel& kernel, std::span<const Tensor> inputs, BoundKernel bound, Diagnostics& diagnostics,
            const EvalLimits& limits)
      : kernel_(kernel), bound_(std::move(bound)), diagnostics_(diagnostics), limits_(limits) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      add_tensor(kernel.inputs[i].name, inputs[i]);
    }
  }

  std::optional<std::vector<Tensor>> run() {
    std::vector<Tensor> outputs;
    for (const Statement& statement : kernel_.statements) {
      if (!run_statement(statement)) {
        return std::nullopt;
      }
    }
    for (const TensorDecl& decl : kernel_.outputs) {
      outputs.push_back(tensors_[table_.position.at(decl.name)]);
    }
    return outputs;
  }

 private:
  void add_tensor(Symbol name, Tensor tensor) {
    table_.position.emplace(name, static_cast<std::uint32_t>(tensors_.size()));
    table_.slots.push_back({tensor.dtype(), tensor.extents()});
    tensors_.push_back(std::move(tensor));
  }

  bool fail(const Statement& statement, const std::string& message) {
    diagnostics_.error_at(fmt::format("kernel `{}`", kernel_.name),
                          fmt::format("{} ({})", message, statement.target.name()));
    return false;
  }

  bool run_statement(const Statement& statement) {
    const BoundTarget& target = bound_.targets.at(statement.target);
    Tensor result(target.dtype, target.extents);
    if (result.count() > 0) {
      Ranges ranges;
      std::vector<Axis> axes;
      std::int64_t stride = result.count();
      for (std::size_t i = 0; i < statement.indices.size(); ++i) {
        stride /= target.extents[i];
        axes.push_back({statement.indices[i], target.extents[i], stride});
        ranges.bind(statement.indices[i], {0, target.extents[i] - 1});
      }
      std::string error;
      auto body = prepare_body(bound_.value_of(statement), ranges, error);
      if (!body || !fill(*body, axes, ranges, result, error)) {
        return fail(statement, error);
      }
    }
    add_tensor(statement.target, std::move(result));
    return true;
  }

  bool fill(Term body, std::vector<Axis> axes, Ranges& ranges, Tensor& result, std::string& error) {
    std::size_t split = axes.size();
    for (std::int64_t lanes = 1; split > 0 && lanes < kFewLanes;) {
      lanes *= axes[--split].extent;
    }
    std::vector<Axis> lanes(axes.begin() + static_cast<std::ptrdiff_t>(split), axes.end());
    std::vector<Axis> outer(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(split));
    std::size_t before = tensors_.size();
    auto rest = take_products(body, axes, outer, lanes, ranges, error);
    std::optional<LoopProgram> program;
    if (rest) {
      program = compile_loops(*rest, outer, lanes, table_, ranges, error);
    }
    bool done = program && execute(*program, result, error);
    drop_temporaries(before);
    return done;
  }

  void drop_temporaries(std::size_t before) {
    for (std::size_t i = before; i < tensors_.size(); ++i) {
      table_.position.erase(temporary(i));
    }
    tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(before), tensors_.end());
    table_.slots.resize(before);
  }

  static Symbol temporary(std::size_t at) { return Symbol("#" + std::to_string(at)); }

  // Sums of products are computed first, each into a tensor of its own, which stands for it in what is left.
  std::optional<Term> take_products(Term term, const std::vector<Axis>& axes, const std::vector<Axis>& outer,
                                    const std::vector<Axis>& lanes, Ranges& ranges, std::string& error) {
    bool strict = term.kind() == TermKind::RealAdd || term.kind() == TermKind::RealSub ||
                  term.kind() == TermKind::RealMul || term.kind() == TermKind::RealDiv ||
                  term.kind() == TermKind::RealNeg || term.kind() == TermKind::Call;
    if (strict) {
      std::vector<Term> args;
      for (Term arg : term.args()) {
        auto rest = take_products(arg, axes, outer, lanes, ranges, error);
        if (!rest) {
          return std::nullopt;
        }
        args.push_back(*rest);
      }
      return rebuild(term, args);
    }
    if (term.kind() != TermKind::Reduce) {
      return term;
    }
    auto plan = plan_product(term, outer, lanes, table_, ranges);
    return plan ? product(*plan, axes, error) : term;
  }

  std::optional<Term> product(const ProductPlan& plan, const std::vector<Axis>& axes, std::string& error) {
    Extents extents;
    std::vector<Term> indices;
    for (const Axis& axis : axes) {
      extents.push_back(axis.extent);
      indices.push_back(int_var(axis.name));
    }
    Tensor sum(DType::Float64, extents);
    std::span<std::byte> bytes = sum.mutable_bytes();
    std::span<double> elements(reinterpret_cast<double*>(bytes.data()), static_cast<std::size_t>(sum.count()));
    if (!run_product(plan, tensors_, elements, limits_.threads, error)) {
      return std::nullopt;
    }
    Symbol name = temporary(tensors_.size());
    add_tensor(name, std::move(sum));
    return read(name, indices);
  }

  // Rows of lanes, or blocks of the one row, are shared out between threads.
  bool execute(const LoopProgram& program, Tensor& result, std::string& error) {
    std::int64_t rows = program.outer_count();
    std::int64_t lanes = program.lane_count();
    std::span<std::byte> bytes = result.mutable_bytes();
    std::mutex mutex;
    std::int64_t failed_at = INT64_MAX;  // the first failure is told, whatever the number of threads
    auto part = [&](std::int64_t begin, std::int64_t end) {
      LoopRun run(program, tensors_);
      bool by_rows = rows > 1;
      std::int64_t from = by_rows ? 0 : begin * kLanes;
      std::int64_t to = by_rows ? lanes : std::min(lanes, end * kLanes);
      bool done = by_rows ? run.run(begin, end, from, to, {result.dtype(), bytes, 0})
                          : run.run(0, 1, from, to, {result.dtype(), bytes, from});
      std::lock_guard lock(mutex);
      if (!done && begin < failed_at) {
        failed_at = begin;
        error = run.failure();
      }
    };
    bool small = result.count() < 4 * kLanes;
    parallel_ranges(rows > 1 ? rows : (lanes + kLanes - 1) / kLanes, small ? 1 : limits_.threads, part);
    return failed_at == INT64_MAX;
  }

  const Kernel& kernel_;
  BoundKernel bound_;
  Diagnostics& diagnostics_;
  const EvalLimits& limits_;
  TensorTable table_;
  std::vector<Tensor> tensors_;
};

}  // namespace

std::optional<std::vector<Tensor>> eval_kernel(const Kernel& kernel, std::span<const Tensor> inputs,
                                               const SizeBindings& sizes, Diagnostics& diagnostics,
                                               const EvalLimits& limits) {
  std::vector<Extents> extents;
  for (const Tensor& input : inputs) {
    extents.push_back(input.extents());
  }
  auto bound = bind_kernel(kernel, extents, sizes, limits.elements, diagnostics);
  if (!bound) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != kernel.inputs[i].dtype) {
      diagnostics.error_at(fmt::format("kernel `{}`", kernel.name),
                           fmt::format("input `{}` is {}, expected {}", kernel.inputs[i].name.name(),
                                       dtype_name(inputs[i].dtype()), dtype_name(kernel.inputs[i].dtype)));
      return std::nullopt;
    }
  }
  for (auto& [name, target] : bound->targets) {
    bool local = std::any_of(kernel.locals.begin(), kernel.locals.end(),
                             [&](const TensorDecl& decl) { return decl.name == name; });
    target.dtype = local && is_float(target.dtype) ? DType::Float64 : target.dtype;
  }
  try {
    return KernelRun(kernel, inputs, std::move(*bound), diagnostics, limits).run();
  } catch (const std::bad_alloc&) {
    diagnostics.error_at(fmt::format("kernel `{}`", kernel.name), "not enough memory for its tensors");
    return std::nullopt;
  }
}

}  // namespace vouch
