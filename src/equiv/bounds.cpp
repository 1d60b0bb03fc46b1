#include "equiv/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace vouch {
namespace {

double both(double a, double b) {
  if (a == 0 || b == 0) {
    return a + b;
  }
  double infinity = std::numeric_limits<double>::infinity();
  return std::nextafter(std::nextafter(a + b, infinity) + std::nextafter(a * b, infinity), infinity);
}

class UnionFind {
 public:
  NodeId root(NodeId node) {
    NodeId at = parent_.try_emplace(node, node).first->second;
    while (at != parent_.at(at)) {
      at = parent_[at] = parent_.at(parent_.at(at));
    }
    return parent_[node] = at;
  }
  // False: they were one already.
  bool join(NodeId a, NodeId b) {
    a = root(a);
    b = root(b);
    parent_[a] = b;
    return a != b;
  }

 private:
  std::unordered_map<NodeId, NodeId> parent_;
};

struct Fold {
  NodeId a;
  NodeId b;
  double bound;
};

// The longest path of a forest: of each vertex, the longest way down; folds are few beside steps.
class LongestPath {
 public:
  explicit LongestPath(const std::vector<Fold>& folds) {
    for (const Fold& fold : folds) {
      next_[fold.a].push_back(fold);
      next_[fold.b].push_back({fold.b, fold.a, fold.bound});
    }
  }

  double run() {
    double most = 0;
    for (const auto& [start, folds] : next_) {
      // The farthest vertex from any is an end of a longest path of its tree.
      most = std::max(most, farthest(farthest(start).first).second);
    }
    return most;
  }

 private:
  std::pair<NodeId, double> farthest(NodeId start) const {
    std::pair<NodeId, double> found{start, 0};
    std::vector<Fold> pending{{kNoNode, start, 0}};  // came from, is at, so far
    while (!pending.empty()) {
      Fold at = pending.back();
      pending.pop_back();
      if (at.bound > found.second) {
        found = {at.b, at.bound};
      }
      for (const Fold& fold : next_.at(at.b)) {
        if (fold.b != at.a) {
          pending.push_back({at.b, fold.b, both(at.bound, fold.bound)});
        }
      }
    }
    return found;
  }

  std::unordered_map<NodeId, std::vector<Fold>> next_;
};

}  // namespace

double compounded_bound(const std::vector<EquivStep>& steps) {
  UnionFind all;
  UnionFind exact;  // by what is off by nothing
  std::vector<Fold> folds;
  for (const EquivStep& step : steps) {
    if (step.bound > 0) {
      folds.push_back({step.node, step.equals, step.bound});
    } else {
      all.join(step.node, step.equals);
      exact.join(step.node, step.equals);
    }
  }
  std::vector<Fold> forest;
  for (const Fold& fold : folds) {
    NodeId a = exact.root(fold.a);
    NodeId b = exact.root(fold.b);
    if (all.join(fold.a, fold.b)) {
      forest.push_back({a, b, fold.bound});
    }
  }
  return LongestPath(forest).run();
}

}  // namespace vouch
