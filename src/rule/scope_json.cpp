#include "rule/scope_json.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "support/diagnostic.h"
#include "term/parse.h"
#include "term/print.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

Json terms_json(const std::vector<Term>& terms) {
  Json out = Json::array();
  for (Term term : terms) {
    out.push_back(print_term(term));
  }
  return out;
}

// A number as {"n": term}, a text as itself, a tuple as an array. Tensors and graphs never stand in a scope.
Json value_json(const AttrValue& value) {
  if (value.number()) {
    return {{"n", print_term(*value.number())}};
  }
  if (value.string()) {
    return *value.string();
  }
  Json out = Json::array();
  for (const AttrValue& item : *value.tuple()) {
    out.push_back(value_json(item));
  }
  return out;
}

constexpr std::string_view kKinds[] = {"input", "call", "tuple", "projection", "choice", "instances"};

Json node_json(const ScopeNode& node) {
  Json out{{"at", node.position}, {"kind", kKinds[static_cast<std::size_t>(node.kind)]}};
  if (node.branch != ScopeNode::kNoBranch) {
    out["branch"] = node.branch;
  }
  Json types = Json::array();
  for (const ScopeType& type : node.types) {
    types.push_back({{"dtype", dtype_name(type.dtype)}, {"extents", terms_json(type.extents)}});
  }
  out["types"] = std::move(types);
  if (node.elements) {
    out["elements"] = terms_json(*node.elements);
  }
  if (node.any_order) {
    out["any_order"] = true;
  }
  if (node.axes_of_rank) {
    out["axes_of_rank"] = *node.axes_of_rank;
  }
  for (const auto& [name, term] : {std::pair("fill", node.fill), {"each", node.list_element}, {"length", node.length}}) {
    if (term) {
      out[name] = print_term(*term);
    }
  }
  if (node.list_element) {
    out["number"] = node.list_index.name();
  }
  if (node.kind == ScopeNode::Kind::Instances) {
    out["index"] = node.index.name();
  }
  if (node.kind == ScopeNode::Kind::Call) {
    out["op"] = op_def(node.op).name;
    Json attributes = Json::object();
    for (const ScopeAttribute& attr : node.attributes) {
      if (attr.kind == ScopeAttribute::Kind::AnyTuple) {
        attributes[attr.name.name()] = nullptr;
      } else if (attr.kind == ScopeAttribute::Kind::Value) {
        attributes[attr.name.name()] = value_json(attr.value);
      } else if (attr.kind == ScopeAttribute::Kind::Axes) {
        attributes[attr.name.name()] = {{"axes", value_json(attr.value)}, {"rank", attr.rank}};
      } else if (attr.kind == ScopeAttribute::Kind::AnyOrder) {
        attributes[attr.name.name()] = {{"any_order", value_json(attr.value)}};
      }
    }
    out["attributes"] = std::move(attributes);
  } else {
    out["count"] = node.count;
  }
  return out;
}

// Reading: nlohmann's accessors throw where a member is missing or of another kind, and so do these; one place catches.
struct BadScope : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Reader {
 public:
  Scope scope(const Json& json) {
    Scope out;
    auto proven = find_verdict(json.at("proven").get<std::string>());
    if (!proven || !is_sound(*proven)) {
      throw BadScope("no verdict that lets a rule fire");
    }
    out.proven = *proven;
    for (const auto& [type, others] : json.at("stands_for").items()) {
      TypeSet all;
      for (const Json& other : others) {
        all = all | TypeSet{dtype(other.get<std::string>())};
      }
      out.stands_for.emplace_back(dtype(type), all);
    }
    out.axis_by_axis = json.at("axis_by_axis").get<bool>();
    out.distinct_types = json.at("distinct_types").get<bool>();
    for (const Json& node : json.at("nodes")) {
      out.nodes.push_back(this->node(node));
    }
    for (const Json& bound : json.at("bounds")) {
      out.bounds.push_back({Symbol(bound.at(0).get<std::string>()), bound.at(1).get<std::int64_t>()});
    }
    for (const Json& range : json.at("ranges")) {
      out.ranges.push_back({Symbol(range.at(0).get<std::string>()), term(range.at(1)), range.at(2).get<std::int64_t>()});
    }
    out.conditions = terms(json.at("conditions"));
    return out;
  }

 private:
  // Few terms are met often.
  Term term(const Json& json) {
    std::string text = json.get<std::string>();
    auto known = terms_.find(text);
    if (known != terms_.end()) {
      return known->second;
    }
    Diagnostics diagnostics;
    auto read = parse_term(std::make_shared<Source>("scope", text), diagnostics);
    if (!read) {
      throw BadScope("no term: " + text);
    }
    terms_.emplace(std::move(text), *read);
    return *read;
  }

  static DType dtype(const std::string& name) {
    auto found = parse_dtype(name);
    if (!found) {
      throw BadScope("no element type");
    }
    return *found;
  }

  std::vector<Term> terms(const Json& json) {
    std::vector<Term> out;
    for (const Json& item : json) {
      out.push_back(term(item));
    }
    return out;
  }

  AttrValue value(const Json& json) {
    if (json.is_string()) {
      return AttrValue(json.get<std::string>());
    }
    if (json.is_object()) {
      return AttrValue(term(json.at("n")));
    }
    AttrTuple items;
    for (const Json& item : json) {
      items.push_back(value(item));
    }
    return AttrValue(std::move(items));
  }

  ScopeNode node(const Json& json) {
    ScopeNode out;
    out.position = json.at("at").get<std::uint32_t>();
    out.branch = json.value("branch", ScopeNode::kNoBranch);
    auto kind = std::find(std::begin(kKinds), std::end(kKinds), json.at("kind").get<std::string>());
    if (kind == std::end(kKinds)) {
      throw BadScope("no kind of node");
    }
    out.kind = static_cast<ScopeNode::Kind>(kind - std::begin(kKinds));
    for (const Json& type : json.at("types")) {
      out.types.push_back({dtype(type.at("dtype").get<std::string>()), terms(type.at("extents"))});
    }
    if (json.contains("elements")) {
      out.elements = terms(json.at("elements"));
    }
    out.any_order = json.value("any_order", false);
    if (json.contains("axes_of_rank")) {
      out.axes_of_rank = json.at("axes_of_rank").get<std::uint32_t>();
    }
    for (auto [name, place] : {std::pair("fill", &out.fill), {"each", &out.list_element}, {"length", &out.length}}) {
      if (json.contains(name)) {
        *place = term(json.at(name));
      }
    }
    out.list_index = Symbol(json.value("number", std::string()));
    out.index = Symbol(json.value("index", std::string()));
    if (out.kind == ScopeNode::Kind::Call) {
      read_call(json, out);
    } else {
      out.count = json.at("count").get<std::uint32_t>();
    }
    return out;
  }

  void read_call(const Json& json, ScopeNode& out) {
    auto op = find_op(json.at("op").get<std::string>());
    if (!op) {
      throw BadScope("no operator");
    }
    out.op = *op;
    const Json& given = json.at("attributes");
    for (const AttrDef& attr : op_def(*op).attributes) {
      ScopeAttribute read{Symbol(attr.name), ScopeAttribute::Kind::Absent, {}};
      if (auto at = given.find(std::string(attr.name)); at != given.end()) {
        read_attribute(*at, read);
      }
      out.attributes.push_back(std::move(read));
    }
  }

  void read_attribute(const Json& json, ScopeAttribute& out) {
    if (json.is_null()) {
      out.kind = ScopeAttribute::Kind::AnyTuple;
    } else if (json.is_object() && json.contains("axes")) {
      out.kind = ScopeAttribute::Kind::Axes;
      out.value = value(json.at("axes"));
      out.rank = json.at("rank").get<std::uint32_t>();
    } else if (json.is_object() && json.contains("any_order")) {
      out.kind = ScopeAttribute::Kind::AnyOrder;
      out.value = value(json.at("any_order"));
    } else {
      out.kind = ScopeAttribute::Kind::Value;
      out.value = value(json);
    }
  }

  std::unordered_map<std::string, Term> terms_;
};

}  // namespace

nlohmann::ordered_json scope_json(const Scope& scope) {
  Json nodes = Json::array();
  for (const ScopeNode& node : scope.nodes) {
    nodes.push_back(node_json(node));
  }
  Json bounds = Json::array();
  for (const Scope::Bound& bound : scope.bounds) {
    bounds.push_back({bound.symbol.name(), bound.least});
  }
  Json ranges = Json::array();
  for (const Scope::Range& range : scope.ranges) {
    ranges.push_back({range.index.name(), print_term(range.length), range.from});
  }
  Json types = Json::object();
  for (const auto& [type, others] : scope.stands_for) {
    Json names = Json::array();
    for (DType other : others.types()) {
      names.push_back(dtype_name(other));
    }
    types[std::string(dtype_name(type))] = std::move(names);
  }
  return {{"proven", verdict_name(scope.proven)},
          {"stands_for", std::move(types)},
          {"axis_by_axis", scope.axis_by_axis},
          {"distinct_types", scope.distinct_types},
          {"nodes", std::move(nodes)},
          {"bounds", std::move(bounds)},
          {"ranges", std::move(ranges)},
          {"conditions", terms_json(scope.conditions)}};
}

std::optional<Scope> read_scope(const nlohmann::ordered_json& json) {
  try {
    return Reader().scope(json);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const BadScope&) {
    return std::nullopt;
  }
}

}  // namespace vouch
