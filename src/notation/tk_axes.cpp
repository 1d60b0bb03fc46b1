#include "notation/tk_axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "term/print.h"

namespace vouch {
namespace {

// Do all reads that no condition guards subscript this axis by the index alone?
bool is_plain_axis(const std::vector<TkAccess>& reads, Symbol tensor, std::size_t axis, Symbol name) {
  return std::all_of(reads.begin(), reads.end(), [&](const TkAccess& read) {
    return read.guarded || read.tensor != tensor || read.subscripts[axis] == int_var(name);
  });
}

bool disagree(const PlainAxis& first, const PlainAxis& other, Symbol name, const SourceRef& source, Diagnostics& diagnostics) {
  diagnostics.error(
      source, other.access->spans[other.axis],
      fmt::format("index '{}' runs over extent {} of '{}' and over extent {} of '{}'", name.name(), print_term(first.extent()),
                  first.access->tensor.name(), print_term(other.extent()), other.access->tensor.name()),
      fmt::format("say which part is meant: `where 0 <= {} < {}`", name.name(), print_term(other.extent())));
  return false;
}

}  // namespace

std::vector<PlainAxis> plain_axes(const TkAccess& target, const std::vector<TkAccess>& reads, Symbol name) {
  std::vector<PlainAxis> out;
  for (const TkAccess& read : reads) {
    bool accumulates = read.tensor == target.tensor && read.subscripts == target.subscripts;
    for (std::size_t a = 0; a < read.subscripts.size() && !read.guarded && !accumulates; ++a) {
      if (read.subscripts[a] == int_var(name) && is_plain_axis(reads, read.tensor, a, name)) {
        out.push_back({&read, a});
      }
    }
  }
  return out;
}

bool extents_agree(const TkAccess& target, const std::vector<TkAccess>& reads, const std::vector<Symbol>& names, const Box& given,
                   const SourceRef& source, Diagnostics& diagnostics) {
  for (Symbol name : names) {
    std::vector<PlainAxis> axes = given.contains(name) ? std::vector<PlainAxis>{} : plain_axes(target, reads, name);
    for (const PlainAxis& axis : axes) {
      bool same = given.at_least(axis.extent(), axes[0].extent()) && given.at_least(axes[0].extent(), axis.extent());
      if (!same) {
        return disagree(axes[0], axis, name, source, diagnostics);
      }
    }
    auto left = std::find(target.subscripts.begin(), target.subscripts.end(), int_var(name));
    std::size_t a = static_cast<std::size_t>(left - target.subscripts.begin());
    if (!axes.empty() && left != target.subscripts.end() && given.at_least(target.shape[a] - Term(1), axes[0].extent())) {
      return disagree({&target, a}, axes[0], name, source, diagnostics);
    }
  }
  return true;
}

}  // namespace vouch
