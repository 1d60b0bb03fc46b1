#include "rewrite/apply.h"

#include <fmt/format.h>

#include <algorithm>

#include "rewrite/builder.h"
#include "rewrite/float_loss.h"

namespace vouch {
namespace {

// Results and outputs correspond one to one, with equal types, and something changes.
bool fits(const Graph& graph, const Match& match, TargetBuilder& builder) {
  const std::vector<NodeId>& results = builder.application_.results;
  if (builder.result_counts_ != match.output_counts) {
    return builder.fail(fmt::format("the target has {} results for {} outputs", results.size(), match.outputs.size()));
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    Type wanted = graph.type(match.outputs[k]);
    if (graph.type(results[k]) != wanted) {
      return builder.fail(fmt::format("result {} would have type {} where '{}' has {}", k + 1, graph.type(results[k]).text(),
                                      graph.name(match.outputs[k]), wanted.text()));
    }
  }
  return results != match.outputs || builder.fail("the target is what stands there already");
}

// The uses of an output that become uses of its result: not those by new nodes, nor by what was matched.
class Outside {
 public:
  Outside(const Match& match, NodeId first_new) : first_new_(first_new) {
    if (match.outputs.size() > 1) {
      inside_ = match.inside;
      std::sort(inside_.begin(), inside_.end());
    }
  }
  bool operator()(const Use& use) const {
    return use.user < first_new_ && !std::binary_search(inside_.begin(), inside_.end(), use.user);
  }

 private:
  NodeId first_new_;
  std::vector<NodeId> inside_;
};

bool is_entangled(const Graph& graph, const Match& match, const std::vector<NodeId>& results, const Outside& outside) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    std::span<const Use> uses = graph.uses(match.outputs[k]);
    if (!std::all_of(uses.begin(), uses.end(), outside)) {
      return true;
    }
  }
  // One output for another: replacing them in turn would mix them up.
  return match.outputs.size() > 1 && std::any_of(results.begin(), results.end(), [&](NodeId result) {
           return std::find(match.outputs.begin(), match.outputs.end(), result) != match.outputs.end();
         });
}

// All outputs at once, from a list of what referred to them before.
void replace_together(Graph& graph, const Match& match, const std::vector<NodeId>& results, const Outside& outside) {
  std::vector<std::pair<Use, NodeId>> redirected;
  std::vector<std::pair<std::size_t, NodeId>> outputs;
  for (std::size_t k = 0; k < results.size(); ++k) {
    for (const Use& use : graph.uses(match.outputs[k])) {
      if (outside(use)) {
        redirected.emplace_back(use, results[k]);
      }
    }
    for (std::size_t i = 0; graph.output_count(match.outputs[k]) != 0 && i < graph.outputs().size(); ++i) {
      if (graph.outputs()[i].node == match.outputs[k]) {
        outputs.emplace_back(i, results[k]);
      }
    }
  }
  for (const auto& [use, result] : redirected) {
    graph.redirect(use, result);
  }
  for (const auto& [position, result] : outputs) {
    graph.set_output(position, result);
  }
}

void replace(Graph& graph, const Match& match, Application& application, NodeId first_new) {
  for (std::size_t id = first_new; id < graph.id_limit(); ++id) {
    application.new_nodes.push_back(static_cast<NodeId>(id));
  }
  Outside outside(match, first_new);
  if (is_entangled(graph, match, application.results, outside)) {
    replace_together(graph, match, application.results, outside);
  } else {
    for (std::size_t k = 0; k < application.results.size(); ++k) {
      graph.replace_uses(match.outputs[k], application.results[k]);
    }
  }
  for (std::size_t k = 0; k < match.outputs.size(); ++k) {
    NodeId output = match.outputs[k];
    if (!graph.has_name(output)) {
      graph.erase_dead(output);
      continue;
    }
    std::string name = graph.name(output);
    bool named = graph.find_name(name) == output;
    graph.erase_dead(output);
    if (named && !graph.is_live(output) && application.results[k] >= first_new) {
      graph.set_name(application.results[k], std::move(name));  // what stands in a node's place is called as it was
    }
  }
}

double saved(const Cost& change, Saving what) {
  switch (what) {
    case Saving::None: return 1;
    case Saving::Calls: return -change.calls;
    case Saving::Elements: return -change.elements;
    case Saving::Products: return -change.products;
  }
  return 0;
}

}  // namespace

Applier::Applier(Graph& graph, const ApplyOptions& options)
    : options_(options), builder_(std::make_unique<TargetBuilder>(graph, options)), losses_(std::make_unique<FloatLoss>(graph)) {}
Applier::~Applier() = default;
Applier::Applier(Applier&&) noexcept = default;

bool Applier::is_worth_it(const AdmittedMatch& admitted) {
  Saving promised = admitted.plan().rule->saves;
  if (options_.worth == Worth::Anything || (options_.worth == Worth::WhatRulesSay && promised == Saving::None)) {
    return true;
  }
  Cost change = costs().change(builder_->graph(), admitted.match(), builder_->application_.results, builder_->first_new());
  if (saved(change, promised) <= 0) {
    return builder_->fail(fmt::format("it would save no {} here ({})", saving_name(promised), change.text()));
  }
  return options_.worth != Worth::NoMoreThanNow || change.total() <= 0 ||
         builder_->fail(fmt::format("the model would cost more ({}); --allow-cost lets it fire", change.text()));
}

bool Applier::is_lossless(const AdmittedMatch& admitted) {
  if (!admitted.proven()) {
    return true;
  }
  auto loss = losses_->find(admitted.match(), *admitted.proven(), builder_->application_.results, builder_->first_new());
  return !loss || builder_->fail(*loss);
}

bool Applier::build(const AdmittedMatch& admitted, std::string& error) {
  if (builder_->build(admitted.plan(), admitted.match()) && fits(builder_->graph(), admitted.match(), *builder_) &&
      is_worth_it(admitted) && is_lossless(admitted)) {
    return true;
  }
  builder_->abandon();
  error = builder_->error();
  return false;
}

std::optional<Cost> Applier::change(const AdmittedMatch& admitted, std::string& error) {
  if (!build(admitted, error)) {
    return std::nullopt;
  }
  Cost out = costs().change(builder_->graph(), admitted.match(), builder_->application_.results, builder_->first_new());
  builder_->abandon();
  return out;
}

const Application* Applier::apply(const AdmittedMatch& admitted, std::string& error) {
  if (!build(admitted, error)) {
    return nullptr;
  }
  replace(builder_->graph(), admitted.match(), builder_->application_, builder_->first_new());
  return &builder_->application_;
}

void Applier::drop_unread() {
  for (NodeId result : builder_->application_.results) {
    builder_->graph().erase_dead(result);
  }
}

}  // namespace vouch
