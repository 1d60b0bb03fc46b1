#include "build/compose.h"

#include <algorithm>

#include "build/index_affine.h"
#include "build/index_shapes.h"
#include "certify/index_lowering.h"

namespace vouch {
namespace {

using array::Size;

class Composer {
 public:
  Composer(const IndexKernel& outer, std::size_t input, const IndexKernel& inner)
      : out_(outer), input_(static_cast<unsigned>(input)), inner_(inner) {}

  IndexKernel run() {
    const auto before = static_cast<unsigned>(out_.inputs.size());
    shifted_ = inner_.output.summands[0].body;
    shift(shifted_, before - 1);
    for (IndexSummand& s : out_.output.summands) {
      extents_ = extents_of(out_.output, s);
      put(s.body);
      s.body = simpler(std::move(s.body), extents_);
    }
    out_.inputs.erase(out_.inputs.begin() + static_cast<std::ptrdiff_t>(input_));
    out_.inputs.insert(out_.inputs.end(), inner_.inputs.begin(), inner_.inputs.end());
    out_.formula = inner_.formula + out_.formula;
    return std::move(out_);
  }

 private:
  static void shift(IndexBody& b, unsigned by) {
    b.tensor += b.kind == IndexBodyKind::Read ? by : 0;
    for (IndexBody& arg : b.args) {
      shift(arg, by);
    }
  }

  void put(IndexBody& b) {
    for (IndexBody& arg : b.args) {
      put(arg);
    }
    if (b.kind == IndexBodyKind::Read && b.tensor == input_) {
      IndexCond where = inside(b, extents_);
      IndexBody element = replaced(Standins(b.at.rbegin(), b.at.rend()), shifted_);
      if (where.kind == IndexCondKind::True) {
        b = element;
      } else {
        IndexBody guarded;
        guarded.kind = IndexBodyKind::If;
        guarded.condition = where;
        guarded.args = {element, IndexBody()};
        b = guarded;
      }
    } else if (b.kind == IndexBodyKind::Read && b.tensor > input_) {
      --b.tensor;
    }
  }

  IndexKernel out_;
  unsigned input_;
  const IndexKernel& inner_;
  IndexBody shifted_;
  IndexExtents extents_;
};

bool same_extents(array::Type type, const std::vector<Size>& extents) {
  for (const Size& extent : extents) {
    if (type->kind != array::TypeKind::Array || type->size->value != extent->value) {
      return false;
    }
    type = type->parts[0];
  }
  return type->kind == array::TypeKind::Num;
}

}  // namespace

std::optional<IndexKernel> composed(const IndexKernel& outer, std::size_t input, const IndexKernel& inner) {
  const std::vector<IndexSummand>& summands = inner.output.summands;
  bool plain = summands.size() == 1 && summands[0].loops.empty() && summands[0].condition.kind == IndexCondKind::True;
  return plain && same_extents(outer.inputs[input].type, inner.output.extents)
             ? std::optional(Composer(outer, input, inner).run())
             : std::nullopt;
}

}  // namespace vouch
