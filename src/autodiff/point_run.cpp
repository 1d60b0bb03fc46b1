#include "autodiff/point_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "notation/tk_meaning.h"
#include "term/substitute.h"

namespace vouch {
namespace {

std::int64_t position_of(const Extents& extents, std::span<const std::int64_t> point) {
  std::int64_t position = 0;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    position = position * extents[a] + point[a];
  }
  return position;
}

// Every read depends on `number`, which adds nothing: an evaluator keeps what does not depend on its point, but elements
// change between evaluations.
Term renewed(Term value, Symbol number) {
  return replace_reads(value, [&](Symbol tensor, std::span<const Term> at) {
    std::vector<Term> subscripts(at.begin(), at.end());
    subscripts[0] = subscripts[0] + int_min(int_var(number), Term(0));
    return std::optional<Term>(read(tensor, subscripts));
  });
}

}  // namespace

std::optional<Enclosure> sum_of(const Enclosure& a, const Enclosure& b) {
  return a.exact() && b.exact() ? std::optional(Enclosure(a.low + b.low)) : add(a, b, kEnclosureBits);
}

// One summand over its box: the value at each point, and which points read an element.
struct PointRun::Part {
  Symbol target;
  Extents extents;  // of the target
  Extents box;      // of the target, then of the loops
  EvalEnvironment environment;
  std::unique_ptr<PointEvaluator> evaluator;
  Elements values;
  std::unordered_map<Symbol, std::unordered_map<std::int64_t, std::vector<std::uint32_t>>> readers;

  std::int64_t evaluations = 0;

  Evaluated<ExactNumber> at(std::vector<std::int64_t> point) {
    point.push_back(++evaluations);
    return evaluator->at(point);
  }

  std::vector<std::int64_t> point_at(std::int64_t number) const {
    std::vector<std::int64_t> point(box.size());
    for (std::size_t a = box.size(); a-- > 0;) {
      point[a] = number % box[a];
      number /= box[a];
    }
    return point;
  }
};

PointRun::PointRun(const TkKernel& kernel, std::unordered_map<Symbol, Elements> inputs, std::int64_t most_points)
    : kernel_(kernel), values_(std::move(inputs)), points_left_(most_points) {
  for (const TkTensor& tensor : kernel.tensors) {
    extents_[tensor.name] = tensor.extents();
  }
  for (const TkStatement& statement : kernel.statements) {
    if (failure_.empty()) {
      run(statement);
    }
  }
}

PointRun::~PointRun() = default;

bool PointRun::count(std::int64_t points) {
  points_left_ -= points;
  if (points_left_ < 0) {
    failure_ = "too many iterations for exact evaluation";
  }
  return points_left_ >= 0;
}

void PointRun::run(const TkStatement& statement) {
  const Extents& extents = extents_.at(statement.target);
  Elements out(static_cast<std::size_t>(*element_count(extents)), Enclosure(Rational(0)));
  for (const TkSummand& summand : statement.summands) {
    BoxedSummand boxed_summand = boxed(kernel_, statement, summand);
    auto part = std::make_unique<Part>();
    part->target = statement.target;
    part->extents = extents;
    part->box = extents;
    std::vector<Symbol> names = statement.indices;
    for (const BoundIndex& loop : boxed_summand.loops) {
      names.push_back(loop.name);
      part->box.push_back(*const_int(loop.extent));
    }
    part->environment.bits = kEnclosureBits;
    part->environment.steps = std::int64_t{1} << 40;
    part->environment.read = [this](Symbol tensor, std::span<const std::int64_t> at) { return read(tensor, at); };
    Symbol number("$evaluation");
    Term value = renewed(select(boxed_summand.guard, boxed_summand.body, real_const(0)), number);
    names.push_back(number);
    part->evaluator = std::make_unique<PointEvaluator>(value, names, part->environment);
    if (!run_part(*part, out)) {
      return;
    }
    parts_.push_back(std::move(part));
  }
  values_[statement.target] = std::move(out);
}

bool PointRun::run_part(Part& part, Elements& out) {
  auto points = element_count(part.box);
  if (!points || !count(*points)) {
    return false;
  }
  noting_ = &part;
  for (std::int64_t p = 0; p < *points; ++p) {
    point_ = static_cast<std::uint32_t>(p);
    std::vector<std::int64_t> point = part.point_at(p);
    auto value = part.at(point);
    if (const EvalFailure* failed = std::get_if<EvalFailure>(&value)) {
      failure_ = failed->message;
      return false;
    }
    Enclosure& element = out[static_cast<std::size_t>(position_of(part.extents, point))];
    part.values.push_back(std::get<ExactNumber>(value).enclosure());
    element = sum_of(element, part.values.back()).value_or(element);
  }
  noting_ = nullptr;
  return true;
}

std::optional<ExactNumber> PointRun::read(Symbol tensor, std::span<const std::int64_t> at) {
  const Extents& extents = extents_.at(tensor);
  std::vector<std::int64_t> point;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    if (at[a] < 0 || at[a] >= extents[a]) {
      return std::nullopt;
    }
    point.push_back(at[a]);
  }
  std::int64_t position = position_of(extents, point);
  if (noting_) {
    std::vector<std::uint32_t>& points = noting_->readers[tensor][position];
    if (points.empty() || points.back() != point_) {
      points.push_back(point_);
    }
  }
  if (changed_) {
    auto of_tensor = changed_->find(tensor);
    if (of_tensor != changed_->end()) {
      auto found = of_tensor->second.find(position);
      if (found != of_tensor->second.end()) {
        return found->second;
      }
    }
  }
  return values_.at(tensor)[static_cast<std::size_t>(position)];
}

std::optional<std::unordered_map<Symbol, ChangedElements>> PointRun::again(std::unordered_map<Symbol, ChangedElements> changed) {
  changed_ = &changed;
  for (const auto& part : parts_) {
    std::set<std::uint32_t> points;
    for (const auto& [tensor, elements] : changed) {
      auto readers = part->readers.find(tensor);
      for (const auto& [position, value] : elements) {
        if (readers == part->readers.end()) {
          break;
        }
        auto found = readers->second.find(position);
        if (found != readers->second.end()) {
          points.insert(found->second.begin(), found->second.end());
        }
      }
    }
    for (std::uint32_t p : points) {
      std::vector<std::int64_t> point = part->point_at(p);
      auto value = part->at(point);
      std::int64_t position = position_of(part->extents, point);
      auto [element, fresh] =
          changed[part->target].emplace(position, values_.at(part->target)[static_cast<std::size_t>(position)]);
      const ExactNumber* now = std::get_if<ExactNumber>(&value);
      auto delta = now ? sum_of(now->enclosure(), negate(part->values[p])) : std::nullopt;
      auto sum = delta ? sum_of(element->second, *delta) : std::nullopt;
      if (!sum) {
        changed_ = nullptr;
        return std::nullopt;
      }
      element->second = *sum;
    }
  }
  changed_ = nullptr;
  return changed;
}

}  // namespace vouch
