#include "graph/recurrent_cell.h"

#include <fmt/format.h>

#include <algorithm>

namespace vouch {

std::int64_t gate_count(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::Rnn: return 1;
    case RecurrentKind::Gru: return 3;
    case RecurrentKind::Lstm: return 4;
  }
  return 0;
}

namespace {

// What alpha and beta are if a model does not say; nothing: the function has no such parameter. Of those that have to be said,
// ONNX Runtime takes other numbers than the operators of these names had.
struct ActivationForm {
  std::string_view name;
  std::optional<double> alpha;
  std::optional<double> beta;
  bool to_be_said = false;
};

constexpr ActivationForm kForms[] = {
    {"Relu", {}, {}},
    {"Tanh", {}, {}},
    {"Sigmoid", {}, {}},
    {"Softsign", {}, {}},
    {"Softplus", {}, {}},
    {"LeakyRelu", 0.01, {}},
    {"Elu", 1.0, {}},
    {"HardSigmoid", 0.2, 0.5},
    {"ThresholdedRelu", 1.0, {}},
    {"ScaledTanh", 1.0, 1.0, true},
    {"Affine", 1.0, 0.0, true},
};

std::vector<std::string> default_activations(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::Rnn: return {"Tanh"};
    case RecurrentKind::Gru: return {"Sigmoid", "Tanh"};
    case RecurrentKind::Lstm: return {"Sigmoid", "Tanh", "Tanh"};
  }
  return {};
}

// Takes the next value of a list attribute, else the default.
class Parameters {
 public:
  explicit Parameters(const AttrValue* list) : list_(list && list->tuple() ? *list->tuple() : AttrTuple()) {}

  bool has_more() const { return next_ < list_.size() && list_[next_].number() && is_const(*list_[next_].number()); }

  double take(std::optional<double> otherwise) {
    if (!otherwise) {
      return 0;
    }
    return has_more() ? double_of((*list_[next_++].number())->value) : *otherwise;
  }

 private:
  AttrTuple list_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<std::vector<std::vector<Activation>>> parse_activations(RecurrentKind kind, std::int64_t directions,
                                                                      AttrDict attributes, CallBuilder& build) {
  std::vector<std::string> defaults = default_activations(kind);
  const AttrValue* given = attributes.find("activations");
  std::size_t needed = defaults.size() * static_cast<std::size_t>(directions);
  if (given && given->tuple()->size() != needed) {
    build.diagnostics.error_at(build.place, fmt::format("expected {} activations, found {}", needed, given->tuple()->size()));
    return std::nullopt;
  }
  Parameters alpha(attributes.find("activation_alpha"));
  Parameters beta(attributes.find("activation_beta"));
  std::vector<std::vector<Activation>> out(static_cast<std::size_t>(directions));
  for (std::size_t i = 0; i < needed; ++i) {
    std::string name = given ? *(*given->tuple())[i].string() : defaults[i % defaults.size()];
    const auto* form =
        std::find_if(std::begin(kForms), std::end(kForms), [&](const ActivationForm& f) { return f.name == name; });
    if (form == std::end(kForms)) {
      build.diagnostics.error_at(build.place, fmt::format("unknown activation '{}'", name));
      return std::nullopt;
    }
    if (form->to_be_said && !(alpha.has_more() && beta.has_more())) {
      build.diagnostics.error_at(build.place,
                                 fmt::format("alpha and beta of {} have to be given: what they are otherwise ONNX and "
                                             "ONNX Runtime say differently",
                                             name));
      return std::nullopt;
    }
    out[i / defaults.size()].push_back({name, alpha.take(form->alpha), beta.take(form->beta)});
  }
  return out;
}

static bool flag(AttrDict attributes, std::string_view name) {
  const AttrValue* value = attributes.find(name);
  return value && value->int64().value_or(0) != 0;
}

CellStep::CellStep(CallBuilder& build, RecurrentKind kind, const RecurrentWeights& weights,
                   const std::vector<Activation>& activations, AttrDict attributes)
    : build_(build),
      kind_(kind),
      weights_(weights),
      activations_(activations),
      linear_before_reset_(flag(attributes, "linear_before_reset")),
      input_forget_(flag(attributes, "input_forget")) {
  const AttrValue* clip = attributes.find("clip");
  if (clip && clip->number() && is_const(*clip->number())) {
    clip_ = double_of((*clip->number())->value);
  }
}

RecurrentState CellStep::apply(NodeId projected, const RecurrentState& state) {
  std::vector<NodeId> gates = build_.split(projected, 2, gate_count(kind_));
  switch (kind_) {
    case RecurrentKind::Rnn: return apply_rnn(gates, state);
    case RecurrentKind::Gru: return apply_gru(gates, state);
    case RecurrentKind::Lstm: return apply_lstm(gates, state);
  }
  return {};
}

NodeId CellStep::recur(NodeId hidden, std::size_t gate) {
  NodeId product = build_.call("MatMul", {hidden, weights_.recurrent[gate]});
  return weights_.bias.empty() ? product : build_.call("Add", {product, weights_.bias[gate]});
}

NodeId CellStep::peep(NodeId sum, NodeId cell, std::size_t gate) {
  if (weights_.peepholes.empty()) {
    return sum;
  }
  return build_.call("Add", {sum, build_.call("Mul", {weights_.peepholes[gate], cell})});
}

NodeId CellStep::clipped(NodeId x) {
  if (!clip_ || build_.failed) {
    return x;
  }
  DType dtype = build_.graph.type(x).dtype();
  return build_.call("Clip", {x, build_.scalar(dtype, -*clip_), build_.scalar(dtype, *clip_)});
}

NodeId CellStep::activate(NodeId x, std::size_t position) {
  const Activation& f = activations_[position];
  NodeId y = clipped(x);
  if (build_.failed) {
    return kNoNode;
  }
  DType dtype = build_.graph.type(y).dtype();
  if (f.name == "Affine") {
    return build_.call("Add", {build_.call("Mul", {y, build_.scalar(dtype, f.alpha)}), build_.scalar(dtype, f.beta)});
  }
  if (f.name == "ScaledTanh") {
    NodeId inner = build_.call("Tanh", {build_.call("Mul", {y, build_.scalar(dtype, f.beta)})});
    return build_.call("Mul", {inner, build_.scalar(dtype, f.alpha)});
  }
  std::vector<AttrDict::Entry> attributes;
  if (f.name == "LeakyRelu" || f.name == "Elu" || f.name == "HardSigmoid" || f.name == "ThresholdedRelu") {
    attributes.emplace_back(Symbol("alpha"), AttrValue::of_float(f.alpha));
  }
  if (f.name == "HardSigmoid") {
    attributes.emplace_back(Symbol("beta"), AttrValue::of_float(f.beta));
  }
  return build_.call(f.name, {y}, AttrDict(std::move(attributes)));
}

// h' = f(x w + h r)
RecurrentState CellStep::apply_rnn(const std::vector<NodeId>& gates, const RecurrentState& state) {
  return {activate(build_.call("Add", {gates[0], recur(state.hidden, 0)}), 0), kNoNode};
}

// z = f(x wz + h rz), r = f(x wr + h rr), n = g(x wh + (r h) rh) or g(x wh + r (h rh)), h' = (1 - z) n + z h
RecurrentState CellStep::apply_gru(const std::vector<NodeId>& gates, const RecurrentState& state) {
  NodeId update = activate(build_.call("Add", {gates[0], recur(state.hidden, 0)}), 0);
  NodeId reset = activate(build_.call("Add", {gates[1], recur(state.hidden, 1)}), 0);
  NodeId past = linear_before_reset_ ? build_.call("Mul", {reset, recur(state.hidden, 2)})
                                     : recur(build_.call("Mul", {reset, state.hidden}), 2);
  NodeId fresh = activate(build_.call("Add", {gates[2], past}), 1);
  if (build_.failed) {
    return {};
  }
  NodeId rest = build_.call("Sub", {build_.scalar(build_.graph.type(update).dtype(), 1), update});
  return {build_.call("Add", {build_.call("Mul", {rest, fresh}), build_.call("Mul", {update, state.hidden})}), kNoNode};
}

// i = f(x wi + h ri + pi c), k = f(x wf + h rf + pf c), c' = k c + i g(x wc + h rc),
// o = f(x wo + h ro + po c'), h' = o h(c')
RecurrentState CellStep::apply_lstm(const std::vector<NodeId>& gates, const RecurrentState& state) {
  enum Gate : std::size_t { kInput, kOutput, kForget, kCell };
  auto sum = [&](Gate gate) { return build_.call("Add", {gates[gate], recur(state.hidden, gate)}); };
  NodeId input = activate(peep(sum(kInput), state.cell, 0), 0);
  if (build_.failed) {
    return {};
  }
  NodeId forget = input_forget_ ? build_.call("Sub", {build_.scalar(build_.graph.type(input).dtype(), 1), input})
                                : activate(peep(sum(kForget), state.cell, 2), 0);
  NodeId fresh = activate(sum(kCell), 1);
  NodeId cell = build_.call("Add", {build_.call("Mul", {forget, state.cell}), build_.call("Mul", {input, fresh})});
  NodeId output = activate(peep(sum(kOutput), cell, 1), 0);
  // The cell is not clipped on its way out.
  std::optional<double> clip = std::exchange(clip_, std::nullopt);
  NodeId hidden = build_.call("Mul", {output, activate(cell, 2)});
  clip_ = clip;
  return {hidden, cell};
}

}  // namespace vouch
