#include "refute/difference.h"

namespace vouch {
namespace {

// Small rules on small tensors: more work than this is not worth waiting for.
ExactLimits limits(Rounding rounding) { return {.elements = 20'000, .steps = 400'000, .bits = 96, .rounding = rounding}; }

std::vector<std::int64_t> index_of(std::size_t position, const Extents& extents) {
  std::vector<std::int64_t> out(extents.size());
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    auto extent = static_cast<std::size_t>(extents[axis]);
    out[axis] = static_cast<std::int64_t>(position % extent);
    position /= extent;
  }
  return out;
}

// A failure that no other precision or budget would mend.
bool is_undefined(EvalProblem problem) {
  switch (problem) {
    case EvalProblem::DivisionByZero:
    case EvalProblem::OutOfRange:
    case EvalProblem::Undefined: return true;
    case EvalProblem::Unbound:
    case EvalProblem::Undecided:
    case EvalProblem::TooLarge: return false;
  }
  return false;
}

void compare_output(std::size_t output, const ExactTensor& source, const ExactTensor& target, Comparison& out) {
  for (std::size_t i = 0; i < source.values.size() && !out.difference; ++i) {
    if (auto missing = source.missing.find(i); missing != source.missing.end()) {
      out.undefined += is_undefined(missing->second.problem) ? 1 : 0;
      continue;
    }
    if (auto missing = target.missing.find(i); missing != target.missing.end()) {
      if (is_undefined(missing->second.problem)) {
        out.difference = ExactDifference{Failing::Undefined,           output, index_of(i, source.extents),
                                         source.values[i].enclosure(), {},     missing->second.message};
      }
      continue;
    }
    ++out.elements;
    if (equal(source.values[i], target.values[i]) == false) {
      out.difference = ExactDifference{
          Failing::Differs, output, index_of(i, source.extents), source.values[i].enclosure(), target.values[i].enclosure(), {}};
    }
  }
}

Comparison compare(ExactEvaluator& source, ExactEvaluator& target, const std::vector<ExactTensor>& inputs, Rounding rounding) {
  Comparison out;
  auto a = source.run(inputs, limits(rounding));
  auto* left = std::get_if<std::vector<ExactTensor>>(&a);
  if (left == nullptr || source.failing()) {
    return out;
  }
  auto b = target.run(inputs, limits(rounding));
  if (auto* failure = std::get_if<EvalFailure>(&b)) {
    if (is_undefined(failure->problem)) {
      out.difference = ExactDifference{Failing::Undefined, 0, {}, {}, {}, failure->message};
    }
    return out;
  }
  if (target.failing()) {
    out.difference = ExactDifference{Failing::Undefined, 0, {}, {}, {}, target.failing()->message};
    return out;
  }
  const auto& right = std::get<std::vector<ExactTensor>>(b);
  for (std::size_t k = 0; k < left->size() && !out.difference; ++k) {
    if ((*left)[k].extents == right[k].extents) {
      compare_output(k, (*left)[k], right[k], out);
    }
  }
  return out;
}

}  // namespace

Comparison compare_exactly(ExactEvaluator& source, ExactEvaluator& target, const std::vector<ExactTensor>& inputs) {
  Comparison out = compare(source, target, inputs, Rounding::Conversions);
  if (!out.difference || out.difference->failing != Failing::Differs || !(source.converts() || target.converts())) {
    return out;
  }
  // One side alone was rounded: where all that is stored is, both may be one, and over the reals as well.
  auto differs = [&](Rounding rounding) { return compare(source, target, inputs, rounding).difference.has_value(); };
  if (!differs(Rounding::Stores) && !differs(Rounding::None)) {
    out.difference.reset();
  }
  return out;
}

}  // namespace vouch
