#include "io/graph_json.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <unordered_map>

#include "graph/unknown_size.h"
#include "io/checked_call.h"
#include "io/file.h"
#include "io/json_tensor.h"
#include "io/json_text.h"

namespace vouch {
namespace {

// Each function reports what it cannot read and then gives nothing.
class Reader {
 public:
  Reader(Diagnostics& diagnostics, const std::string& weights) : diagnostics_(diagnostics), weights_(weights) {}

  std::optional<Graph> graph(const JsonValue& object) {
    auto inputs = list(object, "inputs");
    auto nodes = list(object, "nodes");
    auto outputs = list(object, "outputs");
    if (!inputs || !nodes || !outputs) {
      return std::nullopt;
    }
    std::size_t errors = diagnostics_.error_count();
    for (const JsonValue& input : *inputs) {
      read_input(input);
    }
    for (const JsonValue& node : *nodes) {
      if (diagnostics_.error_count() == errors) {  // later nodes would only repeat what is missing
        read_node(node);
      }
    }
    for (const JsonValue& output : *outputs) {
      if (diagnostics_.error_count() == errors) {
        read_output(output);
      }
    }
    return diagnostics_.error_count() == errors ? std::optional(std::move(graph_)) : std::nullopt;
  }

 private:
  std::optional<std::vector<JsonValue>> list(const JsonValue& object, std::string_view key) {
    auto member = object.member(key, diagnostics_);
    return member ? member->array(diagnostics_) : std::nullopt;
  }

  std::optional<std::string> text(const JsonValue& object, std::string_view key) {
    auto member = object.member(key, diagnostics_);
    return member ? member->string(diagnostics_) : std::nullopt;
  }

  std::optional<std::string> fresh_name(const JsonValue& object) {
    auto name = text(object, "name");
    if (name && graph_.find_name(*name)) {
      object.find("name")->error(diagnostics_, fmt::format("the name '{}' is given twice", *name));
      return std::nullopt;
    }
    return name;
  }

  std::optional<NodeId> node_named(const JsonValue& value) {
    auto name = value.string(diagnostics_);
    auto node = name ? graph_.find_name(*name) : std::nullopt;
    if (name && !node) {
      value.error(diagnostics_, fmt::format("nothing above is named '{}'", *name));
    }
    return node;
  }

  // --- inputs and outputs

  // A size that nothing named when it was written is one of this file's.
  Term named_size(const std::string& name) {
    if (!is_unknown_size(name)) {
      return int_var(name);
    }
    auto found = unknown_.find(name);
    return found != unknown_.end() ? found->second : unknown_.emplace(name, unknown_size()).first->second;
  }

  std::optional<Term> size(const JsonValue& value) {
    if (value.kind() == JsonKind::String) {
      return named_size(*value.string(diagnostics_));
    }
    auto number = value.integer(diagnostics_);
    if (number && *number < 0) {
      value.error(diagnostics_, fmt::format("expected a size, found {}", *number));
      return std::nullopt;
    }
    return number ? std::optional(Term(*number)) : std::nullopt;
  }

  void read_input(const JsonValue& input) {
    auto name = fresh_name(input);
    auto type = json_dtype(input, diagnostics_);
    auto dims = list(input, "dims");
    if (!name || !type || !dims) {
      return;
    }
    input.refuse_unknown_members({"name", "type", "dims"}, diagnostics_);
    std::vector<Term> extents;
    Extents known;
    for (const JsonValue& dim : *dims) {
      auto extent = size(dim);
      if (!extent) {
        return;
      }
      extents.push_back(*extent);
      known.push_back(const_int(*extent).value_or(1));
    }
    if (!element_count(known)) {
      return input.error(diagnostics_, "these sizes have no element count within 64 bits");
    }
    graph_.add_input(*name, Type::tensor(*type, std::move(extents)));
  }

  void read_output(const JsonValue& output) {
    auto name = text(output, "name");
    auto value = output.member("value", diagnostics_);
    auto node = value ? node_named(*value) : std::nullopt;
    if (node && !graph_.type(*node).is_tensor()) {
      return value->error(diagnostics_, "an output must be a tensor, found a tuple");
    }
    if (name && node) {
      graph_.add_output(*name, *node);
    }
  }

  // --- nodes

  void read_node(const JsonValue& node) {
    if (!node.expect(JsonKind::Object, diagnostics_)) {
      return;
    }
    auto name = fresh_name(node);
    if (!name) {
      return;
    }
    if (node.find("op")) {
      return read_call(node, *name);
    }
    auto kind = text(node, "kind");
    if (!kind) {
      return;
    }
    if (*kind == "parameter" || *kind == "constant") {
      if (auto value = json_tensor(node, {"name", "kind"}, weights_, diagnostics_)) {
        *kind == "constant" ? graph_.add_constant(std::move(*value), *name) : graph_.add_parameter(*name, std::move(*value));
      }
    } else if (*kind == "tuple") {
      read_tuple(node, *name);
    } else if (*kind == "projection") {
      read_projection(node, *name);
    } else {
      node.find("kind")->error(diagnostics_, fmt::format("unknown kind '{}'", *kind),
                               "expected parameter, constant, tuple or projection, or a member 'op'");
    }
  }

  std::optional<std::vector<NodeId>> operands(const JsonValue& node, bool may_be_absent) {
    auto items = list(node, "operands");
    if (!items) {
      return std::nullopt;
    }
    std::vector<NodeId> out;
    for (const JsonValue& item : *items) {
      bool absent = may_be_absent && item.kind() == JsonKind::Null;
      auto found = absent ? std::optional(kNoNode) : node_named(item);
      if (!found) {
        return std::nullopt;
      }
      out.push_back(*found);
    }
    return out;
  }

  void read_tuple(const JsonValue& node, const std::string& name) {
    node.refuse_unknown_members({"name", "kind", "operands"}, diagnostics_);
    if (auto items = operands(node, false)) {
      graph_.set_name(graph_.add_tuple(*items), name);
    }
  }

  void read_projection(const JsonValue& node, const std::string& name) {
    node.refuse_unknown_members({"name", "kind", "operands", "index"}, diagnostics_);
    auto items = operands(node, false);
    auto member = node.member("index", diagnostics_);
    auto index = member ? member->integer(diagnostics_) : std::nullopt;
    if (!items || !index) {
      return;
    }
    Type tuple = items->size() == 1 ? graph_.type((*items)[0]) : Type();
    if (!tuple.is_tuple() || *index < 0 || static_cast<std::size_t>(*index) >= tuple.items().size()) {
      return node.error(diagnostics_,
                        fmt::format("a projection selects an item of one tuple; found index {} of {}", *index, tuple.text()));
    }
    graph_.set_name(graph_.add_projection((*items)[0], static_cast<std::uint32_t>(*index)), name);
  }

  void read_call(const JsonValue& node, const std::string& name) {
    node.refuse_unknown_members({"name", "op", "operands", "attributes"}, diagnostics_);
    auto op_name = text(node, "op");
    auto items = operands(node, true);
    auto attributes = read_attributes(node);
    if (!op_name || !items || !attributes) {
      return;
    }
    auto op = find_op(*op_name);
    if (!op) {
      auto near = suggest(*op_name, op_names());
      return node.find("op")->error(diagnostics_, fmt::format("unknown operator '{}'", *op_name),
                                    near ? fmt::format("did you mean '{}'?", *near) : std::string());
    }
    Diagnostics inner;
    NodeId call = add_checked_call(graph_, *op, *items, *attributes, name, inner);
    for (const Diagnostic& problem : inner.all()) {
      node.error(diagnostics_, fmt::format("node '{}': {}", name, problem.message), problem.hint);
    }
    if (call != kNoNode) {
      graph_.set_name(call, name);
    }
  }

  // --- attributes; recursion follows the nesting, which parsing has bounded

  std::optional<AttrDict> read_attributes(const JsonValue& node) {
    auto object = node.find("attributes");
    if (!object) {
      return AttrDict();
    }
    if (!object->expect(JsonKind::Object, diagnostics_)) {
      return std::nullopt;
    }
    std::vector<AttrDict::Entry> entries;
    for (const JsonValue& item : object->items()) {
      auto value = attribute(item);
      if (!value) {
        return std::nullopt;
      }
      entries.emplace_back(Symbol(item.key()), std::move(*value));
    }
    return AttrDict(std::move(entries));
  }

  std::optional<AttrValue> attribute(const JsonValue& value) {
    switch (value.kind()) {
      case JsonKind::Number: {
        auto number = value.integer(diagnostics_);
        return number ? std::optional(AttrValue(*number)) : std::nullopt;
      }
      case JsonKind::String: return AttrValue(*value.string(diagnostics_));
      case JsonKind::Array: return attribute_list(value);
      case JsonKind::Object:
        if (value.size() == 1) {
          return tagged_attribute(value.items()[0]);
        }
        break;
      case JsonKind::Null:
      case JsonKind::False:
      case JsonKind::True: break;
    }
    value.error(diagnostics_,
                "expected an integer, a string, a list, or an object of one member: float, ratio, size, "
                "tensor or graph");
    return std::nullopt;
  }

  std::optional<AttrValue> attribute_list(const JsonValue& value) {
    AttrTuple items;
    for (const JsonValue& item : value.items()) {
      auto read = attribute(item);
      if (!read) {
        return std::nullopt;
      }
      items.push_back(std::move(*read));
    }
    return AttrValue(std::move(items));
  }

  std::optional<AttrValue> tagged_attribute(const JsonValue& value) {
    const std::string& tag = value.key();
    if (tag == "float") {
      auto number = json_real(value, diagnostics_);
      if (number && *number == 0 && std::signbit(*number)) {
        value.error(diagnostics_, "attributes are exact numbers, and -0 is none of them: write 0");
        return std::nullopt;
      }
      return number ? std::optional(AttrValue::of_float(*number)) : std::nullopt;
    }
    if (tag == "size") {
      auto name = value.string(diagnostics_);
      return name ? std::optional(AttrValue(int_var(*name))) : std::nullopt;
    }
    if (tag == "ratio") {
      return ratio(value);
    }
    if (tag == "tensor") {
      auto held = json_tensor(value, {}, weights_, diagnostics_);
      return held ? std::optional(AttrValue(std::make_shared<const Tensor>(std::move(*held)))) : std::nullopt;
    }
    if (tag == "graph") {
      auto nested = Reader(diagnostics_, weights_).graph(value);
      return nested ? std::optional(AttrValue(std::make_shared<const Graph>(std::move(*nested)))) : std::nullopt;
    }
    value.error(diagnostics_, fmt::format("unknown kind of attribute '{}'", tag));
    return std::nullopt;
  }

  // `-3/4`: an integer, or two with a stroke between them.
  std::optional<AttrValue> ratio(const JsonValue& value) {
    constexpr std::size_t kMostDigits = 10000;
    auto given = value.string(diagnostics_);
    if (!given) {
      return std::nullopt;
    }
    std::string_view rest = *given;
    bool negative = rest.starts_with('-');
    rest.remove_prefix(negative ? 1 : 0);
    std::size_t stroke = rest.find('/');
    std::string above(rest.substr(0, stroke));
    std::string below(stroke == std::string_view::npos ? "1" : rest.substr(stroke + 1));
    auto is_number = [](const std::string& t) {
      return !t.empty() && t[0] != '0' && t.size() <= kMostDigits && t.find_first_not_of("0123456789") == std::string::npos;
    };
    if (!is_number(above) || !is_number(below)) {
      value.error(diagnostics_, fmt::format("expected a fraction such as \"-3/4\", found {}", json_quote(*given)));
      return std::nullopt;
    }
    Rational number{Integer(above), Integer(below)};
    return AttrValue(real_const(negative ? Rational(-number) : number));
  }

  Diagnostics& diagnostics_;
  const std::string& weights_;
  std::unordered_map<std::string, Term> unknown_;
  Graph graph_;
};

// The file lies in the folder itself: its name has no path.
std::optional<std::string> read_weights(const JsonValue& root, const std::string& folder, Diagnostics& diagnostics) {
  auto member = root.find("weights");
  if (!member) {
    return std::string();
  }
  auto name = member->string(diagnostics);
  if (!name) {
    return std::nullopt;
  }
  std::filesystem::path file(*name);
  if (folder.empty() || name->empty() || file.filename() != file || *name == "." || *name == ".." ||
      name->find('\0') != std::string::npos) {
    member->error(diagnostics, fmt::format("expected the name of a file beside this one, found {}", json_quote(*name)));
    return std::nullopt;
  }
  return read_file((std::filesystem::path(folder) / file).string(), diagnostics);
}

}  // namespace

std::optional<Graph> parse_graph(const SourceRef& source, const std::string& folder, Diagnostics& diagnostics) {
  auto json = JsonText::parse(source, diagnostics);
  if (!json) {
    return std::nullopt;
  }
  JsonValue root = json->root();
  auto member = root.member("vouch", diagnostics);
  auto version = member ? member->integer(diagnostics) : std::nullopt;
  if (!version) {
    return std::nullopt;
  }
  if (*version != 1) {
    member->error(diagnostics, fmt::format("expected version 1 of the graph form, found {}", *version));
    return std::nullopt;
  }
  root.refuse_unknown_members({"vouch", "weights", "inputs", "nodes", "outputs"}, diagnostics);
  auto weights = read_weights(root, folder, diagnostics);
  if (!weights || diagnostics.has_errors()) {
    return std::nullopt;
  }
  return Reader(diagnostics, *weights).graph(root);
}

std::optional<Graph> read_graph(const std::string& path, Diagnostics& diagnostics) {
  auto text = read_file(path, diagnostics);
  if (!text) {
    return std::nullopt;
  }
  std::string folder = std::filesystem::absolute(path).parent_path().string();
  return parse_graph(std::make_shared<Source>(path, std::move(*text)), folder, diagnostics);
}

}  // namespace vouch
