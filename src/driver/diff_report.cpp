#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "driver/diff.h"
#include "driver/picture.h"
#include "graph/foreign.h"
#include "support/displayable.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

std::string line(std::string_view mark, const Graph& graph, NodeId node) {
  return displayable(fmt::format("{} {} '{}' {}", mark, kind_text(graph, node), graph.name(node), graph.type(node).text())) +
         "\n";
}

Json node_json(const Graph& graph, NodeId node) {
  Json out{{"name", displayable(graph.name(node))}, {"operator", kind_text(graph, node)}, {"type", graph.type(node).text()}};
  if (graph.kind(node) == NodeKind::Call) {
    out["attributes"] = displayable(graph.attributes(node).text());
  }
  return out;
}

}  // namespace

std::string diff_text(const ModelDiff& diff, const Graph& a, const Graph& b) {
  std::string out;
  for (NodeId node : diff.removed) {
    out += line("-", a, node);
  }
  for (NodeId node : diff.added) {
    out += line("+", b, node);
  }
  for (const ChangedNode& changed : diff.changed) {
    out += line("~", b, changed.b);
    for (const std::string& difference : changed.differences) {
      out += "    " + displayable(difference) + "\n";
    }
  }
  for (const std::string& output : diff.outputs) {
    out += "~ " + displayable(output) + "\n";
  }
  return out + fmt::format("{} removed, {} added, {} changed, {} the same\n", diff.removed.size(), diff.added.size(),
                           diff.changed.size(), diff.pairs.size() - diff.changed.size());
}

Json diff_json(const ModelDiff& diff, const Graph& a, const Graph& b) {
  Json out{{"removed", Json::array()}, {"added", Json::array()}, {"changed", Json::array()}};
  for (NodeId node : diff.removed) {
    out["removed"].push_back(node_json(a, node));
  }
  for (NodeId node : diff.added) {
    out["added"].push_back(node_json(b, node));
  }
  for (const ChangedNode& changed : diff.changed) {
    Json one = node_json(b, changed.b);
    one["was"] = displayable(a.name(changed.a));
    one["differences"] = Json::array();
    for (const std::string& difference : changed.differences) {
      one["differences"].push_back(displayable(difference));
    }
    out["changed"].push_back(std::move(one));
  }
  out["outputs"] = Json::array();
  for (const std::string& output : diff.outputs) {
    out["outputs"].push_back(displayable(output));
  }
  out["same"] = diff.pairs.size() - diff.changed.size();
  return out;
}

std::string diff_picture(const ModelDiff& diff, const Graph& a, const Graph& b, std::size_t scope_depth) {
  PictureStyle style;
  style.scope_depth = scope_depth;
  for (NodeId node : diff.added) {
    style.fill[node] = kPictureAdded;
  }
  for (const ChangedNode& changed : diff.changed) {
    style.fill[changed.b] = kPictureChanged;
    style.notes[changed.b] = fmt::format("{}", fmt::join(changed.differences, "\n"));
  }
  // What was removed hangs between the partners of its operands and of its users.
  style.removed = &a;
  for (NodeId node : diff.removed) {
    style.removed_nodes.push_back(node);
  }
  style.partners = diff.pairs;
  return picture_of_graph(b, style);
}

}  // namespace vouch
