#include "equiv/sweep.h"

#include <algorithm>

#include "equiv/bodies.h"
#include "graph/known_value.h"

namespace vouch {
namespace {

constexpr std::size_t kMostCandidates = 4;
constexpr std::size_t kMostFailures = 8;          // tensors that everything is tried for
constexpr std::size_t kMostHidden = 200;          // tensors that are asked for being one whatever they are computed from
constexpr std::int64_t kStepsToLocate = 100'000;  // of a fold's evaluation, where no verdict depends on it

}  // namespace

void Sweep::run() {
  const Graph& graph = pair_.graph;
  for (NodeId node = 0; node < graph.id_limit(); ++node) {
    add(node);
    if (graph.kind(node) == NodeKind::Call && graph.type(node).is_tensor()) {
      match_within(node);
    }
    if (pair_.of_b(node) && graph.kind(node) == NodeKind::Call && has_bodies(graph, node) && !is_known(node)) {
      match_bodies(node);
    }
    bool wanted = wanted_.empty() || wanted_[node];
    // What is known by its elements is a parameter to whatever reads it: it is compared there.
    bool is_parameter = classes_.value(classes_.find(node)) != nullptr;
    if (wanted && !is_parameter && pair_.of_b(node) && graph.type(node).is_tensor() && !is_known(node)) {
      match(node);
    }
    if (options_.progress) {
      options_.progress(node + 1, graph.id_limit());
    }
  }
  match_outputs();
}

void Sweep::add(NodeId node) {
  classes_.add(node);
  if (pair_.graph.kind(node) == NodeKind::Call || pair_.graph.kind(node) == NodeKind::Projection) {
    evaluate(node);
  }
  note_merges();
}

void Sweep::note_merges() {
  const auto& merges = classes_.merges();
  for (; noted_ < merges.size(); ++noted_) {
    const Merge& merge = merges[noted_];
    EquivStep step;
    switch (merge.ground) {
      case Ground::Value: step.kind = EquivStep::Kind::Value; break;
      case Ground::Contents: step.kind = EquivStep::Kind::Contents; break;
      case Ground::Congruence: step.kind = EquivStep::Kind::Congruence; break;
      case Ground::Proof: continue;  // noted by whoever had it
    }
    step.node = merge.node;
    step.equals = merge.other;
    steps_.push_back(std::move(step));
  }
}

void Sweep::evaluate(NodeId node) {
  auto known = [this](NodeId operand) { return classes_.value(classes_.find(operand)); };
  if (auto value = known_value(pair_.graph, node, known, evaluator_)) {
    classes_.set_value(node, std::move(*value));
  }
}

bool Sweep::in_a(ClassId id) const {
  const auto& members = classes_.members(id);
  return std::any_of(members.begin(), members.end(), [&](NodeId member) { return !pair_.of_b(member); });
}

bool Sweep::try_region(NodeId a, NodeId b, const std::function<bool(ClassId)>& anchors, const RegionShape& shape,
                       RegionProof& proof) {
  FoldOptions folds;
  folds.tolerance = options_.exact ? FoldTolerance(0) : options_.fold_tolerance;
  folds.steps = purpose_ == Purpose::Prove ? folds.steps : kStepsToLocate;
  proof = prover_.prove(a, b, anchors, shape, folds);
  bool exact = proof.result == ProofResult::Exact;
  if (!exact && (proof.result != ProofResult::Real || options_.exact)) {
    if (proof.result == ProofResult::Real) {
      proof.reason = "equal over the reals; bit equality, which is asked for, was not shown";
    }
    return false;
  }
  EquivStep step;
  step.kind = proof.folded ? EquivStep::Kind::Fold : EquivStep::Kind::Region;
  step.bound = proof.bound;
  step.node = b;
  step.equals = a;
  step.exact = exact;
  step.region = proof.text;
  step.cuts = proof.cuts;
  step.by_values = proof.by_values;
  steps_.push_back(std::move(step));
  classes_.merge(b, a);
  note_merges();
  return true;
}

// A node that is one of the nodes it is computed from: what moves elements to where they are, or undoes the call before it.
void Sweep::match_within(NodeId node) {
  std::vector<NodeId> above(pair_.graph.operands(node).begin(), pair_.graph.operands(node).end());
  for (std::size_t k = 0, depth_end = above.size(), depth = 0; k < above.size() && depth < 3; ++k) {
    NodeId operand = above[k];
    if (operand == kNoNode) {
      continue;
    }
    bool candidate = pair_.graph.type(operand) == pair_.graph.type(node) && !candidates_.is_uniform(node) &&
                     !classes_.equal(operand, node) && candidates_.alike(operand, node);
    if (candidate) {
      ClassId goal = classes_.find(operand);
      RegionShape shape;
      shape.most_nodes = 4;
      RegionProof proof;
      if (try_region(
              operand, node, [&](ClassId id) { return id == goal; }, shape, proof)) {
        return;
      }
    }
    if (pair_.graph.kind(operand) == NodeKind::Call && above.size() < 16) {
      above.insert(above.end(), pair_.graph.operands(operand).begin(), pair_.graph.operands(operand).end());
    }
    if (k + 1 == depth_end) {
      depth_end = above.size();
      ++depth;
    }
  }
}

// What is left where the first model goes a longer way than the second: its outputs, from what both have.
void Sweep::match_outputs() {
  auto in_b = [this](ClassId id) {
    const auto& members = classes_.members(id);
    return std::any_of(members.begin(), members.end(),
                       [&](NodeId member) { return pair_.of_b(member) || pair_.graph.kind(member) == NodeKind::Input; });
  };
  for (const PairedOutput& output : pair_.outputs) {
    bool left = !classes_.equal(output.a, output.b) && is_known(output.b) && candidates_.alike(output.a, output.b);
    RegionProof last;
    for (const RegionShape& shape : left ? shapes() : std::vector<RegionShape>()) {
      if (try_region(output.b, output.a, in_b, shape, last)) {
        break;
      }
    }
  }
}

// A call that holds graphs, and one of the first model's with the same operands.
void Sweep::match_bodies(NodeId node) {
  const Graph& graph = pair_.graph;
  auto equal = [this](NodeId x, NodeId y) { return x == kNoNode || y == kNoNode ? x == y : classes_.equal(x, y); };
  for (NodeId other = 0; other < pair_.first_of_b; ++other) {
    bool same_form = graph.kind(other) == NodeKind::Call && graph.op(other) == graph.op(node) &&
                     std::equal(graph.operands(other).begin(), graph.operands(other).end(), graph.operands(node).begin(),
                                graph.operands(node).end(), equal);
    auto proof = same_form ? prove_bodies(graph, other, node, options_) : std::nullopt;
    if (proof && (proof->exact || !options_.exact)) {
      EquivStep step;
      step.kind = EquivStep::Kind::Bodies;
      step.node = node;
      step.equals = other;
      step.exact = proof->exact;
      step.bound = proof->bound;
      steps_.push_back(std::move(step));
      classes_.merge(node, other);
      note_merges();
      return;
    }
  }
}

// Cut near first, then further away; constants are looked into only where that alone helps. At last, where the sides read what is
// not the same.
std::vector<RegionShape> Sweep::shapes() const {
  std::vector<RegionShape> out;
  bool many = purpose_ == Purpose::Prove && failures_ < kMostFailures;
  for (bool small_constants : {false, true}) {
    for (std::size_t deeper : {0U, 1U, 2U}) {
      RegionShape shape;
      shape.deeper = deeper;
      shape.small_constants = small_constants;
      if (many || (deeper == 0 && !small_constants)) {
        out.push_back(shape);
      }
    }
  }
  for (std::size_t most_deep : {1U, 2U, 3U}) {
    if (purpose_ == Purpose::Prove && failures_ < kMostHidden) {
      out.push_back({.most_deep = most_deep});
    }
  }
  return out;
}

void Sweep::match(NodeId node) {
  auto candidates = candidates_.of(node, purpose_ == Purpose::Locate ? 1 : kMostCandidates);
  auto anchors = [this](ClassId id) { return in_a(id); };
  RegionProof last;
  std::optional<RegionProof> first;
  for (const RegionShape& shape : shapes()) {
    for (NodeId candidate : candidates) {
      if (try_region(candidate, node, anchors, shape, last)) {
        return;
      }
      if (!first) {
        first = std::move(last);
      }
    }
  }
  if (first) {
    ++failures_;
    open_.push_back({candidates.front(), node, first->text, first->reason, first->cuts});
    if (purpose_ == Purpose::Assume) {
      classes_.merge(node, candidates.front());
    }
  }
}

}  // namespace vouch
