#include "driver/made_by.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "driver/model.h"
#include "driver/shipped.h"
#include "equiv/wide_run.h"
#include "graph/eval.h"
#include "io/file.h"
#include "optimize/gate.h"
#include "support/hash.h"

namespace vouch {
namespace {

// Steps are done again, and what they lead to is run.
class Rerun {
 public:
  Rerun(const Making& making, const OnnxModel& model, const EquivResult& result)
      : making_(making),
        model_(model),
        result_(result),
        found_(*result.simulation.divergence),
        // Nothing is claimed of what they give: it is run and compared.
        gate_(making.rules, true) {}

  // Nothing: the model cannot be run on the input.
  bool start(Diagnostics& diagnostics) {
    const ModelPair& pair = *result_.pair;
    std::vector<NamedTensor> given;
    for (std::size_t k = 0; k < pair.graph.inputs().size(); ++k) {
      const std::string& name = pair.graph.name(pair.graph.inputs()[k]);
      const auto& own = model_.graph.inputs();
      if (std::any_of(own.begin(), own.end(), [&](NodeId input) { return model_.graph.name(input) == name; })) {
        given.push_back({name, result_.simulation.witness[k]});
      }
    }
    auto inputs = load_inputs(model_.graph, given, diagnostics, model_.defaults);
    if (inputs) {
      inputs_ = std::move(*inputs);
      before_ = output_of(model_.graph);
    }
    return inputs && before_;
  }

  bool has_all_rules() const {
    std::set<std::pair<std::string, std::string>> known;
    for (const Rule& rule : making_.rules) {
      known.emplace(rule.name, content_hash(rule));
    }
    const auto& steps = making_.file.trace.steps;
    return std::all_of(steps.begin(), steps.end(), [&](const AnyStep& step) {
      const auto* rewrite = std::get_if<TraceStep>(&step);
      return rewrite == nullptr || known.contains({rewrite->rule, rewrite->rule_hash});
    });
  }

  // Not empty: what is wrong after the first `count` steps.
  std::string wrong_after(std::size_t count) {
    const auto& all = making_.file.trace.steps;
    Graph graph = model_.graph;
    Trace done;
    Diagnostics problems;
    if (!replay_steps(graph, making_.rules, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)}, gate_.admissions(),
                      done, problems)) {
      return "it is not what is recorded: " + (problems.all().empty() ? "it cannot be done" : problems.all()[0].message);
    }
    return differs(output_of(graph)) ? "after it, and not before, the model gives something else on this input" : "";
  }

 private:
  std::optional<Tensor> output_of(const Graph& graph) const {
    auto wide = widened(graph);
    const Graph& run = wide ? wide->graph : graph;
    Diagnostics ignored;
    auto outputs = eval_graph(run, fitting(run, inputs_), ignored);
    for (std::size_t k = 0; outputs && k < outputs->size(); ++k) {
      if (run.outputs()[k].name == result_.pair->outputs[found_.output].a_name) {
        return (*outputs)[k];
      }
    }
    return std::nullopt;
  }

  // By more than half of what the models are apart: rounding is no step's fault.
  bool differs(const std::optional<Tensor>& now) const {
    if (!now || now->extents() != before_->extents()) {
      return true;
    }
    if (!found_.failure.empty()) {
      return false;
    }
    double x = before_->double_at(found_.position);
    double y = now->double_at(found_.position);
    double apart = std::abs(found_.a - found_.b);
    return std::isfinite(apart) ? !(std::abs(x - y) <= apart / 2) : std::isfinite(x) != std::isfinite(y);
  }

  const Making& making_;
  const OnnxModel& model_;
  const EquivResult& result_;
  const Divergence& found_;
  Gate gate_;
  std::vector<Tensor> inputs_;
  std::optional<Tensor> before_;
};

BlamedStep named_step(const Trace& trace, std::size_t number) {
  BlamedStep out;
  out.step = number;
  if (const auto* rewrite = std::get_if<TraceStep>(&trace.steps[number - 1])) {
    out.rule = rewrite->rule;
    out.tensor = rewrite->output_names.empty() ? "" : rewrite->output_names.front();
  } else {
    out.pass = pass_name(std::get<PassStep>(trace.steps[number - 1]).pass);
  }
  return out;
}

// The step that made a tensor of the second model. Those within what a step made have names of the writer's: their users tell.
std::optional<BlamedStep> maker_of(const Trace& trace, const EquivResult& result, NodeId tensor) {
  const ModelPair& pair = *result.pair;
  std::map<std::string, std::size_t> made;
  for (std::size_t k = 0; k < trace.steps.size(); ++k) {
    const auto* rewrite = std::get_if<TraceStep>(&trace.steps[k]);
    for (const std::string& name :
         rewrite != nullptr && rewrite->body.empty() ? rewrite->output_names : std::vector<std::string>()) {
      made[name] = k + 1;
    }
  }
  std::set<std::string> of_first(pair.names.begin(), pair.names.begin() + pair.first_of_b);
  std::set<NodeId> seen{tensor};
  std::vector<NodeId> pending{tensor};
  for (std::size_t k = 0; k < pending.size(); ++k) {
    const std::string& name = pair.names[pending[k]];
    if (auto step = made.find(name); step != made.end()) {
      BlamedStep out = named_step(trace, step->second);
      out.tensor = name;
      return out;
    }
    for (const Use& use : of_first.contains(name) ? std::span<const Use>() : std::span<const Use>(pair.graph.uses(pending[k]))) {
      if (seen.insert(use.user).second) {
        pending.push_back(use.user);
      }
    }
  }
  return std::nullopt;
}

BlamedStep by_name(const Trace& trace, const EquivResult& result, const std::string& why) {
  for (NodeId tensor : {result.first_differing, result.first_differing_name}) {
    auto step = tensor == kNoNode ? std::nullopt : maker_of(trace, result, tensor);
    if (step) {
      step->reason = fmt::format("it made '{}', where the models part; {}", step->tensor, why);
      return *step;
    }
  }
  BlamedStep none;
  none.reason = "none made the tensor where the models part; " + why;
  return none;
}

}  // namespace

std::shared_ptr<const Making> read_making(const std::string& trace, const std::string& model,
                                          const std::vector<std::string>& rules, Diagnostics& diagnostics) {
  auto text = read_file(trace, diagnostics);
  auto file = text ? parse_trace(std::make_shared<Source>(trace, std::move(*text)), diagnostics) : std::nullopt;
  auto known = load_named_or_shipped(rules, diagnostics);
  auto bytes = read_file(model, diagnostics);
  if (!file || !known || !bytes) {
    return nullptr;
  }
  if (content_hash(*bytes) != file->model_hash) {
    diagnostics.error_at(model, fmt::format("this is not the model that the trace began with ('{}')", file->model));
    return nullptr;
  }
  return std::make_shared<Making>(Making{std::move(*file), std::move(*known)});
}

bool blame_step(const Making& making, const std::string& first, EquivResult& result, Diagnostics& diagnostics) {
  if (result.verdict != EquivVerdict::Different || !result.simulation.divergence) {
    return true;
  }
  const Trace& trace = making.file.trace;
  auto model = load_model(first, diagnostics);
  if (!model) {
    return false;
  }
  Rerun rerun(making, *model, result);
  if (!rerun.start(diagnostics)) {
    return false;
  }
  if (!rerun.has_all_rules()) {
    result.blamed = by_name(trace, result, "rules of the trace are not there to do it again (--made-by-rules)");
    return true;
  }
  std::size_t fine = 0;
  std::size_t wrong = trace.steps.size();
  std::string why = rerun.wrong_after(wrong);
  if (why.empty()) {
    result.blamed =
        by_name(trace, result, "done again, the trace ends with a model that gives what the first gives on this input");
    return true;
  }
  while (fine + 1 < wrong) {
    std::size_t middle = fine + (wrong - fine) / 2;
    std::string there = rerun.wrong_after(middle);
    (there.empty() ? fine : wrong) = middle;
    why = there.empty() ? why : there;
  }
  result.blamed = named_step(trace, wrong);
  result.blamed->reason = why;
  return true;
}

}  // namespace vouch
