// Operators without a kernel of their own.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "graph/collected.h"
#include "graph/eval_call.h"
#include "graph/foreign.h"
#include "graph/recurrent.h"

namespace vouch {

CallEvaluator::Results CallEvaluator::call_opaque(const Request& request) {
  auto typing = type_call(request.op, request.types, request.attributes, {});
  std::string_view name = op_def(request.op).name;
  if (!typing->error.empty()) {
    request.diagnostics.error_at(request.place, fmt::format("{}: {}", name, typing->error));
    return std::nullopt;
  }
  if (is_recurrent(request.op)) {
    return results_fit(request, typing->results) ? call_recurrence(request) : std::nullopt;
  }
  if (name == "If") {
    return call_if(request);
  }
  if (name == "Loop") {
    return call_loop(request);
  }
  if (name == "Scan") {
    return call_scan(request);
  }
  if (name == "ScatterND") {
    return call_scatter_nd(request);
  }
  return call_foreign(request);
}

// The name of an operator that the table nearly has may be misspelt.
CallEvaluator::Results CallEvaluator::call_foreign(const Request& request) {
  ForeignCall call = foreign_call(request.attributes);
  std::string why;
  auto results = foreign_ ? foreign_(call, request.operands[0].items, memory_, why) : std::nullopt;
  if (results) {
    return results;
  }
  if (!why.empty()) {
    request.diagnostics.error_at(request.place, fmt::format("{}: {}", call.op, why));
    return std::nullopt;
  }
  auto near = call.domain.empty() && !find_op(call.op) ? suggest(call.op, op_names()) : std::nullopt;
  request.diagnostics.error_at(request.place,
                               fmt::format("this call of {}{}{} has no meaning here and cannot be evaluated", call.domain,
                                           call.domain.empty() ? "" : ".", call.op),
                               near ? fmt::format("did you mean '{}'?", *near) : std::string());
  return std::nullopt;
}

CallEvaluator::Results CallEvaluator::run_at(const Request& request, const Graph& graph, std::vector<Tensor> inputs) {
  Diagnostics inner;
  auto outputs = run_nested(graph, std::move(inputs), inner);
  for (Diagnostic problem : inner.all()) {
    problem.place = fmt::format("{}: {}", request.place, problem.place);
    request.diagnostics.add(std::move(problem));
  }
  return outputs;
}

CallEvaluator::Results CallEvaluator::call_recurrence(const Request& request) {
  std::shared_ptr<const Graph>& graph = unrolled_[{request.op, request.attributes.id(), request.types}];
  if (!graph) {
    auto built = unroll_recurrence(request.op, request.types, request.attributes, request.place, request.diagnostics);
    if (!built) {
      return std::nullopt;
    }
    graph = std::make_shared<const Graph>(std::move(*built));
  }
  std::vector<Tensor> inputs;
  for (const EvalValue& operand : request.operands) {
    inputs.insert(inputs.end(), operand.items.begin(), operand.items.end());
  }
  return run_at(request, *graph, std::move(inputs));
}

// --- control flow: the first inputs of a nested graph are the captured values

CallEvaluator::Results CallEvaluator::call_if(const Request& request) {
  const Tensor& condition = request.operands[0].items[0];
  if (condition.count() != 1) {
    request.diagnostics.error_at(request.place,
                                 fmt::format("the condition of If must be one element, found {}", condition.count()));
    return std::nullopt;
  }
  const AttrValue* branch = request.attributes.find(condition.int_at(0) != 0 ? "then_branch" : "else_branch");
  std::vector<Tensor> captured = request.operands.size() > 1 ? request.operands[1].items : std::vector<Tensor>();
  return run_at(request, *branch->graph(), std::move(captured));
}

namespace {

std::int64_t first_int(const EvalValue& value, std::int64_t otherwise) {
  return value.items.empty() || value.items[0].count() == 0 ? otherwise : value.items[0].int_at(0);
}

}  // namespace

static constexpr std::int64_t kMostTrips = 10'000'000;

// The body takes the captured values, the iteration, the condition and the carried values; it gives the condition, the
// carried values, and what is collected.
CallEvaluator::Results CallEvaluator::call_loop(const Request& request) {
  const Graph& body = *request.attributes.find("body")->graph();
  const EvalValue& given = request.operands[2];
  auto first_captured = given.items.end() - static_cast<std::ptrdiff_t>(given.nested);
  std::vector<Tensor> carried(given.items.begin(), first_captured);
  const std::size_t first_collected = carried.size() + 1;
  if (body.inputs().size() != given.items.size() + 2) {
    request.diagnostics.error_at(
        request.place, fmt::format("the body takes {} values, the loop has {}", body.inputs().size(), given.items.size() + 2));
    return std::nullopt;
  }
  std::int64_t trips = first_int(request.operands[0], INT64_MAX);
  bool running = first_int(request.operands[1], 1) != 0;
  Collected collected(body.outputs().size() - first_collected, memory_);
  for (std::int64_t i = 0; i < trips && running; ++i) {
    if (i == kMostTrips) {
      request.diagnostics.error_at(request.place, fmt::format("the loop does not end within {} iterations", kMostTrips));
      return std::nullopt;
    }
    std::vector<Tensor> inputs(first_captured, given.items.end());
    inputs.push_back(one_element(body.type(body.inputs()[inputs.size()]), i));
    inputs.push_back(one_element(body.type(body.inputs()[inputs.size()]), 1));
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    auto outputs = run_at(request, body, std::move(inputs));
    if (!outputs) {
      return std::nullopt;
    }
    running = (*outputs)[0].count() > 0 && (*outputs)[0].int_at(0) != 0;
    std::copy_n(outputs->begin() + 1, carried.size(), carried.begin());
    if (!collected.add(std::span(*outputs).subspan(first_collected), request.diagnostics, request.place)) {
      return std::nullopt;
    }
  }
  for (std::size_t k = first_collected; k < body.outputs().size(); ++k) {
    carried.push_back(collected.joined(k - first_collected, body.type(body.outputs()[k].node)));
  }
  return carried;
}

// --- ScatterND

bool CallEvaluator::scatter_slice(const Request& request, std::string_view combine, Tensor& data, const Tensor& updates,
                                  std::int64_t from, std::int64_t to, const Extents& slice) {
  std::size_t width = byte_size(data.dtype());
  std::size_t size = static_cast<std::size_t>(*element_count(slice)) * width;
  std::span<const std::byte> update = updates.bytes().subspan(static_cast<std::size_t>(from) * width, size);
  std::span<std::byte> target = data.mutable_bytes().subspan(static_cast<std::size_t>(to) * width, size);
  if (combine.empty()) {
    std::copy(update.begin(), update.end(), target.begin());
    return true;
  }
  std::vector<Tensor> both{Tensor(data.dtype(), slice, {target.begin(), target.end()}),
                           Tensor(data.dtype(), slice, {update.begin(), update.end()})};
  bool variadic = combine == "Max" || combine == "Min";
  std::vector<EvalValue> operands =
      variadic ? std::vector<EvalValue>{{true, both}} : std::vector<EvalValue>{{false, {both[0]}}, {false, {both[1]}}};
  auto result = call(*find_op(combine), operands, {}, request.place, request.diagnostics);
  if (!result) {
    return false;
  }
  std::copy((*result)[0].bytes().begin(), (*result)[0].bytes().end(), target.begin());
  return true;
}

CallEvaluator::Results CallEvaluator::call_scatter_nd(const Request& request) {
  const Tensor& x = request.operands[0].items[0];
  const Tensor& indices = request.operands[1].items[0];
  const Tensor& updates = request.operands[2].items[0];
  const AttrValue* reduction = request.attributes.find("reduction");
  std::string how = reduction ? *reduction->string() : "none";
  std::string_view combine = how == "add" ? "Add" : how == "mul" ? "Mul" : how == "max" ? "Max" : how == "min" ? "Min" : "";
  auto depth = static_cast<std::size_t>(indices.extents().back());
  Extents slice(x.extents().begin() + static_cast<std::ptrdiff_t>(depth), x.extents().end());
  std::int64_t slice_count = *element_count(slice);
  if (!memory_suffices(request, bytes_of(x.dtype(), x.count()))) {
    return std::nullopt;
  }
  Tensor data(x.dtype(), x.extents(), {x.bytes().begin(), x.bytes().end()});
  std::int64_t places = depth == 0 ? 0 : indices.count() / static_cast<std::int64_t>(depth);
  for (std::int64_t k = 0; k < places; ++k) {
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < depth; ++axis) {
      std::int64_t extent = x.extents()[axis];
      std::int64_t index = indices.int_at(k * static_cast<std::int64_t>(depth) + static_cast<std::int64_t>(axis));
      if (index < -extent || index >= extent) {
        request.diagnostics.error_at(request.place, fmt::format("ScatterND: index {} is out of range for axis {} of {}", index,
                                                                axis, request.types[0].text()));
        return std::nullopt;
      }
      at = at * extent + (index < 0 ? index + extent : index);
    }
    if (!scatter_slice(request, combine, data, updates, k * slice_count, at * slice_count, slice)) {
      return std::nullopt;
    }
  }
  return std::vector<Tensor>{std::move(data)};
}

}  // namespace vouch
