#include "build/stage.h"

#include <algorithm>

#include "build/index_affine.h"
#include "build/index_shapes.h"
#include "certify/index_lowering.h"
#include "certify/index_names.h"
#include "certify/index_tile.h"

namespace vouch {
namespace {

using array::Size;
using array::size_const;

constexpr long kLeastWork = 1 << 10;  // as for plans (certify/index_plan.h)
constexpr long kCopyPays = 16;        // products for each element that is copied
constexpr long kBorderPays = 8;       // of a window's of one channel: measured, 5x5 ones gain, 3x3 ones of small images do not

// What is copied: an input that is read in steps; or one of which a window is read that moves with the output's last axis.
enum class Sought : std::uint8_t { Steps, Window };

// Terms that are at most zero, if the condition is that all of them are.
bool collect(const IndexCond& c, std::vector<IndexTerm>& all) {
  if (c.kind == IndexCondKind::And) {
    return collect(c.parts[0], all) && collect(c.parts[1], all);
  }
  if (c.kind == IndexCondKind::Le) {
    all.push_back(term_sum(c.terms[0], term_scaled(-1, c.terms[1])));
  } else if (c.kind == IndexCondKind::Not && c.parts[0].kind == IndexCondKind::Le) {
    const IndexCond& le = c.parts[0];
    all.push_back(term_sum(term_sum(le.terms[1], term_scaled(-1, le.terms[0])), term_constant(1)));
  }
  return c.kind == IndexCondKind::Le || c.kind == IndexCondKind::True ||
         (c.kind == IndexCondKind::Not && c.parts[0].kind == IndexCondKind::Le);
}

class Stager {
 public:
  // A copy is of no more elements than `work` by `pays`.
  Stager(const IndexKernel& kernel, Sought sought, long pays)
      : kernel_(kernel),
        sought_(sought),
        pays_(pays),
        summand_(only_looped(kernel.output.summands)),
        extents_(extents_of(kernel.output, *summand_)) {}

  std::optional<Staged> run() {
    Staged out;
    out.kernel = kernel_;
    auto number = static_cast<std::size_t>(summand_ - kernel_.output.summands.data());
    IndexBody* site = find(out.kernel.output.summands[number].body);
    if (site == nullptr) {
      return std::nullopt;
    }
    IndexBody read = site->kind == IndexBodyKind::If ? site->args[0] : *site;
    if (!take_axes(read) || extent_product(copied_) * pays_ > work()) {
      return std::nullopt;
    }
    out.input = read.tensor;
    out.copy = copy_of(read);
    site->kind = IndexBodyKind::Read;
    site->args.clear();
    site->condition = {};
    site->tensor = read.tensor;
    site->extents = copied_;
    site->at = at_;
    out.kernel.inputs[out.input] = {out.copy.output_name, type_of(copied_, 0)};
    return out;
  }

 private:
  // The one place that reads some input so; in steps perhaps, in windows surely under a condition.
  IndexBody* find(IndexBody& b) {
    bool guarded = b.kind == IndexBodyKind::If && b.args[0].kind == IndexBodyKind::Read && is_zero(b.args[1]) &&
                   only_inside(b.condition, b.args[0]);
    const IndexBody& read = guarded ? b.args[0] : b;
    bool so = read.kind == IndexBodyKind::Read && (sought_ == Sought::Steps ? steps(read) : guarded && windows(read));
    if (so && reads(read.tensor) == 1) {
      return &b;
    }
    for (IndexBody& arg : b.args) {
      if (IndexBody* found = b.kind == IndexBodyKind::Op ? find(arg) : nullptr) {
        return found;
      }
    }
    return nullptr;
  }

  std::size_t reads(unsigned tensor) const {
    std::size_t count = 0;
    for (const IndexSummand& s : kernel_.output.summands) {
      count += reads(s.body, tensor);
    }
    return count;
  }
  static std::size_t reads(const IndexBody& b, unsigned tensor) {
    std::size_t count = b.kind == IndexBodyKind::Read && b.tensor == tensor ? 1 : 0;
    for (const IndexBody& arg : b.args) {
      count += reads(arg, tensor);
    }
    return count;
  }

  bool same(const IndexTerm& a, const IndexTerm& b) const {
    AffineTerm difference = affine_of(term_sum(a, term_scaled(-1, b)), extents_);
    return difference.parts.empty() && difference.constant == 0;
  }

  // Where the condition does not hold, the read is outside of its tensor.
  bool only_inside(const IndexCond& c, const IndexBody& read) const {
    std::vector<IndexTerm> asked;
    if (!collect(c, asked)) {
      return false;
    }
    return std::all_of(asked.begin(), asked.end(), [&](const IndexTerm& t) {
      for (std::size_t a = 0; a < read.at.size(); ++a) {
        IndexTerm beyond = term_sum(read.at[a], term_constant(1 - read.extents[a]->value));
        if (same(t, term_scaled(-1, read.at[a])) || same(t, beyond)) {
          return true;
        }
      }
      return false;
    });
  }

  // The variable of the output's last axis.
  unsigned last() const { return static_cast<unsigned>(summand_->loops.size()); }

  static const AffineTerm::Part* part_of(const AffineTerm& affine, unsigned variable) {
    auto found =
        std::find_if(affine.parts.begin(), affine.parts.end(), [&](const auto& p) { return is_variable(p.term, variable); });
    return found == affine.parts.end() ? nullptr : &*found;
  }

  bool steps(const IndexBody& read) const {
    return std::any_of(read.at.begin(), read.at.end(), [&](const IndexTerm& t) {
      AffineTerm affine = affine_of(t, extents_);
      const AffineTerm::Part* part = part_of(affine, last());
      return part != nullptr && part->factor > 1;
    });
  }

  // The output's last axis moves the read by one position.
  bool windows(const IndexBody& read) const {
    return extents_[last()] == 1 || std::any_of(read.at.begin(), read.at.end(), [&](const IndexTerm& t) {
             AffineTerm affine = affine_of(t, extents_);
             const AffineTerm::Part* part = part_of(affine, last());
             return part != nullptr && part->factor == 1;
           });
  }

  // The axes of the copy: extents, subscripts, and of which positions they are copies.
  bool take_axes(const IndexBody& read) {
    for (std::size_t a = 0; a < read.at.size(); ++a) {
      AffineTerm affine = affine_of(read.at[a], extents_);
      const AffineTerm::Part* lane = part_of(affine, last());
      Integer step = lane == nullptr ? Integer(1) : lane->factor;
      AffineTerm rest = affine;
      if (step > 1) {
        std::erase_if(rest.parts, [&](const auto& p) { return is_variable(p.term, last()); });
      }
      IndexRange range = range_of(rest, extents_);
      bool whole = step <= 1 && range.from >= 0 && range.to <= read.extents[a]->value;
      if (step < 0) {
        return false;
      }
      Integer low = whole ? Integer(0) : range.from;
      add(whole ? read.extents[a] : size_const(range.to - range.from), term_sum(term_of(rest), term_constant(-low)));
      sources_.push_back({copied_.size() - 1, low, step});
      if (step > 1) {
        add(size_const(extents_[last()]), term_variable(last()));
      }
    }
    return true;
  }

  void add(const Size& extent, const IndexTerm& at) {
    copied_.push_back(extent);
    at_.push_back(simpler(at, extents_));
  }

  // Position `low` plus that on the copy's axis, plus `step` times that on the next one, if there are steps.
  struct Source {
    std::size_t axis;
    Integer low;
    Integer step;
  };

  IndexKernel copy_of(const IndexBody& read) const {
    IndexKernel out;
    out.inputs = {kernel_.inputs[read.tensor]};
    out.output.extents = copied_;
    out.output_name = usable_c_name(out.inputs[0].name + "_staged", {out.inputs[0].name}, CNameUse::Parameter);
    out.formula = out.output_name + ": a copy of " + out.inputs[0].name + ", with zeros around, and steps side by side\n";
    IndexSummand all;
    all.body.kind = IndexBodyKind::Read;
    all.body.extents = read.extents;
    auto variable = [&](std::size_t axis) { return term_variable(static_cast<unsigned>(copied_.size() - 1 - axis)); };
    for (const Source& source : sources_) {
      IndexTerm at = term_sum(variable(source.axis), term_constant(source.low));
      all.body.at.push_back(source.step > 1 ? term_sum(at, term_scaled(source.step, variable(source.axis + 1))) : at);
    }
    out.output.summands = {all};
    IndexExtents extents = extents_of(out.output, out.output.summands[0]);
    out.output.summands[0].body = simpler(std::move(all.body), extents);
    return out;
  }

  Integer work() const {
    Integer out = 1;
    for (const Integer& n : extents_) {
      out *= n;
    }
    return out;
  }

  const IndexKernel& kernel_;
  Sought sought_;
  long pays_;
  const IndexSummand* summand_;
  IndexExtents extents_;
  std::vector<Size> copied_;
  std::vector<IndexTerm> at_;
  std::vector<Source> sources_;
};

}  // namespace

std::optional<Staged> staged(const IndexKernel& kernel) {
  return long_sum(kernel, kLeastWork) == nullptr ? std::nullopt : Stager(kernel, Sought::Steps, kCopyPays).run();
}

std::optional<Staged> bordered(const IndexKernel& kernel, bool copied_anyway) {
  return long_sum(kernel, kLeastWork) == nullptr ? std::nullopt
                                                 : Stager(kernel, Sought::Window, copied_anyway ? 1 : kBorderPays).run();
}

}  // namespace vouch
