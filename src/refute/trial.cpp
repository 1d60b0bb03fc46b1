#include "refute/trial.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graph/order.h"
#include "rule/element_condition.h"

namespace vouch {
namespace {

constexpr std::array<std::int64_t, 24> kPrimes{2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37,
                                               41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89};

double draw_element(Draw how, std::size_t count, std::mt19937& random) {
  auto below = [&](std::uint32_t n) { return static_cast<double>(random() % n); };
  switch (how) {
    case Draw::Small: {
      double value = below(8) - 3;
      return value != 0 || below(3) == 0 ? value : 1;
    }
    case Draw::Quarters: return (below(33) - 16) / 4;
    case Draw::Primes: return static_cast<double>(kPrimes[count % kPrimes.size()]) * (below(2) == 0 ? 1 : -1);
    case Draw::Positive: return 1 + below(9);
    case Draw::Sparse: return below(3) == 0 ? below(7) - 3 : 0;
    case Draw::Negative: return -1 - below(9);
    case Draw::Wide: {
      const int bits = below(2) == 0 ? 11 : 25;  // more than a narrower type has; products of two are still exact
      double digits = 1 + static_cast<double>(random() % (1U << bits)) / std::pow(2, bits);
      return std::ldexp(below(2) == 0 ? digits : -digits, static_cast<int>(random() % 14) - 4);
    }
  }
  return 0;
}

// 2^k or its negation, or one of their neighbours, of all bits; one in four is the least or the greatest number of the type,
// where the next one wraps around.
std::int64_t draw_wide(DType dtype, std::mt19937& random) {
  std::uint32_t bits = bit_width(dtype);
  if (random() % 4 == 0) {
    std::uint64_t least = is_signed(dtype) ? std::uint64_t{1} << (bits - 1) : 0;
    return static_cast<std::int64_t>(random() % 2 == 0 ? least : least - 1);
  }
  std::uint64_t power = std::uint64_t{1} << (random() % bits);
  std::uint64_t near = power + random() % 3 - 1;
  return static_cast<std::int64_t>(is_signed(dtype) && random() % 2 == 0 ? 0 - near : near);
}

}  // namespace

std::vector<Tensor> draw_elements(const std::vector<Type>& inputs, Draw how, std::mt19937& random, double scale) {
  std::vector<Tensor> out;
  std::size_t count = 0;
  for (Type type : inputs) {
    Tensor tensor(type.dtype(), *type.concrete_extents());
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
      double value = draw_element(how, count++, random);
      if (type.dtype() == DType::Bool) {
        tensor.set_int(i, static_cast<std::int64_t>(random() % 2));
      } else if (is_float(type.dtype())) {
        tensor.set_double(i, value * scale);
      } else if (how == Draw::Wide) {
        tensor.set_int(i, draw_wide(type.dtype(), random));
      } else {
        auto whole = static_cast<std::int64_t>(std::floor(value));
        tensor.set_int(i, is_signed(type.dtype()) ? whole : std::abs(whole));
      }
    }
    out.push_back(std::move(tensor));
  }
  return out;
}

Trial::Trial(const Instance& instance, const Assignment& assignment, std::int64_t most_elements)
    : instance_(instance), assignment_(assignment) {
  std::string why;
  sides_ = concrete_sides(instance, assignment, most_elements, why);
  if (!sides_) {
    return;
  }
  for (NodeId input : sides_->source.inputs()) {
    inputs_.push_back(sides_->source.type(input));
  }
  for (const ElementCondition& condition : instance.every) {
    auto open = [](const InputTensor& input) { return !input.contents && !input.fill; };
    auto at =
        std::count_if(instance.inputs.begin(), instance.inputs.begin() + static_cast<std::ptrdiff_t>(condition.input), open);
    every_.push_back(
        {static_cast<std::size_t>(at), condition.element, substitute(condition.guard, substitution_of(assignment, instance))});
  }
  if (!fails_by_type()) {
    source_.emplace(sides_->source);
    target_.emplace(*sides_->target);
  }
}

bool Trial::narrows() const {
  const Graph& graph = sides_->source;
  auto element = [&](NodeId node) {
    bool tensor = node != kNoNode && graph.type(node).is_tensor();
    return tensor ? std::optional(graph.type(node).dtype()) : std::nullopt;
  };
  std::vector<NodeId> order = reverse_post_order(graph);
  return std::any_of(order.begin(), order.end(), [&](NodeId node) {
    auto to = element(node);
    std::span<const NodeId> operands = graph.operands(node);
    return to && *to != DType::Bool && byte_size(*to) <= 2 && std::any_of(operands.begin(), operands.end(), [&](NodeId operand) {
             return element(operand) == DType::Int64 || element(operand) == DType::Int32;
           });
  });
}

std::vector<Tensor> Trial::draw(Draw how, std::mt19937& random, double scale) const {
  std::vector<Tensor> out = draw_elements(inputs_, how, random, scale);
  for (const ElementCondition& condition : every_) {
    meet(out[condition.input], condition.input, random);
  }
  return out;
}

bool Trial::meets(const Tensor& tensor, std::int64_t at, std::size_t input) const {
  return std::all_of(every_.begin(), every_.end(), [&](const ElementCondition& condition) {
    return condition.input != input || element_meets(tensor, at, condition.element, condition.guard);
  });
}

// An element that does not meet what the rule says of all becomes one that does: a number near those of the condition.
void Trial::meet(Tensor& tensor, std::size_t input, std::mt19937& random) const {
  std::vector<Rational> numbers = near_numbers(input);
  for (std::int64_t at = 0; at < tensor.count(); ++at) {
    std::size_t first = random() % numbers.size();
    for (std::size_t k = 0; k < numbers.size() && !meets(tensor, at, input); ++k) {
      double value = double_of(numbers[(first + k) % numbers.size()]);
      is_float(tensor.dtype()) ? tensor.set_double(at, value) : tensor.set_int(at, static_cast<std::int64_t>(std::floor(value)));
    }
  }
}

// Small ones, and what a condition compares with, with its neighbours.
std::vector<Rational> Trial::near_numbers(std::size_t input) const {
  std::vector<Rational> out{1, 2, 3, Rational(1, 2), 0, -1, -2};
  std::vector<Term> pending;
  for (const ElementCondition& condition : every_) {
    if (condition.input == input) {
      pending.push_back(condition.guard);
    }
  }
  while (!pending.empty()) {
    Term term = pending.back();
    pending.pop_back();
    pending.insert(pending.end(), term.args().begin(), term.args().end());
    if (term.kind() == TermKind::IntConst || term.kind() == TermKind::RealConst) {
      for (Rational near :
           {Rational(0), Rational(1), Rational(-1), Rational(1, 2), Rational(-1, 2), Rational(1, 8), Rational(-1, 8)}) {
        out.push_back(term->value + near);
        out.push_back(-term->value + near);
      }
    }
  }
  return out;
}

Found Trial::run(std::vector<Tensor> tensors) {
  Found out;
  out.assignment = assignment_;
  for (const ElementCondition& condition : every_) {
    for (std::int64_t at = 0; at < tensors[condition.input].count(); ++at) {
      if (!meets(tensors[condition.input], at, condition.input)) {
        return out;
      }
    }
  }
  Counterexample& failure = out.counterexample;
  failure.target = sides_->target;
  if (!fails_by_type()) {
    std::vector<ExactTensor> exact;
    for (const Tensor& tensor : tensors) {
      exact.push_back(exact_of(tensor).value_or(ExactTensor{}));
    }
    Comparison comparison = compare_exactly(*source_, *target_, exact);
    out.compared = comparison.elements > 0 ? 1 : 0;
    out.undefined = comparison.elements == 0 && comparison.undefined > 0 ? 1 : 0;
    if (!comparison.difference) {
      return out;
    }
    const ExactDifference& d = *comparison.difference;
    failure.failing = d.failing;
    failure.output = d.output;
    failure.index = d.index;
    failure.source_value = d.source;
    failure.target_value = d.target;
    failure.reason = d.reason;
  } else {
    failure.failing = sides_->types_differ ? Failing::Types : Failing::IllTyped;
    failure.reason = sides_->error;
  }
  out.failing = true;
  failure.label = instance_.label;
  failure.source = sides_->source;
  failure.inputs = std::move(tensors);
  for (const auto& [name, value] : assignment_) {
    failure.symbols.emplace_back(name.name(), value);
  }
  return out;
}

}  // namespace vouch
