#include "notation/tk_instance.h"

#include <algorithm>

#include "support/fault.h"
#include "term/substitute.h"

namespace vouch {
namespace {

Substitution substitution_of(const SizeInstance& values) {
  Substitution out;
  for (const auto& [name, value] : values) {
    out[name] = Term(value);
  }
  return out;
}

bool satisfies(const SizeFacts& sizes, const SizeInstance& values) {
  Substitution at = substitution_of(values);
  return std::all_of(sizes.conditions.begin(), sizes.conditions.end(), [&](Term condition) {
    auto number = number_of(substitute(condition, at));
    return number && *number >= 0;
  });
}

}  // namespace

TkKernel at_sizes(const TkKernel& kernel, const SizeInstance& values) {
  ensure(satisfies(kernel.sizes, values), "sizes satisfy the kernel's conditions");
  Substitution at = substitution_of(values);
  TkKernel out = kernel;
  out.sizes = {};
  for (TkTensor& tensor : out.tensors) {
    for (Term& extent : tensor.shape) {
      extent = substitute(extent, at);
    }
  }
  for (TkStatement& statement : out.statements) {
    for (TkDomain& domain : statement.domains) {
      domain.begin = substitute(domain.begin, at);
      domain.end = substitute(domain.end, at);
    }
    for (TkSummand& summand : statement.summands) {
      for (TkLoop& loop : summand.loops) {
        loop.begin = substitute(loop.begin, at);
        loop.end = substitute(loop.end, at);
      }
      summand.guard = substitute(summand.guard, at);
      summand.body = substitute(summand.body, at);
    }
  }
  return out;
}

std::vector<SizeInstance> small_instances(const SizeFacts& sizes, std::size_t count) {
  if (sizes.names.empty()) {
    return {{}};
  }
  constexpr std::int64_t kPrimes[] = {2, 3, 5, 7};
  constexpr int kMostTried = 4096;
  constexpr std::int64_t kSmall = 64;  // rounds of sizes to 7; of sizes to 11, since of several large sizes elements are many
  constexpr std::int64_t kMiddle = 512;
  std::vector<SizeInstance> out;
  // Numbers in mixed steps: sizes are neither all alike nor in one order.
  for (std::int64_t round = 0; round < kMostTried && out.size() < count; ++round) {
    SizeInstance values;
    for (std::size_t k = 0; k < sizes.names.size(); ++k) {
      values[sizes.names[k]] = 1 + round * kPrimes[k % 4] / (static_cast<std::int64_t>(k) / 4 + 1) %
                                       (round < kSmall    ? 7
                                        : round < kMiddle ? 11
                                                          : 23);
    }
    if (satisfies(sizes, values) && std::find(out.begin(), out.end(), values) == out.end()) {
      out.push_back(std::move(values));
    }
  }
  return out;
}

}  // namespace vouch
