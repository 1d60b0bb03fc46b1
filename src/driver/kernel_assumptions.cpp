#include "driver/kernel_assumptions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "array/print.h"
#include "driver/size_witness.h"
#include "lower/index_limits.h"
#include "lower/limits.h"
#include "lower/lower.h"

namespace vouch {

std::optional<KernelAssumptions> assumptions_of(const array::Program& program, const array::Flat& flat, const std::string& place,
                                                Diagnostics& diagnostics) {
  KernelAssumptions out;
  for (const array::SizeFact& fact : program.facts) {
    out.lines.facts.push_back(array::print_size(fact.first, program.sizes) +
                              " <= " + array::print_size(fact.second, program.sizes));
  }
  out.limits = array::index_limits(program.facts, flat);
  SizeWitness witness = find_witness(program, out.limits);
  if (!witness.values) {
    diagnostics.error_at(
        place,
        fmt::format("no sizes {} what the kernel '{}' assumes: {}", witness.contradictory ? "satisfy" : "were found that satisfy",
                    program.name, fmt::join(out.lines.facts, ", ")),
        "a certificate would say nothing");
    return std::nullopt;
  }
  for (const array::Size& limit : out.limits) {
    out.lines.limits.push_back(array::print_size(limit, program.sizes));
  }
  for (std::size_t k = 0; k < program.sizes.size(); ++k) {
    out.lines.witness.push_back(fmt::format("{} = {}", program.sizes[k], (*witness.values)[k].str()));
  }
  out.witness = std::move(*witness.values);
  return out;
}

bool countable(const array::Program& program, const std::string& place, Diagnostics& diagnostics) {
  std::optional<array::Size> beyond = array::size_beyond_64_bits(program, array::flat_program(program));
  if (beyond) {
    diagnostics.error_at(place, fmt::format("the kernel '{}' counts to {}, and indices of 64 bits stop before 2^63", program.name,
                                            array::print_size(*beyond, program.sizes)));
  }
  return !beyond;
}

}  // namespace vouch
