// The operator table's parts, one function per theme; op_table.cpp joins them in this order.
#pragma once

#include <vector>

#include "graph/op_def.h"

namespace vouch {

std::vector<OpDef> arithmetic_ops();           // Add, Mul, Max, Mod, …: two or more operands, broadcast
std::vector<OpDef> unary_ops();                // Neg, Exp, Cast, …: one operand, element by element
std::vector<OpDef> activation_ops();           // Relu, Clip, Gelu, …
std::vector<OpDef> logic_ops();                // Equal, And, Where, …
std::vector<OpDef> product_ops();              // MatMul, Gemm, dense, bias_add
std::vector<OpDef> contraction_ops();          // dot_general, Einsum
std::vector<OpDef> convolution_ops();          // Conv, ConvTranspose
std::vector<OpDef> pooling_ops();              // MaxPool, AveragePool, global pools
std::vector<OpDef> normalization_ops();        // BatchNormalization, LRN
std::vector<OpDef> layer_normalization_ops();  // LayerNormalization, InstanceNormalization
std::vector<OpDef> group_normalization_ops();  // GroupNormalization
std::vector<OpDef> reduction_ops();            // ReduceSum, …, ArgMax, CumSum
std::vector<OpDef> softmax_ops();              // Softmax, LogSoftmax, Hardmax
std::vector<OpDef> shape_ops();                // Reshape, Transpose, Squeeze, …, Shape, Size
std::vector<OpDef> expanding_ops();            // Expand, Tile, broadcast_in_dim
std::vector<OpDef> joining_ops();              // Concat, Split
std::vector<OpDef> slicing_ops();              // Slice, dynamic slices, reverse
std::vector<OpDef> padding_ops();              // Pad
std::vector<OpDef> gathering_ops();            // Gather, GatherElements, GatherND, OneHot
std::vector<OpDef> scattering_ops();           // ScatterElements
std::vector<OpDef> attention_ops();            // Attention
std::vector<OpDef> rotary_embedding_ops();     // RotaryEmbedding
std::vector<OpDef> resampling_ops();           // Resize, DepthToSpace, SpaceToDepth
std::vector<OpDef> constant_ops();             // ConstantOfShape, Range, iota
std::vector<OpDef> fused_ops();                // BiasGelu, SkipLayerNormalization, …: what ONNX Runtime writes
std::vector<OpDef> quantization_ops();         // QuantizeLinear, DequantizeLinear, …
std::vector<OpDef> quantized_ops();            // QLinearConv, ConvInteger, …: computations on quantised integers
std::vector<OpDef> loss_ops();                 // NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss
std::vector<OpDef> opaque_ops();               // If, Loop, LSTM, GRU, ScatterND
std::vector<OpDef> scanning_ops();             // Scan

}  // namespace vouch
