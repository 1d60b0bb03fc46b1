#include "equiv/shared_bodies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/order.h"
#include "support/hash.h"

namespace vouch {
namespace {

std::string value_text(const Tensor& value) {
  std::string_view bytes(reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size());
  return fmt::format("{} [{}] {}", dtype_name(value.dtype()), fmt::join(value.extents(), ","), content_hash(bytes));
}

// Inputs, then whatever outputs need, operands first: each by its kind, its type and what it reads. Types and attributes are
// interned, so that their addresses stand for them.
std::string text_of(const Graph& graph) {
  std::unordered_map<NodeId, std::size_t> place{{kNoNode, 0}};
  std::string out;
  auto add = [&](NodeId node) {
    place.emplace(node, place.size());
    out += fmt::format("{} {}", static_cast<int>(graph.kind(node)), graph.type(node).id());
    if (graph.kind(node) == NodeKind::Call) {
      out += fmt::format(" {} {}", graph.op(node), graph.attributes(node).id());
    } else if (graph.kind(node) == NodeKind::Projection) {
      out += fmt::format(" {}", graph.projection_index(node));
    } else if (graph.has_value(node)) {
      out += " " + value_text(graph.value(node));
    }
    for (NodeId operand : graph.operands(node)) {
      out += fmt::format(" {}", place.at(operand));
    }
    out += "\n";
  };
  for (NodeId input : graph.inputs()) {
    add(input);
  }
  for (NodeId node : reverse_post_order(graph)) {
    if (place.count(node) == 0) {
      add(node);
    }
  }
  for (const GraphOutput& output : graph.outputs()) {
    out += fmt::format("out {}\n", place.at(output.node));
  }
  return out;
}

}  // namespace

AttrDict SharedBodies::shared(AttrDict attributes) {
  AttrDict out = attributes;
  for (const auto& [name, value] : attributes.entries()) {
    if (Body body = value.shared_graph()) {
      out = out.with(name, AttrValue(shared(body)));
    }
  }
  return out;
}

SharedBodies::Body SharedBodies::shared(const Body& body) {
  if (auto found = known_.find(body.get()); found != known_.end()) {
    return found->second;
  }
  std::shared_ptr<Graph> changed;
  for (NodeId node = 0; node < body->id_limit(); ++node) {
    AttrDict attributes = body->kind(node) == NodeKind::Call ? body->attributes(node) : AttrDict();
    for (const auto& [name, value] : attributes.entries()) {
      Body inner = value.shared_graph();
      Body other = inner ? shared(inner) : nullptr;
      if (inner != other) {
        changed = changed ? changed : std::make_shared<Graph>(*body);
        changed->set_body(node, name, other);
      }
    }
  }
  Body whole = changed ? std::move(changed) : body;
  Body out = by_text_.try_emplace(text_of(*whole), whole).first->second;
  known_.emplace(body.get(), out);
  return out;
}

}  // namespace vouch
