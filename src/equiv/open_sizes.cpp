#include "equiv/open_sizes.h"

#include <algorithm>
#include <array>
#include <bit>

namespace vouch {
namespace {

constexpr std::int64_t kSmallBatch = 4;

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
  return out;
}

}  // namespace vouch
