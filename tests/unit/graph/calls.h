// Calls of operators on small tensors, for tests: typed with what is known, evaluated by the interpreter.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "graph/contents.h"
#include "graph/op_table.h"
#include "kernel/eval.h"

namespace vouch {

inline Tensor floats(Extents extents, std::vector<double> values) {
  return Tensor::of_doubles(DType::Float32, std::move(extents), values);
}

inline Tensor ints(Extents extents, std::vector<std::int64_t> values, DType dtype = DType::Int64) {
  return Tensor::of_ints(dtype, std::move(extents), values);
}

inline Tensor list(std::vector<std::int64_t> values) {
  auto count = static_cast<std::int64_t>(values.size());
  return ints({count}, std::move(values));
}

// 1, 2, 3, … in this shape.
inline Tensor counting(Extents extents) {
  std::vector<double> values;
  for (std::int64_t k = 1; k <= element_count(extents).value_or(0); ++k) {
    values.push_back(static_cast<double>(k));
  }
  return floats(std::move(extents), std::move(values));
}

inline AttrValue tuple(std::vector<std::int64_t> values) { return AttrValue::of_ints(values); }
inline AttrValue text(std::string value) { return AttrValue(std::move(value)); }
inline AttrValue number(double value) { return AttrValue::of_float(value); }

using Attributes = std::vector<std::pair<std::string, AttrValue>>;

inline AttrDict dict(const Attributes& attributes) {
  std::vector<AttrDict::Entry> entries;
  for (const auto& [name, value] : attributes) {
    entries.emplace_back(Symbol(name), value);
  }
  return AttrDict(std::move(entries));
}

// A tensor, a tuple of tensors, or nothing (an operand that is left out).
using Operand = std::variant<std::monostate, Tensor, std::vector<Tensor>>;

struct Called {
  std::string error;  // why it is ill-typed or has no value
  std::vector<Tensor> results;

  std::vector<double> values(std::size_t result = 0) const {
    std::vector<double> out;
    for (std::int64_t k = 0; result < results.size() && k < results[result].count(); ++k) {
      out.push_back(results[result].double_at(k));
    }
    return out;
  }
  Extents shape(std::size_t result = 0) const { return result < results.size() ? results[result].extents() : Extents(); }
};

namespace detail {

struct Bound {
  std::vector<Type> types;
  std::vector<std::optional<std::vector<Term>>> contents;
  std::vector<Tensor> inputs;
};

inline void bind(const Tensor& tensor, Bound& bound) {
  bound.types.push_back(Type::tensor(tensor.dtype(), tensor.extents()));
  bound.contents.push_back(contents_of(tensor));
  bound.inputs.push_back(tensor);
}

inline void bind(const std::vector<Tensor>& items, Bound& bound) {
  std::vector<Type> types;
  for (const Tensor& item : items) {
    types.push_back(Type::tensor(item.dtype(), item.extents()));
    bound.inputs.push_back(item);
  }
  bound.types.push_back(Type::tuple(std::move(types)));
  bound.contents.emplace_back();
}

inline void bind(std::monostate, Bound& bound) {
  bound.types.emplace_back();
  bound.contents.emplace_back();
}

}  // namespace detail

inline Called call_op(const std::string& name, const std::vector<Operand>& operands, const Attributes& attributes = {},
                      const EvalOptions& options = {}) {
  auto op = find_op(name);
  if (!op) {
    return {"no operator " + name, {}};
  }
  Diagnostics diagnostics;
  AttrDict given = dict(attributes);
  if (!verify_call_form(op_def(*op), operands.size(), given, "call", diagnostics)) {
    return {diagnostics.text(), {}};
  }
  detail::Bound bound;
  for (const Operand& operand : operands) {
    std::visit([&](const auto& value) { detail::bind(value, bound); }, operand);
  }
  KnownContents known;
  for (const auto& contents : bound.contents) {
    known.push_back(contents ? &*contents : nullptr);
  }
  auto typing = type_call(*op, bound.types, given, known);
  if (!typing->error.empty()) {
    return {typing->error, {}};
  }
  auto results = eval_kernel(call_meaning(*op, bound.types, given, known), bound.inputs, {}, diagnostics, options);
  return {diagnostics.text(), results ? *results : std::vector<Tensor>()};
}

using Values = std::vector<double>;

inline void expect_values(const Called& called, const Extents& shape, const Values& expected, double tolerance = 1e-6) {
  ASSERT_EQ(called.error, "");
  EXPECT_EQ(called.shape(), shape);
  Values found = called.values();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k], expected[k], tolerance) << "at " << k;
  }
}

inline void expect_refused(const Called& called, const std::string& part) {
  EXPECT_NE(called.error.find(part), std::string::npos) << "found: '" << called.error << "'";
}

}  // namespace vouch
