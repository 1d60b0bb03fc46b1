#include "driver/region_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "driver/region_text.h"
#include "driver/rule_proofs.h"
#include "graph/known_value.h"
#include "io/file.h"
#include "rule/parse.h"
#include "rule/print.h"
#include "support/displayable.h"

namespace vouch {
namespace {

// Elements that are known before any input is, of every node.
class KnownValues {
 public:
  explicit KnownValues(const Graph& graph) : values_(graph.id_limit()) {
    GraphEvaluator evaluator;
    auto known = [this](NodeId node) { return values_[node] ? &*values_[node] : nullptr; };
    for (NodeId node = 0; node < graph.id_limit(); ++node) {
      values_[node] = known_value(graph, node, known, evaluator);
    }
  }

  // Of tensors that are equal: whichever is known.
  const Tensor* of(const RegionCut& cut) const {
    for (const std::vector<NodeId>* side : {&cut.source, &cut.target}) {
      for (NodeId node : *side) {
        if (values_[node]) {
          return &*values_[node];
        }
      }
    }
    return nullptr;
  }

 private:
  std::vector<std::optional<Tensor>> values_;
};

class RuleWriter {
 public:
  explicit RuleWriter(const EquivResult& result) : result_(result), values_(result.pair->graph) {}

  void add(NodeId a, NodeId b, const std::vector<RegionCut>& cuts, const std::string& text, bool proven, bool folded) {
    if (!seen_.insert(text).second) {
      return;
    }
    RegionRule rule;
    rule.name = fmt::format("region_{}", seen_.size());
    rule.tensor = result_.pair->names[b];
    rule.proven = proven;
    rule.folded = folded;
    std::vector<const Tensor*> values;
    std::transform(cuts.begin(), cuts.end(), std::back_inserter(values),
                   [this](const RegionCut& cut) { return values_.of(cut); });
    RegionText written = region_text({result_.pair->graph, result_.pair->graph, result_.pair->sizes}, {{a, b}}, cuts, values);
    std::string doc = shortened(
        displayable(fmt::format("{} of the second model is {} of the first", rule.tensor, result_.pair->names[a])), 200);
    std::replace(doc.begin(), doc.end(), '"', '\'');
    std::replace(doc.begin(), doc.end(), '\\', '/');
    std::replace(doc.begin(), doc.end(), '\n', ' ');
    rule.why = written.why;
    if (rule.why.empty()) {
      parse(rule, fmt::format("rule {} \"{}\" {{\n{}{}}}\n", rule.name, doc, written.items,
                              proven && !folded ? "  expect sound;\n" : ""));
    }
    out_.push_back(std::move(rule));
  }

  std::vector<RegionRule> take() { return std::move(out_); }

 private:
  static void parse(RegionRule& rule, std::string text) {
    Diagnostics unreadable;
    auto parsed = parse_rules(std::make_shared<Source>(rule.name, text), unreadable);
    if (parsed && parsed->size() == 1) {
      rule.parsed = std::move(*parsed);
      rule.text = std::move(text);
    } else {
      rule.why = unreadable.text();
      rule.why = rule.why.substr(0, rule.why.find('\n'));
    }
  }

  const EquivResult& result_;
  KnownValues values_;
  std::set<std::string> seen_;
  std::vector<RegionRule> out_;
};

bool write_file_of(const std::vector<const RegionRule*>& rules, const std::string& path, const char* head,
                   Diagnostics& diagnostics) {
  std::string text = fmt::format("// {}\n", head);
  for (const RegionRule* rule : rules) {
    text += rule->text.empty() ? fmt::format("\n// {} ({}) has no form as a rule: {}\n", rule->name,
                                             shortened(displayable(rule->tensor), 200), displayable(rule->why))
                               : "\n" + rule->text;
  }
  return write_file(path, text, diagnostics);
}

}  // namespace

std::vector<RegionRule> region_rules(const EquivResult& result) {
  if (!result.pair) {
    return {};
  }
  RuleWriter writer(result);
  for (const EquivStep& step : result.steps) {
    if (step.kind == EquivStep::Kind::Region || step.kind == EquivStep::Kind::Fold) {
      // A region over the reals may rest on values of parameters that are exactly what was folded.
      bool folded = step.kind == EquivStep::Kind::Fold || step.by_values;
      writer.add(step.equals, step.node, step.cuts, step.region + (folded ? "folded" : ""), true, folded);
    }
  }
  for (const OpenRegion& region : result.open) {
    writer.add(region.a, region.b, region.cuts, region.text, false, false);
  }
  return writer.take();
}

bool write_region_rules(const std::vector<RegionRule>& rules, const std::string& folder, Diagnostics& diagnostics) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  auto those = [&](bool proven, bool folded) {
    std::vector<const RegionRule*> out;
    for (const RegionRule& rule : rules) {
      if (rule.proven == proven && rule.folded == folded) {
        out.push_back(&rule);
      }
    }
    return out;
  };
  FilesTogether files;
  return write_file_of(those(true, false), folder + "/proven.gsl", "Regions that were proven to be equal.", diagnostics) &&
         write_file_of(those(true, true), folder + "/folded.gsl",
                       "Regions that are equal for the values that the models' parameters have: no rules for others.",
                       diagnostics) &&
         write_file_of(those(false, false), folder + "/open.gsl", "Regions that are open: neither proven nor refuted.",
                       diagnostics) &&
         files.commit(diagnostics);
}

std::optional<RegionTheorems> write_region_theorems(const std::vector<RegionRule>& rules, const std::string& folder,
                                                    Diagnostics& diagnostics) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  RegionTheorems out;
  RuleProofs all;
  for (const RegionRule& rule : rules) {
    if (!rule.proven) {
      continue;
    }
    if (rule.folded || rule.text.empty()) {
      out.without.push_back(fmt::format("{} ({}): {}", rule.name, rule.tensor,
                                        rule.folded ? "it rests on the values of parameters" : "it has no form as a rule"));
      continue;
    }
    auto proof = rule_proof(rule.name, print_rule(rule.parsed[0]), RuleRecipe{}, diagnostics);
    if (!proof) {
      return std::nullopt;
    }
    bool stated = !proof->coq.text.empty();
    out.with += stated ? 1 : 0;
    if (!stated) {
      out.without.push_back(fmt::format("{} ({}): no instance has a theorem", rule.name, rule.tensor));
    }
    all.emplace(rule.name, std::move(*proof));
  }
  return write_rule_proofs(folder, all, diagnostics) ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace vouch
