// Laws that compilers' simplifiers live by, each beside a neighbour that is not one.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

struct Law {
  const char* name;
  const char* true_one;
  const char* false_one;
};

class SimplifierRules : public ::testing::TestWithParam<Law> {};

TEST_P(SimplifierRules, AreProvenAndTheirNeighboursAreNot) {
  CheckOptions options;
  options.instances.max_rank = 3;
  RuleVerdict proven = check_rule(rule_of(GetParam().true_one), options);
  EXPECT_TRUE(is_sound(proven.verdict)) << proven.reason;
  EXPECT_FALSE(is_sound(check_rule(rule_of(GetParam().false_one), options).verdict));
}

const Law kLaws[] = {
    {"ASliceOfAllIsTheTensor",
     "let a = *; let s = slice(a) {starts = any, limits = any, strides = any};\n"
     "where all[k < a.rank](s.starts[k] == 0 and s.limits[k] == a.shape[k] and s.strides[k] == 1); source s; target a;",
     "let a = *; let s = slice(a) {starts = any, limits = any, strides = any};\n"
     "where all[k < a.rank](s.starts[k] == 0 and s.limits[k] == a.shape[k]); source s; target a;"},
    {"APadOfNothingIsTheTensor",
     "let a = *; let v = * {rank = 0}; drop v; let p = pad(a, v) {low = any, high = any, interior = any};\n"
     "where all[k < a.rank](p.low[k] == 0 and p.high[k] == 0 and p.interior[k] == 0); source p; target a;",
     "let a = *; let v = * {rank = 0}; drop v; let p = pad(a, v) {low = any, high = any, interior = any};\n"
     "where all[k < a.rank](p.low[k] + p.high[k] == 0 and p.interior[k] == 0); source p; target a;"},
    {"TheLargestOfOneIsIt",
     "let x = * {rank = 1, dtype = float32}; where x.shape[0] == 1; source reduce_max(x) {axes = (0,), keepdims = 1}; target x;",
     "let x = * {rank = 1, dtype = float32}; source reduce_max(x) {axes = (0,), keepdims = 1}; target x;"},
    {"QuotientsOfQuotients",
     "let a = * {dtype = float32}; let b = * {shape = a.shape}; let c = * {shape = a.shape}; let d = * {shape = a.shape};\n"
     "source (a / b) / (c / d); target (a * d) / (b * c);",
     "let a = * {dtype = float32}; let b = * {shape = a.shape}; let c = * {shape = a.shape}; let d = * {shape = a.shape};\n"
     "source (a * d) / (b * c); target (a / b) / (c / d);"},
    {"TheRemainderOfARemainder",
     "let a = * {dtype = int64}; let b = * {shape = a.shape, dtype = int64};\n"
     "source Mod(Mod(a, b) {fmod = 1}, b) {fmod = 1}; target Mod(a, b) {fmod = 1};",
     "let a = * {dtype = int64}; let b = * {shape = a.shape, dtype = int64};\n"
     "source Mod(Mod(a, b) {fmod = 0}, b) {fmod = 1}; target Mod(a, b) {fmod = 1};"},
    {"ASliceOfWhatWasSpread",
     "let a = * {rank = 1}; let b = broadcast_in_dim(a) {shape = (any, any), broadcast_dimensions = (0,)};\n"
     "let s = slice(b) {starts = (0, any), limits = (a.shape[0], any), strides = (1, any)}; where b.shape[0] == a.shape[0];\n"
     "source s; target broadcast_in_dim(a) {shape = (a.shape[0], (s.limits[1] - s.starts[1] + s.strides[1] - 1) // "
     "s.strides[1]),\n"
     "broadcast_dimensions = (0,)};",
     "let a = * {rank = 1}; let b = broadcast_in_dim(a) {shape = (any, any), broadcast_dimensions = (0,)};\n"
     "let s = slice(b) {starts = (0, any), limits = (a.shape[0], any), strides = (1, any)}; where b.shape[0] == a.shape[0];\n"
     "source s; target broadcast_in_dim(a) {shape = (a.shape[0], (s.limits[1] - s.starts[1]) // s.strides[1]),\n"
     "broadcast_dimensions = (0,)};"},
};

INSTANTIATE_TEST_SUITE_P(Laws, SimplifierRules, ::testing::ValuesIn(kLaws),
                         [](const ::testing::TestParamInfo<Law>& law) { return std::string(law.param.name); });

const Law kExtrema[] = {
    {"SumsOfJoinedSums",
     "let x = *; let y = *; let rx = reduce_sum(x) {axes = (0,), keepdims = 1}; let ry = reduce_sum(y) {axes = (0,), keepdims = "
     "1};\n"
     "source reduce_sum(concatenate((rx, ry)) {axis = 0}) {axes = (0,), keepdims = 0};\n"
     "target reduce_sum(concatenate((x, y)) {axis = 0}) {axes = (0,), keepdims = 0};",
     "let x = *; let y = *; let rx = reduce_sum(x) {axes = (0,), keepdims = 1}; let ry = reduce_sum(y) {axes = (0,), keepdims = "
     "1};\n"
     "where x.shape == y.shape;\n"
     "source reduce_sum(concatenate((rx, ry)) {axis = 0}) {axes = (0,), keepdims = 0};\n"
     "drop y; target reduce_sum(concatenate((x, x)) {axis = 0}) {axes = (0,), keepdims = 0};"},
    {"ProductsOfJoinedMatrices",
     "let x = * {rank = 2}; let y = * {rank = 2}; let c = * {rank = 2}; let d = * {rank = 2}; where x.shape[1] == c.shape[0];\n"
     "source MatMul(concatenate((x, y)) {axis = 1}, concatenate((c, d)) {axis = 0}); target MatMul(x, c) + MatMul(y, d);",
     "let x = * {rank = 2}; let y = * {rank = 2}; let c = * {rank = 2}; let d = * {rank = 2};\n"
     "where x.shape[1] == c.shape[0] and x.shape == y.shape and c.shape == d.shape;\n"
     "source MatMul(concatenate((x, y)) {axis = 1}, concatenate((c, d)) {axis = 0}); target MatMul(x, d) + MatMul(y, c);"},
    {"SoftmaxOfWhatIsShifted",
     "let x = * {rank = 2, dtype = float32}; let c = * {rank = 2}; where c.shape[1] == 1 and c.shape[0] == x.shape[0]; drop c;\n"
     "source Softmax(x + c) {axis = 1}; target Softmax(x) {axis = 1};",
     "let x = * {rank = 2, dtype = float32}; let c = * {rank = 2}; where c.shape == x.shape; drop c;\n"
     "source Softmax(x + c) {axis = 1}; target Softmax(x) {axis = 1};"},
    {"LogOfSoftmax", "let x = * {rank = 2, dtype = float32}; source Log(Softmax(x) {axis = 1}); target LogSoftmax(x) {axis = 1};",
     "let x = * {rank = 2, dtype = float32}; source Log(Softmax(x) {axis = 1}); target LogSoftmax(x) {axis = 0};"},
    {"TheLargestOfWhatIsJoined",
     "let x = * {rank = 1, dtype = float32}; let y = * {rank = 1};\n"
     "source reduce_max(concatenate((x, y)) {axis = 0}) {axes = (0,), keepdims = 1};\n"
     "target Max((reduce_max(x) {axes = (0,), keepdims = 1}, reduce_max(y) {axes = (0,), keepdims = 1}));",
     "let x = * {rank = 1, dtype = float32}; let y = * {rank = 1};\n"
     "source reduce_max(concatenate((x, y)) {axis = 0}) {axes = (0,), keepdims = 1};\n"
     "target Min((reduce_max(x) {axes = (0,), keepdims = 1}, reduce_max(y) {axes = (0,), keepdims = 1}));"},
    {"TheLargestOfWhatIsShifted",
     "let x = * {rank = 1, dtype = float32}; let c = * {rank = 0};\n"
     "source reduce_max(x + c) {axes = (0,), keepdims = 1}; target reduce_max(x) {axes = (0,), keepdims = 1} + c;",
     "let x = * {rank = 1, dtype = float32}; let c = * {shape = x.shape};\n"
     "source reduce_max(x + c) {axes = (0,), keepdims = 1};\n"
     "target reduce_max(x) {axes = (0,), keepdims = 1} + reduce_max(c) {axes = (0,), keepdims = 1};"},
    {"TheLargestOfIntegersThatAreShifted",
     "let x = * {rank = 1, dtype = int32}; source reduce_max(Identity(x)) {axes = (0,), keepdims = 1};\n"
     "target reduce_max(x) {axes = (0,), keepdims = 1};",
     "let x = * {rank = 1, dtype = int32}; let c = * {rank = 0};\n"
     "source reduce_max(x + c) {axes = (0,), keepdims = 1}; target reduce_max(x) {axes = (0,), keepdims = 1} + c;"},
    {"TheLargestOfWhatIsNegated",
     "let x = * {rank = 1, dtype = float32}; source reduce_max(-x) {axes = (0,), keepdims = 1};\n"
     "target -reduce_min(x) {axes = (0,), keepdims = 1};",
     "let x = * {rank = 1, dtype = float32}; source reduce_max(-x) {axes = (0,), keepdims = 1};\n"
     "target -reduce_max(x) {axes = (0,), keepdims = 1};"},
    {"TheLargestOfWhatIsScaled",
     "let x = * {rank = 1, dtype = float32}; let s = const {value = any, rank = 0}; where s.value > 0;\n"
     "source reduce_max(x * s) {axes = (0,), keepdims = 1}; target reduce_max(x) {axes = (0,), keepdims = 1} * s;",
     "let x = * {rank = 1, dtype = float32}; let s = const {value = any, rank = 0}; where s.value != 0;\n"
     "source reduce_max(x * s) {axes = (0,), keepdims = 1}; target reduce_max(x) {axes = (0,), keepdims = 1} * s;"},
    {"TheLargestOfExponentials",
     "let x = * {rank = 1, dtype = float32}; source reduce_max(Exp(x)) {axes = (0,), keepdims = 1};\n"
     "target Exp(reduce_max(x) {axes = (0,), keepdims = 1});",
     "let x = * {rank = 1, dtype = float32}; source reduce_max(Abs(x)) {axes = (0,), keepdims = 1};\n"
     "target Abs(reduce_max(x) {axes = (0,), keepdims = 1});"},
    {"TheLargestOfSigmoids",
     "let x = * {rank = 1, dtype = float32}; source reduce_max(Sigmoid(x)) {axes = (0,), keepdims = 1};\n"
     "target Sigmoid(reduce_max(x) {axes = (0,), keepdims = 1});",
     "let x = * {rank = 1, dtype = float32}; source reduce_max(Reciprocal(x)) {axes = (0,), keepdims = 1};\n"
     "target Reciprocal(reduce_min(x) {axes = (0,), keepdims = 1});"},
    {"ReluOfWhatIsScaled",
     "let x = * {dtype = float32}; let s = const {value = any, rank = 0}; where s.value > 0; source Relu(x) * s; target Relu(x * "
     "s);",
     "let x = * {dtype = float32}; let s = const {value = any, rank = 0}; where s.value < 0; source Relu(x) * s; target Relu(x * "
     "s);"},
    {"ThereAndBack", "let x = * {dtype = float32}; source Cast(Cast(x) {to = float64}) {to = float32}; target x;",
     "let x = * {dtype = float64}; source Cast(Cast(x) {to = float32}) {to = float64}; target x;"},
    {"FromIntegersThatFit",
     "let x = * {dtype = int8}; source Cast(Cast(x) {to = float32}) {to = float64}; target Cast(x) {to = float64};",
     "let x = * {dtype = int32}; source Cast(Cast(x) {to = float32}) {to = float64}; target Cast(x) {to = float64};"},
    {"PositionsOfOne",
     "let i = iota() {shape = (1,), axis = 0, dtype = any}; source i; target const {value = (0,), dtype = i.dtype};",
     "let i = iota() {shape = (2,), axis = 0, dtype = any}; source i; target const {value = (0, 0), dtype = i.dtype};"},
};

INSTANTIATE_TEST_SUITE_P(Extrema, SimplifierRules, ::testing::ValuesIn(kExtrema),
                         [](const ::testing::TestParamInfo<Law>& law) { return std::string(law.param.name); });

const Law kFunctions[] = {
    {"OddFunctions", "let x = * {dtype = float32}; source Tanh(-x); target -Tanh(x);",
     "let x = * {dtype = float32}; source Tanh(-x); target Tanh(x);"},
    {"EvenFunctions", "let x = * {dtype = float32}; source Cos(-x); target Cos(x);",
     "let x = * {dtype = float32}; source Cos(-x); target -Cos(x);"},
    {"OddOfADifference", "let x = * {dtype = float32}; let y = * {dtype = float32}; source Erf(x - y); target -Erf(y - x);",
     "let x = * {dtype = float32}; let y = * {dtype = float32}; source Sigmoid(x - y); target -Sigmoid(y - x);"},
    {"HalvesAreRoundedToEven", "let x = * {dtype = float32}; source Round(-x); target -Round(x);",
     "let x = * {dtype = float32}; source Floor(-x); target -Floor(x);"},
    {"UpwardsIsDownwardsOfTheNegation", "let x = * {dtype = float32}; source Floor(-x); target -Ceil(x);",
     "let x = * {dtype = float32}; source Floor(-x); target Ceil(x);"},
    {"WhatIsRoundedIsWhole", "let x = * {dtype = float32}; source Floor(Ceil(x)); target Ceil(x);",
     "let x = * {dtype = float32}; source Floor(Ceil(x)); target Floor(x);"},
    {"TheRootOfASquare", "let x = * {dtype = float32}; source Sqrt(x * x); target Abs(x);",
     "let x = * {dtype = float32}; source Sqrt(x * x); target x;"},
    {"TangentIsAQuotient", "let x = * {dtype = float32}; source Sin(x) / Cos(x); target Tan(x);",
     "let x = * {dtype = float32}; source Cos(x) / Sin(x); target Tan(x);"},
};

INSTANTIATE_TEST_SUITE_P(Functions, SimplifierRules, ::testing::ValuesIn(kFunctions),
                         [](const ::testing::TestParamInfo<Law>& law) { return std::string(law.param.name); });

const Law kOrders[] = {
    {"BoundsThatOverlap",
     "let x = * {dtype = float32}; let a = const {value = any, rank = 0}; let b = const {value = any, rank = 0};\n"
     "let c = const {value = any, rank = 0}; let d = const {value = any, rank = 0};\n"
     "where a.value <= b.value and c.value <= d.value and max(a.value, c.value) <= min(b.value, d.value); source Clip(Clip(x, a, "
     "b), c, d);\n"
     "target Clip(x, const {value = max(a.value, c.value), dtype = float32}, const {value = min(b.value, d.value), dtype = "
     "float32});",
     "let x = * {dtype = float32}; let a = const {value = any, rank = 0}; let b = const {value = any, rank = 0};\n"
     "let c = const {value = any, rank = 0}; let d = const {value = any, rank = 0};\n"
     "where a.value <= b.value and c.value <= d.value; source Clip(Clip(x, a, b), c, d);\n"
     "target Clip(x, const {value = max(a.value, c.value), dtype = float32}, const {value = min(b.value, d.value), dtype = "
     "float32});"},
    {"BoundsWithinBounds",
     "let x = * {dtype = float32}; let a = const {value = any, rank = 0}; let b = const {value = any, rank = 0};\n"
     "let c = const {value = any, rank = 0}; let d = const {value = any, rank = 0};\n"
     "source Clip(Clip(x, a, b), c, d);\n"
     "target Clip(x, const {value = min(max(a.value, c.value), d.value), dtype = float32}, const {value = min(max(b.value, "
     "c.value), d.value), dtype = float32});",
     "let x = * {dtype = float32}; let a = const {value = any, rank = 0}; let b = const {value = any, rank = 0};\n"
     "let c = const {value = any, rank = 0}; let d = const {value = any, rank = 0};\n"
     "source Clip(Clip(x, a, b), c, d);\n"
     "target Clip(x, const {value = min(max(a.value, c.value), d.value), dtype = float32}, const {value = max(min(b.value, "
     "d.value), c.value), dtype = float32});"},
    {"ExtremaDistribute",
     "let x = * {dtype = float32}; let y = * {shape = x.shape, dtype = float32}; let z = * {shape = x.shape, dtype = float32};\n"
     "source Max((Min((x, y)), Min((x, z)))); target Min((x, Max((y, z))));",
     "let x = * {dtype = float32}; let y = * {shape = x.shape, dtype = float32}; let z = * {shape = x.shape, dtype = float32};\n"
     "source Max((Min((x, y)), Min((x, z)))); target Max((x, Min((y, z))));"},
    {"BoundsThatAreNumbers",
     "let x = * {dtype = float32}; let k = const {value = -1, rank = 0}; let l = const {value = 5, rank = 0};\n"
     "let m = const {value = 0, rank = 0}; let n = const {value = 6, rank = 0}; source Clip(Clip(x, k, l), m, n);\n"
     "target Clip(x, const {value = 0, dtype = float32}, const {value = 5, dtype = float32});",
     "let x = * {dtype = float32}; let k = const {value = -1, rank = 0}; let l = const {value = 5, rank = 0};\n"
     "let m = const {value = 0, rank = 0}; let n = const {value = 6, rank = 0}; source Clip(Clip(x, k, l), m, n);\n"
     "target Clip(x, const {value = 0, dtype = float32}, const {value = 6, dtype = float32});"},
};

INSTANTIATE_TEST_SUITE_P(Orders, SimplifierRules, ::testing::ValuesIn(kOrders),
                         [](const ::testing::TestParamInfo<Law>& law) { return std::string(law.param.name); });

// What is put between elements, and around them, and taken away again by a sum; windows of windows; sizes that follow from
// others.
const Law kSpread[] = {
    {"SumsOfWhatIsSpread",
     "let a = * {rank = 1, dtype = float32}; let z = const {value = 0, rank = 0};\n"
     "let p = pad(a, z) {low = any, high = any, interior = any}; where p.low[0] >= 0 and p.high[0] >= 0;\n"
     "source reduce_sum(p) {axes = (0,), keepdims = 0}; target reduce_sum(a) {axes = (0,), keepdims = 0};",
     "let a = * {rank = 1, dtype = float32}; let z = const {value = 0, rank = 0};\n"
     "let p = pad(a, z) {low = any, high = any, interior = any}; where p.low[0] >= -1 and p.high[0] >= 0;\n"
     "source reduce_sum(p) {axes = (0,), keepdims = 0}; target reduce_sum(a) {axes = (0,), keepdims = 0};"},
    {"SumsOfWhatIsSpreadByOnes",
     "let a = * {rank = 1, dtype = float32}; let z = const {value = 0, rank = 0};\n"
     "let p = pad(a, z) {low = (0,), high = (0,), interior = (2,)};\n"
     "source reduce_sum(p) {axes = (0,), keepdims = 0}; target reduce_sum(a) {axes = (0,), keepdims = 0};",
     "let a = * {rank = 1, dtype = float32}; let z = const {value = 1, rank = 0};\n"
     "let p = pad(a, z) {low = (0,), high = (0,), interior = (2,)};\n"
     "source reduce_sum(p) {axes = (0,), keepdims = 0}; target reduce_sum(a) {axes = (0,), keepdims = 0};"},
    {"ProductsOfWhatIsSpreadAlike",
     "let a = * {rank = 2, dtype = float32}; let b = * {rank = 2}; let z = const {value = 0, rank = 0};\n"
     "let p = pad(a, z) {low = (0, any), high = (0, any), interior = (0, any)};\n"
     "let q = pad(b, z) {low = (any, 0), high = (any, 0), interior = (any, 0)};\n"
     "where p.low[1] == q.low[0] and p.high[1] == q.high[0] and p.interior[1] == q.interior[0];\n"
     "where p.low[1] >= 0 and p.high[1] >= 0; source MatMul(p, q); target MatMul(a, b);",
     "let a = * {rank = 2, dtype = float32}; let b = * {rank = 2}; let z = const {value = 0, rank = 0};\n"
     "let p = pad(a, z) {low = (0, any), high = (0, any), interior = (0, any)};\n"
     "let q = pad(b, z) {low = (any, 0), high = (any, 0), interior = (any, 0)};\n"
     "where p.interior[1] == q.interior[0] and a.shape[1] == b.shape[0];\n"
     "where p.low[1] >= 0 and p.high[1] >= 0 and q.low[0] >= 0; source MatMul(p, q); target MatMul(a, b);"},
    {"SumsOfWhatIsSpreadAlike",
     "let a = * {rank = 1, dtype = float32}; let b = * {rank = 1}; let z = const {value = 0, rank = 0};\n"
     "let p = pad(a, z) {low = any, high = any, interior = any}; let q = pad(b, z) {low = any, high = any, interior = any};\n"
     "where p.low[0] == q.low[0] and p.high[0] == q.high[0] and p.interior[0] == q.interior[0] and p.shape[0] == q.shape[0];\n"
     "source p + q; target pad(a + b, z) {low = p.low, high = p.high, interior = p.interior};",
     "let a = * {rank = 1, dtype = float32}; let b = * {rank = 1}; let z = const {value = 0, rank = 0};\n"
     "let p = pad(a, z) {low = any, high = any, interior = any}; let q = pad(b, z) {low = any, high = any, interior = any};\n"
     "where p.low[0] == q.low[0] and p.high[0] == q.high[0] and p.shape[0] == q.shape[0];\n"
     "source p + q; target pad(a + b, z) {low = p.low, high = p.high, interior = p.interior};"},
    {"TheLargestOfWindowsOfWindows",
     "let x = * {rank = 3, dtype = float32};\n"
     "let p = MaxPool(x) {auto_pad = \"NOTSET\", kernel_shape = any, pads = (0, 0), strides = (1,), dilations = (1,), ceil_mode "
     "= 0};\n"
     "let q = MaxPool(p) {auto_pad = \"NOTSET\", kernel_shape = any, pads = (0, 0), strides = (1,), dilations = (1,), ceil_mode "
     "= 0};\n"
     "source q; target MaxPool(x) {auto_pad = \"NOTSET\", kernel_shape = (p.kernel_shape[0] + q.kernel_shape[0] - 1,),\n"
     "pads = (0, 0), strides = (1,), dilations = (1,), ceil_mode = 0};",
     "let x = * {rank = 3, dtype = float32};\n"
     "let p = MaxPool(x) {auto_pad = \"NOTSET\", kernel_shape = any, pads = (0, 0), strides = (1,), dilations = (2,), ceil_mode "
     "= 0};\n"
     "let q = MaxPool(p) {auto_pad = \"NOTSET\", kernel_shape = any, pads = (0, 0), strides = (1,), dilations = (1,), ceil_mode "
     "= 0};\n"
     "source q; target MaxPool(x) {auto_pad = \"NOTSET\", kernel_shape = (2 * p.kernel_shape[0] + q.kernel_shape[0] - 2,),\n"
     "pads = (0, 0), strides = (1,), dilations = (1,), ceil_mode = 0};"},
    {"RemaindersOfPositions",
     "let i = iota() {shape = (any,), axis = 0, dtype = int64}; where i.shape[0] <= 7; source Mod(i, const {value = 7, dtype = "
     "int64, "
     "rank = 0}) {fmod = 0}; target i;",
     "let i = iota() {shape = (any,), axis = 0, dtype = int64}; where i.shape[0] <= 8; source Mod(i, const {value = 7, dtype = "
     "int64, "
     "rank = 0}) {fmod = 0}; target i;"},
    {"RemaindersByOne",
     "let i = iota() {shape = (any,), axis = 0, dtype = int64}; source Mod(i, const {value = 1, dtype = int64, rank = 0}) {fmod "
     "= 0};\n"
     "target const {value = 0, shape = i.shape, dtype = int64};",
     "let i = iota() {shape = (any,), axis = 0, dtype = int64}; source Mod(i, const {value = 2, dtype = int64, rank = 0}) {fmod "
     "= 0};\n"
     "target const {value = 0, shape = i.shape, dtype = int64};"},
    {"AReshapeThatKeepsTheFirstSize",
     "let x = *; let s = *; let y = Reshape(x, s) {allowzero = 0};\n"
     "where y.rank >= 1 and y.rank <= 3 and x.rank >= 1 and y.shape[0] == x.shape[0]; drop s; source y;\n"
     "target Reshape(x, const {value = (0,) ++ tuple[i < y.rank - 1](y.shape[i + 1])}) {allowzero = 0};",
     "let x = *; let s = *; let y = Reshape(x, s) {allowzero = 0};\n"
     "where y.rank >= 1 and y.rank <= 3 and x.rank >= 1; drop s; source y;\n"
     "target Reshape(x, const {value = (0,) ++ tuple[i < y.rank - 1](y.shape[i + 1])}) {allowzero = 0};"},
};

INSTANTIATE_TEST_SUITE_P(Spread, SimplifierRules, ::testing::ValuesIn(kSpread),
                         [](const ::testing::TestParamInfo<Law>& law) { return std::string(law.param.name); });

// Extrema of what is limited, or rounded; what repeats.
const Law kLimits[] = {
    {"TheLeastOfPositiveParts",
     "let y = * {rank = 2, dtype = float32}; source reduce_min(Relu(y)) {axes = (1,), keepdims = 0};\n"
     "target Relu(reduce_min(y) {axes = (1,), keepdims = 0});",
     "let y = * {rank = 2, dtype = float32}; source reduce_min(Abs(y)) {axes = (1,), keepdims = 0};\n"
     "target Abs(reduce_min(y) {axes = (1,), keepdims = 0});"},
    {"TheLeastBetweenBounds",
     "let y = * {rank = 2, dtype = float32}; let l = * {rank = 0, dtype = float32}; let h = * {rank = 0, dtype = float32};\n"
     "source reduce_min(Clip(y, l, h)) {axes = (1,), keepdims = 0}; target Clip(reduce_min(y) {axes = (1,), keepdims = 0}, l, "
     "h);",
     "let y = * {rank = 2, dtype = float32}; let l = * {rank = 0, dtype = float32}; let h = * {rank = 0, dtype = float32};\n"
     "source reduce_min(Clip(y, l, h)) {axes = (1,), keepdims = 0}; target Clip(reduce_max(y) {axes = (1,), keepdims = 0}, l, "
     "h);"},
    {"TheLargestOfSmaller",
     "let y = * {rank = 2, dtype = float32}; let l = * {rank = 0, dtype = float32};\n"
     "source reduce_max(Min((y, l))) {axes = (1,), keepdims = 0}; target Min((reduce_max(y) {axes = (1,), keepdims = 0}, l));",
     "let y = * {rank = 2, dtype = float32}; let l = * {rank = 1, dtype = float32}; where l.shape[0] == y.shape[1];\n"
     "source reduce_max(Min((y, l))) {axes = (1,), keepdims = 0};\n"
     "target Min((reduce_max(y) {axes = (1,), keepdims = 0}, reduce_max(l) {axes = (0,), keepdims = 0}));"},
    {"TheLargestOfRounded",
     "let y = * {rank = 2, dtype = float32}; source reduce_max(Floor(y)) {axes = (1,), keepdims = 0};\n"
     "target Floor(reduce_max(y) {axes = (1,), keepdims = 0});",
     "let y = * {rank = 2, dtype = float32}; source reduce_max(Floor(y)) {axes = (1,), keepdims = 0};\n"
     "target Ceil(reduce_max(y) {axes = (1,), keepdims = 0});"},
    {"TheLargestOfSigns",
     "let y = * {rank = 2, dtype = float32}; source reduce_max(Sign(y)) {axes = (1,), keepdims = 0};\n"
     "target Sign(reduce_max(y) {axes = (1,), keepdims = 0});",
     "let y = * {rank = 2, dtype = float32}; source reduce_max(Sign(-y)) {axes = (1,), keepdims = 0};\n"
     "target Sign(-reduce_max(y) {axes = (1,), keepdims = 0});"},
    {"SumsOfWhatRepeats",
     "let x = * {rank = 2, dtype = float32}; source ReduceSum(Tile(x, const {value = (1, 3)}), const {value = (1,)}) {keepdims = "
     "0};\n"
     "target ReduceSum(x, const {value = (1,)}) {keepdims = 0} * 3;",
     "let x = * {rank = 2, dtype = float32}; source ReduceSum(Tile(x, const {value = (3, 1)}), const {value = (1,)}) {keepdims = "
     "0};\n"
     "where x.shape[0] == 1; target Expand(ReduceSum(x, const {value = (1,)}) {keepdims = 0} * 3, const {value = (3,)});"},
    {"TheLargestOfWhatRepeats",
     "let x = * {rank = 1, dtype = float32}; source ReduceMax(Tile(x, const {value = (2,)}), const {value = (0,)}) {keepdims = "
     "0};\n"
     "target ReduceMax(x, const {value = (0,)}) {keepdims = 0};",
     "let x = * {rank = 1, dtype = float32}; source ReduceMax(Tile(x, const {value = (2,)}), const {value = (0,)}) {keepdims = "
     "0};\n"
     "target ReduceMin(x, const {value = (0,)}) {keepdims = 0};"},
};

INSTANTIATE_TEST_SUITE_P(Limits, SimplifierRules, ::testing::ValuesIn(kLimits),
                         [](const ::testing::TestParamInfo<Law>& law) { return std::string(law.param.name); });

// Functions that are quotients and logarithms of exponentials.
const Law kExponentials[] = {
    {"OneLessASigmoid", "let x = * {dtype = float32}; source 1 - Sigmoid(x); target Sigmoid(-x);",
     "let x = * {dtype = float32}; source 1 + Sigmoid(x); target Sigmoid(-x);"},
    {"TanhByASigmoid", "let x = * {dtype = float32}; source Sigmoid(x * 2) * 2 - 1; target Tanh(x);",
     "let x = * {dtype = float32}; source Sigmoid(x) * 2 - 1; target Tanh(x);"},
    {"ASigmoidByTanh", "let x = * {dtype = float32}; source Tanh(x * 0.5) * 0.5 + 0.5; target Sigmoid(x);",
     "let x = * {dtype = float32}; source Tanh(x) * 0.5 + 0.5; target Sigmoid(x);"},
    {"SoftplusByALogarithm", "let x = * {dtype = float32}; source Log(1 + Exp(x)); target Softplus(x);",
     "let x = * {dtype = float32}; source Log(1 + Exp(-x)); target Softplus(x);"},
    {"TheLogarithmOfASigmoid", "let x = * {dtype = float32}; source Log(Sigmoid(x)); target -Softplus(-x);",
     "let x = * {dtype = float32}; source Log(Sigmoid(x)); target Softplus(-x);"},
    {"SoftplusLessThatOfTheNegation", "let x = * {dtype = float32}; source Softplus(x) - Softplus(-x); target Identity(x);",
     "let x = * {dtype = float32}; source Softplus(x) + Softplus(-x); target Identity(x);"},
    {"ASoftmaxSumsToOne",
     "let x = * {rank = 2, dtype = float32}; source ReduceSum(Softmax(x) {axis = 1}, const {value = (1,)}) {keepdims = 0};\n"
     "target ReduceSum(x, const {value = (1,)}) {keepdims = 0} * 0 + 1;",
     "let x = * {rank = 2, dtype = float32}; source ReduceSum(Softmax(x) {axis = 0}, const {value = (1,)}) {keepdims = 0};\n"
     "target ReduceSum(x, const {value = (1,)}) {keepdims = 0} * 0 + 1;"},
    {"PartsOfAWhole",
     "let y = * {dtype = float32}; let z = * {dtype = float32, shape = y.shape};\n"
     "source y / (y + z) + z / (y + z); target (y + z) / (y + z);",
     "let y = * {dtype = float32}; let z = * {dtype = float32, shape = y.shape};\n"
     "source y / (y + z) + z / (y - z); target (y + z) / (y + z);"},
};

INSTANTIATE_TEST_SUITE_P(Exponentials, SimplifierRules, ::testing::ValuesIn(kExponentials),
                         [](const ::testing::TestParamInfo<Law>& law) { return std::string(law.param.name); });

// Comparisons of whole numbers, and of those that are never negative.
const Law kWholeNumbers[] = {
    {"LessThanTheNext",
     "let x = * {dtype = int32}; source Less(x, const {value = 5, dtype = int32, rank = 0});\n"
     "target LessOrEqual(x, const {value = 4, dtype = int32, rank = 0});",
     "let x = * {dtype = float32}; source Less(x, const {value = 5, dtype = float32, rank = 0});\n"
     "target LessOrEqual(x, const {value = 4, dtype = float32, rank = 0});"},
    {"TheNextMayWrap", "let x = * {dtype = int32}; let y = * {dtype = int32}; source Not(Less(x, y)); target LessOrEqual(y, x);",
     "let x = * {dtype = int32}; let y = * {dtype = int32}; source Less(x, y + 1); target LessOrEqual(x, y);"},
    {"BelowOne",
     "let x = * {dtype = uint8}; source Less(x, const {value = 1, dtype = uint8, rank = 0});\n"
     "target Equal(x, const {value = 0, dtype = uint8, rank = 0});",
     "let x = * {dtype = int8}; source Less(x, const {value = 1, dtype = int8, rank = 0});\n"
     "target Equal(x, const {value = 0, dtype = int8, rank = 0});"},
    {"NeverNegative",
     "let x = * {dtype = uint8}; source GreaterOrEqual(x, const {value = 0, dtype = uint8, rank = 0});\n"
     "target const {value = 1, dtype = bool, shape = x.shape}; drop x;",
     "let x = *; let c = const {value = 0, rank = 0}; where c.dtype == x.dtype; source GreaterOrEqual(x, c);\n"
     "target const {value = 1, dtype = bool, shape = x.shape}; drop x;"},
};

INSTANTIATE_TEST_SUITE_P(WholeNumbers, SimplifierRules, ::testing::ValuesIn(kWholeNumbers),
                         [](const ::testing::TestParamInfo<Law>& law) { return std::string(law.param.name); });

}  // namespace
}  // namespace vouch
