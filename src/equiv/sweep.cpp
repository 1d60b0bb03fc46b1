#include "equiv/sweep.h"

#include <algorithm>

#include "graph/draws.h"

namespace vouch {
namespace {

// Elements that a computation from constants may have more than its operands.
constexpr std::int64_t kMostGrowth = 1 << 16;
constexpr std::size_t kMostCandidates = 4;
constexpr std::size_t kMostFailures = 8;  // tensors that everything is tried for

// The elements of integers that shape arithmetic knows as numbers.
std::optional<Tensor> known_elements(const Graph& graph, NodeId node) {
  const std::vector<Term>* contents = graph.contents(node);
  auto extents = graph.type(node).concrete_extents();
  if (contents == nullptr || !extents || is_float(graph.type(node).dtype())) {
    return std::nullopt;
  }
  std::vector<std::int64_t> elements;
  for (Term term : *contents) {
    auto number = const_int(term);
    if (!number) {
      return std::nullopt;
    }
    elements.push_back(*number);
  }
  return Tensor::of_ints(graph.type(node).dtype(), *extents, elements);
}

}  // namespace

void Sweep::run() {
  const Graph& graph = pair_.graph;
  for (NodeId node = 0; node < graph.id_limit(); ++node) {
    add(node);
    if (graph.kind(node) == NodeKind::Call && graph.type(node).is_tensor()) {
      match_within(node);
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
}

void Sweep::add(NodeId node) {
  classes_.add(node);
  if (pair_.graph.kind(node) == NodeKind::Call) {
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

// What is computed from constants, or from sizes that are numbers, is a constant: what the operators, as they are defined, make
// of these.
void Sweep::evaluate(NodeId node) {
  const Graph& graph = pair_.graph;
  if (!graph.type(node).is_tensor() || op_def(graph.op(node)).opaque || may_draw(op_def(graph.op(node)))) {
    return;
  }
  if (auto known = known_elements(graph, node)) {
    classes_.set_value(node, std::move(*known));
    return;
  }
  std::vector<EvalValue> operands;
  std::int64_t elements = kMostGrowth;
  for (NodeId operand : graph.operands(node)) {
    EvalValue& value = operands.emplace_back();
    if (operand == kNoNode) {
      continue;
    }
    value.is_tuple = graph.kind(operand) == NodeKind::Tuple;
    std::vector<NodeId> items(1, operand);
    if (value.is_tuple) {
      items.assign(graph.operands(operand).begin(), graph.operands(operand).end());
    }
    for (NodeId item : items) {
      const Tensor* known = classes_.value(classes_.find(item));
      if (known == nullptr) {
        return;
      }
      elements += known->count();
      value.items.push_back(*known);
    }
  }
  auto extents = graph.type(node).concrete_extents();
  auto count = extents ? element_count(*extents) : std::nullopt;
  Diagnostics ignored;
  if (count && *count <= elements) {
    if (auto results = evaluator_.call(graph.op(node), operands, graph.attributes(node), graph.name(node), ignored)) {
      classes_.set_value(node, std::move(results->front()));
    }
  }
}

bool Sweep::in_a(ClassId id) const {
  const auto& members = classes_.members(id);
  return std::any_of(members.begin(), members.end(), [&](NodeId member) { return !pair_.of_b(member); });
}

bool Sweep::try_region(NodeId a, NodeId b, const std::function<bool(ClassId)>& anchors, const RegionShape& shape,
                       RegionProof& proof) {
  proof = prover_.prove(a, b, anchors, shape, options_.exact ? 0 : options_.fold_tolerance);
  bool exact = proof.result == ProofResult::Exact;
  if (!exact && (proof.result != ProofResult::Real || options_.exact)) {
    return false;
  }
  EquivStep step;
  step.kind = proof.folded ? EquivStep::Kind::Fold : EquivStep::Kind::Region;
  step.bound = proof.bound;
  step.node = b;
  step.equals = a;
  step.exact = exact;
  step.region = proof.text;
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

// Cut near first, then further away; constants are looked into only where that alone helps.
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
    open_.push_back({candidates.front(), node, first->text, first->reason});
    if (purpose_ == Purpose::Assume) {
      classes_.merge(node, candidates.front());
    }
  }
}

}  // namespace vouch
