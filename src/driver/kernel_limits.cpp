#include "driver/kernel_limits.h"

#include <fmt/format.h>

#include <unordered_map>

namespace vouch {
namespace {

// Nodes of the term as it is written out; shared ones count each time.
double written_size(Term term, std::unordered_map<Term, double>& known) {
  std::vector<Term> open{term};
  while (!open.empty()) {
    Term at = open.back();
    bool ready = true;
    double size = 1;
    for (Term part : at.args()) {
      auto found = known.find(part);
      if (found == known.end()) {
        open.push_back(part);
        ready = false;
      } else {
        size += found->second;
      }
    }
    if (ready) {
      known.emplace(at, size);
      open.pop_back();
    }
  }
  return known.at(term);
}

}  // namespace

bool within_limits(const TkKernel& kernel, const std::string& place, Diagnostics& diagnostics) {
  std::unordered_map<Term, double> known;
  double operators = 0;
  for (const TkStatement& statement : kernel.statements) {
    for (const TkSummand& summand : statement.summands) {
      operators += written_size(summand.body, known);
      if (statement.indices.size() + summand.loops.size() > kMostIndices) {
        diagnostics.error_at(place,
                             fmt::format("a statement of '{}' runs over {} indices, more than {}", statement.target.name(),
                                         statement.indices.size() + summand.loops.size(), kMostIndices),
                             "split it into statements over fewer indices");
        return false;
      }
    }
  }
  if (operators > kMostOperators) {
    diagnostics.error_at(
        place,
        fmt::format("'{}' has {:.0f} operators when it is written out, more than {}", kernel.name, operators, kMostOperators),
        "split the kernel, or give fewer targets at a time (--to)");
    return false;
  }
  return true;
}

}  // namespace vouch
