#include "equiv/region_prover.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "equiv/region_text.h"
#include "equiv/views.h"
#include "graph/foreign.h"
#include "support/fault.h"

namespace vouch {
namespace {

// Terms beyond this size, counted as a tree, may have normal forms that no memory holds.
constexpr double kMostSize = 1200;

double tree_size(Term term, std::unordered_map<Term, double>& known) {
  if (auto found = known.find(term); found != known.end()) {
    return found->second;
  }
  double size = 1;
  for (Term arg : term.args()) {
    size += tree_size(arg, known);
  }
  known.emplace(term, size);
  return size;
}

// The calls above a cut.
struct Cone {
  std::vector<NodeId> calls;  // operands first
  std::set<ClassId> cut;
  bool closed = true;  // every path ends at a cut, within bounds
};

class ConeBuilder {
 public:
  ConeBuilder(const Graph& graph, const Classes& classes, const std::vector<bool>& fed, const std::function<bool(ClassId)>& stops,
              const RegionShape& shape)
      : graph_(graph), classes_(classes), fed_(fed), stops_(stops), shape_(shape) {}

  Cone run(NodeId root) {
    if (shape_.most_deep > 0) {
      find_near(root);
    }
    visit(root, shape_.deeper, true);
    return std::move(cone_);
  }

 private:
  bool is_leaf(NodeId node) const {
    return graph_.kind(node) == NodeKind::Input || graph_.has_value(node) || classes_.value(classes_.find(node)) != nullptr ||
           (graph_.kind(node) == NodeKind::Call && (graph_.op(node) == foreign_op() || !is_function(graph_, node)));
  }

  // What is computed from the root's operands in fewer calls than `most_deep` says, by its shortest path.
  void find_near(NodeId root) {
    std::vector<NodeId> level(1, root);
    for (std::size_t deep = 0; deep < shape_.most_deep && !level.empty(); ++deep) {
      std::vector<NodeId> next;
      for (std::size_t k = 0; k < level.size() && near_.size() <= shape_.most_nodes; ++k) {
        if (level[k] == kNoNode || !near_.insert(level[k]).second) {
          continue;
        }
        auto operands = graph_.operands(level[k]);
        std::vector<NodeId>& below = graph_.kind(level[k]) == NodeKind::Call ? next : level;
        below.insert(below.end(), operands.begin(), operands.end());
      }
      level = std::move(next);
    }
  }

  bool stops(NodeId node, std::size_t left) const {
    if (shape_.most_deep == 0) {
      return stops_(classes_.find(node)) && left == 0;
    }
    return fed_[node] && (stops_(classes_.find(node)) || !near_.contains(node));
  }

  // Regions are small: `most_nodes` bounds the recursion.
  void visit(NodeId node, std::size_t left, bool is_root) {
    ClassId id = classes_.find(node);
    bool leaf = is_leaf(node);
    bool stop = !is_root && graph_.type(node).is_tensor() && (leaf || stops(node, left));
    if (stop || leaf) {
      cone_.closed = cone_.closed && (!is_root || stops_(id)) && graph_.type(node).is_tensor();
      cone_.cut.insert(id);
      return;
    }
    if (!seen_.insert(node).second) {
      return;
    }
    if (seen_.size() > shape_.most_nodes) {
      cone_.closed = false;
      return;
    }
    bool passes = !is_root && stops_(id) && left > 0;
    for (NodeId operand : graph_.operands(node)) {
      if (operand != kNoNode && cone_.closed) {
        visit(operand, passes ? left - 1 : left, false);
      }
    }
    cone_.calls.push_back(node);
  }

  const Graph& graph_;
  const Classes& classes_;
  const std::vector<bool>& fed_;
  const std::function<bool(ClassId)>& stops_;
  const RegionShape& shape_;
  std::set<NodeId> near_;
  std::set<NodeId> seen_;
  Cone cone_;
};

// The region, and one node for each of its inputs.
class Assembly {
 public:
  Assembly(const Graph& graph, const Classes& classes, const RegionShape& shape)
      : graph_(graph), classes_(classes), shape_(shape) {}

  Region region;
  std::vector<NodeId> cut;

  void add_side(NodeId root, const Cone& cone, bool of_target) {
    std::set<NodeId> made;
    auto& cuts = of_target ? region.target_cut : region.source_cut;
    for (NodeId node : cone.calls) {
      for (NodeId operand : graph_.operands(node)) {
        if (operand != kNoNode && !made.contains(operand)) {
          read(operand, cone, cuts);
        }
      }
      made.insert(node);
    }
    (of_target ? region.target : region.source) = root;
    if (!made.contains(root)) {
      read(root, cone, cuts);
    }
  }

 private:
  void read(NodeId node, const Cone& cone, std::unordered_map<NodeId, std::uint32_t>& cuts) {
    ClassId id = classes_.find(node);
    ensure(cone.cut.contains(id), "a region reads what it is cut at");
    auto [at, is_new] = inputs_.try_emplace(id, static_cast<std::uint32_t>(region.inputs.size()));
    if (is_new) {
      add_input(node, id);
    }
    cuts.emplace(node, at->second);
  }

  // Sizes, axes and positions are of int64, as a rule, and meaning hangs on them; narrow integers are data, as floats are.
  static bool is_data(DType dtype) { return is_float(dtype) || (is_integer(dtype) && byte_size(dtype) <= 4); }

  void add_input(NodeId node, ClassId id) {
    RegionInput input;
    input.type = graph_.type(node);
    if (const Tensor* value = classes_.value(id)) {
      bool shown = shape_.small_constants || !is_data(value->dtype()) || exact_fill(*value);
      input.value = shown ? std::optional(*value) : std::nullopt;
    } else if (!is_float(input.type.dtype())) {
      for (NodeId member : classes_.members(id)) {
        if (const std::vector<Term>* contents = graph_.contents(member)) {
          input.contents = *contents;
        }
      }
    }
    cut.push_back(node);
    region.inputs.push_back(std::move(input));
  }

  const Graph& graph_;
  const Classes& classes_;
  const RegionShape& shape_;
  std::map<ClassId, std::uint32_t> inputs_;
};

// In the order of their ids.
std::vector<RegionCut> cuts_of(const Region& region) {
  std::vector<RegionCut> out(region.inputs.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k].shown = region.inputs[k].value.has_value();
  }
  for (const auto& [node, input] : region.source_cut) {
    out[input].source.push_back(node);
  }
  for (const auto& [node, input] : region.target_cut) {
    out[input].target.push_back(node);
  }
  for (RegionCut& cut : out) {
    std::sort(cut.source.begin(), cut.source.end());
    std::sort(cut.target.begin(), cut.target.end());
  }
  return out;
}

}  // namespace

bool is_too_large(const Instance& instance) {
  std::unordered_map<Term, double> known;
  return std::any_of(instance.outputs.begin(), instance.outputs.end(), [&](const InstanceOutput& output) {
    bool composed = output.source_body.value && output.target_body.value;
    return composed && tree_size(output.source_body.value, known) + tree_size(output.target_body.value, known) > kMostSize;
  });
}

const RegionVerdicts::Outcome* RegionVerdicts::find(const std::string& text) {
  std::lock_guard lock(mutex_);
  auto found = known_.find(text);
  return found == known_.end() ? nullptr : &found->second;
}

const RegionVerdicts::Outcome& RegionVerdicts::keep(const std::string& text, Outcome outcome, bool) {
  std::lock_guard lock(mutex_);
  return known_.try_emplace(text, std::move(outcome)).first->second;
}

void RegionVerdicts::note_queries(const std::string& text, const std::vector<QueryText>& queries) {
  std::lock_guard lock(mutex_);
  for (const QueryText& query : queries) {
    queries_.push_back({text, query.script});
  }
}

std::vector<bool> RegionProver::fed_nodes(const Graph& graph) {
  std::vector<bool> out(graph.id_limit(), false);
  for (NodeId node = 0; node < out.size(); ++node) {
    auto operands = graph.operands(node);
    out[node] = graph.kind(node) == NodeKind::Input ||
                std::any_of(operands.begin(), operands.end(), [&](NodeId operand) { return operand != kNoNode && out[operand]; });
  }
  return out;
}

RegionProof RegionProver::prove(NodeId a, NodeId b, const std::function<bool(ClassId)>& anchors, const RegionShape& shape,
                                const FoldOptions& folds) {
  RegionProof out;
  ClassId of_a = classes_.find(a);
  Cone target = ConeBuilder(graph_, classes_, fed_, anchors, shape).run(b);
  if (!target.closed) {
    out.reason = "the region is too large";
    return out;
  }
  // The first side reads what the second one does, and goes on to the inputs otherwise.
  std::function<bool(ClassId)> stops = [&](ClassId id) { return target.cut.contains(id); };
  RegionShape plain = shape;
  plain.deeper = 0;
  Cone source;
  if (target.cut.contains(of_a)) {
    source.cut.insert(of_a);
  } else {
    source = ConeBuilder(graph_, classes_, fed_, stops, plain).run(a);
  }
  if (!source.closed) {
    out.reason = "the region is too large";
    return out;
  }
  Assembly assembly(graph_, classes_, shape);
  assembly.region.graph = &graph_;
  assembly.region.sizes = sizes_;
  assembly.add_side(a, source, false);
  assembly.add_side(b, target, true);
  out.cut = std::move(assembly.cut);
  out.source = std::move(source.calls);
  out.target = std::move(target.calls);
  RegionWords said = region_text(assembly.region, Identities::Told);
  out.text = std::move(said.text);
  out.lasting = said.lasting;
  out.views = parameter_views(hidden_values(assembly.region, out));
  out.text += views_text(out.views);
  out.cuts = cuts_of(assembly.region);
  auto start = std::chrono::steady_clock::now();
  prove_known(assembly.region, out);
  if (out.result == ProofResult::Unknown && !folds.tolerance.is_none()) {
    fold(assembly.region, folds, out);
  }
  seconds_.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return out;
}

// Of each input whose elements are known and not shown.
std::vector<const Tensor*> RegionProver::hidden_values(const Region& region, const RegionProof& out) const {
  std::vector<const Tensor*> values;
  for (std::size_t k = 0; k < region.inputs.size(); ++k) {
    values.push_back(region.inputs[k].value ? nullptr : classes_.value(classes_.find(out.cut[k])));
  }
  return values;
}

// Regions of one text have one proof.
void RegionProver::prove_known(const Region& region, RegionProof& out) {
  asked_.insert(out.text);
  const RegionVerdicts::Outcome* known = verdicts_.find(out.text);
  if (known == nullptr) {
    Instance instance = viewed_instance(region, out.views);
    Proof proof;
    proof.reason = "the region is too large";
    if (!is_too_large(instance)) {
      proof = prove_instance(instance, limits());
    }
    if (proof.result == ProofResult::Exact || proof.result == ProofResult::Real) {
      verdicts_.note_queries(out.text, proof.scripts);
    }
    known = &verdicts_.keep(
        out.text, {proof.result, proof.reason + (proof.remainder.empty() ? "" : "; left: " + proof.remainder)}, out.lasting);
  }
  out.result = known->result;
  out.reason = known->reason;
}

ProveOptions RegionProver::limits() const {
  ProveOptions out = kRegionLimits;
  out.keep_scripts = verdicts_.wants_queries();
  return out;
}

// The text does not tell the elements of parameters: each fold is its own.
void RegionProver::fold(const Region& region, const FoldOptions& how, RegionProof& out) {
  // What was tried in vain is the same claim if it is cut at the same tensors.
  std::vector<ClassId> classes;
  for (NodeId node : out.cut) {
    classes.push_back(classes_.find(node));
  }
  if (!folds_tried_.emplace(out.text, std::move(classes)).second) {
    return;
  }
  std::map<Symbol, Tensor> values;
  Instance instance = viewed_instance(region, out.views);
  for (std::size_t k = 0; k < out.cut.size(); ++k) {
    if (const Tensor* value = classes_.value(classes_.find(out.cut[k]))) {
      values.emplace(instance.inputs[k].name, *value);
    }
  }
  FoldProof fold = is_too_large(instance) ? FoldProof() : prove_fold(instance, values, how, limits());
  if (fold.holds) {
    verdicts_.note_queries(out.text, fold.scripts);
    out.result = ProofResult::Real;
    out.by_values = true;
    out.folded = fold.bound > 0;
    out.bound = fold.bound;
  } else if (!fold.reason.empty()) {
    out.reason += "; " + fold.reason;
  }
}

}  // namespace vouch
