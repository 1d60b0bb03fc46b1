// Whatever fires preserves values: random graphs drawn from the operator table, never from a rule's instances, are rewritten by
// the shipped rules and some that leave attributes open, under the gate, and run before and after. Attributes are given and left
// out, axes count from either end and stand in any order, element types are mixed. Seeds are printed on failure.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "driver/compare.h"
#include "graph/eval.h"
#include "graph/order.h"
#include "optimize/gate.h"
#include "rewrite/cleanup.h"
#include "rewrite/engine.h"
#include "rule/parse.h"

namespace vouch {
namespace {

// Some true, some true for some values only: of those nothing may fire elsewhere.
const char* const kLoose = R"gsl(
rule relu_of_transpose { let x = *; let t = Transpose(x) {perm = any}; source Relu(t); target Transpose(Relu(x)) {perm as t}; }
rule relu_of_reverse { let x = *; let r = reverse(x) {axes = any}; source Relu(r); target reverse(Relu(x)) {axes as r}; }
rule abs_of_sum { let x = *; let r = reduce_sum(x) {axes = any}; source Abs(r); target Abs(Identity(r)); }
rule sums_in_turn {
  let x = *; let r = reduce_sum(x) {axes = any, keepdims = 1};
  where len(r.axes) == 2;
  source r; target reduce_sum(reduce_sum(x) {axes = (r.axes[0],), keepdims = 1}) {axes = (r.axes[1],), keepdims = 1};
}
rule neg_of_softmax { let x = *; let s = Softmax(x) {axis = any}; source Neg(s); target Neg(Identity(s)); }
rule cast_of_relu { let x = *; let c = Cast(x) {to = any}; source Relu(c); target Cast(Relu(x)) {to as c}; }
rule exp_of_concat { let x = *; let y = *; let c = Concat((x, y)) {axis = any}; source Exp(c); target Concat((Exp(x), Exp(y))) {axis as c}; }
rule abs_of_slice {
  let x = *; let s = const {value = any}; let e = const {value = any}; let a = const {value = any}; let t = const {value = any};
  source Abs(Slice(x, s, e, a, t)); target Slice(Abs(x), s, e, a, t);
}
rule cumsum_flags { let x = *; let a = const {value = any}; let c = CumSum(x, a) {exclusive = any, reverse = any}; source Neg(c); target CumSum(Neg(x), a) {exclusive, reverse as c}; }
)gsl";

std::vector<Rule> rules_of(const std::string& name, const std::string& text) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>(name, text), diagnostics);
  EXPECT_TRUE(rules) << diagnostics.text();
  return rules.value_or(std::vector<Rule>());
}

std::vector<Rule> all_rules() {
  std::vector<Rule> all = rules_of("loose", kLoose);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(VOUCH_ROOT "/rules")) {
    if (entry.path().extension() == ".gsl") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    std::vector<Rule> rules = rules_of(file.string(), text.str());
    std::move(rules.begin(), rules.end(), std::back_inserter(all));
  }
  std::erase_if(all, [](const Rule& rule) { return rule.expectation == Expectation::Unsound; });
  return all;
}

// The operators that the rules' sources have: others would rarely meet.
std::vector<OpId> operators_of(const std::vector<Rule>& rules) {
  std::vector<OpId> ops;
  for (const Rule& rule : rules) {
    for (PatternId id : rule.source_order) {
      if (rule.pattern(id).op && !op_def(*rule.pattern(id).op).opaque) {
        ops.push_back(*rule.pattern(id).op);
      }
    }
  }
  return ops;
}

class Draw {
 public:
  Draw(std::uint32_t seed, const std::vector<OpId>& ops) : random_(seed), ops_(ops) {}

  Graph graph() {
    DType dtype = pick(std::vector{DType::Float32, DType::Float32, DType::Int64, DType::Int32, DType::Float64});
    Extents extents(up_to(4));
    for (std::int64_t& extent : extents) {
      extent = 1 + static_cast<std::int64_t>(up_to(3));
    }
    for (int k = 0; k < 2; ++k) {
      nodes_.push_back(graph_.add_input(fmt::format("x{}", k), Type::tensor(dtype, extents)));
    }
    for (int k = 0; k < 8; ++k) {
      add_call();
    }
    for (NodeId node : nodes_) {
      if (graph_.uses(node).empty() && graph_.type(node).is_tensor()) {
        graph_.add_output(fmt::format("y{}", node), node);
      }
    }
    return graph_;
  }

  Tensor value(Type type) {
    Tensor out(type.dtype(), *type.concrete_extents());
    for (std::int64_t at = 0; at < out.count(); ++at) {
      is_float(type.dtype()) ? out.set_double(at, static_cast<double>(up_to(65)) / 16 - 2) : out.set_int(at, int(up_to(9)) - 4);
    }
    return out;
  }

 private:
  std::size_t up_to(std::size_t count) { return random_() % count; }
  bool often() { return up_to(3) != 0; }
  template <class T>
  T pick(const std::vector<T>& from) {
    return from[up_to(from.size())];
  }

  void add_call() {
    OpId op = pick(ops_);
    const OpDef& def = op_def(op);
    std::vector<NodeId> operands;
    for (const OperandDef& operand : def.operands) {
      bool optional = operand.kind == OperandKind::Optional || operand.kind == OperandKind::OptionalTuple;
      operands.push_back(optional && up_to(2) == 0 ? kNoNode : this->operand(operand));
    }
    while (!operands.empty() && operands.back() == kNoNode) {
      operands.pop_back();
    }
    std::vector<AttrDict::Entry> attributes;
    for (const AttrDef& attr : def.attributes) {
      bool needed = std::holds_alternative<Required>(attr.otherwise);
      if (auto value = needed || often() ? attribute(attr) : std::nullopt) {
        attributes.emplace_back(Symbol(attr.name), *value);
      }
    }
    AttrDict dictionary(std::move(attributes));
    Diagnostics illegal;
    if (verify_call_form(def, operands.size(), dictionary, "call", illegal)) {
      NodeId node = graph_.add_call(op, operands, dictionary, illegal);
      if (node != kNoNode) {
        nodes_.push_back(node);
      }
    }
  }

  NodeId operand(const OperandDef& def) {
    if (def.kind == OperandKind::Tuple || def.kind == OperandKind::OptionalTuple) {
      return graph_.add_tuple(std::vector<NodeId>{tensor(), tensor()});
    }
    return def.domain == OperandDomain::Elements ? tensor() : list();
  }

  NodeId tensor() {
    NodeId node = often() ? nodes_.back() : pick(nodes_);
    return graph_.type(node).is_tensor() ? node : graph_.add_projection(node, 0);
  }

  NodeId list() {
    std::vector<std::int64_t> values(up_to(4));
    for (std::int64_t& value : values) {
      value = static_cast<std::int64_t>(up_to(9)) - 4;
    }
    return graph_.add_constant(Tensor::of_ints(DType::Int64, {static_cast<std::int64_t>(values.size())}, values));
  }

  std::optional<AttrValue> attribute(const AttrDef& def) {
    std::size_t rank = graph_.type(nodes_.back()).is_tensor() ? graph_.type(nodes_.back()).rank() : 2;
    auto number = [&] { return static_cast<std::int64_t>(up_to(2 * rank + 2)) - static_cast<std::int64_t>(rank); };
    switch (def.type) {
      case AttrType::Int: return AttrValue(def.domain == AttrDomain::Flag ? static_cast<std::int64_t>(up_to(2)) : number());
      case AttrType::Float: return AttrValue::of_float(static_cast<double>(up_to(9)) / 4 - 1);
      case AttrType::String: return def.choices.empty() ? std::nullopt : std::optional(AttrValue(std::string(pick(def.choices))));
      case AttrType::DType: return AttrValue(std::string(dtype_name(static_cast<DType>(up_to(kDTypeCount)))));
      case AttrType::Ints:
      case AttrType::IntOrInts: {
        std::vector<std::int64_t> items(def.length == AttrLength::Any ? up_to(rank + 1) : rank);
        for (std::size_t k = 0; k < items.size(); ++k) {
          items[k] = number();
        }
        if (def.domain == AttrDomain::Permutation) {
          std::iota(items.begin(), items.end(), 0);
          std::shuffle(items.begin(), items.end(), random_);
        }
        return AttrValue::of_ints(items);
      }
      case AttrType::Floats:
      case AttrType::Strings:
      case AttrType::Tensor:
      case AttrType::Graph:
      case AttrType::Tuple: return std::nullopt;
    }
    return std::nullopt;
  }

  std::mt19937 random_;
  const std::vector<OpId>& ops_;
  Graph graph_;
  std::vector<NodeId> nodes_;
};

TEST(TableGraphs, WhateverFiresPreservesValues) {
  std::vector<Rule> rules = all_rules();
  std::vector<OpId> ops = operators_of(rules);
  Gate gate(rules, false);
  std::size_t fired = 0;
  std::map<std::string, std::size_t> by_rule;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    Draw draw(seed, ops);
    Graph before = draw.graph();
    Graph after = before;
    RewriteResult result = rewrite(after, rules, {.most_steps = 50, .admissions = gate.admissions()});
    if (result.steps == 0) {
      continue;
    }
    std::vector<Tensor> inputs;
    for (NodeId input : before.inputs()) {
      inputs.push_back(draw.value(before.type(input)));
    }
    Diagnostics undefined;
    auto wanted = eval_graph(before, inputs, undefined);
    auto found = eval_graph(after, inputs, undefined);
    if (!wanted) {
      continue;  // an index that is data, out of range
    }
    ASSERT_TRUE(found) << "seed " << seed << ": " << undefined.text();
    std::string names;
    for (std::size_t k = 0; k < rules.size(); ++k) {
      names += result.fired[k] != 0 ? rules[k].name + " " : "";
      by_rule[rules[k].name] += result.fired[k];
    }
    for (std::size_t k = 0; k < wanted->size(); ++k) {
      bool same = (*wanted)[k].dtype() == (*found)[k].dtype() && (*wanted)[k].extents() == (*found)[k].extents();
      ASSERT_TRUE(same) << "seed " << seed << ": " << names;
      double tolerance = is_float((*wanted)[k].dtype()) ? 1e-3 : 0;
      EXPECT_LE(compare_tensors((*found)[k], (*wanted)[k]).relative(), tolerance) << "seed " << seed << ": " << names;
    }
    fired += result.steps;
  }
  std::size_t kinds =
      static_cast<std::size_t>(std::count_if(by_rule.begin(), by_rule.end(), [](const auto& r) { return r.second != 0; }));
  fmt::print("{} rewrites of {} rules\n", fired, kinds);
  EXPECT_GT(fired, 300U);
  EXPECT_GT(kinds, 10U);
}

}  // namespace
}  // namespace vouch
