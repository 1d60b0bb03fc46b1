#include "io/taso_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "io/json_text.h"
#include "io/taso_read.h"

namespace vouch {
namespace {

// What is known of a tensor: its rank, and its sizes as text over the shapes of the rule's inputs.
struct TasoShape {
  std::size_t rank = 0;  // 0: not known
  std::vector<std::string> sizes;
  std::string whole;  // of an input of unknown rank that has this shape
};

class RuleWriter {
 public:
  RuleWriter(const taso::Rule& rule, const TasoOptions& options) : rule_(rule), options_(options) {}

  std::string run() {
    infer_ranks();
    for (int side = 0; side < 2; ++side) {
      for (std::size_t k = 0; k < rule_.sides[side].size(); ++k) {
        shapes_[{side, static_cast<std::int64_t>(k)}] = shape_of(side, rule_.sides[side][k]);
      }
    }
    std::string out = fmt::format("rule taso-{} \"{}\" {{\n", rule_.id, equation());
    std::set<std::int64_t> of_source = inputs(0);
    for (auto input = of_source.rbegin(); input != of_source.rend(); ++input) {
      std::size_t rank = ranks_[{0, *input}];
      out += fmt::format("  let x{} = * {{dtype = float32{}}};\n", -*input, rank == 0 ? "" : fmt::format(", rank = {}", rank));
    }
    for (int side = 0; side < 2; ++side) {
      write_nodes(side, out);
    }
    for (const std::string& condition : conditions_) {
      out += fmt::format("  where {};\n", condition);
    }
    std::set<std::int64_t> used = inputs(1);
    for (std::int64_t input : of_source) {
      out += used.contains(input) ? std::string() : fmt::format("  drop x{};\n", -input);
    }
    bool tuple = !connected();
    out += fmt::format("  source {};\n  target {};\n}}\n", outputs(0, tuple), outputs(1, tuple));
    return out;
  }

 private:
  using Key = std::pair<int, std::int64_t>;  // a side and a node; pattern variables belong to side 0

  Key key(int side, const taso::Ref& ref) const { return {ref.node < 0 ? 0 : side, ref.node}; }
  const TasoShape& shape(int side, const taso::Ref& ref) {
    TasoShape& found = shapes_[key(side, ref)];
    if (ref.node < 0 && found.whole.empty()) {
      found.whole = fmt::format("x{}.shape", -ref.node);
      found.rank = ranks_[{0, ref.node}];
      for (std::size_t axis = 0; axis < found.rank; ++axis) {
        found.sizes.push_back(fmt::format("x{}.shape[{}]", -ref.node, axis));
      }
    }
    return found;
  }

  // Nodes that the outputs of a side need, in order.
  std::set<std::int64_t> needed(int side, const std::vector<taso::Ref>& from) const {
    std::set<std::int64_t> out;
    std::vector<taso::Ref> open = from;
    while (!open.empty()) {
      taso::Ref next = open.back();
      open.pop_back();
      if (out.insert(next.node).second && next.node >= 0) {
        const auto& more = rule_.sides[side][static_cast<std::size_t>(next.node)].inputs;
        open.insert(open.end(), more.begin(), more.end());
      }
    }
    return out;
  }

  std::set<std::int64_t> inputs(int side) const {
    std::set<std::int64_t> out;
    for (std::int64_t node : needed(side, rule_.outputs[side])) {
      if (node < 0) {
        out.insert(node);
      }
    }
    return out;
  }

  // Does what each output of the source needs meet what those before it need?
  bool connected() const {
    std::set<std::int64_t> before;
    for (const taso::Ref& output : rule_.outputs[0]) {
      std::set<std::int64_t> own = needed(0, {output});
      bool meets = before.empty() || std::any_of(own.begin(), own.end(), [&](std::int64_t n) { return before.contains(n); });
      if (!meets) {
        return false;
      }
      before.insert(own.begin(), own.end());
    }
    return true;
  }

  // Elementwise operators keep ranks, products are of matrices, convolutions of rank 4.
  void infer_ranks() {
    bool changed = true;
    auto meet = [&](Key a, Key b) {
      std::size_t rank = std::max(ranks_[a], ranks_[b]);
      changed |= ranks_[a] != rank || ranks_[b] != rank;
      ranks_[a] = ranks_[b] = rank;
    };
    auto fix = [&](Key a, std::size_t rank) {
      changed |= ranks_[a] != rank;
      ranks_[a] = rank;
    };
    for (int round = 0; changed && round < 100; ++round) {
      changed = false;
      for (int side = 0; side < 2; ++side) {
        for (std::size_t k = 0; k < rule_.sides[side].size(); ++k) {
          const taso::Node& node = rule_.sides[side][k];
          Key own{side, static_cast<std::int64_t>(k)};
          std::size_t rank = node.op == taso::Op::MatMul   ? 2
                             : node.op == taso::Op::Conv   ? 4
                             : node.op == taso::Op::Concat ? static_cast<std::size_t>(node.rank)
                                                           : 0;
          for (const taso::Ref& input : node.inputs) {
            rank != 0 ? fix(key(side, input), rank) : meet(own, key(side, input));
          }
          if (rank != 0) {
            fix(own, rank);
          }
        }
      }
      for (std::size_t k = 0; k < rule_.outputs[0].size(); ++k) {
        meet(key(0, rule_.outputs[0][k]), key(1, rule_.outputs[1][k]));
      }
    }
  }

  TasoShape shape_of(int side, const taso::Node& node) {
    TasoShape a = shape(side, node.inputs[0]);
    TasoShape b = node.inputs.size() > 1 ? shape(side, node.inputs[1]) : TasoShape{};
    bool ask = side == 1 && options_.question == TasoQuestion::Equal;
    switch (node.op) {
      case taso::Op::MatMul: require(ask, a.sizes[1], b.sizes[0]); return {2, {a.sizes[0], b.sizes[1]}, {}};
      case taso::Op::Conv:
        if (ask) {
          conditions_.push_back(fmt::format("divides({}, {})", b.sizes[1], a.sizes[1]));
          conditions_.push_back(fmt::format("divides(({}) // ({}), {})", a.sizes[1], b.sizes[1], b.sizes[0]));
        }
        return {4, {a.sizes[0], b.sizes[0], a.sizes[2], a.sizes[3]}, {}};
      case taso::Op::Concat: {
        auto axis = static_cast<std::size_t>(node.axis);
        for (std::size_t k = 0; k < a.sizes.size(); ++k) {
          require(ask && k != axis, a.sizes[k], b.sizes[k]);
        }
        a.sizes[axis] = fmt::format("{} + {}", a.sizes[axis], b.sizes[axis]);
        a.whole.clear();
        return a;
      }
      case taso::Op::Add:
      case taso::Op::Mul: return elementwise(side, a, b);
      case taso::Op::Split:  // shapes of the parts are not needed: nothing stands above a split
      case taso::Op::Relu: return a;
    }
    return a;
  }

  // Equal shapes are asked of the source as well: Vouch's Add and Mul would broadcast.
  TasoShape elementwise(int side, TasoShape a, const TasoShape& b) {
    bool ask = side == 0 ? !options_.broadcast : options_.question == TasoQuestion::Equal;
    if (a.rank == 0) {
      require(ask && !options_.broadcast, a.whole, b.whole);
      return a;
    }
    for (std::size_t k = 0; k < a.rank; ++k) {
      if (!options_.broadcast) {
        require(ask, a.sizes[k], b.sizes[k]);
      } else if (a.sizes[k] != b.sizes[k]) {
        if (ask) {
          conditions_.push_back(fmt::format("{0} == {1} or {0} == 1 or {1} == 1", a.sizes[k], b.sizes[k]));
        }
        a.sizes[k] = fmt::format("max({}, {})", a.sizes[k], b.sizes[k]);
      }
    }
    return a;
  }

  void require(bool ask, const std::string& a, const std::string& b) {
    std::string condition = fmt::format("{} == {}", a, b);
    if (ask && a != b && std::find(conditions_.begin(), conditions_.end(), condition) == conditions_.end()) {
      conditions_.push_back(std::move(condition));
    }
  }

  std::string name(int side, const taso::Ref& ref) const {
    if (ref.node < 0) {
      return fmt::format("x{}", -ref.node);
    }
    bool split = rule_.sides[side][static_cast<std::size_t>(ref.node)].op == taso::Op::Split;
    std::string own = fmt::format("{}{}", side == 0 ? "s" : "t", ref.node);
    return split ? fmt::format("{}[{}]", own, ref.result) : own;
  }

  std::string outputs(int side, bool tuple) const {
    std::string list;
    for (const taso::Ref& output : rule_.outputs[side]) {
      list += (list.empty() ? "" : ", ") + name(side, output);
    }
    return tuple ? "(" + list + ")" : list;
  }

  void write_nodes(int side, std::string& out) {
    for (std::int64_t k : needed(side, rule_.outputs[side])) {
      if (k >= 0) {
        const taso::Node& node = rule_.sides[side][static_cast<std::size_t>(k)];
        std::string text = call(side, node);
        out += fmt::format("  let {}{} = {};\n", side == 0 ? "s" : "t", k, node.relu ? "Relu(" + text + ")" : text);
      }
    }
  }

  std::string call(int side, const taso::Node& node) {
    std::string a = name(side, node.inputs[0]);
    std::string b = node.inputs.size() > 1 ? name(side, node.inputs[1]) : "";
    switch (node.op) {
      case taso::Op::MatMul: return fmt::format("MatMul({}, {})", a, b);
      case taso::Op::Conv: {
        std::string groups = side == 0 ? ""
                                       : fmt::format(", group = ({}) // ({})", shape(1, node.inputs[0]).sizes[1],
                                                     shape(1, node.inputs[1]).sizes[1]);
        return fmt::format("Conv({}, {}) {{auto_pad = \"SAME_LOWER\", strides = (1, 1), dilations = (1, 1){}}}", a, b, groups);
      }
      case taso::Op::Concat: return fmt::format("Concat(({}, {})) {{axis = {}}}", a, b, node.axis);
      case taso::Op::Split:
        return fmt::format("split({}) {{axis = {}, indices_or_sections = ({},)}}", a, node.axis, cut(side, node.inputs[0]));
      case taso::Op::Add: return fmt::format("{} + {}", a, b);
      case taso::Op::Mul: return fmt::format("{} * {}", a, b);
      case taso::Op::Relu: return fmt::format("Relu({})", a);
    }
    return {};
  }

  // Where the one concat below cut: the size of its first part.
  std::string cut(int side, const taso::Ref& below) {
    for (std::int64_t k : needed(side, {below})) {
      if (k < 0) {
        continue;
      }
      const taso::Node& node = rule_.sides[side][static_cast<std::size_t>(k)];
      if (node.op == taso::Op::Concat) {
        return shape(side, node.inputs[0]).sizes[static_cast<std::size_t>(node.axis)];
      }
    }
    return "0";
  }

  std::string expression(int side, const taso::Ref& ref) const {
    if (ref.node < 0) {
      return fmt::format("x{}", -ref.node);
    }
    const taso::Node& node = rule_.sides[side][static_cast<std::size_t>(ref.node)];
    std::string a = expression(side, node.inputs[0]);
    std::string b = node.inputs.size() > 1 ? expression(side, node.inputs[1]) : "";
    std::string text;
    switch (node.op) {
      case taso::Op::MatMul: text = fmt::format("matmul({}, {})", a, b); break;
      case taso::Op::Conv: text = fmt::format("conv({}, {})", a, b); break;
      case taso::Op::Concat: text = fmt::format("concat{}({}, {})", node.axis, a, b); break;
      case taso::Op::Split: text = fmt::format("split{}({})[{}]", node.axis, a, ref.result); break;
      case taso::Op::Add: text = fmt::format("({} + {})", a, b); break;
      case taso::Op::Mul: text = fmt::format("({} * {})", a, b); break;
      case taso::Op::Relu: text = fmt::format("relu({})", a); break;
    }
    return node.relu ? fmt::format("relu({})", text) : text;
  }

  std::string equation() const {
    std::string out;
    for (int side = 0; side < 2; ++side) {
      for (std::size_t k = 0; k < rule_.outputs[side].size(); ++k) {
        out += (k == 0 ? "" : ", ") + expression(side, rule_.outputs[side][k]);
      }
      out += side == 0 ? " => " : "";
    }
    return out;
  }

  const taso::Rule& rule_;
  TasoOptions options_;
  std::map<Key, std::size_t> ranks_;
  std::map<Key, TasoShape> shapes_;
  std::vector<std::string> conditions_;
};

std::string heading(const TasoOptions& options) {
  return fmt::format("// TASO's substitutions: {}; ewadd and ewmul {}.\n",
                     options.question == TasoQuestion::Equal ? "equal wherever both sides are legal?"
                                                             : "is the target legal wherever the source is?",
                     options.broadcast ? "broadcast sizes of one" : "want equal shapes");
}

}  // namespace

std::optional<std::string> taso_rules_text(const SourceRef& source, const TasoOptions& options, Diagnostics& diagnostics) {
  auto json = JsonText::parse(source, diagnostics);
  auto items = json ? json->root().array(diagnostics) : std::nullopt;
  if (!items) {
    return std::nullopt;
  }
  std::string out = heading(options);
  bool whole = true;
  for (const JsonValue& item : *items) {
    auto rule = taso::read_rule(item, diagnostics);
    whole = whole && rule.has_value();
    if (rule) {
      out += "\n" + RuleWriter(*rule, options).run();
    }
  }
  return whole ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace vouch
