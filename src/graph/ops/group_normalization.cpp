// Normalisation by groups of channels: (x - mean) / sqrt(variance + epsilon) over a group and all positions, scaled and shifted.
#include "graph/ops/moments.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"
#include "graph/ops/window.h"

namespace vouch {
namespace {

enum class Scaled : std::uint8_t { ByChannel, ByGroup };

struct Groups {
  Term count;
  Term channels;  // of each

  Term of(Term channel) const { return floor_div(channel, channels); }
};

// Scale and bias are vectors of one length.
bool require_parameters(OpContext& c, Term length, std::string_view what) {
  for (std::size_t operand : {1, 2}) {
    if (!require_same_dtype(c, 0, operand) || !require_rank(c, operand, 1)) {
      return false;
    }
    c.require(eq(c.extent(operand, 0), length),
              std::string(c.def().operands[operand].name) + " has one element for each " + std::string(what));
  }
  return !c.failed();
}

std::optional<Groups> groups_of(OpContext& c, Scaled scaled) {
  if (!require_rank_at_least(c, 0, 2) || !require_float(c, 0)) {
    return std::nullopt;
  }
  Term count = c.attr_int("num_groups");
  c.require(ge(count, 1), "num_groups must be at least 1");
  c.require(divides(count, c.extent(0, 1)), "num_groups must divide the number of channels");
  for (std::size_t axis = 1; axis < c.rank(0); ++axis) {
    c.require(ge(c.extent(0, axis), 1), "the axes that are normalised must not be empty");
  }
  bool fits = !c.failed() && (scaled == Scaled::ByChannel ? require_parameters(c, c.extent(0, 1), "channel")
                                                          : require_parameters(c, count, "group"));
  return fits ? std::optional(Groups{count, floor_div(c.extent(0, 1), count)}) : std::nullopt;
}

// A local of images and groups: the mean of `element` over the channels of the group and all positions.
template <class Element>
void local_group_mean(OpContext& c, std::string_view name, DType dtype, const Groups& groups, Element element) {
  Terms sizes = spatial(c.extents(0));
  sizes.insert(sizes.begin(), groups.channels);
  c.local(name, dtype, {c.extent(0, 0), groups.count}, [&](const Terms& i) {
    std::vector<BoundIndex> bound;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      bound.push_back(c.bound("k" + std::to_string(k), sizes[k]));
    }
    Terms at = variables_of(bound);
    at[0] = i[1] * groups.channels + at[0];
    at.insert(at.begin(), i[0]);
    return reduce(Reduction::Sum, bound, bool_const(true), element(at, i)) / real_of(product_of(sizes));
  });
}

template <Scaled scaled>
void result_group_norm(OpContext& c, DType dtype) {
  auto groups = groups_of(c, scaled);
  if (!groups) {
    return;
  }
  local_group_mean(c, "moment_mean", dtype, *groups, [&](const Terms& at, const Terms&) { return c.read(0, at); });
  local_group_mean(c, "moment_variance", dtype, *groups,
                   [&](const Terms& at, const Terms& i) { return square(c.read(0, at) - c.read_local("moment_mean", i)); });
  c.local("moment_deviation", dtype, {c.extent(0, 0), groups->count},
          [&](const Terms& i) { return inverse_deviation(c.read_local("moment_variance", i), c.attr_float("epsilon")); });
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Terms group{i[0], groups->of(i[1])};
    Terms parameter{scaled == Scaled::ByChannel ? i[1] : group[1]};
    Term normal = (c.read(0, i) - c.read_local("moment_mean", group)) * c.read_local("moment_deviation", group);
    return normal * c.read(1, parameter) + c.read(2, parameter);
  });
}

void define_group_norm(OpContext& c) {
  if (auto stash = stash_dtype(c)) {
    result_group_norm<Scaled::ByChannel>(c, moment_dtype(c, *stash));
  }
}

void define_earlier_group_norm(OpContext& c) {
  if (c.type(0).is_tensor()) {
    result_group_norm<Scaled::ByGroup>(c, wide_dtype(c.dtype(0)));
  }
}

}  // namespace

std::vector<OpDef> group_normalization_ops() {
  const std::vector<OperandDef> operands{{"x"}, {"scale"}, {"bias"}};
  const AttrDef epsilon = float_attribute("epsilon", 1e-5F);
  const AttrDef num_groups{.name = "num_groups"};
  return {
      {.name = "GroupNormalization",
       .operands = operands,
       .attributes = {epsilon, num_groups, {.name = "stash_type", .otherwise = 1}},
       .define = define_group_norm},
      // Of before opset 21: scale and bias have one element for each group.
      {.name = "group_normalization_20",
       .operands = operands,
       .attributes = {epsilon, num_groups},
       .define = define_earlier_group_norm},
  };
}

}  // namespace vouch
