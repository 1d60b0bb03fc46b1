#include "kernel/exact.h"

#include <fmt/format.h>

#include <cmath>

#include "support/fault.h"

namespace vouch {

std::optional<ExactTensor> exact_of(const Tensor& tensor) {
  ExactTensor out{tensor.dtype(), tensor.extents(), {}};
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    if (!is_float(tensor.dtype())) {
      Integer value = tensor.int_at(i);
      bool wrapped = tensor.dtype() == DType::UInt64 && value < 0;
      out.values.emplace_back(Rational(wrapped ? Integer(value + (Integer(1) << 64)) : value));
      continue;
    }
    double value = tensor.double_at(i);
    if (std::isnan(value)) {
      return std::nullopt;
    }
    out.values.push_back(std::isinf(value) ? Enclosure::infinity(value < 0 ? -1 : 1) : Enclosure(rational_of(value)));
  }
  return out;
}

Tensor rounded(const ExactTensor& tensor) {
  Tensor out(tensor.dtype, tensor.extents);
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    const Enclosure& value = tensor.values[i];
    auto at = static_cast<std::int64_t>(i);
    if (is_float(tensor.dtype)) {
      out.set_double(at, value.infinite != 0 ? value.infinite * INFINITY : double_of((value.low + value.high) / 2));
    } else {
      Integer bits = floor_mod(floor_of(value.low), Integer(1) << 64);
      out.set_int(at, static_cast<std::int64_t>(bits.convert_to<std::uint64_t>()));
    }
  }
  return out;
}

namespace {

// As stored in an element of the type; nothing if the enclosure does not decide it.
std::optional<Enclosure> stored(const Enclosure& value, DType dtype) {
  if (is_float(dtype)) {
    return value;
  }
  if (value.infinite != 0) {
    return std::nullopt;
  }
  if (dtype == DType::Bool) {
    auto zero = equal(value, Enclosure(Rational(0)));
    return zero ? std::optional(Enclosure(Rational(*zero ? 0 : 1))) : std::nullopt;
  }
  auto whole = [](const Rational& at) { return at < 0 ? Integer(-floor_of(-at)) : floor_of(at); };
  Integer low = whole(value.low);
  if (low != whole(value.high)) {
    return std::nullopt;
  }
  Integer modulus = Integer(1) << static_cast<unsigned>(8 * byte_size(dtype));
  Integer wrapped = floor_mod(low, modulus);
  if (is_signed(dtype) && wrapped * 2 >= modulus) {
    wrapped -= modulus;
  }
  return Enclosure(Rational(wrapped));
}

class ExactRun {
 public:
  ExactRun(const Kernel& kernel, const BoundKernel& bound, const ExactLimits& limits)
      : kernel_(kernel), bound_(bound) {
    environment_.bits = limits.bits;
    environment_.steps = limits.steps;
    environment_.read = [this](Symbol tensor, std::span<const Integer> at) { return element(tensor, at); };
  }

  void add(Symbol name, ExactTensor tensor) { tensors_.insert_or_assign(name, std::move(tensor)); }

  Evaluated<std::vector<ExactTensor>> run() {
    for (const Statement& statement : kernel_.statements) {
      if (auto failure = run_statement(statement)) {
        failure->message = fmt::format("kernel `{}`: {}", kernel_.name, failure->message);
        return *failure;
      }
    }
    std::vector<ExactTensor> outputs;
    for (const TensorDecl& decl : kernel_.outputs) {
      outputs.push_back(std::move(tensors_.at(decl.name)));
    }
    return outputs;
  }

 private:
  std::optional<Enclosure> element(Symbol name, std::span<const Integer> at) const {
    auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      return std::nullopt;
    }
    const ExactTensor& tensor = found->second;
    std::size_t position = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] < 0 || at[i] >= tensor.extents[i]) {
        return std::nullopt;
      }
      position = position * static_cast<std::size_t>(tensor.extents[i]) + at[i].convert_to<std::size_t>();
    }
    return tensor.values[position];
  }

  std::optional<EvalFailure> run_statement(const Statement& statement) {
    const BoundTarget& target = bound_.targets.at(statement.target);
    ExactTensor result{target.dtype, target.extents, {}};
    std::int64_t count = element_count(target.extents).value_or(0);
    PointEvaluator evaluator(bound_.value_of(statement), statement.indices, environment_);
    std::vector<std::int64_t> point(target.extents.size());
    for (std::int64_t i = 0; i < count; ++i) {
      Evaluated<Enclosure> value = evaluator.at(point);
      auto* failure = std::get_if<EvalFailure>(&value);
      auto element = failure == nullptr ? stored(std::get<Enclosure>(value), target.dtype) : std::nullopt;
      if (!element) {
        std::string what = failure ? failure->message : to_text(std::get<Enclosure>(value)) + " cannot be stored";
        return EvalFailure{failure ? failure->problem : EvalProblem::Undecided,
                           fmt::format("`{}` at [{}]: {}", statement.target.name(), fmt::join(point, ", "), what)};
      }
      result.values.push_back(std::move(*element));
      for (std::size_t axis = point.size(); axis-- > 0 && ++point[axis] == target.extents[axis];) {
        point[axis] = 0;
      }
    }
    add(statement.target, std::move(result));
    return std::nullopt;
  }

  const Kernel& kernel_;
  const BoundKernel& bound_;
  EvalEnvironment environment_;
  std::unordered_map<Symbol, ExactTensor> tensors_;
};

}  // namespace

Evaluated<std::vector<ExactTensor>> eval_exact(const Kernel& kernel, std::span<const ExactTensor> inputs,
                                               const SizeBindings& sizes, const ExactLimits& limits) {
  Diagnostics diagnostics;
  std::vector<Extents> extents;
  for (const ExactTensor& input : inputs) {
    extents.push_back(input.extents);
  }
  auto bound = bind_kernel(kernel, extents, sizes, limits.elements, diagnostics);
  if (!bound) {
    const Diagnostic& first = diagnostics.all().front();
    return EvalFailure{EvalProblem::Unbound, first.place + ": " + first.message};
  }
  ExactRun run(kernel, *bound, limits);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    run.add(kernel.inputs[i].name, inputs[i]);
  }
  return run.run();
}

}  // namespace vouch
