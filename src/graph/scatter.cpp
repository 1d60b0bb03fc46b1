#include "graph/scatter.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/call_builder.h"

namespace vouch {
namespace {

constexpr std::size_t kMostMeetings = 64;

std::int64_t product(const Extents& extents) { return element_count(extents).value(); }

Extents joined(Extents first, const Extents& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

// The positions that the indices speak of, none from the end; nothing, having reported, if one is out of range.
std::optional<std::vector<Extents>> positions(const Tensor& indices, const Extents& axes, const std::string& place,
                                              Diagnostics& diagnostics) {
  auto depth = static_cast<std::int64_t>(axes.size());
  std::vector<Extents> out;
  for (std::int64_t first = 0; first < indices.count(); first += depth) {
    Extents position;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      std::int64_t index = indices.int_at(first + static_cast<std::int64_t>(axis));
      if (index < -axes[axis] || index >= axes[axis]) {
        diagnostics.error_at(place, fmt::format("index {} is out of range for axis {} of size {}", index, axis, axes[axis]));
        return std::nullopt;
      }
      position.push_back(index < 0 ? index + axes[axis] : index);
    }
    out.push_back(std::move(position));
  }
  return out;
}

struct Box {
  Extents low;
  Extents extents;
};

// The box that the positions fill in row-major order, if they do.
std::optional<Box> box_of(const std::vector<Extents>& positions) {
  Box box{positions.front(), {}};
  for (std::size_t axis = 0; axis < box.low.size(); ++axis) {
    box.extents.push_back(positions.back()[axis] + 1 - box.low[axis]);
    if (box.extents.back() < 1) {
      return std::nullopt;
    }
  }
  Extents next = box.low;
  for (const Extents& position : positions) {
    if (position != next) {
      return std::nullopt;
    }
    for (std::size_t axis = next.size(); axis-- > 0;) {
      if (++next[axis] < box.low[axis] + box.extents[axis]) {
        break;
      }
      next[axis] = box.low[axis];
    }
  }
  return product(box.extents) == static_cast<std::int64_t>(positions.size()) ? std::optional(box) : std::nullopt;
}

class Scatter {
 public:
  Scatter(CallBuilder& build, const std::vector<Type>& operands, std::size_t depth, std::string_view reduction)
      : build_(build), reduction_(reduction), extents_(*operands[0].concrete_extents()) {
    auto cut = extents_.begin() + static_cast<std::ptrdiff_t>(depth);
    axes_.assign(extents_.begin(), cut);
    row_.assign(cut, extents_.end());
    data_ = build.graph.add_input("data", operands[0]);
    updates_ = build.graph.add_input("updates", operands[2]);
  }

  NodeId run(const std::vector<Extents>& positions) {
    if (positions.empty()) {
      return data_;
    }
    auto box = box_of(positions);
    return box ? put(data_, reshape(updates_, joined(box->extents, row_)), *box, 0) : by_rows(positions);
  }

 private:
  NodeId reshape(NodeId x, const Extents& extents) { return build_.call("Reshape", {x, build_.ints(extents)}); }

  NodeId slice(NodeId x, std::size_t axis, std::int64_t begin, std::int64_t end) {
    return build_.call("Slice", {x, build_.ints({begin}), build_.ints({end}), build_.ints({static_cast<std::int64_t>(axis)})});
  }

  NodeId combined(NodeId data, NodeId updates) {
    if (reduction_ == "none") {
      return updates;
    }
    if (reduction_ == "add" || reduction_ == "mul") {
      return build_.call(reduction_ == "add" ? "Add" : "Mul", {data, updates});
    }
    NodeId both = build_.graph.add_tuple(std::vector<NodeId>{data, updates});
    return build_.call(reduction_ == "max" ? "Max" : "Min", {both});
  }

  // The data, within the box on all axes before this one, with the updates put into the box.
  NodeId put(NodeId data, NodeId updates, const Box& box, std::size_t axis) {
    if (axis == axes_.size() || build_.failed) {
      return build_.failed ? kNoNode : combined(data, updates);
    }
    std::int64_t low = box.low[axis];
    std::int64_t high = low + box.extents[axis];
    bool whole = low == 0 && high == axes_[axis];
    std::vector<NodeId> parts;
    if (low > 0) {
      parts.push_back(slice(data, axis, 0, low));
    }
    parts.push_back(put(whole ? data : slice(data, axis, low, high), updates, box, axis + 1));
    if (high < axes_[axis]) {
      parts.push_back(slice(data, axis, high, axes_[axis]));
    }
    return build_.concat(parts, static_cast<std::int64_t>(axis));
  }

  NodeId rows(NodeId from, const Extents& which) {
    return build_.call("Gather", {from, build_.ints(which)}, AttrDict({{Symbol("axis"), std::int64_t{0}}}));
  }

  // For each row of the data the updates of it, in order.
  std::vector<std::vector<std::int64_t>> meetings(const std::vector<Extents>& positions) const {
    std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(product(axes_)));
    for (std::size_t k = 0; k < positions.size(); ++k) {
      std::int64_t row = 0;
      for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        row = row * axes_[axis] + positions[k][axis];
      }
      out[static_cast<std::size_t>(row)].push_back(static_cast<std::int64_t>(k));
    }
    return out;
  }

  NodeId by_rows(const std::vector<Extents>& positions) {
    std::vector<std::vector<std::int64_t>> updates = meetings(positions);
    std::size_t most = 1;
    for (std::vector<std::int64_t>& of_row : updates) {
      if (reduction_ == "none" && !of_row.empty()) {
        of_row = {of_row.back()};
      }
      most = std::max(most, of_row.size());
    }
    if (most > kMostMeetings) {
      build_.diagnostics.error_at(build_.place,
                                  fmt::format("expected at most {} updates of one position, found {}", kMostMeetings, most));
      return kNoNode;
    }
    NodeId data = reshape(data_, joined({product(axes_)}, row_));
    NodeId from = reshape(updates_, joined({static_cast<std::int64_t>(positions.size())}, row_));
    for (std::size_t round = 0; round < most; ++round) {
      data = replaced(data, from, updates, round);
    }
    return reshape(data, extents_);
  }

  // The rows with their updates of this round.
  NodeId replaced(NodeId data, NodeId from, const std::vector<std::vector<std::int64_t>>& updates, std::size_t round) {
    Extents touched;
    Extents by;
    Extents table;
    for (std::size_t row = 0; row < updates.size(); ++row) {
      bool has_one = round < updates[row].size();
      table.push_back(static_cast<std::int64_t>(has_one ? updates.size() + touched.size() : row));
      if (has_one) {
        touched.push_back(static_cast<std::int64_t>(row));
        by.push_back(updates[row][round]);
      }
    }
    NodeId values = rows(from, by);
    return rows(build_.concat({data, reduction_ == "none" ? values : combined(rows(data, touched), values)}, 0), table);
  }

  CallBuilder& build_;
  std::string reduction_;
  Extents extents_;
  Extents axes_;  // that the indices speak of
  Extents row_;   // the others
  NodeId data_;
  NodeId updates_;
};

}  // namespace

bool is_scatter(OpId op) { return op_def(op).name == "ScatterND"; }

std::optional<Graph> scatter_steps(const std::vector<Type>& operands, const Tensor& indices, AttrDict attributes,
                                   const std::string& place, Diagnostics& diagnostics) {
  Extents extents = *operands[0].concrete_extents();
  auto depth = static_cast<std::size_t>(indices.extents().back());
  extents.resize(depth);
  auto at = positions(indices, extents, place, diagnostics);
  if (!at) {
    return std::nullopt;
  }
  const AttrValue* reduction = attributes.find("reduction");
  Graph graph;
  CallBuilder build{graph, place, diagnostics};
  NodeId result = Scatter(build, operands, depth, reduction ? *reduction->string() : "none").run(*at);
  if (result == kNoNode) {
    return std::nullopt;
  }
  graph.add_output("y", result);
  return graph;
}

}  // namespace vouch
