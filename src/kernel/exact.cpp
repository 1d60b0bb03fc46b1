#include "kernel/exact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "support/fault.h"
#include "tensor/element.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {

std::optional<ExactNumber> exact_element(const Tensor& tensor, std::int64_t position) {
  if (!is_float(tensor.dtype())) {
    return ExactNumber(whole_element(tensor, position));
  }
  double value = tensor.double_at(position);
  if (std::isnan(value)) {
    return std::nullopt;
  }
  return std::isinf(value) ? ExactNumber::infinity(value < 0 ? -1 : 1) : ExactNumber(rational_of(value));
}

std::optional<ExactTensor> exact_of(const Tensor& tensor) {
  ExactTensor out{tensor.dtype(), tensor.extents(), {}, {}};
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    auto number = exact_element(tensor, i);
    if (!number) {
      return std::nullopt;
    }
    out.values.push_back(std::move(*number));
  }
  return out;
}

Tensor rounded(const ExactTensor& tensor) {
  ensure(tensor.missing.empty(), "a tensor with missing elements cannot be rounded");
  Tensor out(tensor.dtype, tensor.extents);
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    Enclosure value = tensor.values[i].enclosure();
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

const EvalFailure* first_missing(const ExactTensor& tensor) {
  return tensor.missing.empty() ? nullptr : &tensor.missing.begin()->second;
}

namespace {

// As stored in an element of the type; nothing if the enclosure does not decide it.
std::optional<ExactNumber> stored(const ExactNumber& number, DType dtype) {
  if (is_float(dtype)) {
    return number;
  }
  if (number.infinite() != 0) {
    return std::nullopt;
  }
  if (dtype == DType::Bool) {
    auto zero = equal(number, ExactNumber());
    return zero ? std::optional(ExactNumber(std::int64_t{*zero ? 0 : 1})) : std::nullopt;
  }
  constexpr std::int64_t kEveryTypeHolds = 128;
  if (auto word = number.word(); word && 0 <= *word && *word < kEveryTypeHolds) {
    return number;
  }
  Enclosure value = number.enclosure();
  auto whole = [](const Rational& at) { return at < 0 ? Integer(-floor_of(-at)) : floor_of(at); };
  Integer low = whole(value.low);
  if (low != whole(value.high)) {
    return std::nullopt;
  }
  Integer modulus = Integer(1) << bit_width(dtype);
  Integer wrapped = floor_mod(low, modulus);
  if (is_signed(dtype) && wrapped * 2 >= modulus) {
    wrapped -= modulus;
  }
  return ExactNumber(wrapped);
}

// The number as a machine converts it, through a double: nothing if the double is another number.
std::optional<Rational> nearest_float(const Rational& number, DType to) {
  bool told = to == DType::Float64 || has_number(DType::Float64, number);
  return told ? nearest_element(to, number) : std::nullopt;
}

// The element of a type of floats nearest to a number; nothing if that is not told.
std::optional<ExactNumber> nearest(const ExactNumber& number, DType to) {
  if (number.infinite() != 0) {
    return number;
  }
  Enclosure value = number.enclosure();
  auto low = nearest_float(value.low, to);
  bool one = low && (number.exact() || nearest_float(value.high, to) == low);
  return one ? std::optional(ExactNumber(*low)) : std::nullopt;
}

// An element of one type as one of a type of floats; nothing if that is not told.
std::optional<ExactNumber> converted(const ExactNumber& number, DType from, DType to) {
  bool element = number.infinite() != 0 || !number.exact() || has_number(from, number.enclosure().low);
  return element ? nearest(number, to) : std::nullopt;
}

class ExactRun {
 public:
  ExactRun(const Kernel& kernel, const SizeBindings& sizes, const ExactLimits& limits)
      : kernel_(kernel), most_elements_(limits.elements), rounding_(limits.rounding) {
    for (const auto& [name, size] : sizes) {
      sizes_.emplace(name, Term(size));
    }
    environment_.bits = limits.bits;
    environment_.steps = limits.steps;
    environment_.read = [this](Symbol tensor, std::span<const std::int64_t> at) { return element(tensor, at); };
  }

  Evaluated<std::vector<ExactTensor>> run(std::span<const ExactTensor> inputs) {
    auto failure = bind_inputs(inputs);
    for (std::size_t i = 0; i < kernel_.statements.size() && !failure; ++i) {
      failure = run_statement(kernel_.statements[i]);
    }
    if (failure) {
      failure->message = fmt::format("kernel `{}`: {}", kernel_.name, failure->message);
      return *failure;
    }
    std::vector<ExactTensor> outputs;
    for (const TensorDecl& decl : kernel_.outputs) {
      outputs.push_back(std::move(tensors_.at(decl.name)));
    }
    return outputs;
  }

 private:
  static EvalFailure unbound(std::string message) { return {EvalProblem::Unbound, std::move(message)}; }

  Evaluated<Extents> extents_of(const TensorDecl& declared) {
    Extents extents;
    for (Term extent : declared.extents) {
      Term known = substitute(extent, sizes_);
      auto value = const_int(known);
      if (!value) {
        return unbound(fmt::format("the size {} of `{}` has no value", print_term(known), declared.name.name()));
      }
      extents.push_back(*value);
    }
    auto count = element_count(extents);
    if (!count || *count > most_elements_) {
      return EvalFailure{EvalProblem::TooLarge, fmt::format("`{}` has too many elements, or a negative size: [{}]",
                                                            declared.name.name(), fmt::join(extents, ", "))};
    }
    return extents;
  }

  std::optional<EvalFailure> bind_inputs(std::span<const ExactTensor> inputs) {
    if (inputs.size() != kernel_.inputs.size()) {
      return unbound(fmt::format("expected {} inputs, found {}", kernel_.inputs.size(), inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto extents = extents_of(kernel_.inputs[i]);
      if (auto* failure = std::get_if<EvalFailure>(&extents)) {
        return *failure;
      }
      if (std::get<Extents>(extents) != inputs[i].extents) {
        return unbound(fmt::format("input `{}` has extents [{}], expected [{}]", kernel_.inputs[i].name.name(),
                                   fmt::join(inputs[i].extents, ", "), fmt::join(std::get<Extents>(extents), ", ")));
      }
      tensors_.insert_or_assign(kernel_.inputs[i].name, inputs[i]);
    }
    return std::nullopt;
  }

  bool is_output(Symbol target) const {
    return std::any_of(kernel_.outputs.begin(), kernel_.outputs.end(), [&](const TensorDecl& d) { return d.name == target; });
  }

  const TensorDecl* declaration(Symbol target) const {
    for (const auto* decls : {&kernel_.locals, &kernel_.outputs}) {
      auto found = std::find_if(decls->begin(), decls->end(), [&](const TensorDecl& d) { return d.name == target; });
      if (found != decls->end()) {
        return &*found;
      }
    }
    return nullptr;
  }

  // Remembers why an element that was asked for is missing: the evaluator stops at once when it gets none.
  std::optional<ExactNumber> element(Symbol name, std::span<const std::int64_t> at) {
    auto found = tensors_.find(name);
    if (found == tensors_.end() || found->second.extents.size() != at.size()) {
      reason_ = unbound(fmt::format("`{}` is read before it is computed, or at another rank", name.name()));
      return std::nullopt;
    }
    const ExactTensor& tensor = found->second;
    std::size_t position = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] < 0 || at[i] >= tensor.extents[i]) {
        return std::nullopt;
      }
      position = position * static_cast<std::size_t>(tensor.extents[i]) + static_cast<std::size_t>(at[i]);
    }
    if (auto missing = tensor.missing.find(position); missing != tensor.missing.end()) {
      reason_ = missing->second;
      return std::nullopt;
    }
    return tensor.values[position];
  }

  // The type of floats or integers that the statement reads into another one of floats, if it does nothing else.
  std::optional<DType> converts_from(const Statement& statement, DType to) const {
    bool reads = rounding_ != Rounding::None && is_float(to) && statement.value.kind() == TermKind::Read;
    auto found = reads ? tensors_.find(statement.value->symbol) : tensors_.end();
    return found == tensors_.end() || found->second.dtype == to ? std::nullopt : std::optional(found->second.dtype);
  }

  std::optional<EvalFailure> run_statement(const Statement& statement) {
    const TensorDecl* declared = declaration(statement.target);
    if (declared == nullptr) {
      return unbound(fmt::format("`{}` is not declared", statement.target.name()));
    }
    auto extents = extents_of(*declared);
    if (auto* failure = std::get_if<EvalFailure>(&extents)) {
      return *failure;
    }
    ExactTensor result{declared->dtype, std::get<Extents>(extents), {}, {}};
    std::int64_t count = element_count(result.extents).value_or(0);
    most_elements_ -= count;
    Substitution here = sizes_;
    for (Symbol index : statement.indices) {
      here.erase(index);
    }
    PointEvaluator evaluator(substitute(statement.value, here), statement.indices, environment_);
    std::optional<DType> from = converts_from(statement, declared->dtype);
    std::vector<std::int64_t> point(result.extents.size());
    for (std::int64_t i = 0; i < count; ++i) {
      if (auto failure = store(evaluator, point, statement.target, from, result)) {
        return failure;
      }
      for (std::size_t axis = point.size(); axis-- > 0 && ++point[axis] == result.extents[axis];) {
        point[axis] = 0;
      }
    }
    tensors_.insert_or_assign(statement.target, std::move(result));
    return std::nullopt;
  }

  // Appends the element at `point`, or the reason why there is none; a failure ends the evaluation.
  std::optional<EvalFailure> store(PointEvaluator& evaluator, const std::vector<std::int64_t>& point, Symbol target,
                                   std::optional<DType> from, ExactTensor& result) {
    reason_.reset();
    Evaluated<ExactNumber> value = evaluator.at(point);
    auto* failure = std::get_if<EvalFailure>(&value);
    std::optional<ExactNumber> element;
    if (failure == nullptr) {
      const auto& number = std::get<ExactNumber>(value);
      bool nears = rounding_ == Rounding::Stores && is_float(result.dtype) && is_output(target);
      element = from    ? converted(number, *from, result.dtype)
                : nears ? nearest(number, result.dtype)
                        : stored(number, result.dtype);
    }
    if (element) {
      result.values.push_back(std::move(*element));
      return std::nullopt;
    }
    EvalFailure why{EvalProblem::Undecided, ""};
    if (reason_) {
      why = *reason_;
    } else {
      std::string what = failure ? failure->message : to_text(std::get<ExactNumber>(value)) + " cannot be stored";
      why = {failure ? failure->problem : EvalProblem::Undecided,
             fmt::format("`{}` at [{}]: {}", target.name(), fmt::join(point, ", "), what)};
    }
    if (why.problem == EvalProblem::TooLarge || why.problem == EvalProblem::Unbound) {
      return why;
    }
    result.missing.emplace(result.values.size(), std::move(why));
    result.values.emplace_back();
    return std::nullopt;
  }

  const Kernel& kernel_;
  std::int64_t most_elements_;
  Rounding rounding_;
  Substitution sizes_;
  EvalEnvironment environment_;
  std::optional<EvalFailure> reason_;
  std::unordered_map<Symbol, ExactTensor> tensors_;
};

}  // namespace

Evaluated<std::vector<ExactTensor>> eval_exact(const Kernel& kernel, std::span<const ExactTensor> inputs,
                                               const SizeBindings& sizes, const ExactLimits& limits) {
  return ExactRun(kernel, sizes, limits).run(inputs);
}

}  // namespace vouch
