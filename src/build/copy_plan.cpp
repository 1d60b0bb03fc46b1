#include "build/copy_plan.h"

#include <algorithm>
#include <string>

#include "build/index_affine.h"
#include "build/index_shapes.h"
#include "certify/index_lowering.h"
#include "certify/index_standins.h"

namespace vouch {
namespace {

constexpr std::size_t kMostPieces = 4;  // of one axis
constexpr std::size_t kMostTexts = 16;  // of innermost loops
constexpr long kLeastCopied = 1 << 12;
constexpr long kFewThreads = 8;

// How each condition is decided, in the order in which they are written; of one that is open, which indices it is about.
std::string decided(const IndexCond& c, std::size_t indices) {
  if (c.kind == IndexCondKind::True) {
    return "y";
  }
  std::string out = c.kind == IndexCondKind::Not ? "n" : "";
  for (const IndexCond& part : c.parts) {
    out += decided(part, indices);
  }
  for (std::size_t v = 0; v < indices && c.parts.empty(); ++v) {
    out += uses(c, static_cast<unsigned>(v)) ? '?' : '.';
  }
  return out;
}

std::string decided(const IndexBody& b, const IndexExtents& extents) {
  if (b.kind == IndexBodyKind::Read) {
    return decided(inside(b, extents), extents.size());
  }
  std::string out = b.kind == IndexBodyKind::If ? decided(b.condition, extents.size()) : "o";
  for (const IndexBody& arg : b.args) {
    out += decided(arg, extents);
  }
  return out;
}

bool is_open(const std::string& answers) { return answers.find('?') != std::string::npos; }

class CopyPlanner {
 public:
  explicit CopyPlanner(const IndexKernel& kernel)
      : body_(kernel.output.summands[0].body),
        extents_(extents_of(kernel.output, kernel.output.summands[0])),
        low_(extents_.size(), 0),
        width_(extents_) {
    parallel_ = extents_.size();
    for (std::size_t v = 0; v < extents_.size(); ++v) {
      parallel_ = extents_[v] >= kFewThreads ? v : parallel_;
    }
  }

  std::optional<IndexTiling> run() {
    if (!is_open(answers())) {
      return std::nullopt;
    }
    IndexPlan plan = plan_from(extents_.size());
    return texts_ > 1 && texts_ <= kMostTexts ? std::optional(IndexTiling{{}, std::move(plan)}) : std::nullopt;
  }

 private:
  // In the box of all indices.
  std::string answers() const {
    Standins standins;
    for (std::size_t v = 0; v < extents_.size(); ++v) {
      standins.push_back(term_sum(term_variable(static_cast<unsigned>(v)), term_constant(low_[v])));
    }
    return decided(simpler(replaced(standins, body_), width_), width_);
  }

  // Axes are indices from the last number downwards; `left`: how many are left.
  IndexPlan plan_from(std::size_t left) {
    texts_ += left == 0 ? 1 : 0;
    if (left == 0 || texts_ > kMostTexts) {
      return {};
    }
    std::size_t v = left - 1;
    std::vector<Integer> ends = ends_of_pieces(v);
    IndexPlan plan = pieces(v, 0, ends, 0);
    low_[v] = 0;
    width_[v] = extents_[v];
    return plan;
  }

  IndexPlan pieces(std::size_t v, const Integer& from, const std::vector<Integer>& ends, std::size_t number) {
    low_[v] = from;
    width_[v] = ends[number] - from;
    array::LoopKind loop = v == parallel_ ? array::LoopKind::Par : v == 0 ? array::LoopKind::Vec : array::LoopKind::Seq;
    IndexPlan first{IndexPlanKind::Each, loop, array::size_const(width_[v]), 0, 0, 0, {plan_from(v)}};
    if (number + 1 == ends.size()) {
      return first;
    }
    IndexPlan others = pieces(v, ends[number], ends, number + 1);
    return {IndexPlanKind::Split,
            array::LoopKind::Seq,
            array::size_const(0),
            ends[number] - from,
            extents_[v] - ends[number],
            0,
            {std::move(first), std::move(others)}};
  }

  // Positions next to each other of which the same is known belong together.
  std::vector<Integer> ends_of_pieces(std::size_t v) {
    std::vector<Integer> ends;
    std::string before;
    low_[v] = 0;
    width_[v] = extents_[v];
    bool open = is_open(answers());
    for (Integer at = 0; open && at < extents_[v] && ends.size() < kMostPieces; ++at) {
      low_[v] = at;
      width_[v] = 1;
      std::string now = answers();
      if (at > 0 && now != before) {
        ends.push_back(at);
      }
      before = std::move(now);
    }
    if (ends.size() == kMostPieces) {
      ends.clear();
    }
    ends.push_back(extents_[v]);
    return ends;
  }

  const IndexBody& body_;
  IndexExtents extents_;
  std::vector<Integer> low_;
  IndexExtents width_;
  std::size_t parallel_;
  std::size_t texts_ = 0;
};

}  // namespace

std::optional<IndexTiling> copy_plan(const IndexKernel& kernel) {
  const std::vector<IndexSummand>& summands = kernel.output.summands;
  bool plain = summands.size() == 1 && summands[0].loops.empty() && summands[0].condition.kind == IndexCondKind::True;
  return plain && extent_product(kernel.output.extents) >= kLeastCopied ? CopyPlanner(kernel).run() : std::nullopt;
}

}  // namespace vouch
