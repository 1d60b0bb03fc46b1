#include "driver/picture_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "driver/picture.h"
#include "rule/print.h"
#include "support/displayable.h"

namespace vouch {
namespace {

constexpr std::array<std::string_view, 10> kColours = {"#a6cee3", "#fdbf6f", "#b2df8a", "#fb9a99", "#cab2d6",
                                                       "#ffff99", "#8dd3c7", "#fccde5", "#d9d9d9", "#80b1d3"};

constexpr std::size_t kLongest = 60;

class RulePicture {
 public:
  explicit RulePicture(const Rule& rule) : rule_(rule), colours_(rule.patterns.size()) {}

  std::string draw() {
    choose_colours();
    std::string title = rule_.doc.empty() ? rule_.name : rule_.name + "\n" + rule_.doc;
    out_ =
        "digraph {\n  rankdir=TB; labelloc=t; fontname=\"Helvetica\"; fontsize=14;\n  node [fontname=\"Helvetica\", "
        "fontsize=11]; edge [fontname=\"Helvetica\", fontsize=9, color=\"#606060\"];\n";
    out_ += fmt::format("  label={};\n", dot_quoted(title));
    side("s", "source", rule_.source_outputs);
    side("t", "target", rule_.target_outputs);
    return out_ + "}\n";
  }

 private:
  // Walks the patterns of a side from its outputs; the target stops at what the source has matched.
  std::vector<PatternId> reached(bool target, const std::vector<PatternId>& outputs) const {
    std::vector<bool> seen(rule_.patterns.size());
    std::vector<PatternId> order;
    std::vector<PatternId> open(outputs.rbegin(), outputs.rend());
    while (!open.empty()) {
      PatternId id = open.back();
      open.pop_back();
      if (seen[id]) {
        continue;
      }
      seen[id] = true;
      order.push_back(id);
      if (is_leaf(target, id)) {
        continue;
      }
      for (PatternId part : direct_subpatterns(rule_, id)) {
        open.push_back(part);
      }
      const std::vector<PatternId>& templates = rule_.pattern(id).templates;
      open.insert(open.end(), templates.begin(), templates.end());
    }
    return order;
  }

  // The branches of a source variadic are named, not drawn again.
  bool is_leaf(bool target, PatternId id) const {
    const Pattern& p = rule_.pattern(id);
    return target && (rule_.in_source[id] || (p.kind == PatternKind::Instance && rule_.in_source[denoted_variadic(rule_, id)]));
  }

  // What a node of the target stands for in the source, or kNone.
  PatternId in_source(PatternId id) const {
    const Pattern& p = rule_.pattern(id);
    PatternId same = p.kind == PatternKind::Instance ? p.operands[1] : id;
    return rule_.in_source[same] ? same : kNone;
  }

  void choose_colours() {
    std::size_t used = 0;
    for (PatternId id : reached(true, rule_.target_outputs)) {
      PatternId same = is_leaf(true, id) ? in_source(id) : kNone;
      if (same != kNone && colours_[same].empty()) {
        colours_[same] = kColours[used++ % kColours.size()];
      }
    }
  }

  void side(std::string_view prefix, std::string_view title, const std::vector<PatternId>& outputs) {
    bool target = prefix == "t";
    out_ += fmt::format("  subgraph cluster_{} {{\n  label=\"{}\"; color=\"#404040\"; style=rounded;\n", prefix, title);
    for (PatternId id : reached(target, outputs)) {
      node(prefix, target, id);
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      bool several = rule_.pattern(outputs[k]).kind == PatternKind::Variadic;
      std::string text = several ? "outputs, one a branch" : fmt::format("output {}", k);
      out_ += fmt::format("  {}out{} [label=\"{}\", shape=ellipse, style=filled, fillcolor=\"#e4f3df\"];\n", prefix, k, text);
      out_ += fmt::format("  {}{} -> {}out{};\n", prefix, outputs[k], prefix, k);
    }
    if (!target && !rule_.constraints.empty()) {
      std::string text = "where\n";
      for (AttrId condition : rule_.constraints) {
        text += print_attr(rule_, condition) + "\n";
      }
      out_ += fmt::format("  conditions [shape=note, fontsize=9, label={}];\n  {}out0 -> conditions [style=invis];\n",
                          dot_quoted(text), prefix);
    }
    out_ += "  }\n";
  }

  void node(std::string_view prefix, bool target, PatternId id) {
    bool leaf = is_leaf(target, id);
    // The frames of the variadics around it; those of the source are not opened again in the target.
    std::string frames;
    std::string ends;
    for (PatternId variadic : enclosing_variadics(rule_, id)) {
      if (!target || !rule_.in_source[variadic]) {
        frames += fmt::format("  subgraph cluster_{}{} {{ label={}; style=dashed;", prefix, variadic,
                              dot_quoted(frame_title(variadic)));
        ends += " }";
      }
    }
    PatternId same = leaf ? in_source(id) : id;
    std::string_view colour = same == kNone ? std::string_view() : colours_[same];
    out_ += fmt::format("{}  {}{} [label={}, {}{}];{}\n", frames, prefix, id, dot_quoted(label(id, leaf)), shape(id, leaf),
                        colour.empty() ? std::string() : fmt::format(", style=filled, fillcolor=\"{}\"", colour), ends);
    if (!leaf) {
      edges(prefix, id);
    }
  }

  void edges(std::string_view prefix, PatternId id) {
    const Pattern& p = rule_.pattern(id);
    if (p.kind == PatternKind::Instance) {
      out_ += fmt::format("  {0}{1} -> {0}{2} [label={3}];\n", prefix, p.operands[1], id,
                          dot_quoted("[" + print_attr(rule_, p.selector) + "]"));
      return;
    }
    for (PatternId operand : p.operands) {
      if (operand != kNone) {
        out_ += fmt::format("  {0}{1} -> {0}{2};\n", prefix, operand, id);
      }
    }
    for (std::size_t k = 0; k < p.first.size(); ++k) {
      if (p.first[k] != kNone) {
        out_ += fmt::format("  {0}{1} -> {0}{2} [style=dotted, dir=none, constraint=false, label=\"branch 0\"];\n", prefix,
                            p.first[k], p.templates[k]);
      }
    }
  }

  std::string frame_title(PatternId variadic) const {
    const Pattern& p = rule_.pattern(variadic);
    std::string title = fmt::format("{}[{}]", p.name.empty() ? "variadic" : p.name.name(), p.index.name());
    if (p.length != kNone) {
      title += fmt::format(", {} < {}", p.index.name(), shortened(print_attr(rule_, p.length), kLongest));
    }
    return p.min_length > 1 ? title + fmt::format(", at least {}", p.min_length) : title;
  }

  std::string head(const Pattern& p) const {
    switch (p.kind) {
      case PatternKind::Wildcard: return p.name.empty() ? "*" : std::string();
      case PatternKind::Const: return "const";
      case PatternKind::Variable: return "variable";
      case PatternKind::Call:
        return p.op ? std::string(op_def(*p.op).name) : fmt::format("{} ({})", p.op_variable.name(), trait_name(p.trait));
      case PatternKind::Tuple: return "( )";
      case PatternKind::Projection: return "item";
      case PatternKind::Variadic: return "…";
      case PatternKind::Instance: return "branch";
      case PatternKind::Alternative: return "first of";
      case PatternKind::Conditional: return fmt::format("if {}", shortened(print_attr(rule_, p.selector), kLongest));
    }
    return {};
  }

  std::string label(PatternId id, bool leaf) const {
    const Pattern& p = rule_.pattern(id);
    if (leaf && (p.kind == PatternKind::Instance || p.name.empty())) {
      return shortened(print_pattern(rule_, id), kLongest);
    }
    std::string text(p.name.name());
    std::string what = head(p);
    if (leaf || what.empty()) {
      return text;
    }
    text += (text.empty() ? "" : ": ") + what;
    for (const PatternAttr& attr : p.attributes) {
      text += fmt::format("\n{} = {}", attr.name.name(), shortened(print_attr(rule_, attr.value), kLongest));
    }
    if (p.attributes_as != kNone) {
      text += "\nall else as " + shortened(print_pattern(rule_, p.attributes_as), kLongest);
    }
    return text;
  }

  std::string_view shape(PatternId id, bool leaf) const {
    const Pattern& p = rule_.pattern(id);
    bool given = p.kind == PatternKind::Wildcard || p.kind == PatternKind::Variable || p.kind == PatternKind::Const;
    if (given || leaf) {
      return "shape=ellipse";
    }
    return p.kind == PatternKind::Call ? "shape=box, style=\"rounded\"" : "shape=oval, fontsize=9";
  }

  const Rule& rule_;
  std::vector<std::string_view> colours_;  // per pattern of the source that the target uses
  std::string out_;
};

}  // namespace

std::string picture_of_rule(const Rule& rule) { return RulePicture(rule).draw(); }

}  // namespace vouch
