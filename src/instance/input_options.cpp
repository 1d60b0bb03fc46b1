#include "instance/input_options.h"

#include <algorithm>

#include "tensor/element.h"

namespace vouch {
namespace {

using Open = std::optional<Term>;

// Each element left open, with each sign: a negative one is written as such, for an operator to see it.
std::vector<std::vector<Open>> step_forms(std::uint32_t max_rank) {
  std::vector<std::vector<Open>> out;
  for (std::size_t length = 0; length <= max_rank; ++length) {
    for (std::uint32_t signs = 0; signs < (1U << length); ++signs) {
      std::vector<Open> form(length);
      for (std::size_t at = 0; at < length; ++at) {
        form[at] = (signs >> at & 1U) != 0 ? Open(negative_element()) : Open();
      }
      out.push_back(std::move(form));
    }
  }
  return out;
}

// Lists that operators want as data: all elements open. Where 0 and -1 have meanings of their own, every choice of which are 0
// and which one, if any, is -1.
std::vector<std::vector<Open>> list_forms(const InputNeeds& needs, std::uint32_t max_rank) {
  std::vector<std::vector<Open>> out;
  bool shape = needs.role == ElementRole::Shape;
  std::size_t longest = needs.role == ElementRole::Pairs ? 2 * max_rank : max_rank;
  for (std::size_t length = 0; length <= longest; ++length) {
    for (std::uint32_t zeros = 0; zeros < (shape ? 1U << length : 1U); ++zeros) {
      std::vector<Open> form(length);
      for (std::size_t at = 0; at < length; ++at) {
        form[at] = (zeros >> at & 1U) != 0 ? Open(Term(0)) : Open();
      }
      out.push_back(form);
      for (std::size_t at = 0; shape && at < length; ++at) {
        if (!form[at]) {
          std::vector<Open> inferred = form;
          inferred[at] = Term(-1);
          out.push_back(std::move(inferred));
        }
      }
    }
  }
  return out;
}

class InputEnumerator {
 public:
  InputEnumerator(const InputNeeds& needs, const InstanceOptions& options) : needs_(needs), options_(options) {}

  std::vector<InputOption> run() {
    if (needs_.value && !is_any(*needs_.value)) {
      return given_value();
    }
    if (needs_.role >= ElementRole::List && !needs_.shape) {
      return lists();
    }
    return by_rank();
  }

 private:
  std::vector<DType> dtypes() const {
    if (needs_.role >= ElementRole::List && !needs_.dtype) {
      return {DType::Int64};
    }
    std::vector<DType> out;
    for (DType tried : options_.dtypes) {
      if (needs_.types.contains(tried)) {
        out.push_back(tried);
      }
    }
    return needs_.dtype ? std::vector{*needs_.dtype} : out;
  }

  // A constant of a known value: a number also fills an axis (as matching has it); a tuple is a list.
  std::vector<InputOption> given_value() {
    for (DType dtype : dtypes()) {
      const AttrValue& value = *needs_.value;
      if (const Term* number = value.number()) {
        bool whole = number->sort() == Sort::Int || (is_const(*number) && is_integral((*number)->value));
        if (!whole && !is_float(dtype)) {
          continue;
        }
        if (auto element = element_of(dtype, *number)) {
          add_filled(dtype, *element);
        }
      } else if (const AttrTuple* items = value.tuple()) {
        add_tuple(dtype, *items);
      }
    }
    for (InputOption& option : out_) {
      option.rounded = needs_.value->number() && is_rounded(option.dtype, *needs_.value->number());
    }
    return std::move(out_);
  }

  // What a number of the rule is as an element: nothing if it is none, or infinite.
  static std::optional<Term> element_of(DType dtype, Term number) {
    if (!is_float(dtype) || !is_const(number) || number.sort() == Sort::Bool) {
      return is_float(dtype) && number.sort() == Sort::Int ? real_of(number) : number;
    }
    auto nearest = nearest_element(dtype, number->value);
    return nearest ? std::optional(real_const(*nearest)) : std::nullopt;
  }

  // All elements are this number, whatever the shape.
  void add_filled(DType dtype, Term element) {
    if (needs_.shape) {
      std::vector<Open> extents;
      for (const AttrValue& extent : *needs_.shape) {
        if (!is_any(extent) && (!extent.number() || extent.number()->sort() != Sort::Int)) {
          return;
        }
        extents.push_back(is_any(extent) ? Open() : Open(*extent.number()));
      }
      out_.push_back({dtype, std::move(extents), {}, element});
      return;
    }
    for (std::uint32_t rank = needs_.min_rank; rank <= needs_.max_rank; ++rank) {
      if (rank == 0) {
        out_.push_back({dtype, {}, std::vector<Open>{element}, {}});
      } else if (rank == 1 && needs_.role != ElementRole::Opaque) {
        std::size_t most = needs_.role >= ElementRole::List ? options_.max_rank : std::size_t{2};
        for (std::size_t length = 1; length <= most; ++length) {
          out_.push_back({dtype, {Term(static_cast<std::int64_t>(length))}, std::vector<Open>(length, element), {}});
        }
      } else {
        out_.push_back({dtype, std::vector<Open>(rank), {}, element});
      }
    }
  }

  void add_tuple(DType dtype, const AttrTuple& items) {
    if (needs_.role >= ElementRole::List && dtype != DType::Int64) {
      return;
    }
    std::vector<Open> elements;
    for (const AttrValue& item : items) {
      if (!is_any(item) && (!item.number() || item.number()->sort() == Sort::Bool)) {
        return;
      }
      bool integer = is_any(item) || item.number()->sort() == Sort::Int;
      if (!integer && !is_float(dtype)) {
        return;
      }
      elements.push_back(is_any(item)                 ? Open()
                         : is_float(dtype) && integer ? Open(real_of(*item.number()))
                                                      : Open(*item.number()));
    }
    out_.push_back({dtype, {Term(static_cast<std::int64_t>(items.size()))}, std::move(elements), {}});
  }

  std::vector<DType> list_types() const {
    if (needs_.dtype) {
      return {*needs_.dtype};
    }
    bool words = needs_.type_is_asked && needs_.types.contains(DType::Int32);
    return words ? std::vector{DType::Int64, DType::Int32} : std::vector{DType::Int64};
  }

  std::vector<std::vector<Open>> forms_of_list() const {
    switch (needs_.role) {
      case ElementRole::Steps: return step_forms(options_.max_rank);
      case ElementRole::Axes: {
        std::vector<std::vector<Open>> out;
        for (const std::vector<std::int64_t>& axes : axis_lists_to_rank(options_.max_rank, needs_.form)) {
          out.emplace_back(axes.begin(), axes.end());
        }
        return out;
      }
      default: return list_forms(needs_, options_.max_rank);
    }
  }

  std::vector<InputOption> lists() {
    for (DType dtype : list_types()) {
      for (std::vector<Open>& form : forms_of_list()) {
        auto length = static_cast<std::int64_t>(form.size());
        out_.push_back({dtype, {Term(length)}, std::move(form), {}});
      }
    }
    return std::move(out_);
  }

  std::vector<InputOption> by_rank() {
    for (DType dtype : dtypes()) {
      if (needs_.shape) {
        std::vector<Open> extents;
        for (const AttrValue& extent : *needs_.shape) {
          if (!is_any(extent) && (!extent.number() || extent.number()->sort() != Sort::Int)) {
            return {};
          }
          extents.push_back(is_any(extent) ? Open() : Open(*extent.number()));
        }
        add_shaped(dtype, std::move(extents));
        continue;
      }
      for (std::uint32_t rank = needs_.min_rank; rank <= needs_.max_rank; ++rank) {
        add_shaped(dtype, std::vector<Open>(rank));
      }
    }
    return std::move(out_);
  }

  void add_shaped(DType dtype, std::vector<Open> extents) {
    bool known = needs_.role == ElementRole::Accessed && needs_.kind == PatternKind::Const;
    if (known && extents.empty()) {
      out_.push_back({dtype, {}, std::vector<Open>(1), {}});
      return;
    }
    bool factors = needs_.role == ElementRole::Factors && needs_.kind == PatternKind::Const && is_float(dtype);
    if ((known || factors) && extents.size() == 1 && !extents[0]) {
      for (std::size_t length = 1; length <= (factors ? kMostFactors : longest_read(options_)); ++length) {
        out_.push_back({dtype, {Term(static_cast<std::int64_t>(length))}, std::vector<Open>(length), {}});
      }
      return;
    }
    out_.push_back({dtype, std::move(extents), {}, {}});
  }

  const InputNeeds& needs_;
  const InstanceOptions& options_;
  std::vector<InputOption> out_;
};

}  // namespace

std::size_t longest_read(const InstanceOptions& options) {
  constexpr std::uint32_t kUsual = 4;
  return std::max(kUsual, options.max_rank);
}

Term negative_element() {
  static const Term element = -int_var("negative element");
  return element;
}

std::vector<InputOption> input_options(const InputNeeds& needs, const InstanceOptions& options) {
  return InputEnumerator(needs, options).run();
}

}  // namespace vouch
