#include "driver/library_page.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "build/library_c.h"
#include "driver/library_report.h"
#include "driver/page_layout.h"
#include "driver/page_text.h"
#include "graph/op_table.h"
#include "imp/elements.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

// Which step took a node of the model away, and which one made a node; passes are named.
struct Origins {
  std::map<NodeId, std::size_t> taken;
  std::map<NodeId, std::size_t> made;
};

Origins origins(const Trace& trace) {
  Origins out;
  for (std::size_t k = 0; k < trace.steps.size(); ++k) {
    if (const auto* step = std::get_if<TraceStep>(&trace.steps[k])) {
      for (const auto& [pattern, node] : step->nodes) {
        out.taken.try_emplace(node, k);
      }
      for (const TraceStep::Instance& instance : step->instances) {
        for (NodeId node : instance.templates) {
          out.taken.try_emplace(node, k);
        }
      }
      for (const TraceStep::NewNode& node : step->new_nodes) {
        out.made[node.id] = k;
      }
    }
  }
  return out;
}

Json steps_json(const Trace& trace) {
  Json out = Json::array();
  for (const auto& one : trace.steps) {
    if (const auto* step = std::get_if<TraceStep>(&one)) {
      Json made = Json::array();
      for (const TraceStep::NewNode& node : step->new_nodes) {
        made.push_back(node.form);
      }
      out.push_back({{"rule", step->rule}, {"verdict", step->verdict}, {"at", step->output_names}, {"made", made}});
    } else {
      const PassStep& pass = std::get<PassStep>(one);
      out.push_back({{"pass", pass_name(pass.pass)}, {"changes", pass.changes}});
    }
  }
  return out;
}

// `changed`: the step of a node, by its id. `kept`: whether the node is in the other graph, too.
Json graph_json(const Graph& graph, const Graph& other, const std::map<NodeId, std::size_t>& changed) {
  std::set<NodeId> there;
  for (const DrawnNode& node : layered(other)) {
    there.insert(node.id);
  }
  Json nodes = Json::array();
  Json edges = Json::array();
  for (const DrawnNode& node : layered(graph)) {
    bool call = graph.kind(node.id) == NodeKind::Call;
    Json one{{"id", node.id},
             {"op", call ? std::string(op_def(graph.op(node.id)).name) : "input"},
             {"name", graph.name(node.id)},
             {"type", graph.type(node.id).text()},
             {"layer", node.layer},
             {"column", node.column},
             {"kept", there.contains(node.id)}};
    auto step = changed.find(node.id);
    if (!there.contains(node.id) && step != changed.end()) {
      one["step"] = step->second;
    }
    for (NodeId operand : call ? graph.operands(node.id) : std::span<const NodeId>()) {
      for (NodeId source : drawn_sources(graph, operand)) {
        edges.push_back({source, node.id});
      }
    }
    nodes.push_back(std::move(one));
  }
  return {{"nodes", nodes}, {"edges", edges}};
}

Json calls_shown(const Library& library) {
  Json out = Json::array();
  for (const PlanCall& call : library.plan.calls) {
    const PlanKernel& kernel = library.plan.kernels[call.kernel];
    Json nodes = Json::array();
    for (const PlanNode& node : call.nodes) {
      nodes.push_back(node.name);
    }
    out.push_back({{"nodes", nodes},
                   {"kernel", kernel.name},
                   {"tiles", kernel.tiling.has_value()},
                   {"place", place_text(library, call.result)},
                   {"bytes", bytes_of(library.plan.values[call.result])},
                   {"steps", work_of_kernel(kernel.kernel).str()},
                   {"formula", kernel.kernel.formula}});
  }
  return out;
}

Json memory_json(const Library& library) {
  Json values = Json::array();
  for (std::size_t value = 0; value < library.memory.lives.size(); ++value) {
    const auto& life = library.memory.lives[value];
    const auto& place = library.memory.places[value];
    if (life && place) {
      const PlanValue& about = library.plan.values[value];
      values.push_back({life->from, life->to, place->offset * array::bytes_of(about.element), bytes_of(about), about.name});
    }
  }
  return {{"arena", library.memory.arena_bytes}, {"least", library.memory.least_bytes}, {"values", values}};
}

// As it may stand between the tags of a script.
std::string in_script(const Json& json) {
  std::string out;
  for (char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    out += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return out;
}

Json plan_json(const Library& plan, const Trace& trace, const Graph& before, const Graph& after) {
  Origins from = origins(trace);
  return {{"before", graph_json(before, after, from.taken)},
          {"after", graph_json(after, before, from.made)},
          {"steps", steps_json(trace)},
          {"calls", calls_shown(plan)},
          {"memory", memory_json(plan)}};
}

}  // namespace

std::string library_page(const BuiltLibrary& built, const std::vector<Graph>& before, const std::vector<Graph>& after) {
  Json data{{"name", built.library.plan.name}, {"summary", library_summary(built)}};
  std::vector<const Library*> plans = plans_of(built.library);
  Json all = Json::array();
  for (std::size_t k = 0; k < plans.size(); ++k) {
    all.push_back(plan_json(*plans[k], built.plans[k].trace, before[k], after[k]));
    all.back()["sizes"] = choice_text(built.library.sizes, plans[k]->at);
  }
  data["plans"] = std::move(all);
  return page_text(in_script(data));
}

}  // namespace vouch
