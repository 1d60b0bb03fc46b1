#include "certify/index_tabulate.h"

#include <fmt/format.h>

#include <algorithm>

#include "certify/index_lowering.h"
#include "support/fault.h"

namespace vouch {

using array::Size;

namespace {

const IndexBody* read_of(unsigned tensor, const IndexBody& b) {
  if (b.kind == IndexBodyKind::Read) {
    return b.tensor == tensor ? &b : nullptr;
  }
  for (const IndexBody& arg : b.args) {
    if (const IndexBody* read = read_of(tensor, arg)) {
      return read;
    }
  }
  return nullptr;
}

bool same(const IndexTerm& a, const IndexTerm& b) {
  return a.kind == b.kind && a.var == b.var && a.number == b.number && a.size == b.size &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), same);
}

bool same_read(const IndexBody& a, const IndexBody& b) {
  return a.tensor == b.tensor && a.extents == b.extents && std::equal(a.at.begin(), a.at.end(), b.at.begin(), b.at.end(), same);
}

// The bounds of loops and axes, variable 0 first.
std::vector<Size> bounds(const std::vector<Size>& loops, const std::vector<Size>& axes) {
  std::vector<Size> out(loops.rbegin(), loops.rend());
  out.insert(out.end(), axes.rbegin(), axes.rend());
  return out;
}

// `read` as `copy`, if it is given; other reads are of tensors that `depth` data variables and a copy come before.
void retell(IndexBody& b, const IndexBody* read, const IndexBody& copy, unsigned depth) {
  if (b.kind == IndexBodyKind::Read) {
    if (read != nullptr && same_read(b, *read)) {
      b = copy;
    } else {
      b.tensor += depth + 1;
    }
  }
  for (IndexBody& arg : b.args) {
    retell(arg, read, copy, depth);
  }
}

// Positions of the copy stand for the variables that it is over.
Standins positions(const std::vector<unsigned>& over, std::size_t inner, std::size_t outer) {
  Standins out;
  auto count = static_cast<unsigned>(over.size());
  for (unsigned v = 0; v < inner; ++v) {
    auto place = static_cast<unsigned>(std::find(over.begin(), over.end(), v) - over.begin());
    out.push_back(place < count ? term_variable(count - 1 - place) : term_constant(0));
  }
  for (unsigned v = 0; v < outer; ++v) {
    out.push_back(term_variable(count + v));
  }
  return out;
}

// The first summand that reads the tensor.
std::vector<IndexSummand>::const_iterator reader_of(unsigned tensor, const std::vector<IndexSummand>& summands) {
  return std::find_if(summands.begin(), summands.end(),
                      [&](const IndexSummand& s) { return read_of(tensor, s.body) != nullptr; });
}

}  // namespace

std::string why_not_tabulated(unsigned tensor, const std::vector<unsigned>& over, const std::vector<IndexSummand>& summands,
                              const std::vector<Size>& axes) {
  auto source = reader_of(tensor, summands);
  if (source == summands.end()) {
    return "what is copied is not read here";
  }
  std::size_t count = bounds(source->loops, axes).size();
  for (unsigned v : over) {
    if (v >= count) {
      return fmt::format("there is no variable {}: loops and axes are numbered from 0 to {}", v, count - 1);
    }
  }
  for (unsigned v = 0; v < count; ++v) {
    const std::vector<IndexTerm>& at = read_of(tensor, source->body)->at;
    bool moves = std::any_of(at.begin(), at.end(), [&](const IndexTerm& t) { return uses(t, v); });
    if (moves && std::find(over.begin(), over.end(), v) == over.end()) {
      return fmt::format("the read moves with variable {}, and the copy is not over it", v);
    }
  }
  return {};
}

Tabulated tabulated(unsigned tensor, const std::vector<unsigned>& over, std::vector<IndexSummand> summands,
                    const std::vector<Size>& axes, std::size_t outer, unsigned depth) {
  auto source = reader_of(tensor, summands);
  ensure(source != summands.end(), "what is copied is read");
  IndexBody read = *read_of(tensor, source->body);
  std::vector<Size> loops = source->loops;
  std::vector<Size> variables = bounds(loops, axes);
  IndexBody copy;
  copy.kind = IndexBodyKind::Read;
  for (unsigned v : over) {
    copy.at.push_back(term_variable(v));
    copy.extents.push_back(variables.at(v));
  }
  for (IndexSummand& s : summands) {
    retell(s.body, s.loops == loops ? &read : nullptr, copy, depth);
  }
  return {summands, copy.extents, replaced(positions(over, variables.size(), outer), read)};
}

}  // namespace vouch
