#include "equiv/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "equiv/bodies.h"
#include "equiv/bounds.h"
#include "equiv/fold.h"
#include "equiv/region_text.h"
#include "graph/known_value.h"

namespace vouch {
namespace {

class Replayer {
 public:
  Replayer(const ModelPair& pair, const EquivOptions& options)
      : pair_(pair), graph_(pair.graph), options_(options), parent_(pair.graph.id_limit()), values_(pair.graph.id_limit()) {
    std::iota(parent_.begin(), parent_.end(), NodeId{0});
  }

  Replay run(const std::vector<EquivStep>& steps) {
    Replay out;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const EquivStep& step = steps[k];
      std::string wrong =
          step.node >= graph_.id_limit() || step.equals >= graph_.id_limit() ? "there is no such tensor" : check(step);
      if (!wrong.empty()) {
        out.reason = fmt::format("step {}: {}", k + 1, wrong);
        return out;
      }
      join(step.node, step.equals);
      out.exact = out.exact && step.exact && step.kind != EquivStep::Kind::Fold;
      out.folded += step.bound > 0 ? 1 : 0;
    }
    for (const PairedOutput& output : pair_.outputs) {
      if (!equal(output.a, output.b)) {
        out.reason = fmt::format("output {} is not reached", output.a_name);
        return out;
      }
    }
    out.holds = true;
    out.bound = compounded_bound(steps);
    return out;
  }

  // Of steps that hold.
  std::vector<std::string> texts(const std::vector<EquivStep>& steps) {
    std::vector<std::string> out;
    for (const EquivStep& step : steps) {
      know_values(std::max(step.node, step.equals));
      bool is_region = step.kind == EquivStep::Kind::Region || step.kind == EquivStep::Kind::Fold;
      auto region = is_region ? region_of(step) : std::nullopt;
      out.push_back(region ? region_text(*region, Identities::Untold).text +
                                 views_text(parameter_views(hidden_values(step, *region)))
                           : "");
      join(step.node, step.equals);
    }
    return out;
  }

 private:
  NodeId root(NodeId node) const {
    while (parent_[node] != node) {
      node = parent_[node];
    }
    return node;
  }
  bool equal(NodeId x, NodeId y) const { return x == kNoNode || y == kNoNode ? x == y : root(x) == root(y); }

  // The smaller class is hung below the larger one, so that paths stay short; what is known of one is known of both.
  void join(NodeId x, NodeId y) {
    x = root(x);
    y = root(y);
    if (x == y) {
      return;
    }
    if (members_[x].size() > members_[y].size()) {
      std::swap(x, y);
    }
    std::vector<NodeId> moved = std::move(members_[x]);
    members_.erase(x);
    moved.push_back(x);
    std::vector<NodeId>& there = members_[y];
    there.insert(there.end(), moved.begin(), moved.end());
    parent_[x] = y;
    values_[y] = values_[y] ? values_[y] : values_[x];
  }

  // Empty: it follows.
  std::string check(const EquivStep& step) {
    know_values(std::max(step.node, step.equals));
    switch (step.kind) {
      case EquivStep::Kind::Value: return same_value(step.node, step.equals) ? "" : "the elements are not the same";
      case EquivStep::Kind::Contents: return same_contents(step.node, step.equals) ? "" : "the integers are not the same";
      case EquivStep::Kind::Congruence: return congruent(step.node, step.equals) ? "" : "the calls are not congruent";
      case EquivStep::Kind::Region:
      case EquivStep::Kind::Fold: return check_region(step);
      case EquivStep::Kind::Bodies: break;
    }
    return check_bodies(step);
  }

  void know_values(NodeId last) {
    auto known = [this](NodeId node) { return values_[root(node)].get(); };
    for (; evaluated_ <= last; ++evaluated_) {
      auto value = known_value(graph_, evaluated_, known, evaluator_);
      if (value && !values_[root(evaluated_)]) {
        values_[root(evaluated_)] = std::make_shared<const Tensor>(*value);
      }
      if (value) {
        own_.emplace(evaluated_, std::make_shared<const Tensor>(std::move(*value)));
      }
    }
  }

  bool same_value(NodeId x, NodeId y) const {
    auto a = own_.find(x);
    auto b = own_.find(y);
    return a != own_.end() && b != own_.end() && *a->second == *b->second;
  }

  bool same_contents(NodeId x, NodeId y) const {
    const std::vector<Term>* a = graph_.contents(x);
    const std::vector<Term>* b = graph_.contents(y);
    return a != nullptr && b != nullptr && *a == *b && graph_.type(x) == graph_.type(y) && !is_float(graph_.type(x).dtype());
  }

  bool operands_equal(NodeId x, NodeId y) const {
    auto a = graph_.operands(x);
    auto b = graph_.operands(y);
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [this](NodeId s, NodeId t) { return equal(s, t); });
  }

  bool congruent(NodeId x, NodeId y) const {
    if (graph_.kind(x) == NodeKind::Projection && (is_item(x, y) || graph_.kind(y) != NodeKind::Projection)) {
      return is_item(x, y);
    }
    if (graph_.kind(x) != graph_.kind(y)) {
      return graph_.kind(y) == NodeKind::Projection && is_item(y, x);
    }
    switch (graph_.kind(x)) {
      case NodeKind::Tuple: return operands_equal(x, y);
      case NodeKind::Projection: return graph_.projection_index(x) == graph_.projection_index(y) && operands_equal(x, y);
      case NodeKind::Call: return same_call(x, y);
      default: return false;
    }
  }

  bool same_call(NodeId x, NodeId y) const {
    const OpDef& def = op_def(graph_.op(x));
    bool same_form = graph_.op(x) == graph_.op(y) && is_function(graph_, x) && is_function(graph_, y) &&
                     canonical_attributes(def, graph_.attributes(x)) == canonical_attributes(def, graph_.attributes(y));
    auto a = graph_.operands(x);
    auto b = graph_.operands(y);
    bool swapped = def.traits.commutative && a.size() == 2 && b.size() == 2 && equal(a[0], b[1]) && equal(a[1], b[0]);
    return same_form && (operands_equal(x, y) || swapped);
  }

  // Is `projection` of a tuple in which `item` stands?
  bool is_item(NodeId projection, NodeId item) const {
    NodeId of = root(graph_.operands(projection)[0]);
    auto holds = [&](NodeId tuple) {
      return graph_.kind(tuple) == NodeKind::Tuple && graph_.projection_index(projection) < graph_.operands(tuple).size() &&
             equal(graph_.operands(tuple)[graph_.projection_index(projection)], item);
    };
    auto members = members_.find(of);
    return holds(of) || (members != members_.end() && std::any_of(members->second.begin(), members->second.end(), holds));
  }

  // The region that the step names, cut where its inputs are read; nothing if these are not equal.
  std::optional<Region> region_of(const EquivStep& step) const {
    Region region;
    region.graph = &graph_;
    region.source = step.equals;
    region.target = step.node;
    region.sizes = options_.nesting == 0 ? pair_.sizes : std::set<Symbol>();
    for (std::size_t k = 0; k < step.cuts.size(); ++k) {
      std::vector<NodeId> all(step.cuts[k].source);
      all.insert(all.end(), step.cuts[k].target.begin(), step.cuts[k].target.end());
      bool one_tensor = !all.empty() && std::all_of(all.begin(), all.end(), [&](NodeId node) {
        return node < graph_.id_limit() && equal(node, all[0]) && graph_.type(node).is_tensor();
      });
      if (!one_tensor) {
        return std::nullopt;
      }
      RegionInput& input = region.inputs.emplace_back();
      input.type = graph_.type(all[0]);
      if (const Tensor* value = values_[root(all[0])].get()) {
        input.value = step.cuts[k].shown ? std::optional(*value) : std::nullopt;
      } else if (!is_float(input.type.dtype())) {
        input.contents = contents_of_class(all[0]);
      }
      for (NodeId node : step.cuts[k].source) {
        region.source_cut.emplace(node, static_cast<std::uint32_t>(k));
      }
      for (NodeId node : step.cuts[k].target) {
        region.target_cut.emplace(node, static_cast<std::uint32_t>(k));
      }
    }
    return region;
  }

  std::optional<std::vector<Term>> contents_of_class(NodeId node) const {
    std::optional<std::vector<Term>> out;
    auto take = [&](NodeId member) {
      if (const std::vector<Term>* contents = graph_.contents(member)) {
        out = *contents;
      }
    };
    take(root(node));
    if (auto members = members_.find(root(node)); members != members_.end()) {
      std::for_each(members->second.begin(), members->second.end(), take);
    }
    return out;
  }

  const Tensor* value_at(const RegionCut& cut) const {
    return values_[root(cut.source.empty() ? cut.target[0] : cut.source[0])].get();
  }

  // Of each input whose elements are known and not shown.
  std::vector<const Tensor*> hidden_values(const EquivStep& step, const Region& region) const {
    std::vector<const Tensor*> out;
    for (std::size_t k = 0; k < step.cuts.size(); ++k) {
      out.push_back(region.inputs[k].value ? nullptr : value_at(step.cuts[k]));
    }
    return out;
  }

  std::string check_region(const EquivStep& step) const {
    auto region = region_of(step);
    if (!region) {
      return "the region is cut where the sides are not equal";
    }
    Instance instance = viewed_instance(*region, parameter_views(hidden_values(step, *region)));
    if (is_too_large(instance)) {
      return "the region is too large";
    }
    ProofResult result = prove_instance(instance, kRegionLimits).result;
    if (result == ProofResult::Exact || (result == ProofResult::Real && !step.exact)) {
      return "";
    }
    std::map<Symbol, Tensor> values;
    for (std::size_t k = 0; k < step.cuts.size(); ++k) {
      if (const Tensor* value = value_at(step.cuts[k])) {
        values.emplace(instance.inputs[k].name, *value);
      }
    }
    if (step.exact || options_.exact) {
      return "the region is not proven";
    }
    FoldProof fold = prove_fold(instance, values, {.tolerance = options_.fold_tolerance}, kRegionLimits);
    return !fold.holds               ? "the parameters are not what was folded: " + fold.reason
           : fold.bound > step.bound ? fmt::format("a parameter is off by {:.1e}", fold.bound)
                                     : "";
  }

  std::string check_bodies(const EquivStep& step) const {
    bool calls = graph_.kind(step.node) == NodeKind::Call && graph_.kind(step.equals) == NodeKind::Call &&
                 operands_equal(step.node, step.equals);
    auto proof = calls ? prove_bodies(graph_, step.equals, step.node, options_) : std::nullopt;
    bool holds = proof && (proof->exact || !step.exact) && proof->bound <= step.bound;
    return holds ? "" : "the nested graphs are not shown to be equal";
  }

  const ModelPair& pair_;
  const Graph& graph_;
  const EquivOptions& options_;
  std::vector<NodeId> parent_;
  std::unordered_map<NodeId, std::vector<NodeId>> members_;  // of a class, but for its root
  std::vector<std::shared_ptr<const Tensor>> values_;        // by root, where they are known
  std::unordered_map<NodeId, std::shared_ptr<const Tensor>> own_;
  NodeId evaluated_ = 0;
  GraphEvaluator evaluator_{evaluation(pair_)};
};

}  // namespace

Replay replay(const ModelPair& pair, const std::vector<EquivStep>& steps, const EquivOptions& options) {
  return Replayer(pair, options).run(steps);
}

std::vector<std::string> region_texts(const ModelPair& pair, const std::vector<EquivStep>& steps, const EquivOptions& options) {
  return Replayer(pair, options).texts(steps);
}

}  // namespace vouch
