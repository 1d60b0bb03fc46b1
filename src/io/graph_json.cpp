#include "io/graph_json.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>

#include "io/file.h"
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

  std::optional<DType> dtype(const JsonValue& object) {
    auto name = text(object, "type");
    auto found = name ? parse_dtype(*name) : std::nullopt;
    if (name && !found) {
      object.find("type")->error(diagnostics_, fmt::format("unknown element type '{}'", *name));
    }
    return found;
  }

  // --- inputs and outputs

  std::optional<Term> size(const JsonValue& value) {
    if (value.kind() == JsonKind::String) {
      return int_var(*value.string(diagnostics_));
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
    auto type = dtype(input);
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
      if (auto value = tensor(node, {"name", "kind"})) {
        *kind == "constant" ? graph_.add_constant(std::move(*value), *name)
                            : graph_.add_parameter(*name, std::move(*value));
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
      return node.error(diagnostics_, fmt::format("a projection selects an item of one tuple; found index {} of {}",
                                                  *index, tuple.text()));
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
    bool formed = verify_call_form(op_def(*op), items->size(), *attributes, name, inner);
    NodeId call = formed ? graph_.add_call(*op, *items, *attributes, inner, name) : kNoNode;
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
      case JsonKind::String:
        return AttrValue(*value.string(diagnostics_));
      case JsonKind::Array:
        return attribute_list(value);
      case JsonKind::Object:
        if (value.size() == 1) {
          return tagged_attribute(value.items()[0]);
        }
        break;
      case JsonKind::Null:
      case JsonKind::False:
      case JsonKind::True:
        break;
    }
    value.error(diagnostics_, "expected an integer, a string, a list, or an object of one member: float, ratio, size, "
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
      auto number = real(value);
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
      auto held = tensor(value, {});
      return held ? std::optional(AttrValue(std::make_shared<const Tensor>(std::move(*held)))) : std::nullopt;
    }
    if (tag == "graph") {
      auto nested = Reader(diagnostics_, weights_).graph(value);
      return nested ? std::optional(AttrValue(std::make_shared<const Graph>(std::move(*nested)))) : std::nullopt;
    }
    value.error(diagnostics_, fmt::format("unknown kind of attribute '{}'", tag));
    return std::nullopt;
  }

  std::optional<double> real(const JsonValue& value) {
    if (!value.expect(JsonKind::Number, diagnostics_)) {
      return std::nullopt;
    }
    double number = 0;
    auto [end, failure] = std::from_chars(value.text().data(), value.text().data() + value.text().size(), number);
    if (failure != std::errc() || end != value.text().data() + value.text().size()) {
      value.error(diagnostics_, fmt::format("{} is beyond the range of doubles", value.text()));
      return std::nullopt;
    }
    return number;
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

  // --- tensors

  std::optional<Tensor> tensor(const JsonValue& object, std::vector<std::string> also_known) {
    auto type = dtype(object);
    auto dims = list(object, "dims");
    if (!type || !dims) {
      return std::nullopt;
    }
    for (const char* known : {"type", "dims", "data", "hex", "bytes"}) {
      also_known.emplace_back(known);
    }
    object.refuse_unknown_members(also_known, diagnostics_);
    Extents extents;
    for (const JsonValue& dim : *dims) {
      auto extent = dim.integer(diagnostics_);
      if (!extent) {
        return std::nullopt;
      }
      extents.push_back(*extent);
    }
    if (!element_count(extents)) {
      object.find("dims")->error(diagnostics_, "these sizes have no element count within 64 bits");
      return std::nullopt;
    }
    return filled(object, *type, std::move(extents));
  }

  std::optional<Tensor> filled(const JsonValue& object, DType type, Extents extents) {
    if (auto data = object.find("data")) {
      return from_data(*data, type, std::move(extents));
    }
    if (auto hex = object.find("hex")) {
      return from_hex(*hex, type, std::move(extents));
    }
    if (auto range = object.find("bytes")) {
      return from_weights(*range, type, std::move(extents));
    }
    object.error(diagnostics_, "expected a member 'data', 'hex' or 'bytes'");
    return std::nullopt;
  }

  bool count_fits(const JsonValue& value, std::int64_t expected, std::size_t found, std::string_view what) {
    if (static_cast<std::size_t>(expected) != found) {
      value.error(diagnostics_, fmt::format("expected {} {}, found {}", expected, what, found));
      return false;
    }
    return true;
  }

  std::optional<Tensor> from_data(const JsonValue& data, DType type, Extents extents) {
    auto items = data.array(diagnostics_);
    if (!items || !count_fits(data, *element_count(extents), items->size(), "elements")) {
      return std::nullopt;
    }
    Tensor out(type, std::move(extents));
    for (std::int64_t i = 0; i < out.count(); ++i) {
      if (!set_element(out, i, (*items)[static_cast<std::size_t>(i)])) {
        return std::nullopt;
      }
    }
    return out;
  }

  bool set_element(Tensor& out, std::int64_t i, const JsonValue& item) {
    if (is_float(out.dtype())) {
      auto number = real(item);
      if (number) {
        out.set_double(i, *number);
      }
      return number.has_value();
    }
    std::optional<std::int64_t> number;
    std::uint64_t large = 0;
    auto [end, failure] = std::from_chars(item.text().data(), item.text().data() + item.text().size(), large);
    if (out.dtype() == DType::UInt64 && failure == std::errc() && end == item.text().data() + item.text().size()) {
      number = static_cast<std::int64_t>(large);
    } else {
      number = item.integer(diagnostics_);
    }
    if (!number) {
      return false;
    }
    out.set_int(i, *number);
    if (out.int_at(i) != *number) {
      item.error(diagnostics_, fmt::format("{} does not fit {}", *number, dtype_name(out.dtype())));
      return false;
    }
    return true;
  }

  std::optional<Tensor> from_bytes(const JsonValue& value, std::string_view bytes, DType type, Extents extents) {
    auto size = *element_count(extents) * static_cast<std::int64_t>(byte_size(type));
    if (!count_fits(value, size, bytes.size(), "bytes")) {
      return std::nullopt;
    }
    std::vector<std::byte> held(bytes.size());
    std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(), held.begin());
    return Tensor(type, std::move(extents), std::move(held));
  }

  std::optional<Tensor> from_hex(const JsonValue& value, DType type, Extents extents) {
    auto digits = value.string(diagnostics_);
    if (!digits) {
      return std::nullopt;
    }
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits->size(); i += 2) {
      unsigned byte = 0;
      auto [end, failure] = std::from_chars(digits->data() + i, digits->data() + i + 2, byte, 16);
      if (failure != std::errc() || end != digits->data() + i + 2) {
        value.error(diagnostics_, "expected pairs of hexadecimal digits");
        return std::nullopt;
      }
      bytes += static_cast<char>(byte);
    }
    if (digits->size() % 2 != 0) {
      value.error(diagnostics_, "expected pairs of hexadecimal digits");
      return std::nullopt;
    }
    return from_bytes(value, bytes, type, std::move(extents));
  }

  std::optional<Tensor> from_weights(const JsonValue& value, DType type, Extents extents) {
    auto range = value.array(diagnostics_);
    if (!range || !count_fits(value, 2, range->size(), "numbers")) {
      return std::nullopt;
    }
    auto begin = (*range)[0].integer(diagnostics_);
    auto end = (*range)[1].integer(diagnostics_);
    if (!begin || !end) {
      return std::nullopt;
    }
    if (*begin < 0 || *end < *begin || static_cast<std::uint64_t>(*end) > weights_.size()) {
      value.error(diagnostics_, fmt::format("bytes {} to {} are not in the file of weights, which has {}", *begin, *end,
                                            weights_.size()));
      return std::nullopt;
    }
    std::string_view bytes(weights_);
    return from_bytes(value, bytes.substr(static_cast<std::size_t>(*begin), static_cast<std::size_t>(*end - *begin)),
                      type, std::move(extents));
  }

  Diagnostics& diagnostics_;
  const std::string& weights_;
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
