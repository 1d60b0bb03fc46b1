#include "driver/step_theorems.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "check/region.h"
#include "driver/region_text.h"
#include "driver/rule_proofs.h"
#include "rewrite/step_region.h"

namespace vouch {
namespace {

constexpr std::string_view kRuleName = "step";
// Elements beyond this are not written out.
constexpr std::int64_t kMostShown = 64;

// All outputs as one region of both graphs: what replaces one may read what others did.
class StepRegionWriter {
 public:
  StepRegionWriter(const Graph& before, const Graph& after, InsideRegion inside, bool show_few)
      : before_(before), after_(after), inside_(std::move(inside)), show_few_(show_few) {}

  RegionText run(const std::vector<RegionOutput>& outputs) {
    std::vector<NodeId> sources;
    std::vector<NodeId> results;
    for (const auto& [output, result] : outputs) {
      sources.push_back(output);
      results.push_back(result);
    }
    for (NodeId node : region_side(before_, sources, inside_).reads) {
      cut(node, true);
    }
    for (NodeId node : region_side(after_, results, inside_).reads) {
      cut(node, false);
    }
    for (const auto& [node, at] : positions_) {
      note_value(node, cuts_[at]);
    }
    return region_text({before_, after_}, outputs, cuts_, values_);
  }

 private:
  bool is_old(NodeId node) const { return node < before_.id_limit(); }
  void cut(NodeId node, bool is_source) {
    auto [known, is_new] = positions_.try_emplace(node, cuts_.size());
    if (is_new) {
      cuts_.emplace_back();
      values_.push_back(nullptr);
    }
    RegionCut& cut = cuts_[known->second];
    (is_source ? cut.source : cut.target).push_back(node);
  }

  void note_value(NodeId node, RegionCut& cut) {
    const Graph& graph = is_old(node) ? before_ : after_;
    if (!graph.has_value(node)) {
      return;
    }
    const Tensor& value = graph.value(node);
    bool few = value.count() <= kMostShown && (show_few_ || !is_float(value.dtype()) || !is_old(node));
    if (few || exact_fill(value)) {
      cut.shown = true;
      values_[positions_.at(node)] = &value;
    }
  }

  const Graph& before_;
  const Graph& after_;
  InsideRegion inside_;
  bool show_few_;
  std::map<NodeId, std::size_t> positions_;
  std::vector<RegionCut> cuts_;
  std::vector<const Tensor*> values_;
};

}  // namespace

void StepRegions::add(const Graph& before, const Graph& after, const RewriteStep& step, const std::string& rule) {
  rules_.push_back(rule);
  std::vector<RegionOutput> outputs;
  for (std::size_t k = 0; k < step.match->outputs.size(); ++k) {
    outputs.push_back({step.match->outputs[k], step.application->results[k]});
  }
  StepRegion region{{rules_.size() - 1}, {}, {}};
  for (bool show_few : {false, true}) {
    RegionText written = StepRegionWriter(before, after, inside_of(before, step), show_few).run(outputs);
    std::string text = fmt::format("rule {} {{\n{}}}\n", kRuleName, written.items);
    if (!written.why.empty()) {
      region.why = region.why.empty() ? written.why : region.why;
    } else if (std::find(region.texts.begin(), region.texts.end(), text) == region.texts.end()) {
      region.texts.push_back(std::move(text));
    }
  }
  add_region(std::move(region));
}

void StepRegions::add_region(StepRegion region) {
  auto same = std::find_if(regions_.begin(), regions_.end(),
                           [&](const StepRegion& one) { return !one.texts.empty() && one.texts == region.texts; });
  if (same != regions_.end()) {
    same->steps.insert(region.steps.begin(), region.steps.end());
  } else {
    regions_.push_back(std::move(region));
  }
}

CoqRule step_theorem(const StepRegion& region) {
  CoqRule out;
  out.reason = region.why;
  for (const std::string& text : region.texts) {
    Diagnostics unreadable;
    auto proof = rule_proof(std::string(kRuleName), text, RuleRecipe{}, unreadable);
    if (proof && !proof->coq.text.empty() && proof->coq.stated == proof->coq.distinct) {
      proof->coq.operators.clear();  // operators have symbols in the theorem about the chain of steps
      return proof->coq;
    }
    out.reason = !proof                    ? unreadable.all().front().message
                 : proof->coq.text.empty() ? proof->coq.reason
                                           : "it has more instances than are stated";
  }
  return out;
}

std::string StepsFound::why_not(std::size_t step) const {
  for (std::size_t k = 0; k < regions.size(); ++k) {
    if (regions[k].steps.contains(step) && answers[k].word != CoqWord::Holds) {
      return answers[k].message.empty() ? "Coq was not asked" : answers[k].message;
    }
  }
  return "";
}

std::size_t StepsFound::proven() const {
  std::size_t out = 0;
  for (std::size_t step = 0; step < rules.size(); ++step) {
    out += why_not(step).empty() ? 1 : 0;
  }
  return out;
}

}  // namespace vouch
