#include "notation/tk_left_out.h"

#include <fmt/format.h>

#include <algorithm>

#include "notation/tk_axes.h"
#include "term/print.h"

namespace vouch {
namespace {

// The axis that an index would run over as a whole.
std::optional<PlainAxis> whole_axis(const TkAccess& target, const std::vector<TkAccess>& reads, Symbol name) {
  auto left = std::find(target.subscripts.begin(), target.subscripts.end(), int_var(name));
  if (left != target.subscripts.end()) {
    return PlainAxis{&target, static_cast<std::size_t>(left - target.subscripts.begin())};
  }
  std::vector<PlainAxis> axes = plain_axes(target, reads, name);
  return axes.empty() ? std::nullopt : std::optional(axes.front());
}

// As `where` has it.
std::string print_domain(const TkDomain& domain) {
  return fmt::format("{} <= {} < {}", print_term(domain.begin), domain.name.name(), print_term(domain.end));
}

// A subscript that leaves its axis, and on which sides.
struct Leaving {
  const TkAccess* read = nullptr;
  std::size_t axis = 0;
  bool below = false;
  bool above = false;

  Term subscript() const { return read->subscripts[axis]; }
  Term extent() const { return read->shape[axis]; }

  // That it stays inside, as the language writes it.
  std::string condition() const {
    std::string at = print_term(subscript());
    return fmt::format("{}{}{}", below ? fmt::format("{} >= 0", at) : "", below && above ? " && " : "",
                       above ? fmt::format("{} < {}", at, print_term(extent())) : "");
  }
};

std::optional<Leaving> leaving(const std::vector<TkAccess>& reads, Symbol name, const Box& box) {
  for (const TkAccess& read : reads) {
    for (std::size_t a = 0; a < read.subscripts.size() && !read.guarded; ++a) {
      std::vector<Symbol> used = free_variables(read.subscripts[a]);
      Interval range = range_of(read.subscripts[a], box);
      Leaving out{&read, a, !range.low || !box.at_least(*range.low, Term(0)),
                  !range.high || !box.at_least(read.shape[a] - Term(1), *range.high)};
      if (std::find(used.begin(), used.end(), name) != used.end() && (out.below || out.above)) {
        return out;
      }
    }
  }
  return std::nullopt;
}

// How what is left out is written, so that nobody is surprised.
std::string how_to_say(const TkAccess& target, const TkDomain& domain, const Leaving& why, bool kept) {
  std::string rest = domain.reduced ? fmt::format("what is left out of the sum is said by `where {}`", print_domain(domain))
                                    : fmt::format("the other elements of '{}' {}: say so by `where {}`", target.tensor.name(),
                                                  kept ? "stay as they were" : "are 0", print_domain(domain));
  return fmt::format("{}, or say what stands there: `select({}, …, 0)`", rest, why.condition());
}

}  // namespace

void warn_of_left_out(const TkAccess& target, const std::vector<TkAccess>& reads, const std::vector<TkDomain>& domains,
                      const Box& given, bool kept, const SourceRef& source, Diagnostics& diagnostics) {
  Box box = given;
  for (const TkDomain& domain : domains) {
    box[domain.name] = {domain.begin, domain.end - Term(1)};
  }
  for (const TkDomain& domain : domains) {
    auto axis = given.contains(domain.name) ? std::nullopt : whole_axis(target, reads, domain.name);
    if (!axis || (box.at_least(Term(0), domain.begin) && box.at_least(domain.end, axis->extent()))) {
      continue;
    }
    Box whole = box;
    whole[domain.name] = {Term(0), axis->extent() - Term(1)};
    if (auto why = leaving(reads, domain.name, whole)) {
      std::string message = fmt::format(
          "index '{}' runs over {} alone, not over all of axis {} of '{}' (extent {}): '{}' would leave axis {} of '{}' (extent "
          "{})",
          domain.name.name(), print_domain(domain), axis->axis, axis->access->tensor.name(), print_term(axis->extent()),
          print_term(why->subscript()), why->axis, why->read->tensor.name(), print_term(why->extent()));
      diagnostics.add({Severity::Warning,
                       std::move(message),
                       source,
                       why->read->spans[why->axis],
                       {},
                       how_to_say(target, domain, *why, kept)});
    }
  }
}

}  // namespace vouch
