// Layers of networks.
#include <algorithm>

#include "io/onnx_adapt.h"
#include "io/onnx_earlier.h"

namespace vouch {
namespace {

// Of Gemm before opset 7; the bias broadcasts either way.
void drop_broadcast(OnnxDraft& draft) { draft.drop({"broadcast"}); }

void batch_norm_in_test(OnnxDraft& draft) {
  if (draft.take_int("is_test", 0) == 0) {
    draft.leave_alone();  // training
  }
}

void batch_norm_per_channel(OnnxDraft& draft) {
  if (draft.take_int("spatial", 1) == 0) {
    draft.leave_alone();  // statistics per element
  }
}

// Until training_mode came it trained where it had more results than one, whoever reads them.
void batch_norm_of_one_result(OnnxDraft& draft) {
  const auto& outputs = draft.node().output();
  if (std::any_of(outputs.begin(), outputs.end(),
                  [&](const std::string& name) { return &name != &outputs[0] && !name.empty(); })) {
    draft.leave_alone();
  }
}

// Before opset 10 the scales of Upsample were an attribute, before 7 one for each of two axes.
void upsample_scales(OnnxDraft& draft) {
  auto scales = draft.take("scales");
  AttrTuple items = scales && scales->tuple() ? *scales->tuple() : AttrTuple();
  if (auto height = draft.take("height_scale"), width = draft.take("width_scale"); height && width) {
    items = {AttrValue(1), AttrValue(1), *height, *width};
  }
  std::vector<double> values;
  for (const AttrValue& item : items) {
    values.push_back(item.number() ? double_of((*item.number())->value) : 0);
  }
  draft.set_operand(1, draft.constant(Tensor::of_doubles(DType::Float32, {static_cast<std::int64_t>(values.size())}, values)));
}

// Upsample, and Resize of opset 10, are one operator of the table.
void earlier_resize(OnnxDraft& draft) {
  draft.op = earlier_of("Resize")->known_as;
  if (const AttrValue* mode = draft.attribute("mode"); mode && mode->string() && *mode->string() == "bilinear") {
    draft.set("mode", std::string("linear"));
  }
}

// A list that is left out and one that spells its default mean the same; spelt out, patterns that compare attributes of two
// convolutions, or count with those of a pool, see that. (Pools have no dilations in some opsets: these stay as they are.)
void spell_windows(OnnxDraft& draft) {
  if (!draft.has(0) || !draft.type(0).is_tensor() || draft.type(0).rank() < 3) {
    return;  // ill-typed: typing says why
  }
  std::size_t axes = draft.type(0).rank() - 2;
  auto spell = [&](std::string_view name, std::size_t count, std::int64_t value) {
    if (draft.attribute(name) == nullptr) {
      draft.set(name, AttrTuple(count, AttrValue(value)));
    }
  };
  spell("strides", axes, 1);
  if (draft.op == "Conv") {
    spell("dilations", axes, 1);
  }
  const AttrValue* padding = draft.attribute("auto_pad");
  if (padding == nullptr || (padding->string() && *padding->string() == "NOTSET")) {
    spell("pads", 2 * axes, 0);
  }
}

// Before opset 21 scale and bias had an element for each group.
void group_norm_by_groups(OnnxDraft& draft) { draft.op = earlier_of("GroupNormalization")->known_as; }

void rename_scatter(OnnxDraft& draft) { draft.op = "ScatterElements"; }

// It said whether to give the whole sequence, which the number of outputs says as well.
void drop_output_sequence(OnnxDraft& draft) { draft.drop({"output_sequence"}); }

// Opset 8 scans each row of a batch, up to a length of its own (`sequence_lens`).
void leave_batched_scan(OnnxDraft& draft) { draft.leave_alone(); }

// Axes from the front; a list that says what its absence says is left out.
void spell_scan_list(OnnxDraft& draft, std::string_view name, const std::vector<std::int64_t>& ranks) {
  const AttrValue* value = draft.attribute(name);
  const AttrTuple* items = value != nullptr ? value->tuple() : nullptr;
  if (items == nullptr || items->size() != ranks.size()) {
    return;  // typing says what is wrong
  }
  std::vector<std::int64_t> numbers;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    std::int64_t number = (*items)[k].int64().value_or(0);
    numbers.push_back(number < 0 && number >= -ranks[k] ? number + ranks[k] : number);
  }
  bool as_absent = std::all_of(numbers.begin(), numbers.end(), [](std::int64_t number) { return number == 0; });
  as_absent ? draft.drop({name}) : draft.set(name, AttrValue::of_ints(numbers));
}

void spell_scan(OnnxDraft& draft) {
  const AttrValue* body = draft.attribute("body");
  const AttrValue* number = draft.attribute("num_scan_inputs");
  auto scanned = static_cast<std::size_t>(number != nullptr ? number->int64().value_or(0) : 0);
  std::size_t given = 0;
  while (draft.has(given) && draft.type(given).is_tensor()) {
    ++given;
  }
  if (body == nullptr || body->graph() == nullptr || scanned > given) {
    return;  // typing says what is wrong
  }
  std::vector<std::int64_t> wholes;
  for (std::size_t k = given - scanned; k < given; ++k) {
    wholes.push_back(static_cast<std::int64_t>(draft.type(k).rank()));
  }
  const Graph& graph = *body->graph();
  std::vector<std::int64_t> collected;
  for (std::size_t k = given - scanned; k < graph.outputs().size(); ++k) {
    Type item = graph.type(graph.outputs()[k].node);
    collected.push_back(item.is_tensor() ? static_cast<std::int64_t>(item.rank()) + 1 : 0);
  }
  spell_scan_list(draft, "scan_input_axes", wholes);
  spell_scan_list(draft, "scan_input_directions", std::vector<std::int64_t>(wholes.size(), 0));
  spell_scan_list(draft, "scan_output_axes", collected);
  spell_scan_list(draft, "scan_output_directions", std::vector<std::int64_t>(collected.size(), 0));
}

}  // namespace

std::vector<Adaptation> network_adaptations() {
  return {
      {"Conv", kAnyOpset, spell_windows},
      {"MaxPool", kAnyOpset, spell_windows},
      {"AveragePool", kAnyOpset, spell_windows},
      {"Gemm", 7, drop_broadcast},
      {"BatchNormalization", 7, batch_norm_in_test},
      {"BatchNormalization", 9, batch_norm_per_channel},
      {"BatchNormalization", 14, batch_norm_of_one_result},
      {"Upsample", 9, upsample_scales},
      {"Upsample", kAnyOpset, earlier_resize},
      {"Resize", 11, earlier_resize},
      {"GroupNormalization", 21, group_norm_by_groups},
      {"Scatter", kAnyOpset, rename_scatter},
      {"LSTM", 7, drop_output_sequence},
      {"GRU", 7, drop_output_sequence},
      {"RNN", 7, drop_output_sequence},
      {"Scan", 9, leave_batched_scan},
      {"Scan", kAnyOpset, spell_scan},
  };
}

}  // namespace vouch
