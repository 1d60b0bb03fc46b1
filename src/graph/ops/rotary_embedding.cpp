// Positions as rotations: pairs of the elements of a head turn by angles whose cosines and sines are given.
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

constexpr std::size_t kCosines = 1;
constexpr std::size_t kSines = 2;
constexpr std::size_t kPositions = 3;

// [batch, heads, length, head], or [batch, length, heads * head]
struct Turned {
  bool apart = false;  // heads are an axis
  Term length;
  Term head;   // elements of each
  Term pairs;  // of them turn

  Terms place(const Terms& i) const { return apart ? Terms{i[0], i[2]} : Terms{i[0], i[1]}; }
  Term within(const Terms& i) const { return apart ? i[3] : floor_mod(i[2], head); }
};

// A table of a row for each position, or a row for each element of the batch and place.
bool require_angles(OpContext& c, const Turned& turned) {
  const bool by_position = c.has(kPositions);
  for (std::size_t operand : {kCosines, kSines}) {
    if (!require_same_dtype(c, 0, operand) || !require_rank(c, operand, by_position ? 2 : 3)) {
      return false;
    }
    c.require(eq(c.extents(operand).back(), turned.pairs), "there is an angle for each pair of elements that turn");
    if (!by_position) {
      c.require(eq(c.extent(operand, 0), c.extent(0, 0)), "there are angles for each element of the batch");
      c.require(eq(c.extent(operand, 1), turned.length), "there are angles for each place");
    }
  }
  if (by_position && require_rank(c, kPositions, 2)) {
    c.require(eq(c.extent(kCosines, 0), c.extent(kSines, 0)), "there are as many sines as cosines");
    c.require(eq(c.extent(kPositions, 0), c.extent(0, 0)), "there are positions for each element of the batch");
    c.require(eq(c.extent(kPositions, 1), turned.length), "there is a position for each place");
  }
  return !c.failed();
}

std::optional<Turned> turned_of(OpContext& c) {
  const std::size_t rank = c.rank(0);
  if (rank != 3 && rank != 4) {
    c.fail("x must have rank 3 or 4, found " + c.type_text(0));
    return std::nullopt;
  }
  Turned out{.apart = rank == 4, .length = c.extent(0, rank - 2), .head = c.extents(0).back(), .pairs = {}};
  if (!out.apart) {
    Term heads = c.attr_int("num_heads");
    c.require(ge(heads, 1), "num_heads must be at least 1 where heads are no axis");
    c.require(divides(heads, out.head), "num_heads must divide the last axis");
    out.head = c.failed() ? out.head : floor_div(out.head, heads);
  }
  const std::int64_t some = c.attr_int_value("rotary_embedding_dim");
  Term turning = some == 0 ? out.head : Term(some);
  c.require(both(ge(turning, 0), le(turning, out.head)), "rotary_embedding_dim must be a number of elements that a head has");
  c.require(divides(2, turning), "an even number of elements turns, in pairs");
  out.pairs = floor_div(turning, 2);
  return c.failed() ? std::nullopt : std::optional(out);
}

std::string_view name_of(std::size_t operand) { return operand == kCosines ? "cosine" : "sine"; }

// A local of the rows that the positions are of, a negative one from the end, as Gather picks them.
void local_angles(OpContext& c, const Turned& turned, std::size_t operand) {
  if (c.has(kPositions)) {
    c.local(name_of(operand), c.dtype(0), {c.extent(0, 0), turned.length, turned.pairs}, [&](const Terms& i) {
      return c.read(operand, {data_index(c.read(kPositions, {i[0], i[1]}), c.extent(operand, 0)), i[2]});
    });
  }
}

Term read_angle(const OpContext& c, const Turned& turned, std::size_t operand, const Terms& i, Term pair) {
  Terms at = turned.place(i);
  at.push_back(pair);
  return c.has(kPositions) ? c.read_local(name_of(operand), at) : c.read(operand, at);
}

// Of a pair (a, b): (cos a - sin b, sin a + cos b). Pairs are neighbours, or elements half of what turns apart.
void define_rotary_embedding(OpContext& c) {
  if (!require_float(c, 0)) {
    return;
  }
  auto turned = turned_of(c);
  if (!turned || !require_angles(c, *turned)) {
    return;
  }
  const bool neighbours = c.attr_int_value("interleaved") != 0;
  for (std::size_t operand : {kCosines, kSines}) {
    local_angles(c, *turned, operand);
  }
  auto angle = [&](std::size_t operand, const Terms& i, Term pair) { return read_angle(c, *turned, operand, i, pair); };
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Term at = turned->within(i);
    Term pair = neighbours ? floor_div(at, 2) : int_select(lt(at, turned->pairs), at, at - turned->pairs);
    Term is_first = neighbours ? divides(2, at) : lt(at, turned->pairs);
    Term apart = neighbours ? Term(1) : turned->pairs;
    auto beside = [&](Term by) {
      Terms there = i;
      there.back() = i.back() + by;
      return c.read(0, there);
    };
    Term first = angle(kCosines, i, pair) * c.read(0, i) - angle(kSines, i, pair) * beside(apart);
    Term second = angle(kSines, i, pair) * beside(-apart) + angle(kCosines, i, pair) * c.read(0, i);
    return select(lt(at, turned->pairs + turned->pairs), select(is_first, first, second), c.read(0, i));
  });
}

}  // namespace

std::vector<OpDef> rotary_embedding_ops() {
  return {{.name = "RotaryEmbedding",
           .operands = {{"x"}, {"cosines"}, {"sines"}, {"positions", OperandKind::Optional}},
           .attributes = {{.name = "interleaved", .otherwise = 0, .domain = AttrDomain::Flag},
                          {.name = "num_heads", .otherwise = 0},
                          {.name = "rotary_embedding_dim", .otherwise = 0}},
           .define = define_rotary_embedding}};
}

}  // namespace vouch
