#include <span>

#include "graph/call_builder.h"
#include "graph/scatter.h"

namespace vouch {
namespace {

std::int64_t product_of_sizes(Extents::const_iterator from, Extents::const_iterator to) {
  return element_count(std::span(from, to)).value();
}

// For each position the number of its row; of one that is out of range a number that no row has.
NodeId row_numbers(CallBuilder& build, NodeId indices, const Extents& axes) {
  Extents strides;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    strides.push_back(product_of_sizes(axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, axes.end()));
  }
  NodeId zero = build.scalar(DType::Int64, 0);
  NodeId sizes = build.ints(axes);
  NodeId index = build.call("Where", {build.call("Less", {indices, zero}), build.call("Add", {indices, sizes}), indices});
  NodeId inside = build.call("And", {build.call("LessOrEqual", {zero, index}), build.call("Less", {index, sizes})});
  NodeId rows = build.ints({product_of_sizes(axes.begin(), axes.end())});
  NodeId parts = build.call("Where", {inside, build.call("Mul", {index, build.ints(strides)}), rows});
  NodeId numbers = build.call("ReduceSum", {parts, build.ints({-1})}, AttrDict({{Symbol("keepdims"), std::int64_t{0}}}));
  return build.call("Reshape", {numbers, build.ints({-1})});
}

}  // namespace

std::optional<Graph> scatter_by_data_steps(const std::vector<Type>& operands, AttrDict attributes, const std::string& place,
                                           Diagnostics& diagnostics) {
  Extents extents = *operands[0].concrete_extents();
  Extents positions = *operands[1].concrete_extents();
  auto cut = extents.begin() + static_cast<std::ptrdiff_t>(positions.back());
  std::int64_t wide = product_of_sizes(cut, extents.end());
  Graph graph;
  CallBuilder build{graph, place, diagnostics};
  NodeId data = graph.add_input("data", operands[0]);
  NodeId indices = graph.add_input("indices", operands[1]);
  NodeId updates = graph.add_input("updates", operands[2]);
  auto rows = [&](NodeId x, std::int64_t count) { return build.call("Reshape", {x, build.ints({count, wide})}); };
  NodeId result =
      build.call("scatter_rows",
                 {rows(data, product_of_sizes(extents.begin(), cut)), row_numbers(build, indices, {extents.begin(), cut}),
                  rows(updates, product_of_sizes(positions.begin(), positions.end() - 1))},
                 std::move(attributes));
  result = build.call("Reshape", {result, build.ints(extents)});
  if (result == kNoNode) {
    return std::nullopt;
  }
  graph.add_output("y", result);
  return graph;
}

}  // namespace vouch
