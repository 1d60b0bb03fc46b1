// The operator table's parts, one function per theme; op_table.cpp joins them in this order.
#pragma once

#include <vector>

#include "graph/op_def.h"

namespace vouch {

std::vector<OpDef> arithmetic_ops();     // Add, Mul, Max, Mod, …: two or more operands, broadcast
std::vector<OpDef> unary_ops();          // Neg, Exp, Cast, …: one operand, element by element
std::vector<OpDef> activation_ops();     // Relu, Clip, Gelu, …
std::vector<OpDef> logic_ops();          // Equal, And, Where, …
std::vector<OpDef> product_ops();        // MatMul, Gemm, dense, dot_general
std::vector<OpDef> convolution_ops();    // Conv, ConvTranspose
std::vector<OpDef> pooling_ops();        // MaxPool, AveragePool, global pools
std::vector<OpDef> normalization_ops();  // BatchNormalization, LayerNormalization, LRN
std::vector<OpDef> reduction_ops();      // ReduceSum, …, Softmax, LogSoftmax
std::vector<OpDef> shape_ops();          // Reshape, Transpose, Squeeze, …, Shape, Size
std::vector<OpDef> slicing_ops();        // Concat, Split, Slice, Pad, Gather, dynamic slices, reverse
std::vector<OpDef> resampling_ops();     // Resize, DepthToSpace, SpaceToDepth
std::vector<OpDef> constant_ops();       // ConstantOfShape, Range, iota
std::vector<OpDef> opaque_ops();         // If, Loop, LSTM, GRU, ScatterND

}  // namespace vouch
