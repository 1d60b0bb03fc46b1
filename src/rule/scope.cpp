#include "rule/scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "term/infinity.h"
#include "term/print.h"

namespace vouch {

std::vector<std::uint32_t> pattern_positions(const Rule& rule) {
  std::vector<std::uint32_t> positions(rule.patterns.size(), kNone);
  for (std::size_t at = 0; at < rule.source_order.size(); ++at) {
    positions[rule.source_order[at]] = static_cast<std::uint32_t>(at);
  }
  return positions;
}

TypeSet types_of(const Scope& scope, DType dtype) {
  for (const auto& [type, others] : scope.stands_for) {
    if (type == dtype) {
      return others;
    }
  }
  return {dtype};
}

namespace {

std::string element_text(Term element) {
  return is_const(element) || infinite_sign(element) ? AttrValue(element).text() : std::string("any");
}

std::string describe_input(const Scope& scope, const ScopeNode& node) {
  std::string out = node.types.empty() ? std::string("a tuple") : types_of(scope, node.types[0].dtype).text();
  if (!node.types.empty()) {
    std::vector<std::string> extents;
    for (Term extent : node.types[0].extents) {
      extents.push_back(is_const(extent) ? print_term(extent) : "*");
    }
    out += fmt::format("[{}]", fmt::join(extents, ", "));
  }
  if (node.elements) {
    std::vector<std::string> elements;
    for (Term element : *node.elements) {
      elements.push_back(element_text(element));
    }
    out += fmt::format(" ({})", fmt::join(elements, ", "));
  } else if (node.fill) {
    out += " filled with " + element_text(*node.fill);
  }
  for (Term condition : node.every) {
    out += fmt::format(" where {}", print_term(condition));
  }
  return out;
}

std::string attribute_text(const AttrValue& value) {
  if (value.number()) {
    return element_text(*value.number());
  }
  if (!value.tuple()) {
    return value.text();
  }
  std::vector<std::string> items;
  for (const AttrValue& item : *value.tuple()) {
    items.push_back(attribute_text(item));
  }
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

std::string describe_call(const ScopeNode& node) {
  std::vector<std::string> attributes;
  for (const ScopeAttribute& attr : node.attributes) {
    if (attr.kind == ScopeAttribute::Kind::AnyTuple) {
      attributes.push_back(fmt::format("{} = any tuple", attr.name.name()));
    } else if (attr.kind != ScopeAttribute::Kind::Absent) {
      attributes.push_back(fmt::format("{} = {}", attr.name.name(), attribute_text(attr.value)));
    }
  }
  return fmt::format("{}{}", op_def(node.op).name,
                     attributes.empty() ? std::string() : fmt::format(" {{{}}}", fmt::join(attributes, ", ")));
}

}  // namespace

std::string describe(const Scope& scope, const ScopeNode& node) {
  switch (node.kind) {
    case ScopeNode::Kind::Input: return describe_input(scope, node);
    case ScopeNode::Kind::Call: return describe_call(node);
    case ScopeNode::Kind::Tuple: return fmt::format("{} items", node.count);
    case ScopeNode::Kind::Projection: return fmt::format("item {}", node.count);
    case ScopeNode::Kind::Choice: return fmt::format("option {}", node.count + 1);
    case ScopeNode::Kind::Instances: return node.length ? fmt::format("{} branches", element_text(*node.length)) : "branches";
  }
  return {};
}

}  // namespace vouch
