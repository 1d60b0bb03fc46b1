#include "build/index_shapes.h"

#include <algorithm>
#include <map>
#include <set>

#include "certify/index_lowering.h"
#include "certify/index_tile.h"

namespace vouch {
namespace {

using array::Size;
using array::size_const;

struct TensorRead {
  IndexBody* body = nullptr;
  const IndexSummand* summand = nullptr;
};

void collect(IndexBody& body, const IndexSummand& summand, std::vector<TensorRead>& reads) {
  if (body.kind == IndexBodyKind::Read) {
    reads.push_back({&body, &summand});
  }
  for (IndexBody& arg : body.args) {
    collect(arg, summand, reads);
  }
}

using ReadsOf = std::map<unsigned, std::vector<TensorRead>>;

ReadsOf reads_of(IndexKernel& kernel) {
  std::vector<TensorRead> all;
  for (IndexSummand& summand : kernel.output.summands) {
    collect(summand.body, summand, all);
  }
  ReadsOf out;
  for (const TensorRead& read : all) {
    out[read.body->tensor].push_back(read);
  }
  return out;
}

// The input's type, and the extents of its reads, once subscripts have changed.
void reshape(IndexKernel& kernel, unsigned tensor, const std::vector<TensorRead>& reads, const std::vector<Size>& extents) {
  array::Type type = array::type_num();
  for (std::size_t a = extents.size(); a-- > 0;) {
    type = array::type_array(extents[a], type);
  }
  kernel.inputs[tensor].type = type;
  for (const TensorRead& read : reads) {
    read.body->extents = extents;
  }
}

bool inside(const IndexTerm& t, const Integer& extent, const IndexExtents& extents) {
  IndexRange range = range_of(affine_of(t, extents), extents);
  return range.from >= 0 && range.to <= extent;
}

// A condition has the variable.
bool decides(const IndexBody& b, unsigned variable) {
  return uses(b.condition, variable) ||
         std::any_of(b.args.begin(), b.args.end(), [&](const IndexBody& arg) { return decides(arg, variable); });
}

// In all reads, the subscript is k times a plus b: b is below k, and somewhere an index with k positions.
bool splits_by(const std::vector<TensorRead>& reads, std::size_t axis, const Integer& k, const IndexStatement& statement) {
  bool covered = false;
  for (const TensorRead& read : reads) {
    IndexExtents extents = extents_of(statement, *read.summand);
    const Integer& all = read.body->extents[axis]->value;
    auto [blocks, rest] = parted(affine_of(read.body->at[axis], extents), k);
    IndexRange low = range_of(rest, extents);
    IndexRange high = range_of(blocks, extents);
    if (low.from < 0 || low.to > k || high.from < 0 || high.to > all / k) {
      return false;
    }
    covered = covered || (!blocks.parts.empty() && rest.parts.size() == 1 && low.to - low.from == k);
  }
  return covered;
}

std::set<Integer> index_extents(const std::vector<TensorRead>& reads, const IndexStatement& statement) {
  std::set<Integer> out;
  for (const TensorRead& read : reads) {
    for (const Integer& n : extents_of(statement, *read.summand)) {
      out.insert(n);
    }
  }
  return out;
}

void split_axis(IndexKernel& kernel, unsigned tensor, const std::vector<TensorRead>& reads, std::size_t axis, const Integer& k) {
  std::vector<Size> shape = reads[0].body->extents;
  for (const TensorRead& read : reads) {
    auto& at = read.body->at;
    auto [blocks, rest] = parted(affine_of(at[axis], extents_of(kernel.output, *read.summand)), k);
    at[axis] = term_of(blocks);
    at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis) + 1, term_of(rest));
  }
  shape[axis] = size_const(shape[axis]->value / k);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, size_const(k));
  reshape(kernel, tensor, reads, shape);
}

bool split_one(IndexKernel& kernel) {
  for (const auto& [tensor, reads] : reads_of(kernel)) {
    for (std::size_t axis = 0; axis < reads[0].body->extents.size(); ++axis) {
      const Integer extent = reads[0].body->extents[axis]->value;
      for (const Integer& k : index_extents(reads, kernel.output)) {
        if (k > 1 && k < extent && extent % k == 0 && splits_by(reads, axis, k, kernel.output)) {
          split_axis(kernel, tensor, reads, axis, k);
          return true;
        }
      }
    }
  }
  return false;
}

void drop_axis(IndexKernel& kernel, unsigned tensor, const std::vector<TensorRead>& reads, std::size_t axis) {
  std::vector<Size> shape = reads[0].body->extents;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  for (const TensorRead& read : reads) {
    read.body->at.erase(read.body->at.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  reshape(kernel, tensor, reads, shape);
}

bool is_zero(const IndexTerm& t) { return t.kind == IndexTermKind::Con && t.number == 0; }

// Where the read has the outer index as one subscript and the inner one as the next, and has them nowhere else.
std::optional<std::size_t> walked(const IndexBody& read, unsigned inner, const Integer& extent) {
  for (std::size_t axis = 0; axis + 1 < read.at.size(); ++axis) {
    bool both = is_variable(read.at[axis], inner + 1) && is_variable(read.at[axis + 1], inner);
    if (both && read.extents[axis + 1]->value == extent) {
      for (std::size_t other = 0; other < read.at.size(); ++other) {
        bool elsewhere = other != axis && other != axis + 1;
        if (elsewhere && (uses(read.at[other], inner) || uses(read.at[other], inner + 1))) {
          return std::nullopt;
        }
      }
      return axis;
    }
  }
  return std::nullopt;
}

}  // namespace

IndexExtents extents_of(const IndexStatement& statement, const IndexSummand& summand) {
  IndexExtents out;
  for (const std::vector<Size>* sizes : {&summand.loops, &statement.extents}) {
    for (std::size_t k = sizes->size(); k-- > 0;) {
      out.push_back((*sizes)[k]->value);
    }
  }
  return out;
}

const IndexSummand* long_sum(const IndexKernel& kernel, const Integer& least) {
  const IndexSummand* sum = only_looped(kernel.output.summands);
  if (!kernel.locals.empty() || !kernel.sizes.empty() || sum == nullptr || sum->condition.kind != IndexCondKind::True) {
    return nullptr;
  }
  Integer work = 1;
  for (const Integer& n : extents_of(kernel.output, *sum)) {
    work *= n;
  }
  return work < least ? nullptr : sum;
}

void TensorShapes::drop_units() {
  for (const auto& [tensor, reads] : reads_of(kernel_)) {
    for (std::size_t axis = reads[0].body->extents.size(); axis-- > 0;) {
      bool unit = reads[0].body->extents.size() > 1 && reads[0].body->extents[axis]->value == 1;
      if (unit && std::all_of(reads.begin(), reads.end(), [&](const TensorRead& r) { return is_zero(r.body->at[axis]); })) {
        drop_axis(kernel_, tensor, reads, axis);
      }
    }
  }
}

void TensorShapes::split() {
  while (split_one(kernel_)) {
  }
}

bool TensorShapes::join(const std::function<std::optional<unsigned>(const IndexSummand&)>& inner, const Integer& extent) {
  for (const IndexSummand& summand : kernel_.output.summands) {
    auto v = inner(summand);
    for (unsigned variable : v ? std::vector<unsigned>{*v, *v + 1} : std::vector<unsigned>{}) {
      if (uses(summand.condition, variable) || decides(summand.body, variable)) {
        return false;
      }
    }
  }
  ReadsOf all = reads_of(kernel_);
  std::map<unsigned, std::size_t> joined;
  for (const auto& [tensor, reads] : all) {
    for (const TensorRead& read : reads) {
      auto v = inner(*read.summand);
      if (!v || (!uses(*read.body, *v) && !uses(*read.body, *v + 1))) {
        continue;
      }
      auto axis = walked(*read.body, *v, extent);
      if (!axis || joined.try_emplace(tensor, *axis).first->second != *axis) {
        return false;
      }
    }
  }
  for (const auto& [tensor, axis] : joined) {
    for (const TensorRead& read : all.at(tensor)) {
      IndexExtents extents = extents_of(kernel_.output, *read.summand);
      const IndexBody& b = *read.body;
      if (!inside(b.at[axis], b.extents[axis]->value, extents) || !inside(b.at[axis + 1], extent, extents)) {
        return false;
      }
    }
  }
  for (const auto& [tensor, axis] : joined) {
    const std::vector<TensorRead>& reads = all.at(tensor);
    std::vector<Size> shape = reads[0].body->extents;
    shape[axis] = size_const(shape[axis]->value * extent);
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    for (const TensorRead& read : reads) {
      auto& at = read.body->at;
      at[axis] = term_sum(term_scaled(extent, at[axis]), at[axis + 1]);
      at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    }
    reshape(kernel_, tensor, reads, shape);
  }
  return true;
}

}  // namespace vouch
