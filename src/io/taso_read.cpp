#include "io/taso_read.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace vouch::taso {
namespace {

class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::optional<Rule> read(const JsonValue& object) {
    Rule out;
    auto id = object.member("id", diagnostics_);
    auto number = id ? id->integer(diagnostics_) : std::nullopt;
    out.id = number.value_or(0);
    bool whole = number && read_side(object, "src", out.sides[0]) && read_side(object, "dst", out.sides[1]);
    auto mapped = whole ? object.member("mappedOutputs", diagnostics_) : std::nullopt;
    auto pairs = mapped ? mapped->array(diagnostics_) : std::nullopt;
    if (!pairs) {
      return std::nullopt;
    }
    for (const JsonValue& pair : *pairs) {
      for (int side = 0; side < 2; ++side) {
        auto end = pair.member(side == 0 ? "src" : "dst", diagnostics_);
        auto ref = end ? read_ref(*end, out.sides[side].size()) : std::nullopt;
        if (!ref) {
          return std::nullopt;
        }
        out.outputs[side].push_back(*ref);
      }
    }
    return out;
  }

 private:
  bool read_side(const JsonValue& object, std::string_view name, std::vector<Node>& nodes) {
    auto member = object.member(name, diagnostics_);
    auto items = member ? member->array(diagnostics_) : std::nullopt;
    if (!items) {
      return false;
    }
    for (const JsonValue& item : *items) {
      auto node = read_node(item, nodes.size());
      if (!node) {
        return false;
      }
      nodes.push_back(std::move(*node));
    }
    return true;
  }

  // `before`: nodes of this side that precede, which alone may be referred to.
  std::optional<Ref> read_ref(const JsonValue& value, std::size_t before) {
    auto parts = value.array(diagnostics_);
    if (!parts || parts->size() != 2) {
      value.error(diagnostics_, "expected [node, result]");
      return std::nullopt;
    }
    auto node = (*parts)[0].integer(diagnostics_);
    auto result = (*parts)[1].integer(diagnostics_);
    if (!node || !result) {
      return std::nullopt;
    }
    if (*node >= static_cast<std::int64_t>(before) || *result < 0 || *result > 1) {
      value.error(diagnostics_, fmt::format("there is no result {} of a node {} before this one", *result, *node));
      return std::nullopt;
    }
    return Ref{*node, *result};
  }

  std::optional<Op> read_op(const JsonValue& value) {
    static const std::map<std::string, Op> kOps{{"MATMUL", Op::MatMul}, {"CONV2D", Op::Conv}, {"CONCAT", Op::Concat},
                                                {"SPLIT", Op::Split},   {"EW_ADD", Op::Add},  {"EW_MUL", Op::Mul},
                                                {"RELU", Op::Relu}};
    auto name = value.string(diagnostics_);
    auto found = name ? kOps.find(*name) : kOps.end();
    if (name && found == kOps.end()) {
      std::vector<std::string> known;
      for (const auto& [word, op] : kOps) {
        known.push_back(word);
      }
      auto near = suggest(*name, known);
      value.error(diagnostics_, fmt::format("the operator {} is not known", *name),
                  near ? fmt::format("did you mean {}?", *near) : std::string());
    }
    return found == kOps.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<Node> read_node(const JsonValue& object, std::size_t before) {
    Node node;
    auto op = object.member("op", diagnostics_);
    auto kind = op ? read_op(*op) : std::nullopt;
    auto inputs = kind ? object.member("inputs", diagnostics_) : std::nullopt;
    auto refs = inputs ? inputs->array(diagnostics_) : std::nullopt;
    auto params = refs ? object.member("params", diagnostics_) : std::nullopt;
    if (!params) {
      return std::nullopt;
    }
    node.op = *kind;
    for (const JsonValue& ref : *refs) {
      auto input = read_ref(ref, before);
      if (!input) {
        return std::nullopt;
      }
      node.inputs.push_back(*input);
    }
    std::size_t wanted = node.op == Op::Relu || node.op == Op::Split ? 1 : 2;
    if (node.inputs.size() != wanted) {
      inputs->error(diagnostics_, fmt::format("expected {} inputs, found {}", wanted, node.inputs.size()));
      return std::nullopt;
    }
    return read_params(*params, node) ? std::optional(std::move(node)) : std::nullopt;
  }

  bool read_params(const JsonValue& params, Node& node) {
    auto number = [&](std::string_view name) -> std::optional<std::int64_t> {
      auto value = params.member(name, diagnostics_);
      return value ? value->integer(diagnostics_) : std::nullopt;
    };
    auto word = [&](std::string_view name) -> std::string {
      auto value = params.member(name, diagnostics_);
      return value ? value->string(diagnostics_).value_or("") : "";
    };
    if (node.op == Op::Concat || node.op == Op::Split) {
      bool joins = node.op == Op::Concat;
      auto axis = number("AXIS");
      auto count = number(joins ? "NUM_INPUTS" : "NUM_OUTPUTS");
      auto rank = joins ? number("NUMDIM") : std::optional<std::int64_t>(0);
      if (!axis || !rank || count != 2 || *axis < 0 || *axis > 3) {
        params.error(diagnostics_, "expected an axis from 0 to 3 and two parts");
        return false;
      }
      node.axis = *axis;
      node.rank = *rank;
    }
    if (node.op == Op::MatMul || node.op == Op::Conv) {
      std::string activation = word("ACTI");
      node.relu = activation == "RELU";
      bool same = node.op == Op::MatMul || (word("PAD") == "SAME" && number("STRIDE_H") == 1 && number("STRIDE_W") == 1);
      if (!same || (activation != "RELU" && activation != "NONE")) {
        params.error(diagnostics_, "expected ACTI NONE or RELU and, of a convolution, PAD SAME and strides of 1");
        return false;
      }
    }
    return true;
  }

  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Rule> read_rule(const JsonValue& object, Diagnostics& diagnostics) { return Reader(diagnostics).read(object); }

}  // namespace vouch::taso
