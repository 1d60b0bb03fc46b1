// A library as data: values, each a run of cells of one type, and calls of kernels that define them in order.
//
// Tensors are row-major, so one that is only given another shape is the same value. Every kernel defines one tensor by one
// statement, or by two of which the second finishes the elements of the first in its tiles: no kernel keeps a local in memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "array/program.h"
#include "certify/index_kernel.h"
#include "certify/index_plan.h"
#include "tensor/tensor.h"

namespace vouch {

using ValueId = std::uint32_t;

enum class ValueKind : std::uint8_t { Input, Weight, Computed };

struct PlanValue {
  ValueKind kind = ValueKind::Computed;
  std::int64_t cells = 0;
  array::Element element = array::Element::F32;
  std::string name;                  // of the node that defines it, or what it is for
  std::optional<Tensor> weights;     // Weight
  std::vector<ValueId> pieces = {};  // Computed, but by no call: these, one after the other
};

// Its sums are taken apart: what is computed has the terms of the kernel's sums in another order.
inline bool is_reordered(const std::optional<IndexTiling>& tiling) { return tiling && !tiling->splits.empty(); }

// A kernel, its program, and a name that is one in C.
struct PlanKernel {
  std::string name;
  IndexKernel kernel;
  std::optional<IndexTiling> tiling;  // without copies
  array::Program program;
  bool fused = false;                       // its products are added by `fma`
  std::optional<IndexKernel> written = {};  // which `kernel` is in lanes (certify/index_lanes.h)
};

// Bit for bit; else over numbers with the laws for it, as the reals have (coq/build/Written.v).
inline bool is_as_written(const PlanKernel& kernel) { return !kernel.fused && !kernel.written && !is_reordered(kernel.tiling); }

// A node of the model.
struct PlanNode {
  std::string name;
  std::string op;
};

struct PlanCall {
  std::size_t kernel = 0;
  std::vector<ValueId> arguments;
  ValueId result = 0;
  std::vector<PlanNode> nodes;  // what it does (a part of), in order
};

// What the library is given or gives, under its name in the model.
struct PlanTensor {
  std::string name;
  Extents extents;
  ValueId value = 0;
};

struct CallPlan {
  std::string name;  // of the library, one in C
  std::vector<PlanValue> values;
  std::vector<PlanKernel> kernels;
  std::vector<PlanCall> calls;
  std::vector<PlanTensor> inputs;
  std::vector<PlanTensor> outputs;  // of different values, all computed
};

}  // namespace vouch
