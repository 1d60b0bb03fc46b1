// Gradients of what operators mean: the operator table's kernel, in index notation, through the same machine as every other
// kernel. Judged by five-point differences of the operator's own meaning, evaluated exactly: neither the way to index notation
// nor the chain rule has part in them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "autodiff/differences.h"
#include "autodiff/gradient.h"
#include "driver/index_proof.h"
#include "graph/op_table.h"
#include "io/kernel_json.h"
#include "kernel/exact.h"
#include "notation/show_tk.h"
#include "notation/tk_from_kernel.h"
#include "notation/tk_meaning.h"

namespace vouch {
namespace {

constexpr int kBits = 192;
const Rational kNear(1, 1 << 28);

using Tensors = std::unordered_map<Symbol, ExactTensor>;

struct OperatorCase {
  const char* op;
  std::vector<Extents> operands;
  std::vector<AttrDict::Entry> attributes = {};
  bool polynomial = false;  // piecewise, of degree 4 at most: differences are the derivative
};

AttrDict::Entry ints(const char* name, std::vector<std::int64_t> values) { return {Symbol(name), AttrValue::of_ints(values)}; }
AttrDict::Entry number(const char* name, std::int64_t value) { return {Symbol(name), AttrValue(value)}; }
AttrDict::Entry text(const char* name, const char* value) { return {Symbol(name), AttrValue(std::string(value))}; }

std::optional<Kernel> meaning(const OperatorCase& item) {
  auto op = find_op(item.op);
  std::vector<Type> types;
  for (const Extents& extents : item.operands) {
    types.push_back(Type::tensor(DType::Float32, extents));
  }
  AttrDict attributes(item.attributes);
  KnownContents contents(types.size(), nullptr);
  EXPECT_TRUE(op) << item.op;
  auto typing = op ? type_call(*op, types, attributes, contents) : nullptr;
  EXPECT_TRUE(typing && typing->error.empty()) << item.op << ": " << (typing ? typing->error : "");
  return typing && typing->error.empty() ? std::optional(call_meaning(*op, types, attributes, contents)) : std::nullopt;
}

class Judge {
 public:
  Judge(const Kernel& kernel, const OperatorCase& item, std::uint32_t seed)
      : kernel_(kernel),
        step_(item.polynomial ? Rational(1) : Rational(1, 1 << 12)),
        polynomial_(item.polynomial),
        random_(seed) {
    for (const TensorDecl& input : kernel.inputs) {
      inputs_.push_back(random_tensor(input));
    }
    for (const TensorDecl& output : kernel.outputs) {
      seeds_.push_back(random_tensor(output));
    }
  }

  void judge(const TkKernel& same, const TkKernel& gradient) {
    auto values = evaluate(kernel_, inputs_);
    auto as_loops = evaluate(as_kernel(same), inputs_);
    for (std::size_t o = 0; o < values.size(); ++o) {
      for (std::size_t e = 0; e < values[o].values.size(); ++e) {
        expect_near(as_loops[o].values[e].enclosure(), values[o].values[e].enclosure(),
                    fmt::format("element {} of output {} in index notation", e, o));
      }
    }
    auto found = evaluate(as_kernel(gradient), gradient_inputs(same, gradient));
    for (std::size_t t = 0; t < inputs_.size(); ++t) {
      for (std::size_t e = 0; e < inputs_[t].values.size() && !::testing::Test::HasFailure(); ++e) {
        expect_near(found[t].values[e].enclosure(), difference(t, e),
                    fmt::format("element {} of d{}", e, kernel_.inputs[t].name.name()));
        ++compared;
      }
    }
  }

  std::size_t compared = 0;

 private:
  ExactTensor random_tensor(const TensorDecl& decl) {
    ExactTensor out{decl.dtype, {}, {}, {}};
    std::int64_t count = 1;
    for (Term extent : decl.extents) {
      out.extents.push_back(*const_int(extent));
      count *= out.extents.back();
    }
    for (std::int64_t e = 0; e < count; ++e) {
      std::int64_t value = polynomial_ ? random_() % (1 << 20) + 16 : random_() % 8191 + 1;
      out.values.emplace_back(Rational(random_() % 2 == 0 ? value : -value, polynomial_ ? 1 : 4096));
    }
    return out;
  }

  static std::vector<ExactTensor> evaluate(const Kernel& kernel, const std::vector<ExactTensor>& inputs) {
    std::vector<ExactTensor> shaped = inputs;
    for (std::size_t k = 0; k < shaped.size(); ++k) {
      shaped[k].extents.assign(kernel.inputs[k].extents.size(), 1);
      for (std::size_t a = 0; a < shaped[k].extents.size(); ++a) {
        shaped[k].extents[a] = *const_int(kernel.inputs[k].extents[a]);
      }
    }
    ExactLimits limits;
    limits.bits = kBits;
    auto values = eval_exact(kernel, shaped, {}, limits);
    const EvalFailure* failed = std::get_if<EvalFailure>(&values);
    EXPECT_EQ(failed, nullptr) << (failed ? failed->message : "");
    if (failed) {
      return {};
    }
    for (const ExactTensor& tensor : std::get<0>(values)) {
      EXPECT_EQ(first_missing(tensor), nullptr) << (first_missing(tensor) ? first_missing(tensor)->message : "");
    }
    return std::get<0>(values);
  }

  std::vector<ExactTensor> gradient_inputs(const TkKernel& same, const TkKernel& gradient) const {
    std::vector<ExactTensor> out;
    for (Symbol input : gradient.inputs) {
      for (std::size_t k = 0; k < inputs_.size(); ++k) {
        if (same.inputs[k] == input) {
          out.push_back(inputs_[k]);
        }
      }
      for (std::size_t o = 0; o < seeds_.size(); ++o) {
        if (input == Symbol("d" + same.outputs[o].name())) {
          out.push_back(seeds_[o]);
        }
      }
    }
    EXPECT_EQ(out.size(), gradient.inputs.size());
    return out;
  }

  // Of the sum of seed * output by one element.
  Enclosure difference(std::size_t input, std::size_t element) {
    Enclosure total(Rational(0));
    const std::pair<int, int> stencil[] = {{-2, 1}, {-1, -8}, {1, 8}, {2, -1}};
    for (auto [steps, weight] : stencil) {
      std::vector<ExactTensor> moved = inputs_;
      ExactNumber& at = moved[input].values[element];
      at = at.enclosure().low + step_ * steps;
      auto values = evaluate(kernel_, moved);
      for (std::size_t o = 0; o < values.size(); ++o) {
        for (std::size_t e = 0; e < values[o].values.size(); ++e) {
          auto part = multiply(values[o].values[e].enclosure(), Enclosure(seeds_[o].values[e].enclosure().low * weight), kBits);
          total = *add(total, *part, kBits);
        }
      }
    }
    return *divide(total, Enclosure(step_ * 12), kBits);
  }

  void expect_near(const Enclosure& found, const Enclosure& expected, const std::string& what) const {
    bool same = found.exact() && expected.exact() && found.low == expected.low;
    Rational bound = polynomial_ && found.exact() && expected.exact()
                         ? Rational(0)
                         : kNear * std::max<Rational>(Rational(1), abs(expected.low));
    bool near = abs(expected.low - found.high) <= bound && abs(expected.high - found.low) <= bound;
    EXPECT_TRUE(same || near) << what << ": " << to_text(found) << ", expected " << to_text(expected);
  }

  const Kernel& kernel_;
  Rational step_;
  bool polynomial_;
  std::mt19937 random_;
  std::vector<ExactTensor> inputs_;
  std::vector<ExactTensor> seeds_;
};

void check_case(const OperatorCase& item, std::size_t number) {
  SCOPED_TRACE(fmt::format("case {}: {}", number, item.op));
  auto kernel = meaning(item);
  ASSERT_TRUE(kernel);
  Diagnostics diagnostics;
  auto loops = tk_from_kernel(*kernel, diagnostics);
  ASSERT_TRUE(loops) << diagnostics.text();
  prove_reads(*loops, diagnostics);
  GradientRecord record;
  auto reverse = gradient(*loops, loops->inputs, diagnostics, &record);
  ASSERT_TRUE(reverse && !diagnostics.has_errors()) << print_tk(*loops) << diagnostics.text();
  BijectionProof proof = prove_index_changes(record.changes);
  EXPECT_EQ(proof.proven, proof.changes) << print_tk(*loops) << fmt::format("{}", fmt::join(proof.open, "\n"));
  SCOPED_TRACE(print_tk(*loops) + print_tk(*reverse));
  Judge judge(*kernel, item, static_cast<std::uint32_t>(number + 1));
  judge.judge(*loops, *reverse);
  EXPECT_GT(judge.compared, 0u);
  // The text says the same.
  auto again = read_kernel(std::make_shared<Source>("gradient.tk", print_tk_file(*reverse)), {}, diagnostics);
  ASSERT_TRUE(again) << diagnostics.text();
  judge.judge(*loops, *again);
}

const std::vector<OperatorCase>& cases() {
  static const std::vector<OperatorCase> all = {
      {"MatMul", {{2, 3}, {3, 4}}, {}, true},
      {"MatMul", {{2, 1, 2, 3}, {2, 3, 2}}, {}, true},
      {"MatMul", {{3}, {3}}, {}, true},
      {"Gemm", {{3, 2}, {4, 3}, {4}}, {number("transA", 1), number("transB", 1)}, true},
      {"Conv", {{1, 2, 5, 5}, {3, 2, 3, 3}, {3}}, {}, true},
      {"Conv",
       {{1, 2, 7, 6}, {2, 2, 3, 2}, {2}},
       {ints("strides", {2, 1}), ints("pads", {1, 0, 2, 1}), ints("dilations", {1, 2})},
       true},
      {"Conv", {{1, 4, 5, 4}, {4, 2, 3, 3}}, {number("group", 2), ints("pads", {1, 1, 1, 1}), ints("strides", {2, 2})}, true},
      {"Conv", {{1, 3, 6}, {3, 1, 3}}, {number("group", 3), text("auto_pad", "SAME_UPPER"), ints("strides", {2})}, true},
      {"ConvTranspose", {{1, 2, 3, 3}, {2, 2, 3, 3}}, {ints("strides", {2, 2})}, true},
      {"Softmax", {{2, 5}}, {}},
      {"Softmax", {{2, 3, 2}}, {number("axis", 1)}},
      {"LogSoftmax", {{2, 4}}, {}},
      {"LayerNormalization", {{3, 4}, {4}, {4}}, {}},
      {"LayerNormalization", {{2, 2, 3}, {2, 3}}, {number("axis", 1)}},
      {"InstanceNormalization", {{2, 2, 4}, {2}, {2}}, {}},
      {"MaxPool", {{1, 2, 5, 5}}, {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})}, true},
      {"MaxPool", {{1, 1, 6, 5}}, {ints("kernel_shape", {3, 3}), ints("strides", {2, 1}), ints("pads", {1, 1, 1, 1})}, true},
      {"AveragePool", {{1, 2, 6, 6}}, {ints("kernel_shape", {3, 2}), ints("strides", {1, 2}), ints("pads", {1, 0, 1, 1})}, true},
      {"AveragePool", {{1, 1, 5}}, {ints("kernel_shape", {3}), ints("pads", {1, 1}), number("count_include_pad", 1)}, true},
      {"GlobalAveragePool", {{2, 2, 3, 3}}, {}, true},
      {"GlobalMaxPool", {{1, 2, 3, 3}}, {}, true},
      {"ReduceMax", {{3, 7}}, {}, true},
      {"ReduceProd", {{2, 4}}, {}, true},
      {"ReduceMean", {{3, 4}}, {}, true},
      {"ReduceLogSumExp", {{2, 3}}, {}},
      {"Relu", {{7}}, {}, true},
      {"Sigmoid", {{5}}, {}},
      {"Gelu", {{5}}, {}},
      {"Add", {{2, 3}, {3}}, {}, true},
      {"Div", {{2, 3}, {1, 3}}, {}},
      {"Transpose", {{2, 3, 2}}, {ints("perm", {2, 0, 1})}, true},
  };
  return all;
}

TEST(OperatorGradients, AreDifferencesOfTheMeaning) {
  for (std::size_t k = 0; k < cases().size() && !::testing::Test::HasFatalFailure(); ++k) {
    check_case(cases()[k], k);
  }
}

TEST(OperatorGradients, WhatIndexNotationLacksIsRefusedByName) {
  auto refusal = [](const char* op, std::vector<Type> types) {
    KnownContents contents(types.size(), nullptr);
    auto typing = type_call(*find_op(op), types, {}, contents);
    EXPECT_TRUE(typing->error.empty()) << typing->error;
    Diagnostics diagnostics;
    EXPECT_FALSE(tk_from_kernel(call_meaning(*find_op(op), types, {}, contents), diagnostics));
    return diagnostics.text();
  };
  auto refuses = [&](const char* op, std::vector<Type> types, const char* reason) {
    std::string text = refusal(op, std::move(types));
    EXPECT_NE(text.find(reason), std::string::npos) << text;
  };
  refuses("Gather", {Type::tensor(DType::Float32, Extents{4}), Type::tensor(DType::Int64, Extents{2})}, "an index that is data");
  refuses("Relu", {Type::tensor(DType::Float32, std::vector<Term>{int_var("n")})}, "axis of size n");
}

}  // namespace
}  // namespace vouch
