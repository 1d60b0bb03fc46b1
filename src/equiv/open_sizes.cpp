#include "equiv/open_sizes.h"

#include <algorithm>
#include <array>
#include <bit>

#include "term/eval.h"

namespace vouch {
namespace {

constexpr std::int64_t kSmallBatch = 4;
constexpr std::int64_t kLargestFitting = 9;
constexpr std::int64_t kMostGuards = 100'000;

struct OpenSizes {
  std::vector<Symbol> names;  // in the order of the inputs
  Sizes given;
};

OpenSizes open_sizes(const Graph& graph, const std::vector<Tensor>& given) {
  OpenSizes out;
  for (std::size_t k = 0; k < graph.inputs().size(); ++k) {
    Type type = graph.type(graph.inputs()[k]);
    for (std::size_t axis = 0; type.is_tensor() && axis < type.rank(); ++axis) {
      for (Symbol name : free_variables(type.extents()[axis])) {
        if (std::find(out.names.begin(), out.names.end(), name) == out.names.end()) {
          out.names.push_back(name);
        }
        if (!given.empty() && type.extents()[axis] == int_var(name)) {
          out.given[name] = given[k].extents()[axis];
        }
      }
    }
  }
  return out;
}

// A size near the given one of which each half, rounded up (2^m + 1) or down (2^m - 1), is odd.
std::int64_t uneven_size(std::int64_t given, bool above) {
  auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(given, 1))));
  return given <= kSmallBatch ? given : above ? power + 1 : power - 1;
}

// Small sizes under which the conditions of a graph hold, such as a length that is the sum of two others: found by trying, name
// after name, each condition as soon as all of its names have a size.
class FittingSizes {
 public:
  FittingSizes(const Graph& graph, const std::vector<Symbol>& names) : names_(names), due_(names.size()) {
    for (const OpContext::Condition& condition : graph.conditions()) {
      std::size_t last = 0;
      bool of_names = true;
      for (Symbol name : free_variables(condition.guard)) {
        auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        of_names = of_names && at < names.size();
        last = std::max(last, at);
      }
      if (of_names && !names.empty()) {
        due_[last].push_back(condition.guard);
      }
    }
  }

  // Each name's size is `first`, with `step` more from name to name, if it can be; else the next one that can, 1 last.
  std::optional<Sizes> found(std::int64_t first, std::int64_t step) {
    left_ = kMostGuards;
    sizes_ = {};
    if (!fit(0, first, step)) {
      return std::nullopt;
    }
    Sizes out;
    for (Symbol name : names_) {
      out.emplace(name, sizes_.integers.at(name).convert_to<std::int64_t>());
    }
    return out;
  }

 private:
  bool fit(std::size_t at, std::int64_t first, std::int64_t step) {
    if (at == names_.size()) {
      return true;
    }
    for (std::int64_t k = 0; k < kLargestFitting; ++k) {
      sizes_.integers[names_[at]] = (first + static_cast<std::int64_t>(at) * step - 1 + k) % kLargestFitting + 1;
      if (conditions_hold(at) && fit(at + 1, first, step)) {
        return true;
      }
    }
    return false;
  }

  // What cannot be evaluated depends on data, and is left to a run.
  bool conditions_hold(std::size_t at) {
    left_ -= static_cast<std::int64_t>(due_[at].size()) + 1;
    return left_ >= 0 && std::all_of(due_[at].begin(), due_[at].end(), [this](Term guard) {
             auto holds = eval_guard(guard, sizes_);
             const bool* known = std::get_if<bool>(&holds);
             return !known || *known;
           });
  }

  const std::vector<Symbol>& names_;
  std::vector<std::vector<Term>> due_;  // by the last of their names
  EvalEnvironment sizes_;
  std::int64_t left_ = 0;
};

}  // namespace

std::vector<Sizes> sizes_to_try(const Graph& graph, const std::vector<Tensor>& given, std::size_t round, bool uneven) {
  static constexpr std::array<std::array<std::int64_t, 2>, 9> kSizes{
      {{2, 1}, {5, 2}, {8, 8}, {16, 16}, {32, 0}, {48, 0}, {64, 32}, {128, 0}, {224, 0}}};
  constexpr std::size_t kLarge = 4;
  auto number = static_cast<std::int64_t>(round);
  OpenSizes open = open_sizes(graph, given);
  const std::vector<Symbol>& names = open.names;
  std::vector<Sizes> out;
  if (!open.given.empty() && open.given.size() == names.size()) {
    if (uneven) {
      for (auto& [name, size] : out.emplace_back(open.given)) {
        size = uneven_size(size, round % 2 == 1);
      }
    }
    out.push_back(open.given);
    out.back()[names[0]] += open.given[names[0]] < kSmallBatch ? number + 1 : 0;
  }
  for (std::size_t k = 0; k < kSizes.size() && (k == 0 || !names.empty()); ++k) {
    Sizes& sizes = out.emplace_back();
    for (std::size_t at = 0; at < names.size(); ++at) {
      // What is divided by strides stays divisible; the first size is the batch, as a rule.
      std::int64_t first = k < kLarge ? kSizes[k][0] + number : kSizes[k][0] * (round == 1 ? 2 : 1);
      bool batch = k >= kLarge && at == 0 && names.size() > 1;
      sizes.emplace(names[at], batch ? 2 + number : first + static_cast<std::int64_t>(at) * kSizes[k][1]);
    }
  }
  FittingSizes fitting(graph, names);
  for (auto [first, step] : {std::pair(2 + number, std::int64_t{1}), {std::int64_t{2}, 0}, {std::int64_t{1}, 0}}) {
    if (auto sizes = names.empty() ? std::nullopt : fitting.found(first, step)) {
      out.push_back(std::move(*sizes));
    }
  }
  return out;
}

}  // namespace vouch
