#include "array/builder.h"

#include <gtest/gtest.h>

#include "array/parse.h"

namespace vouch::array {
namespace {

struct Said {
  std::vector<std::string> messages;
  std::vector<std::string> hints;
  Report report() {
    return [this](std::string message, std::string hint) {
      messages.push_back(std::move(message));
      hints.push_back(std::move(hint));
    };
  }
};

Exp parsed(const std::string& text) {
  Diagnostics diagnostics;
  auto program = parse_program(std::make_shared<Source>("k.fun", text), diagnostics);
  EXPECT_TRUE(program) << diagnostics.text();
  return program ? program->term : Exp();
}

Built half(Builder& b, const Built& pair, LayoutKind kind) { return b.through(layout(kind), pair); }

// The example of the header, and a nest of loops in which terms from outside are used inside.
TEST(Builder, MakesWhatTheTextMakes) {
  Said said;
  Builder b({"m", "n", "p"}, {}, said.report());
  Built a = b.input("a", type_array(size_var(0), type_array(size_var(1), type_num())));
  Built c = b.input("b", type_array(size_var(1), type_array(size_var(2), type_num())));
  Built columns = b.through(layout(LayoutKind::Trans), c);
  Built product = b.map(LoopKind::Par, a, [&](Built row, unsigned) {
    return b.map(LoopKind::Seq, columns, [&](Built column, unsigned) {
      Built zipped = b.through(layout(LayoutKind::Zip), b.pair(row, column));
      return b.reduce(Place::Fresh, zipped, b.number({0, 0}), [&](Built q, Built sum, unsigned) {
        return b.op(Op::Add, {sum, b.op(Op::Mul, {half(b, q, LayoutKind::Fst), half(b, q, LayoutKind::Snd)})});
      });
    });
  });
  Type square = type_array(size_var(0), type_array(size_var(2), type_num()));
  std::optional<Program> program = b.finish("matmul", {"c", square}, product);
  ASSERT_TRUE(program) << said.messages.at(0);
  EXPECT_TRUE(verify_program(*program));
  EXPECT_EQ(program->term, parsed("kernel matmul(sizes m, n, p; a: num[m, n], b: num[n, p]) -> c: num[m, p] =\n"
                                  "  map par row in a { map column in b.transpose {\n"
                                  "    reduce q in zip(row, column) with sum = 0 { sum + q.fst * q.snd } } }"));
}

TEST(Builder, HasEveryForm) {
  Said said;
  Builder b({"n"}, {}, said.report());
  Size n = size_var(0);
  Built x = b.input("x", type_array(n, type_num()));
  Built root = b.mem(b.op(Op::Sqrt, {b.number({2, 0})}));
  Built term = b.let(root, [&](Built r) {
    Built scaled = b.generate(LoopKind::Vec, n, [&](unsigned i) {
      Guard first = guard_compare(GuardKind::Less, b.position(i), index_size(size_const(1)));
      return b.op(Op::Fma, {b.choose(first, b.number({1, 0}), b.at(x, b.position(i))), r, b.number({3, 0})});
    });
    return b.cat(scaled, b.pad(size_const(1), size_const(0), {4, 0}, x));
  });
  Size both = size_add(n, size_add(size_add(size_const(1), n), size_const(0)));
  std::optional<Program> program = b.finish("k", {"y", type_array(both, type_num())}, term);
  ASSERT_TRUE(program) << said.messages.at(0);
  EXPECT_TRUE(verify_program(*program));
  EXPECT_TRUE(said.messages.empty());
}

// Something wrong is told once; what is built from it is nothing, and says nothing more.
TEST(Builder, TellsWhatIsWrongOnce) {
  Said said;
  Builder b({"n", "m"}, {}, said.report());
  Built x = b.input("x", type_array(size_var(0), type_num()));
  Built y = b.input("y", type_array(size_var(1), type_num()));
  Built wrong = b.through(layout(LayoutKind::Split, {size_const(4), size_var(1)}), x);
  EXPECT_FALSE(wrong);
  ASSERT_EQ(said.messages.size(), 1U);
  EXPECT_EQ(said.messages[0], "this layout does not apply to num[n]");
  EXPECT_EQ(said.hints[0], "split(4, m) takes 4 * m elements");
  EXPECT_FALSE(b.map(LoopKind::Seq, wrong, [&](Built row, unsigned) { return row; }));
  EXPECT_FALSE(b.finish("k", {"z", type_num()}, wrong));
  EXPECT_EQ(said.messages.size(), 1U);
  EXPECT_FALSE(b.op(Op::Add, {x, y}));
  EXPECT_EQ(said.messages.size(), 2U);
}

TEST(Builder, PositionsMustBeProvenInside) {
  Said said;
  Builder b({"n"}, {}, said.report());
  Built x = b.input("x", type_array(size_var(0), type_num()));
  EXPECT_FALSE(
      b.generate(LoopKind::Seq, size_add(size_var(0), size_const(1)), [&](unsigned i) { return b.at(x, b.position(i)); }));
  EXPECT_EQ(said.messages.size(), 1U);
  EXPECT_TRUE(b.generate(LoopKind::Seq, size_var(0), [&](unsigned i) { return b.at(x, b.position(i)); }));
}

}  // namespace
}  // namespace vouch::array
