// Operators without a kernel of their own: recurrences, control flow, scattering. Typed here, evaluated elsewhere.
#include <fmt/format.h>

#include "graph/foreign.h"
#include "graph/graph.h"
#include "graph/ops/operands.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// --- recurrences: x, w, r, b?, sequence_lens?, initial_h?, …

struct Recurrence {
  Term length;
  Term batch;
  Term directions;
  Term hidden;
  bool batch_first;
};

void require_extents(OpContext& c, std::size_t operand, const Terms& expected) {
  if (!c.has(operand) || !require_rank(c, operand, expected.size())) {
    return;
  }
  for (std::size_t axis = 0; axis < expected.size(); ++axis) {
    c.require(eq(c.extent(operand, axis), expected[axis]),
              fmt::format("axis {} of {} has a wrong size", axis, c.def().operands[operand].name));
  }
}

std::optional<Recurrence> recurrence(OpContext& c, std::int64_t gates) {
  bool batch_first = c.attr_int_value("layout") != 0;
  if (c.failed() || !require_rank(c, 0, 3) || !require_rank(c, 1, 3) || !require_rank(c, 2, 3)) {
    return std::nullopt;
  }
  Recurrence r{c.extent(0, batch_first ? 1 : 0), c.extent(0, batch_first ? 0 : 1),
               c.attr_string("direction") == "bidirectional" ? 2 : 1, c.extent(2, 2), batch_first};
  if (c.has_attr("hidden_size")) {
    c.require(eq(c.attr_int("hidden_size"), r.hidden), "hidden_size must be the last size of r");
  }
  Term rows = r.hidden * Term(gates);
  require_extents(c, 1, {r.directions, rows, c.extent(0, 2)});
  require_extents(c, 2, {r.directions, rows, r.hidden});
  require_extents(c, 3, {r.directions, rows * Term(2)});
  require_extents(c, 4, {r.batch});
  Terms state = batch_first ? Terms{r.batch, r.directions, r.hidden} : Terms{r.directions, r.batch, r.hidden};
  require_extents(c, 5, state);
  return c.failed() ? std::nullopt : std::optional(r);
}

// The whole sequence, the last hidden state, and (LSTM) the last cell state.
void result_recurrence(OpContext& c, const Recurrence& r, bool cell) {
  Terms state = r.batch_first ? Terms{r.batch, r.directions, r.hidden} : Terms{r.directions, r.batch, r.hidden};
  Terms sequence =
      r.batch_first ? Terms{r.batch, r.length, r.directions, r.hidden} : Terms{r.length, r.directions, r.batch, r.hidden};
  c.opaque_result(c.dtype(0), sequence);
  c.opaque_result(c.dtype(0), state);
  if (cell) {
    c.opaque_result(c.dtype(0), state);
  }
}

template <std::int64_t gates>
void define_recurrence(OpContext& c) {
  if (auto r = recurrence(c, gates)) {
    result_recurrence(c, *r, false);
  }
}

void define_lstm(OpContext& c) {
  auto r = recurrence(c, 4);
  if (!r) {
    return;
  }
  require_extents(c, 6, r->batch_first ? Terms{r->batch, r->directions, r->hidden} : Terms{r->directions, r->batch, r->hidden});
  require_extents(c, 7, {r->directions, r->hidden * Term(3)});
  result_recurrence(c, *r, true);
}

// --- control flow: nested graphs whose first inputs are the captured values

void result_joined(OpContext& c, Type a, Type b) {
  if (!a.is_tensor() || !b.is_tensor() || a.dtype() != b.dtype() || a.rank() != b.rank()) {
    return c.fail(fmt::format("the result is {} on one way and {} on the other", a.text(), b.text()));
  }
  Terms extents;
  for (std::size_t axis = 0; axis < a.rank(); ++axis) {
    bool same = a.extents()[axis] == b.extents()[axis];
    extents.push_back(same ? a.extents()[axis] : c.fresh_extent());
  }
  c.opaque_result(a.dtype(), extents);
}

Type output_type(const Graph& graph, std::size_t k) { return graph.type(graph.outputs()[k].node); }

void define_if(OpContext& c) {
  require_scalar(c, 0);
  if (c.failed() || !require_bool(c, 0)) {
    return;
  }
  const Graph& then = *c.attr("then_branch")->graph();
  const Graph& otherwise = *c.attr("else_branch")->graph();
  if (then.outputs().size() != otherwise.outputs().size()) {
    return c.fail(fmt::format("the branches have {} and {} outputs", then.outputs().size(), otherwise.outputs().size()));
  }
  for (std::size_t k = 0; k < then.outputs().size() && !c.failed(); ++k) {
    result_joined(c, output_type(then, k), output_type(otherwise, k));
  }
}

// The body gives the condition, the carried values, and what is collected in each iteration.
void define_loop(OpContext& c) {
  const Graph& body = *c.attr("body")->graph();
  std::size_t carried = 0;
  while (carried < c.item_count(2) && c.item_type(2, carried).is_tensor()) {
    ++carried;
  }
  if (body.outputs().size() < carried + 1) {
    return c.fail(fmt::format("the body has {} outputs, needs {}", body.outputs().size(), carried + 1));
  }
  for (std::size_t k = 0; k < carried && !c.failed(); ++k) {
    result_joined(c, c.item_type(2, k), output_type(body, k + 1));
  }
  for (std::size_t k = carried + 1; k < body.outputs().size() && !c.failed(); ++k) {
    Type item = output_type(body, k);
    if (!item.is_tensor()) {
      return c.fail("what a loop collects must be a tensor");
    }
    Terms extents = item.extents();
    extents.insert(extents.begin(), c.fresh_extent());
    c.opaque_result(item.dtype(), extents);
  }
}

// The data, with slices replaced (or combined) at the places that the last axis of the indices names.
void define_scatter_nd(OpContext& c) {
  if (!require_rank_at_least(c, 1, 1) || !require_integer(c, 1) || !require_same_dtype(c, 0, 2)) {
    return;
  }
  auto depth = const_int(c.extents(1).back());
  if (!depth) {
    return c.fail_undecided("how many axes the indices speak of must be known");
  }
  if (*depth < 1 || *depth > static_cast<std::int64_t>(c.rank(0))) {
    return c.fail(fmt::format("indices {} do not address {}", c.type(1).text(), c.type(0).text()));
  }
  Terms updates(c.extents(1).begin(), c.extents(1).end() - 1);
  updates.insert(updates.end(), c.extents(0).begin() + *depth, c.extents(0).end());
  require_extents(c, 2, updates);
  c.opaque_result(c.dtype(0), c.extents(0));
}

void define_foreign(OpContext& c) {
  const AttrValue& results = *c.attr("results");
  if (!lists_types(results) || results.tuple()->empty()) {
    c.fail("'results' must list types");
  }
}

OpDef recurrent(std::string_view name, void (*define)(OpContext&), std::vector<OperandDef> more,
                std::vector<AttrDef> attributes) {
  OpDef def{.name = name,
            .operands = {{"x"},
                         {"w"},
                         {"r"},
                         {"b", OperandKind::Optional},
                         {"sequence_lens", OperandKind::Optional},
                         {"initial_h", OperandKind::Optional}},
            .attributes = {{.name = "activation_alpha", .type = AttrType::Floats, .otherwise = Absent{}},
                           {.name = "activation_beta", .type = AttrType::Floats, .otherwise = Absent{}},
                           {.name = "activations", .type = AttrType::Strings, .otherwise = Absent{}},
                           {.name = "clip", .type = AttrType::Float, .otherwise = Absent{}},
                           {.name = "direction",
                            .type = AttrType::String,
                            .otherwise = "forward",
                            .choices = {"forward", "reverse", "bidirectional"}},
                           {.name = "hidden_size", .otherwise = Absent{}},
                           {.name = "layout", .otherwise = 0, .domain = AttrDomain::Flag}},
            .define = define,
            .opaque = true,
            .several_results = true};
  def.operands.insert(def.operands.end(), more.begin(), more.end());
  def.attributes.insert(def.attributes.end(), attributes.begin(), attributes.end());
  return def;
}

}  // namespace

std::vector<OpDef> opaque_ops() {
  return {
      recurrent("RNN", define_recurrence<1>, {}, {}),
      recurrent("GRU", define_recurrence<3>, {}, {{.name = "linear_before_reset", .otherwise = 0, .domain = AttrDomain::Flag}}),
      recurrent("LSTM", define_lstm, {{"initial_c", OperandKind::Optional}, {"p", OperandKind::Optional}},
                {{.name = "input_forget", .otherwise = 0, .domain = AttrDomain::Flag}}),
      {.name = "If",
       .operands = {{"condition"}, {"captured", OperandKind::OptionalTuple}},
       .attributes = {{.name = "then_branch", .type = AttrType::Graph}, {.name = "else_branch", .type = AttrType::Graph}},
       .define = define_if,
       .opaque = true,
       .several_results = true},
      // The carried values, and as a last item the tuple of captured values if there are any.
      {.name = "Loop",
       .operands = {{"trips", OperandKind::Optional}, {"condition", OperandKind::Optional}, {"carried", OperandKind::Tuple}},
       .attributes = {{.name = "body", .type = AttrType::Graph}},
       .define = define_loop,
       .opaque = true,
       .several_results = true},
      {.name = "ScatterND",
       .operands = {{"x"}, {"indices"}, {"updates"}},
       .attributes = {{.name = "reduction",
                       .type = AttrType::String,
                       .otherwise = "none",
                       .choices = {"none", "add", "mul", "max", "min"}}},
       .define = define_scatter_nd,
       .opaque = true},
      // A call that is kept as its file spells it (graph/foreign.h).
      {.name = "foreign",
       .operands = {{"items", OperandKind::Tuple}},
       .attributes = {{.name = "domain", .type = AttrType::String},
                      {.name = "op", .type = AttrType::String},
                      {.name = "spelling", .type = AttrType::String},
                      {.name = "is_value", .domain = AttrDomain::Flag},
                      {.name = "results", .type = AttrType::Tuple},
                      {.name = "opset"},
                      {.name = "meaning", .type = AttrType::String}},
       .define = define_foreign,
       .opaque = true,
       .several_results = true},
  };
}

}  // namespace vouch
