// Kernels from short texts, and tensors with made-up elements, for tests.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "kernel/eval.h"
#include "term/parse.h"

namespace vouch::testing {

inline Term parsed(const std::string& text) {
  Diagnostics diagnostics;
  auto term = parse_term(std::make_shared<Source>("term", text), diagnostics);
  EXPECT_TRUE(term.has_value()) << text << "\n" << diagnostics.text();
  return term.value_or(Term(0));
}

inline TensorDecl decl(const std::string& name, DType dtype, const std::vector<std::string>& extents) {
  TensorDecl out{Symbol(name), dtype, {}};
  for (const std::string& extent : extents) {
    out.extents.push_back(parsed(extent));
  }
  return out;
}

inline Statement statement(const std::string& target, const std::vector<std::string>& indices, const std::string& value) {
  Statement out{Symbol(target), {}, parsed(value)};
  for (const std::string& index : indices) {
    out.indices.emplace_back(index);
  }
  out.value = out.value.sort() == Sort::Int ? real_of(out.value) : out.value;
  return out;
}

inline Tensor random_tensor(DType dtype, Extents extents, std::uint32_t seed) {
  std::mt19937 random(seed);
  Tensor out(dtype, std::move(extents));
  for (std::int64_t i = 0; i < out.count(); ++i) {
    if (is_float(dtype)) {
      out.set_double(i, static_cast<double>(static_cast<int>(random() % 2001) - 1000) / 256);
    } else {
      out.set_int(i, static_cast<std::int64_t>(random() % 17) - 8);
    }
  }
  return out;
}

inline std::vector<Tensor> evaluated(const Kernel& kernel, const std::vector<Tensor>& inputs, const SizeBindings& sizes = {},
                                     const EvalOptions& options = {}) {
  Diagnostics diagnostics;
  auto outputs = eval_kernel(kernel, inputs, sizes, diagnostics, options);
  EXPECT_TRUE(outputs.has_value()) << diagnostics.text();
  return outputs.value_or(std::vector<Tensor>{});
}

inline std::string failure(const Kernel& kernel, const std::vector<Tensor>& inputs, const SizeBindings& sizes = {},
                           const EvalOptions& options = {}) {
  Diagnostics diagnostics;
  auto outputs = eval_kernel(kernel, inputs, sizes, diagnostics, options);
  EXPECT_FALSE(outputs.has_value());
  return diagnostics.text();
}

}  // namespace vouch::testing
