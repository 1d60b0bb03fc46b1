// ScatterND as a graph of operators that have kernels. At positions that are numbers: what is cut out of the data is put in
// again, where the positions are a box in the order of the updates; otherwise rows are picked, from the data or from the updates.
// It is compared with the interpreter's own ScatterND (graph/eval_opaque.cpp) in tests/unit/graph/scatter_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace vouch {

bool is_scatter(OpId op);

// A graph with the inputs data and updates, and one output. `operands`: the types of data, indices and updates, whose sizes are
// numbers, of a well-typed call. Of several updates of one position the last one counts, or with a reduction each, in order.
// Reports at `place` an index that is out of range, and more than 64 updates of one position with a reduction.
std::optional<Graph> scatter_steps(const std::vector<Type>& operands, const Tensor& indices, AttrDict attributes,
                                   const std::string& place, Diagnostics& diagnostics);

// The same where the positions are data: a graph with the inputs data, indices and updates. Every size is a number, and none is
// 0. An update whose position is out of range is left out; of several of one position the last one counts, or with a reduction
// each.
std::optional<Graph> scatter_by_data_steps(const std::vector<Type>& operands, AttrDict attributes, const std::string& place,
                                           Diagnostics& diagnostics);

}  // namespace vouch
