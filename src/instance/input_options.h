// What an instance has to fix of inputs, and how they are tried.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "instance/axis_forms.h"
#include "instance/instance_state.h"

namespace vouch {

// How much of an input's elements an instance makes known.
enum class ElementRole : std::uint8_t {
  Opaque,    // nothing: only its type matters
  Factors,   // a list of positive fractions: known terms
  Accessed,  // a constant whose `value` the rule speaks of: known terms at ranks 0 and 1
  List,      // a list of integers that an operator wants as terms, one for each axis
  Steps,     // the same, each positive or negative
  Pairs,     // the same, perhaps two for each axis: pads
  Shape,     // a list where 0 and -1 have meanings of their own (Reshape)
  Axes,      // numbers
};

std::vector<ElementRole> element_roles(const Rule& rule);

// One way to instantiate an input.
struct InputOption {
  DType dtype = DType::Float32;
  std::vector<std::optional<Term>> extents;                  // nothing: a size of its own
  std::optional<std::vector<std::optional<Term>>> contents;  // nothing inside: an element of its own
  std::optional<Term> fill;
  bool rounded = false;  // a number of the rule, of which the type has the nearest only
};

struct InputNeeds {
  PatternKind kind = PatternKind::Wildcard;
  ElementRole role = ElementRole::Opaque;
  std::optional<AttrTuple> shape;  // as the pattern demands; `any` inside is open
  std::optional<DType> dtype;
  TypeSet types = kAllTypes;       // of those that are tried, these alone; nothing keeps another one from being demanded
  std::optional<AttrValue> value;  // of a constant; nothing or `any` is open
  AxisForm form = AxisForm::Full;  // of a list of axes
  bool type_is_asked = false;      // the rule speaks of it: a list is then tried of each type that operators take
  std::uint32_t min_rank = 0;
  std::uint32_t max_rank = 4;
};

// Of images along three axes.
inline constexpr std::size_t kMostFactors = 5;

// Lists whose elements a rule reads are tried to this length: 4, or as many axes as are tried.
std::size_t longest_read(const InstanceOptions& options);

// Stands in `contents` for an element of its own that is negative.
Term negative_element();

std::vector<InputOption> input_options(const InputNeeds& needs, const InstanceOptions& options);

}  // namespace vouch
