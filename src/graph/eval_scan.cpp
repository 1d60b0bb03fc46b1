// Scan by repeating its body.
#include <fmt/format.h>

#include "graph/collected.h"
#include "graph/eval_call.h"

namespace vouch {
namespace {

std::vector<std::int64_t> each(AttrDict attributes, std::string_view name, std::size_t count) {
  const AttrValue* value = attributes.find(name);
  std::vector<std::int64_t> out(count, 0);
  for (std::size_t k = 0; value != nullptr && k < count; ++k) {
    out[k] = (*value->tuple())[k].int64().value_or(0);
  }
  return out;
}

std::size_t normal(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

// One element along the axis, without it.
Tensor slice(const Tensor& whole, std::size_t axis, std::int64_t at) {
  Extents extents = whole.extents();
  auto length = static_cast<std::size_t>(extents[axis]);
  extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(axis));
  std::size_t rows = 1;
  for (std::size_t k = 0; k < axis; ++k) {
    rows *= static_cast<std::size_t>(extents[k]);
  }
  std::size_t row = rows == 0 ? 0 : whole.bytes().size() / rows / length;
  std::vector<std::byte> bytes;
  for (std::size_t k = 0; k < rows; ++k) {
    auto part = whole.bytes().subspan((k * length + static_cast<std::size_t>(at)) * row, row);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return {whole.dtype(), extents, std::move(bytes)};
}

}  // namespace

// Adds one element of each value that is scanned.
bool CallEvaluator::add_slices(const Request& request, std::span<const Tensor> wholes, std::int64_t step,
                               std::vector<Tensor>& inputs) {
  std::vector<std::int64_t> axes = each(request.attributes, "scan_input_axes", wholes.size());
  std::vector<std::int64_t> directions = each(request.attributes, "scan_input_directions", wholes.size());
  for (std::size_t k = 0; k < wholes.size(); ++k) {
    std::size_t axis = normal(axes[k], wholes[k].rank());
    std::int64_t length = wholes[k].extents()[axis];
    if (!memory_suffices(request, static_cast<std::int64_t>(wholes[k].bytes().size()) / length)) {
      return false;
    }
    inputs.push_back(slice(wholes[k], axis, directions[k] == 0 ? step : length - 1 - step));
  }
  return true;
}

static constexpr std::int64_t kMostSteps = 10'000'000;

// The body takes the captured values, the state, and a slice of each scanned value; it gives the state, and what is collected.
CallEvaluator::Results CallEvaluator::call_scan(const Request& request) {
  const Graph& body = *request.attributes.find("body")->graph();
  const EvalValue& given = request.operands[0];
  auto first_captured = given.items.end() - static_cast<std::ptrdiff_t>(given.nested);
  auto scanned = static_cast<std::size_t>(request.attributes.find("num_scan_inputs")->int64().value_or(0));
  std::vector<Tensor> state(given.items.begin(), first_captured - static_cast<std::ptrdiff_t>(scanned));
  std::span<const Tensor> wholes(given.items.data() + state.size(), scanned);
  std::int64_t first_axis = each(request.attributes, "scan_input_axes", scanned)[0];
  std::int64_t length = wholes[0].extents()[normal(first_axis, wholes[0].rank())];
  if (length > kMostSteps) {
    request.diagnostics.error_at(request.place, fmt::format("{} steps, and {} at most are taken", length, kMostSteps));
    return std::nullopt;
  }
  const std::size_t states = state.size();
  Collected collected(body.outputs().size() - states, memory_);
  for (std::int64_t step = 0; step < length; ++step) {
    std::vector<Tensor> inputs(first_captured, given.items.end());
    inputs.insert(inputs.end(), state.begin(), state.end());
    bool sliced = add_slices(request, wholes, step, inputs);
    auto outputs = sliced ? run_at(request, body, std::move(inputs)) : std::nullopt;
    if (!outputs) {
      return std::nullopt;
    }
    std::copy_n(outputs->begin(), states, state.begin());
    if (!collected.add(std::span(*outputs).subspan(states), request.diagnostics, request.place)) {
      return std::nullopt;
    }
  }
  std::vector<std::int64_t> out_axes = each(request.attributes, "scan_output_axes", body.outputs().size() - states);
  std::vector<std::int64_t> out_directions = each(request.attributes, "scan_output_directions", out_axes.size());
  for (std::size_t k = 0; k < out_axes.size(); ++k) {
    Type item = body.type(body.outputs()[states + k].node);
    state.push_back(collected.joined(k, item, normal(out_axes[k], item.rank() + 1), out_directions[k] != 0));
  }
  return state;
}

}  // namespace vouch
