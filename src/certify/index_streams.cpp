#include "certify/index_streams.h"

#include <algorithm>

#include "certify/index_lowering.h"
#include "certify/index_order.h"

namespace vouch {
namespace {

// By how much the term grows with the variable; nothing if that varies.
std::optional<Integer> growth(const IndexTerm& t, unsigned variable) {
  if (!uses(t, variable)) {
    return 0;
  }
  switch (t.kind) {
    case IndexTermKind::Var: return 1;
    case IndexTermKind::Scale: {
      auto inner = growth(t.args[0], variable);
      return inner ? std::optional<Integer>(t.number * *inner) : std::nullopt;
    }
    case IndexTermKind::Add: {
      auto first = growth(t.args[0], variable);
      auto second = growth(t.args[1], variable);
      return first && second ? std::optional<Integer>(*first + *second) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

// Every read that moves with the variable goes from neighbour to neighbour, and nothing else depends on it.
bool along(const IndexBody& b, unsigned variable) {
  if (b.kind == IndexBodyKind::Read && moves(b, variable)) {
    bool outside = std::any_of(b.at.begin(), b.at.end() - 1, [&](const IndexTerm& t) { return uses(t, variable); });
    return !outside && growth(b.at.back(), variable) == Integer(1);
  }
  bool decides = (b.kind == IndexBodyKind::If && uses(b.condition, variable)) ||
                 ((b.kind == IndexBodyKind::Gather || b.kind == IndexBodyKind::Index) && moves(b, variable));
  return !decides && std::all_of(b.args.begin(), b.args.end(), [&](const IndexBody& arg) { return along(arg, variable); });
}

bool is_long(const array::Size& extent, const Integer& least) {
  return extent->kind != array::SizeKind::Const || extent->value >= least;
}

// Some input is read with all of these variables.
bool streams(const IndexBody& b, const std::vector<unsigned>& variables) {
  bool here = b.kind == IndexBodyKind::Read &&
              std::all_of(variables.begin(), variables.end(), [&](unsigned variable) { return moves(b, variable); });
  return here || std::any_of(b.args.begin(), b.args.end(), [&](const IndexBody& arg) { return streams(arg, variables); });
}

}  // namespace

std::optional<unsigned> streamed_loop(const IndexStatement& statement, const Integer& lanes) {
  const IndexSummand* sum = first_sum(statement);
  if (sum == nullptr) {
    return std::nullopt;
  }
  auto loops = static_cast<unsigned>(sum->loops.size());
  auto axes = static_cast<unsigned>(statement.extents.size());
  std::vector<unsigned> moving;  // variables of axes with positions
  for (unsigned axis = 0; axis < axes; ++axis) {
    unsigned variable = loops + axes - 1 - axis;
    if (!array::is_const(statement.extents[axis], 1)) {
      moving.push_back(variable);
    }
    if (is_long(statement.extents[axis], lanes) && !uses(sum->condition, variable) && along(sum->body, variable)) {
      return std::nullopt;
    }
  }
  for (unsigned loop = loops; loop-- > 0;) {
    std::vector<unsigned> all = moving;
    all.push_back(loops - 1 - loop);
    if (!uses(sum->condition, all.back()) && along(sum->body, all.back()) && streams(sum->body, all)) {
      return loop;
    }
  }
  return std::nullopt;
}

}  // namespace vouch
