// Blocks of channels moved into space and back, and Resize.
#include "graph/ops/operands.h"
#include "graph/ops/resize.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// With blocks of b x b: the channel that holds offset (r, s) of a block is (r * b + s) * C + c (DCR, and
// SpaceToDepth) or c * b * b + r * b + s (CRD).
void define_depth_to_space(OpContext& c) {
  Term b = c.attr_int("blocksize");
  c.require(ge(b, 1), "blocksize must be at least 1");
  if (c.failed() || !require_rank(c, 0, 4)) {
    return;
  }
  bool columns_first = c.attr_string("mode") == "CRD";
  c.require(divides(b * b, c.extent(0, 1)), "the square of blocksize must divide the number of channels");
  Term channels = floor_div(c.extent(0, 1), b * b);
  c.result(c.dtype(0), {c.extent(0, 0), channels, c.extent(0, 2) * b, c.extent(0, 3) * b}, [&](const Terms& i) {
    Term offset = floor_mod(i[2], b) * b + floor_mod(i[3], b);
    Term channel = columns_first ? i[1] * b * b + offset : offset * channels + i[1];
    return c.read(0, {i[0], channel, floor_div(i[2], b), floor_div(i[3], b)});
  });
}

void define_space_to_depth(OpContext& c) {
  Term b = c.attr_int("blocksize");
  c.require(ge(b, 1), "blocksize must be at least 1");
  if (c.failed() || !require_rank(c, 0, 4)) {
    return;
  }
  Term channels = c.extent(0, 1);
  c.require(ge(channels, 1), "a channel is needed");
  c.require(divides(b, c.extent(0, 2)), "blocksize must divide the height");
  c.require(divides(b, c.extent(0, 3)), "blocksize must divide the width");
  if (c.failed()) {
    return;
  }
  Terms extents{c.extent(0, 0), channels * b * b, floor_div(c.extent(0, 2), b), floor_div(c.extent(0, 3), b)};
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Term offset = floor_div(i[1], channels);
    return c.read(0, {i[0], floor_mod(i[1], channels), i[2] * b + floor_div(offset, b), i[3] * b + floor_mod(offset, b)});
  });
}

}  // namespace

std::vector<OpDef> resampling_ops() {
  const AttrDef blocksize{.name = "blocksize"};
  return {
      resize_op(),
      earlier_resize_op(),
      {.name = "DepthToSpace",
       .operands = {{"x"}},
       .attributes = {blocksize, {.name = "mode", .type = AttrType::String, .otherwise = "DCR", .choices = {"DCR", "CRD"}}},
       .define = define_depth_to_space},
      {.name = "SpaceToDepth", .operands = {{"x"}}, .attributes = {blocksize}, .define = define_space_to_depth},
  };
}

}  // namespace vouch
