#include "build/interleave.h"

#include <fmt/format.h>

#include <algorithm>

#include "certify/index_lowering.h"
#include "support/number.h"

namespace vouch {
namespace {

using array::size_const;

class Interleaver {
 public:
  // `whole`: the extents of what they are put together to; `part`: of each part.
  Interleaver(const std::vector<array::Size>& whole, std::vector<array::Size> part, std::vector<Interleaved> axes)
      : part_(std::move(part)), axes_(std::move(axes)) {
    for (std::size_t a = 0; a < whole.size(); ++a) {
      auto split = std::find_if(axes_.begin(), axes_.end(), [&](const Interleaved& i) { return i.axis == a; });
      begins_.push_back(extents_.size());
      bool even = split != axes_.end() && whole[a]->value % split->modulus == 0;
      extents_.push_back(even ? size_const(whole[a]->value / split->modulus) : whole[a]);
      if (even) {
        extents_.push_back(size_const(split->modulus));
      }
    }
    begins_.push_back(extents_.size());
  }

  IndexKernel run(const std::string& name) {
    IndexKernel out;
    out.output.extents = extents_;
    out.output.summands.emplace_back();
    for (std::size_t a = 0; a < part_.size(); ++a) {
      at_.push_back(variable(begins_[a]));
    }
    out.output.summands[0].body = from(0);
    for (unsigned k = 0; k < parts_; ++k) {
      out.inputs.push_back({fmt::format("part{}", k), type_of(part_, 0)});
    }
    out.output_name = name;
    out.formula = name + ": its residues, put together\n";
    return out;
  }

 private:
  IndexTerm variable(std::size_t axis) const { return term_variable(static_cast<unsigned>(extents_.size() - 1 - axis)); }

  // The element, where the residues of so many axes are known.
  IndexBody from(std::size_t known) {
    IndexBody out;
    if (known == axes_.size()) {
      out.kind = IndexBodyKind::Read;
      out.tensor = parts_++;
      out.extents = part_;
      out.at = at_;
      return out;
    }
    std::vector<std::pair<IndexCond, IndexBody>> choices;
    for (Integer j = 0; j < axes_[known].modulus; ++j) {
      IndexCond where = residue(axes_[known], j);
      choices.emplace_back(where, from(known + 1));
    }
    out = choices.back().second;
    for (std::size_t k = choices.size() - 1; k-- > 0;) {
      IndexBody chosen;
      chosen.kind = IndexBodyKind::If;
      chosen.condition = choices[k].first;
      chosen.args = {choices[k].second, std::move(out)};
      out = std::move(chosen);
    }
    return out;
  }

  // Where a position of the axis has that residue; its place in the part is then known.
  IndexCond residue(const Interleaved& axis, const Integer& j) {
    std::size_t begin = begins_[axis.axis];
    if (begins_[axis.axis + 1] == begin + 2) {
      Integer inner = floor_mod(Integer(axis.first + j), axis.modulus);
      at_[axis.axis] = term_sum(variable(begin), term_constant((inner - axis.first - j) / axis.modulus));
      return {IndexCondKind::Eq, {variable(begin + 1), term_constant(inner)}, {}};
    }
    IndexTerm beyond = term_sum(variable(begin), term_constant(-axis.first));
    at_[axis.axis] = {IndexTermKind::Div, 0, axis.modulus, {}, {beyond}};
    return {IndexCondKind::Eq, {{IndexTermKind::Mod, 0, axis.modulus, {}, {beyond}}, term_constant(j)}, {}};
  }

  std::vector<array::Size> part_;
  std::vector<Interleaved> axes_;
  std::vector<array::Size> extents_;
  std::vector<std::size_t> begins_;  // of each axis, which axis of the output it begins with
  std::vector<IndexTerm> at_;
  unsigned parts_ = 0;
};

}  // namespace

IndexKernel interleaved(const std::vector<array::Size>& whole, const std::vector<array::Size>& part,
                        const std::vector<Interleaved>& axes, const std::string& name) {
  return Interleaver(whole, part, axes).run(name);
}

}  // namespace vouch
