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

// Says that they are not one; whether that is an error.
bool disagree(const PlainAxis& first, const PlainAxis& other, const Box& given, bool may_be_part, const SourceRef& source,
              Diagnostics& diagnostics) {
  std::string index = print_term(other.access->subscripts[other.axis]);
  bool is_less = given.at_least(other.extent(), first.extent());
  std::string part = print_term(is_less ? first.extent() : other.extent());
  bool is_ordered = is_less || given.at_least(first.extent(), other.extent());
  Severity severity = may_be_part && is_less ? Severity::Warning : Severity::Error;
  std::string rest =
      is_ordered ? "" : fmt::format(", and that there is so much: `require {} >= {}`", print_term(first.extent()), part);
  diagnostics.add(
      {severity,
       fmt::format("index '{}' runs over extent {} of '{}' and over extent {} of '{}'", index, print_term(first.extent()),
                   first.access->tensor.name(), print_term(other.extent()), other.access->tensor.name()),
       source,
       other.access->spans[other.axis],
       {},
       fmt::format("say which part is meant: `where 0 <= {} < {}`{}", index, part, rest)});
  return severity == Severity::Error;
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
                   bool left_may_be_part, const SourceRef& source, Diagnostics& diagnostics) {
  auto are_apart = [&](const PlainAxis& first, const PlainAxis& other, bool may_be_part) {
    bool same = given.at_least(other.extent(), first.extent()) && given.at_least(first.extent(), other.extent());
    return !same && disagree(first, other, given, may_be_part, source, diagnostics);
  };
  for (Symbol name : names) {
    std::vector<PlainAxis> axes = given.contains(name) ? std::vector<PlainAxis>{} : plain_axes(target, reads, name);
    if (std::any_of(axes.begin(), axes.end(), [&](const PlainAxis& axis) { return are_apart(axes[0], axis, false); })) {
      return false;
    }
    auto left = std::find(target.subscripts.begin(), target.subscripts.end(), int_var(name));
    if (!axes.empty() && left != target.subscripts.end() &&
        are_apart({&target, static_cast<std::size_t>(left - target.subscripts.begin())}, axes[0], left_may_be_part)) {
      return false;
    }
  }
  return true;
}

}  // namespace vouch
