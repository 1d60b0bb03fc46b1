#include "graph/eval_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/concrete_types.h"
#include "graph/contents.h"
#include "kernel/eval.h"

namespace vouch {

std::size_t CallEvaluator::FormHash::operator()(const Form& form) const {
  std::size_t h = form.op * 0x9e3779b97f4a7c15ULL ^ std::hash<const void*>()(form.attributes);
  for (Type type : form.operands) {
    h = (h ^ std::hash<Type>()(type)) * 0xff51afd7ed558ccdULL;
  }
  return h;
}

static Type type_of(const EvalValue& value) {
  std::vector<Type> items;
  for (const Tensor& tensor : value.items) {
    items.push_back(Type::tensor(tensor.dtype(), tensor.extents()));
  }
  if (value.nested > 0) {
    auto first = items.end() - static_cast<std::ptrdiff_t>(value.nested);
    Type inner = Type::tuple({first, items.end()});
    items.erase(first, items.end());
    items.push_back(inner);
  }
  if (value.is_tuple) {
    return Type::tuple(std::move(items));
  }
  return items.empty() ? Type() : items[0];
}

CallEvaluator::Results CallEvaluator::call(OpId op, const std::vector<EvalValue>& operands, AttrDict attributes,
                                           const std::string& place, Diagnostics& diagnostics) {
  Charging charging(memory_);
  Request request{op, operands, attributes, place, diagnostics, {}};
  std::transform(operands.begin(), operands.end(), std::back_inserter(request.types), type_of);
  return op_def(op).opaque ? call_opaque(request) : call_kernel(request);
}

bool CallEvaluator::results_fit(const Request& request, const std::vector<Type>& results) {
  std::int64_t total = 0;
  for (Type type : results) {
    auto extents = type.concrete_extents();
    auto count = extents ? element_count(*extents) : std::nullopt;
    if (!extents) {
      request.diagnostics.error_at(request.place, fmt::format("{} would give {}: a size that its operands do not decide",
                                                              op_def(request.op).name, type.text()));
      return false;
    }
    std::int64_t bytes = count ? bytes_of(type.dtype(), *count) : INT64_MAX;
    if (!memory_.suffices(bytes) || !memory_.suffices(total += bytes)) {
      request.diagnostics.error_at(
          request.place,
          fmt::format("{} would give {}: {}", op_def(request.op).name, type.text(), memory_.refusal(std::max(total, bytes))),
          MemoryBudget::hint());
      return false;
    }
  }
  return true;
}

bool CallEvaluator::memory_suffices(const Request& request, std::int64_t bytes) {
  if (memory_.suffices(bytes)) {
    return true;
  }
  request.diagnostics.error_at(request.place, fmt::format("{} would take {}", op_def(request.op).name, memory_.refusal(bytes)),
                               MemoryBudget::hint());
  return false;
}

std::shared_ptr<CallEvaluator::Meaning> CallEvaluator::meaning_of(const Request& request) {
  Form form{request.op, request.attributes.id(), request.types};
  if (auto found = meanings_.find(form); found != meanings_.end()) {
    return found->second;
  }
  auto typing = type_call(request.op, request.types, request.attributes, {});
  if (!typing->error.empty() || !are_concrete(typing->results)) {
    return meaning_with_values(request);
  }
  if (!results_fit(request, typing->results)) {
    return nullptr;
  }
  auto meaning = std::make_shared<Meaning>(Meaning{shared_meaning(request.op, request.types, request.attributes, {}), {}});
  if (meaning->kernel->outputs.empty()) {
    return meaning_with_values(request);
  }
  meanings_.emplace(std::move(form), meaning);
  return meaning;
}

// For calls whose types follow from the elements of operands (axes, target shapes).
std::shared_ptr<CallEvaluator::Meaning> CallEvaluator::meaning_with_values(const Request& request) {
  std::vector<std::vector<Term>> elements(request.operands.size());
  KnownContents known(request.operands.size(), nullptr);
  for (std::size_t i = 0; i < request.operands.size(); ++i) {
    const EvalValue& operand = request.operands[i];
    if (operand.is_tuple || operand.items.empty()) {
      continue;
    }
    if (auto terms = contents_of(operand.items[0])) {
      elements[i] = std::move(*terms);
      known[i] = &elements[i];
    }
  }
  auto typing = type_call(request.op, request.types, request.attributes, known);
  if (!typing->error.empty()) {
    request.diagnostics.error_at(request.place, fmt::format("{}: {}", op_def(request.op).name, typing->error));
    return nullptr;
  }
  if (!results_fit(request, typing->results)) {
    return nullptr;
  }
  auto meaning = std::make_shared<Meaning>(Meaning{shared_meaning(request.op, request.types, request.attributes, known), {}});
  if (meaning->kernel->outputs.empty()) {
    request.diagnostics.error_at(request.place, fmt::format("{} has no one meaning on these operands", op_def(request.op).name));
    return nullptr;
  }
  return meaning;
}

CallEvaluator::Results CallEvaluator::call_kernel(const Request& request) {
  auto meaning = meaning_of(request);
  if (!meaning) {
    return std::nullopt;
  }
  std::vector<Tensor> inputs;
  for (const EvalValue& operand : request.operands) {
    inputs.insert(inputs.end(), operand.items.begin(), operand.items.end());
  }
  Diagnostics inner;
  EvalOptions options;
  options.memory = &memory_;
  options.most_terms = most_terms_;
  options.programs = &meaning->programs;
  auto results = eval_kernel(*meaning->kernel, inputs, {}, inner, options);
  for (Diagnostic problem : inner.all()) {
    problem.place = problem.place.empty() ? request.place : fmt::format("{}: {}", request.place, problem.place);
    request.diagnostics.add(std::move(problem));
  }
  return results;
}

}  // namespace vouch
