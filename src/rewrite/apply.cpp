#include "rewrite/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "rule/print.h"

namespace vouch {
namespace {


class Builder {
 public:
  Builder(Graph& graph, const Rule& rule, const Match& match, const ApplyOptions& options)
      : graph_(graph), rule_(rule), match_(match), options_(options), attributes_(*this) {}

  std::optional<Application> run(std::string& error) {
    first_new_ = static_cast<NodeId>(graph_.id_limit());
    std::vector<NodeId> made(rule_.patterns.size(), kNoNode);
    std::vector<NodeId> results;
    for (PatternId output : rule_.target_outputs) {
      if (!build_output(output, made, results)) {
        return abandon(error);
      }
    }
    if (results.size() != match_.outputs.size()) {
      error_ = fmt::format("the target has {} results for {} outputs", results.size(), match_.outputs.size());
      return abandon(error);
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
      Type wanted = graph_.type(match_.outputs[k]);
      if (graph_.type(results[k]) != wanted) {
        error_ = fmt::format("result {} would have type {} where '{}' has {}", k + 1, graph_.type(results[k]).text(),
                             graph_.name(match_.outputs[k]), wanted.text());
        return abandon(error);
      }
    }
    return finish(std::move(results));
  }

 private:
  // Accesses refer to what the source matched, or to what the target has made so far.
  class Attributes : public AttrSource {
   public:
    explicit Attributes(const Builder& builder) : builder_(builder) {}
    std::optional<AttrValue> access(PatternId pattern, Symbol name, const SymbolEnv& symbols) const override {
      if (builder_.current_ && builder_.rule_.pattern(pattern).kind != PatternKind::Instance &&
          (*builder_.current_)[pattern] != kNoNode) {
        return node_attribute(builder_.graph_, (*builder_.current_)[pattern], name);
      }
      return access_match(builder_.graph_, builder_.rule_, builder_.match_, pattern, name, symbols);
    }

   private:
    const Builder& builder_;
  };

  std::optional<Application> abandon(std::string& error) {
    error = error_;
    for (std::size_t id = graph_.id_limit(); id-- > first_new_;) {
      graph_.erase_dead(static_cast<NodeId>(id));
    }
    return std::nullopt;
  }

  Application finish(std::vector<NodeId> results) {
    Application done;
    for (std::size_t id = first_new_; id < graph_.id_limit(); ++id) {
      done.new_nodes.push_back(static_cast<NodeId>(id));
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
      graph_.replace_uses(match_.outputs[k], results[k]);
    }
    for (NodeId output : match_.outputs) {
      graph_.erase_dead(output);
    }
    done.results = std::move(results);
    return done;
  }

  bool build_output(PatternId output, std::vector<NodeId>& made, std::vector<NodeId>& results) {
    if (rule_.pattern(output).kind != PatternKind::Variadic || rule_.in_source[output]) {
      NodeId node = build(output, {}, made);
      results.push_back(node);
      return node != kNoNode;
    }
    return build_items(output, {}, made, results);
  }

  // PE-Variadic: the length first, then an instance of the templates for each position.
  bool build_items(PatternId variadic, const SymbolEnv& symbols, std::vector<NodeId>& made, std::vector<NodeId>& items) {
    const Pattern& p = rule_.pattern(variadic);
    auto length = eval(p.length, symbols, made);
    auto count = length ? length->int64() : std::nullopt;
    if (!count || *count < 0) {
      return fail("the length of a variadic has no value: " + print_attr(rule_, p.length));
    }
    for (std::int64_t i = 0; i < *count; ++i) {
      SymbolEnv inner = symbols;
      inner.emplace_back(p.index, i);
      for (PatternId id : p.templates) {
        made[id] = kNoNode;
      }
      NodeId item = build(p.operands[0], inner, made);
      if (item == kNoNode) {
        return false;
      }
      items.push_back(item);
    }
    for (PatternId id : p.templates) {
      made[id] = kNoNode;
    }
    return true;
  }

  bool fail(std::string message) {
    if (error_.empty()) {
      error_ = std::move(message);
    }
    return false;
  }

  std::optional<AttrValue> eval(AttrId attr, const SymbolEnv& symbols, const std::vector<NodeId>& made) {
    bool remember = options_.memoise && rule_.attr(attr).closed;
    if (remember) {
      if (auto found = remembered_.find(attr); found != remembered_.end()) {
        return found->second;
      }
    }
    const std::vector<NodeId>* outer = std::exchange(current_, &made);
    auto value = eval_attr(rule_, attr, symbols, attributes_);
    current_ = outer;
    if (remember && value) {
      remembered_.emplace(attr, *value);
    }
    return value;
  }

  NodeId build(PatternId id, const SymbolEnv& symbols, std::vector<NodeId>& made) {
    if (rule_.in_source[id] && rule_.pattern(id).kind != PatternKind::Instance) {  // PE-Match
      if (match_.nodes[id] == kNoNode) {
        fail("the target uses a pattern that was not matched: " + print_pattern(rule_, id));
      }
      return match_.nodes[id];
    }
    if (made[id] != kNoNode) {
      return made[id];
    }
    const Pattern& p = rule_.pattern(id);
    NodeId node = kNoNode;
    switch (p.kind) {
      case PatternKind::Const:
        node = build_constant(p, symbols, made);
        break;
      case PatternKind::Call:
        node = build_call(p, symbols, made);
        break;
      case PatternKind::Tuple:
      case PatternKind::Variadic:
        node = build_tuple(id, symbols, made);
        break;
      case PatternKind::Projection:
        node = build_projection(p, symbols, made);
        break;
      case PatternKind::Instance:
        node = matched_instance(p, symbols, made);
        break;
      case PatternKind::Conditional: {
        auto condition = eval(p.selector, symbols, made);
        auto value = condition ? condition->int64() : std::nullopt;
        node = value ? build(p.operands[*value != 0 ? 0 : 1], symbols, made) : kNoNode;
        break;
      }
      case PatternKind::Alternative:
        node = build(p.operands[0], symbols, made);
        break;
      case PatternKind::Wildcard:
      case PatternKind::Variable:
        fail("the target creates an input");
        break;
    }
    if (node == kNoNode) {
      fail("this part of the target has no value: " + print_pattern(rule_, id));
    }
    return made[id] = node;
  }

  NodeId build_call(const Pattern& p, const SymbolEnv& symbols, std::vector<NodeId>& made) {
    std::vector<NodeId> operands;
    for (PatternId operand : p.operands) {
      operands.push_back(build(operand, symbols, made));
      if (operands.back() == kNoNode) {
        return kNoNode;
      }
    }
    std::vector<AttrDict::Entry> entries;
    for (const PatternAttr& attr : p.attributes) {
      auto value = eval(attr.value, symbols, made);
      if (value) {
        entries.emplace_back(attr.name, std::move(*value));
      } else if (!may_be_absent(p, attr)) {
        fail(fmt::format("attribute {} has no value: {}", attr.name.name(), print_attr(rule_, attr.value)));
        return kNoNode;
      }
    }
    Diagnostics diagnostics;
    NodeId node = graph_.add_call(operator_of(p), operands, AttrDict(std::move(entries)), diagnostics);
    if (node == kNoNode) {
      fail(diagnostics.text());
    }
    return node;
  }

  // An attribute that is taken from a matched call which does not give it, and that has no default, stays absent.
  bool may_be_absent(const Pattern& p, const PatternAttr& attr) const {
    if (!p.op || rule_.attr(attr.value).kind != AttrKind::Access) {
      return false;
    }
    const auto& declared = op_def(*p.op).attributes;
    return std::any_of(declared.begin(), declared.end(), [&](const AttrDef& d) {
      return d.name == attr.name.name() && std::holds_alternative<Absent>(d.otherwise);
    });
  }

  OpId operator_of(const Pattern& p) const {
    if (p.op) {
      return *p.op;
    }
    for (PatternId id : rule_.source_order) {
      const Pattern& other = rule_.pattern(id);
      if (other.kind == PatternKind::Call && !other.op && other.op_variable == p.op_variable) {
        return match_.operators[id];
      }
    }
    return 0;
  }

  NodeId build_tuple(PatternId id, const SymbolEnv& symbols, std::vector<NodeId>& made) {
    std::vector<NodeId> items;
    if (rule_.pattern(id).kind == PatternKind::Variadic) {
      return build_items(id, symbols, made, items) ? graph_.add_tuple(items) : kNoNode;
    }
    for (PatternId item : rule_.pattern(id).operands) {
      items.push_back(build(item, symbols, made));
      if (items.back() == kNoNode) {
        return kNoNode;
      }
    }
    return graph_.add_tuple(items);
  }

  NodeId build_projection(const Pattern& p, const SymbolEnv& symbols, std::vector<NodeId>& made) {
    NodeId tuple = build(p.operands[0], symbols, made);
    auto value = eval(p.attributes[0].value, symbols, made);
    auto index = value ? value->int64() : std::nullopt;
    if (tuple == kNoNode || !index || !graph_.type(tuple).is_tuple() || *index < 0 ||
        *index >= static_cast<std::int64_t>(graph_.type(tuple).items().size())) {
      return kNoNode;
    }
    return graph_.add_projection(tuple, static_cast<std::uint32_t>(*index));
  }

  // PE-Inst: the instance that the source matched.
  NodeId matched_instance(const Pattern& p, const SymbolEnv& symbols, std::vector<NodeId>& made) {
    auto value = eval(p.selector, symbols, made);
    auto index = value ? value->int64() : std::nullopt;
    const auto& instances = match_.instances[p.operands[0]];
    if (!index || *index < 0 || *index >= static_cast<std::int64_t>(instances.size())) {
      return kNoNode;
    }
    const std::vector<PatternId>& templates = rule_.pattern(p.operands[0]).templates;
    auto place = std::find(templates.begin(), templates.end(), p.operands[1]) - templates.begin();
    return instances[static_cast<std::size_t>(*index)].nodes[static_cast<std::size_t>(place)];
  }

  // `value` is a number or a tuple of numbers; `dtype` and `shape` may be given, else int64 for integers and float32.
  NodeId build_constant(const Pattern& p, const SymbolEnv& symbols, std::vector<NodeId>& made) {
    std::optional<AttrValue> value;
    std::optional<AttrValue> dtype_given;
    std::optional<AttrValue> shape_given;
    for (const PatternAttr& attr : p.attributes) {
      auto found = eval(attr.value, symbols, made);
      (attr.name.name() == "dtype" ? dtype_given : attr.name.name() == "shape" ? shape_given : value) = found;
      if (!found) {
        fail(fmt::format("{} of a constant has no value: {}", attr.name.name(), print_attr(rule_, attr.value)));
        return kNoNode;
      }
    }
    if (value && value->tensor()) {
      return graph_.add_constant(*value->tensor());
    }
    if (!value || (!value->number() && !value->tuple())) {
      return kNoNode;
    }
    AttrTuple items = value->tuple() ? *value->tuple() : AttrTuple{*value};
    bool integral = std::all_of(items.begin(), items.end(), [](const AttrValue& item) { return item.int64().has_value(); });
    auto dtype = dtype_given && dtype_given->string() ? parse_dtype(*dtype_given->string())
                                                      : std::optional(integral ? DType::Int64 : DType::Float32);
    auto shape = shape_given ? shape_given->int64s() : std::nullopt;
    Extents extents = shape ? *shape : value->tuple() ? Extents{static_cast<std::int64_t>(items.size())} : Extents{};
    auto count = element_count(extents);
    if (!dtype || !count || (shape_given && !shape)) {
      return kNoNode;
    }
    // One number fills a given shape.
    bool fill = items.size() == 1;
    if (!fill && *count != static_cast<std::int64_t>(items.size())) {
      return kNoNode;
    }
    Tensor tensor(*dtype, std::move(extents));
    for (std::int64_t i = 0; i < *count; ++i) {
      const Term* number = items[fill ? 0 : static_cast<std::size_t>(i)].number();
      if (number == nullptr || !is_const(*number)) {
        return kNoNode;
      }
      if (auto whole = const_int(*number); whole && !is_float(*dtype)) {
        tensor.set_int(i, *whole);
      } else {
        tensor.set_double(i, double_of((*number)->value));
      }
    }
    return graph_.add_constant(std::move(tensor));
  }

  Graph& graph_;
  const Rule& rule_;
  const Match& match_;
  ApplyOptions options_;
  Attributes attributes_;
  const std::vector<NodeId>* current_ = nullptr;
  std::unordered_map<AttrId, AttrValue> remembered_;
  NodeId first_new_ = 0;
  std::string error_;
};

}  // namespace

std::optional<Application> apply_match(Graph& graph, const Rule& rule, const Match& match, const ApplyOptions& options,
                                       std::string& error) {
  return Builder(graph, rule, match, options).run(error);
}

}  // namespace vouch
