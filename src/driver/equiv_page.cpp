#include "driver/equiv_page.h"

#include <fmt/format.h>

#include <map>
#include <numeric>

#include "driver/equiv_report.h"
#include "driver/picture.h"
#include "driver/picture_page.h"
#include "driver/xml.h"

namespace vouch {
namespace {

// Graphviz takes minutes for more.
constexpr std::size_t kMostDrawn = 700;
// Colours that can be told apart before they come again.
constexpr std::size_t kHues = 24;

constexpr std::string_view kStyle = R"(<style>
body{font:15px system-ui,sans-serif;margin:1rem auto;max-width:110rem;padding:0 1rem;color:#1d2233}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:1.6rem}pre{background:#f4f5f9;padding:.5rem;overflow:auto;margin:.3rem 0;font-size:12px}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #dde;padding:.3rem .6rem;text-align:left;vertical-align:top}
.equal{color:#1b6e2c}.different{color:#b3261e}.open{color:#8a5a00}.key span{padding:.1rem .5rem;margin-right:.5rem;border:1px solid #c9cede}
summary{cursor:pointer}
</style>)";

std::string verdict_class(const EquivResult& result) {
  switch (result.verdict) {
    case EquivVerdict::EqualExact:
    case EquivVerdict::EqualReal: return "equal";
    case EquivVerdict::Open: return "open";
    default: return "different";
  }
}

std::string ground_text(const EquivStep& step) {
  switch (step.kind) {
    case EquivStep::Kind::Value: return "the same elements";
    case EquivStep::Kind::Contents: return "the same integers at all sizes";
    case EquivStep::Kind::Congruence: return "the same call of equal operands";
    case EquivStep::Kind::Bodies: return "nested graphs that are equal";
    case EquivStep::Kind::Region: return step.exact ? "a proof, exact" : "a proof over the reals";
    case EquivStep::Kind::Fold: return fmt::format("parameters folded within {:.1e}", step.bound);
  }
  return "";
}

PictureStyle coloured(const EquivResult& result) {
  const ModelPair& pair = *result.pair;
  std::vector<NodeId> parent(pair.graph.id_limit());
  std::iota(parent.begin(), parent.end(), NodeId{0});
  auto root = [&](NodeId node) {
    while (parent[node] != node) {
      node = parent[node] = parent[parent[node]];
    }
    return node;
  };
  PictureStyle style;
  for (const EquivStep& step : result.steps) {
    parent[root(step.node)] = root(step.equals);
    style.notes[step.node] += fmt::format("{} {}: {}\n", pair.of_b(step.equals) ? "is" : "is the first model's",
                                          pair.names[step.equals], ground_text(step));
  }
  std::map<NodeId, std::pair<bool, bool>> sides;
  for (NodeId node = 0; node < parent.size(); ++node) {
    auto& [in_a, in_b] = sides[root(node)];
    (pair.of_b(node) ? in_b : in_a) = true;
  }
  std::map<NodeId, std::size_t> numbers;
  for (NodeId node = 0; node < parent.size(); ++node) {
    auto [in_a, in_b] = sides[root(node)];
    if (in_a && in_b && pair.graph.kind(node) == NodeKind::Call) {
      std::size_t number = numbers.try_emplace(root(node), numbers.size()).first->second;
      // Neighbours are far apart on the circle of hues; neither red nor yellow, which mean something.
      style.fill[node] = fmt::format("{:.3f} 0.25 0.97", 0.22 + 0.70 * static_cast<double>(number * 11 % kHues) / kHues);
    }
    style.notes[node] += pair.of_b(node) ? "second model" : "first model";
  }
  for (const OpenRegion& region : result.open) {
    style.fill[region.a] = style.fill[region.b] = kPictureRemoved;
  }
  for (NodeId node : {result.first_differing, result.first_differing_name}) {
    if (node != kNoNode) {
      style.fill[node] = kPictureChanged;
    }
  }
  return style;
}

std::string row(const std::string& second, const std::string& first, const std::string& by, const std::string& region) {
  std::string shown =
      region.empty() ? "" : fmt::format("<details><summary>region</summary><pre>{}</pre></details>", xml_text(region));
  return fmt::format("<tr><td>{}</td><td>{}</td><td>{}{}</td></tr>\n", xml_text(second), xml_text(first), xml_text(by), shown);
}

std::string table(const std::string& title, const std::string& rows) {
  return rows.empty() ? ""
                      : fmt::format(
                            "<h2>{}</h2>\n<table><tr><th>second model</th><th>first model</th><th>rests on</th></tr>\n{}"
                            "</table>\n",
                            title, rows);
}

std::string evidence(const EquivResult& result) {
  const std::vector<std::string>& names = result.pair->names;
  std::string open;
  for (const OpenRegion& region : result.open) {
    open += row(names[region.b], names[region.a], region.reason, region.text);
  }
  std::string proofs;
  std::map<std::string, std::size_t> others;
  for (const EquivStep& step : result.steps) {
    if (step.region.empty() && step.kind != EquivStep::Kind::Bodies) {
      ++others[ground_text(step)];
    } else {
      proofs += row(names[step.node], names[step.equals], ground_text(step), step.region);
    }
  }
  std::string out = table("Open", open) + table("Proven", proofs) + "<h2>Without a proof of their own</h2>\n<ul>\n";
  for (const auto& [ground, count] : others) {
    out += fmt::format("<li>{} tensors: {}</li>\n", count, ground);
  }
  return out + "</ul>\n";
}

std::optional<std::string> picture(const EquivResult& result, Diagnostics& diagnostics) {
  const Graph& graph = result.pair->graph;
  if (graph.live_count() > kMostDrawn) {
    return fmt::format("<p>The models have {} nodes together: too many for a picture (at most {}).</p>\n", graph.live_count(),
                       kMostDrawn);
  }
  auto svg = render(picture_of_graph(graph, coloured(result)), "svg", diagnostics);
  if (!svg) {
    return std::nullopt;
  }
  return fmt::format(
             "<p class=key>Tensors that are equal have one colour. <span style=\"background:{}\">open</span>"
             "<span style=\"background:{}\">where the models part</span><span>in one model alone</span></p>\n",
             kPictureRemoved, kPictureChanged) +
         picture_box("both models; outputs begin with a (the first) and b (the second)", *svg, true) + picture_script();
}

}  // namespace

std::optional<std::string> equiv_page(const EquivCommand& command, const EquivResult& result, Diagnostics& diagnostics) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0} and {1}</title>{2}</head><body>\n"
      "<h1><span class={3}>{4}</span></h1>\n<p>first model {0}<br>second model {1}</p>\n<pre>{5}</pre>\n",
      xml_text(command.a), xml_text(command.b), kStyle, verdict_class(result), xml_text(verdict_text(result)),
      xml_text(equiv_text(result)));
  if (result.pair) {
    auto drawn = picture(result, diagnostics);
    if (!drawn) {
      return std::nullopt;
    }
    out += *drawn + evidence(result);
  }
  return out + "</body></html>\n";
}

}  // namespace vouch
