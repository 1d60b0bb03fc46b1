// Rules: the builder that the package's expressions are lowered into, and finished rules.
#include <cmath>
#include <memory>

#include "check/check.h"
#include "driver/model.h"
#include "driver/picture.h"
#include "driver/picture_rule.h"
#include "python/bind.h"
#include "refute/show.h"
#include "rule/builder.h"
#include "rule/parse.h"
#include "rule/print.h"
#include "term/infinity.h"

namespace vouch::python {
namespace {

namespace py = pybind11;
// Name, value, and the place of the call that has the attribute.
using Named = std::vector<std::tuple<std::string, AttrId, std::uint32_t, std::uint32_t>>;

RuleBuilder::Attrs attrs_of(const Named& named) {
  RuleBuilder::Attrs out;
  for (const auto& [name, value, begin, end] : named) {
    out.push_back({name, value, {begin, end}});
  }
  return out;
}

template <class Operator>
Operator operator_named(const std::string& text, std::initializer_list<std::pair<std::string_view, Operator>> names) {
  for (const auto& [name, op] : names) {
    if (name == text) {
      return op;
    }
  }
  throw InputError("unknown operation '" + text + "'");
}

UnaryOp unary_named(const std::string& text) {
  return operator_named<UnaryOp>(text, {{"NEG", UnaryOp::Neg},
                                        {"NOT", UnaryOp::Not},
                                        {"LEN", UnaryOp::Length},
                                        {"ABS", UnaryOp::Abs},
                                        {"CEIL", UnaryOp::Ceil},
                                        {"FLOOR", UnaryOp::Floor},
                                        {"SQRT", UnaryOp::Sqrt}});
}

BinaryOp binary_named(const std::string& text) {
  return operator_named<BinaryOp>(text, {{"ADD", BinaryOp::Add},
                                         {"SUB", BinaryOp::Sub},
                                         {"MUL", BinaryOp::Mul},
                                         {"DIV", BinaryOp::Div},
                                         {"FLOOR_DIV", BinaryOp::FloorDiv},
                                         {"MOD", BinaryOp::Mod},
                                         {"MIN", BinaryOp::Min},
                                         {"MAX", BinaryOp::Max},
                                         {"EQ", BinaryOp::Eq},
                                         {"NE", BinaryOp::Ne},
                                         {"LT", BinaryOp::Lt},
                                         {"LE", BinaryOp::Le},
                                         {"GT", BinaryOp::Gt},
                                         {"GE", BinaryOp::Ge},
                                         {"AND", BinaryOp::And},
                                         {"OR", BinaryOp::Or},
                                         {"CONCAT", BinaryOp::Concat},
                                         {"DIVIDES", BinaryOp::Divides},
                                         {"PERMUTE", BinaryOp::Permute}});
}

Reduction reduction_named(const std::string& text) {
  return operator_named<Reduction>(
      text, {{"ADD", Reduction::Sum}, {"MUL", Reduction::Product}, {"MAX", Reduction::Max}, {"MIN", Reduction::Min}});
}

OpTrait trait_named(const std::string& text) {
  return operator_named<OpTrait>(
      text, {{"any", OpTrait::Any}, {"elementwise", OpTrait::Elementwise}, {"commutative", OpTrait::Commutative}});
}

Expectation expectation_named(const std::string& text) {
  return operator_named<Expectation>(text, {{"none", Expectation::None},
                                            {"sound", Expectation::Sound},
                                            {"sound exact", Expectation::SoundExact},
                                            {"sound real", Expectation::SoundReal},
                                            {"unsound", Expectation::Unsound},
                                            {"ill-typed", Expectation::IllTyped},
                                            {"vacuous", Expectation::Vacuous},
                                            {"unknown", Expectation::Unknown}});
}

AttrValue integer_of(const py::int_& value) { return AttrValue(int_const(Integer(std::string(py::str(py::handle(value)))))); }

AttrValue number_of(double value) { return std::isinf(value) ? AttrValue(infinity(value > 0)) : AttrValue::of_float(value); }

struct Draft {
  Draft(const std::string& name, const std::string& doc, const std::string& file, const std::string& text, Span place)
      : source(text.empty() ? nullptr : std::make_shared<Source>(file, text)),
        builder(name, doc, source, source ? place : Span{}) {}

  Rule finish() {
    Diagnostics diagnostics;
    auto rule = builder.finish(diagnostics);
    if (!rule) {
      raise(diagnostics);
    }
    return std::move(*rule);
  }

  SourceRef source;
  RuleBuilder builder;
};

void bind_draft_attributes(py::class_<Draft>& draft) {
  draft.def("integer", [](Draft& d, const py::int_& value) { return d.builder.value(integer_of(value)); })
      .def("number", [](Draft& d, double value) { return d.builder.value(number_of(value)); })
      .def("text", [](Draft& d, std::string value) { return d.builder.value(AttrValue(std::move(value))); })
      .def("any", [](Draft& d) { return d.builder.any(); })
      .def("absent", [](Draft& d) { return d.builder.absent(); })
      .def("access", [](Draft& d, PatternId p, const std::string& name) { return d.builder.access(p, name); })
      .def("unary", [](Draft& d, const std::string& op, AttrId a) { return d.builder.unary(unary_named(op), a); })
      .def("binary", [](Draft& d, const std::string& op, AttrId a, AttrId b) { return d.builder.binary(binary_named(op), a, b); })
      .def("items", [](Draft& d, std::vector<AttrId> items) { return d.builder.tuple(std::move(items)); })
      .def("item", [](Draft& d, AttrId tuple, AttrId position) { return d.builder.project(tuple, position); })
      .def("symbol", [](Draft& d, const std::string& name) { return d.builder.symbol(name); })
      .def("var_tuple", [](Draft& d, const std::string& index, AttrId length,
                           AttrId body) { return d.builder.var_tuple(index, length, body); })
      .def("reduce", [](Draft& d, const std::string& op, const std::string& index, AttrId length,
                        AttrId body) { return d.builder.reduce(reduction_named(op), index, length, body); })
      .def("choose", [](Draft& d, AttrId condition, AttrId then,
                        AttrId otherwise) { return d.builder.conditional(condition, then, otherwise); })
      .def("place_attr", [](Draft& d, AttrId a, std::uint32_t begin, std::uint32_t end) {
        d.builder.at({begin, end}, a);
      });
}

void bind_draft_patterns(py::class_<Draft>& draft) {
  draft.def("wildcard", [](Draft& d, const Named& attrs) { return d.builder.wildcard(attrs_of(attrs)); })
      .def("constant", [](Draft& d, const Named& attrs) { return d.builder.constant(attrs_of(attrs)); })
      .def("variable", [](Draft& d, const Named& attrs) { return d.builder.variable(attrs_of(attrs)); })
      .def("literal", [](Draft& d, const py::int_& value, PatternId like) { return d.builder.literal(integer_of(value), like); })
      .def("literal", [](Draft& d, double value, PatternId like) { return d.builder.literal(number_of(value), like); })
      .def("call", [](Draft& d, const std::string& op, std::vector<PatternId> operands, const Named& attrs,
                      PatternId as) { return d.builder.call(*find_op(op), std::move(operands), attrs_of(attrs), as); })
      .def("call_variable",
           [](Draft& d, const std::string& name, const std::string& trait, std::vector<PatternId> operands, const Named& attrs,
              PatternId as) {
             return d.builder.call(RuleBuilder::OpVariable{Symbol(name), trait_named(trait)}, std::move(operands),
                                   attrs_of(attrs), as);
           })
      .def("tuple", [](Draft& d, std::vector<PatternId> items) { return d.builder.tuple_of(std::move(items)); })
      .def("projection", [](Draft& d, PatternId tuple, AttrId index) { return d.builder.projection(tuple, index); })
      .def("variadic",
           [](Draft& d, PatternId field, const std::vector<std::pair<PatternId, PatternId>>& templates, const std::string& index,
              AttrId length, std::uint32_t least) {
             std::vector<RuleBuilder::Template> all;
             for (const auto& [pattern, first] : templates) {
               all.push_back({pattern, first});
             }
             return d.builder.variadic(field, std::move(all), index, length, least);
           })
      .def("instance",
           [](Draft& d, PatternId variadic, PatternId of, AttrId which) { return d.builder.instance(variadic, of, which); })
      .def("alternative", [](Draft& d, std::vector<PatternId> options) { return d.builder.alternative(std::move(options)); })
      .def("if_else", [](Draft& d, AttrId condition, PatternId then,
                         PatternId otherwise) { return d.builder.if_else(condition, then, otherwise); })
      .def("require", [](Draft& d, PatternId field, AttrId condition) { d.builder.require(field, condition); })
      .def("name", [](Draft& d, PatternId p, const std::string& name) { d.builder.name(p, name); })
      .def("place", [](Draft& d, PatternId p, std::uint32_t begin, std::uint32_t end) {
        d.builder.at_place({begin, end}, p);
      });
}

// What `vouch check` says of a rule: the verdict and, for a refuted one, its counterexample.
py::dict verdict_of(const Rule& rule, std::uint32_t max_rank) {
  CheckOptions options;
  options.instances.max_rank = max_rank;
  RuleVerdict v;
  {
    py::gil_scoped_release others_may_run;
    v = check_rule(rule, options);
  }
  py::dict out;
  out["verdict"] = verdict_name(v.verdict);
  out["reason"] = v.reason;
  out["instance"] = v.instance;
  out["counterexample"] = v.counterexample ? show_counterexample(*v.counterexample, rule) : "";
  out["instances"] = v.instances;
  return out;
}

std::string svg_of_rule(const Rule& rule) {
  Diagnostics diagnostics;
  auto svg = render(picture_of_rule(rule), "svg", diagnostics);
  return svg ? *svg : (raise(diagnostics), "");
}

}  // namespace

void bind_rules(py::module_& module) {
  py::class_<Draft> draft(module, "Draft");
  draft.def(py::init([](const std::string& name, const std::string& doc, const std::string& file, const std::string& text,
                        std::uint32_t begin, std::uint32_t end) {
    return std::make_unique<Draft>(name, doc, file, text, Span{begin, end});
  }));
  bind_draft_attributes(draft);
  bind_draft_patterns(draft);
  draft.def("source", [](Draft& d, std::vector<PatternId> outputs) { d.builder.source(std::move(outputs)); })
      .def("target", [](Draft& d, std::vector<PatternId> outputs) { d.builder.target(std::move(outputs)); })
      .def("where", [](Draft& d, AttrId condition) { d.builder.where(condition); })
      .def("drop", [](Draft& d, PatternId input) { d.builder.drop(input); })
      .def("rank", [](Draft& d, PatternId input, std::uint32_t from, std::uint32_t to) { d.builder.rank(input, from, to); })
      .def("expect", [](Draft& d, const std::string& verdict) { d.builder.expect(expectation_named(verdict)); })
      .def("finish", &Draft::finish);
  module.attr("NONE") = kNone;

  py::class_<Rule>(module, "Rule")
      .def_readonly("name", &Rule::name)
      .def_readonly("doc", &Rule::doc)
      .def_property_readonly("content_hash", [](const Rule& rule) { return content_hash(rule); })
      .def("text", &print_rule)
      .def("operators",
           [](const Rule& rule) {
             std::vector<std::string> names;
             for (const Pattern& p : rule.patterns) {
               if (p.op) {
                 names.emplace_back(op_def(*p.op).name);
               }
             }
             return names;
           })
      .def("same", &same_rule)
      .def("check", &verdict_of, py::arg("max_rank") = 4)
      .def("svg", &svg_of_rule);

  module.def("parse_rules", [](const std::string& text, const std::string& file) {
    Diagnostics diagnostics;
    auto rules = parse_rules(std::make_shared<Source>(file, text), diagnostics);
    return rules ? std::move(*rules) : (raise(diagnostics), std::vector<Rule>());
  });
  module.def("load_rules", [](const std::vector<std::string>& paths) {
    Diagnostics diagnostics;
    auto rules = load_rules(paths, diagnostics);
    return rules ? std::move(*rules) : (raise(diagnostics), std::vector<Rule>());
  });
}

}  // namespace vouch::python
