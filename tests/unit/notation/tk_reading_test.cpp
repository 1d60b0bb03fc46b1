// What the reader of index notation makes of random statements is what the language's definition says of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/eval.h"
#include "notation/show_tk.h"
#include "notation/tk_meaning.h"
#include "notation/tk_parse.h"
#include "tk_language.h"

namespace vouch {
namespace {

using namespace testing::language;

// A statement over i and j, with sums over k and l; every range is said by a read of its own, or after `where`.
class RandomStatement {
 public:
  explicit RandomStatement(std::uint32_t seed) : random_(seed) {
    for (const char* name : {"i", "j", "k", "l"}) {
      long begin = name[0] < 'k' ? 0 : pick(5) - 2;
      ranges[name] = {begin, begin + 1 + pick(3)};
    }
    value = scalar(2 + pick(3));
    for (const char* name : {"k", "l"}) {
      pin(name, ranges.at(name).begin);
    }
  }

  Ranges ranges;
  Arrays arrays;
  Expr value;
  std::string domains;

  std::string text() {
    Writer writer(random_, arrays);
    Array left{{ranges.at("i").end, ranges.at("j").end}, {}};
    std::string out =
        "type double; out Y; Y<" + std::to_string(left.shape[0]) + "," + std::to_string(left.shape[1]) + ">[i, j] = ";
    return out + writer.text(value) + domains + ";";
  }

  // The same with a condition where a value is expected, or the other way round.
  std::string ill_typed_text() {
    Expr condition = guard(1);
    Expr wrong = pick(6) == 0   ? node(Op::Minus, {condition})
                 : pick(5) == 0 ? node(Op::Not, {scalar(1)})
                 : pick(4) == 0 ? node(pick(2) ? Op::Add : Op::Mul, {condition, scalar(1)})
                 : pick(3) == 0 ? node(Op::Select, {scalar(1), scalar(1), scalar(1)})
                 : pick(2) == 0 ? node(Op::Less, {condition, scalar(1)})
                                : node(Op::And, {condition, integer(1)});
    bool is_condition = strength(wrong->op) <= 3 || wrong->op == Op::Not;
    wrong = is_condition ? node(Op::Select, {wrong, constant(1), constant(2)}) : wrong;
    for (int depth = pick(4); depth > 0; --depth) {
      wrong = pick(2) ? node(Op::Max, {wrong, scalar(0)}) : node(Op::Select, {guard(0), scalar(0), wrong});
    }
    value = node(Op::Add, {value, wrong});
    return text();
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  // An index gets its range from a read at `index - begin`, or by `where`.
  void pin(const std::string& name, long begin) {
    std::set<std::string> used;
    collect_indices(value, used);
    if (pick(3) == 0 && used.contains(name)) {
      domains += std::string(domains.empty() ? " where " : ", ") + std::to_string(begin) + " <= " + name + " < " +
                 std::to_string(ranges.at(name).end);
      return;
    }
    std::string tensor = fresh({ranges.at(name).end - begin});
    value =
        node(Op::Add,
             {value, named(Op::Read, tensor, {node(Op::Sub, {named(Op::Index, name), constant(static_cast<double>(begin))})})});
  }

  std::string fresh(std::vector<long> shape) {
    std::string name = "T" + std::to_string(arrays.size());
    long count = 1;
    for (long extent : shape) {
      count *= extent;
    }
    Array array{std::move(shape), {}};
    for (long e = 0; e < count; ++e) {
      array.elements.push_back((pick(17) - 8) / 4.0);
    }
    arrays[name] = std::move(array);
    return name;
  }

  Expr index() { return named(Op::Index, std::string(1, "ijkl"[pick(4)])); }

  Expr integer(int depth) {
    if (depth == 0) {
      return pick(3) == 0 ? constant(pick(4)) : index();
    }
    switch (pick(6)) {
      case 0: return node(Op::Add, {integer(depth - 1), integer(depth - 1)});
      case 1: return node(Op::Sub, {integer(depth - 1), integer(depth - 1)});
      case 2: return node(Op::Mul, {constant(pick(4)), integer(depth - 1)});
      case 3: return node(Op::Quotient, {integer(depth - 1), constant(1 + pick(4))});
      case 4: return node(Op::Remainder, {integer(depth - 1), constant(1 + pick(4))});
      default: return node(Op::Minus, {integer(depth - 1)});
    }
  }

  // A subscript over its whole range, shifted so that it begins at 0; the axis ends where it does.
  Expr subscript(std::vector<long>& shape) {
    Expr at = integer(pick(3));
    double low = 1e9;
    double high = -1e9;
    each_point({"i", "j", "k", "l"}, ranges, {}, [&](const Point& point) {
      double here = value_at(at, point, arrays);
      low = std::min(low, here);
      high = std::max(high, here);
    });
    shape.push_back(static_cast<long>(high - low) + 1);
    return low == 0 ? at : low < 0 ? node(Op::Add, {at, constant(-low)}) : node(Op::Sub, {at, constant(low)});
  }

  Expr element() {
    std::vector<long> shape;
    std::vector<Expr> at;
    for (int axes = 1 + pick(2); axes > 0; --axes) {
      at.push_back(subscript(shape));
    }
    std::string name = fresh(shape);
    return named(Op::Read, name, at);
  }

  Expr guard(int depth) {
    static constexpr Op kComparisons[] = {Op::Less, Op::AtMost, Op::Equal, Op::Differ, Op::More, Op::AtLeast};
    if (depth == 0) {
      Op op = kComparisons[pick(6)];
      return pick(2) ? node(op, {integer(pick(2)), integer(pick(2))}) : node(op, {scalar(0), scalar(pick(2))});
    }
    switch (pick(4)) {
      case 0: return node(Op::And, {guard(depth - 1), guard(depth - 1)});
      case 1: return node(Op::Or, {guard(depth - 1), guard(depth - 1)});
      case 2: return node(Op::Not, {guard(depth - 1)});
      default: return node(Op::Not, {node(Op::Not, {guard(depth - 1)})});
    }
  }

  Expr scalar(int depth) {
    if (depth == 0) {
      return pick(3) == 0 ? integer(pick(2)) : pick(4) == 0 ? constant(pick(9) / 4.0) : element();
    }
    switch (pick(9)) {
      case 0: return node(Op::Add, {scalar(depth - 1), scalar(depth - 1)});
      case 1: return node(Op::Sub, {scalar(depth - 1), scalar(depth - 1)});
      case 2: return node(Op::Mul, {scalar(depth - 1), scalar(depth / 2)});
      case 3: return node(Op::Div, {scalar(depth - 1), constant(1 << pick(3))});
      case 4: return node(Op::Minus, {scalar(depth - 1)});
      case 5: return node(pick(2) ? Op::Max : Op::Min, {scalar(depth - 1), scalar(depth - 1)});
      case 6: return node(Op::Abs, {scalar(depth - 1)});
      default: return node(Op::Select, {guard(pick(3)), scalar(depth - 1), scalar(depth - 1)});
    }
  }

  std::mt19937 random_;
};

std::optional<TkKernel> read_text(const std::string& text, Diagnostics& diagnostics) {
  return parse_tk(std::make_shared<Source>("kernel.tk", text), {}, {}, diagnostics);
}

// Empty if the kernel computes what the definition says.
std::string difference(const TkKernel& kernel, const RandomStatement& statement) {
  Kernel meaning = as_kernel(kernel);
  std::vector<Tensor> inputs;
  for (const TensorDecl& input : meaning.inputs) {
    const Array& array = statement.arrays.at(input.name.name());
    inputs.push_back(Tensor::of_doubles(DType::Float64, {array.shape.begin(), array.shape.end()}, array.elements));
  }
  Diagnostics diagnostics;
  auto outputs = eval_kernel(meaning, inputs, {}, diagnostics);
  if (!outputs) {
    return diagnostics.text();
  }
  std::string out;
  std::int64_t place = 0;
  each_point({"i", "j"}, statement.ranges, {}, [&](const Point& at) {
    double found = outputs->front().double_at(place++);
    Sum expected = statement_at(statement.value, at, statement.ranges, statement.arrays);
    if (out.empty() && std::abs(found - expected.value) > 1e-9 * (1 + expected.size)) {
      out = "at " + std::to_string(at.at("i")) + ", " + std::to_string(at.at("j")) + ": " + std::to_string(found) +
            ", expected " + std::to_string(expected.value);
    }
  });
  return out;
}

TEST(TkReading, StatementsMeanWhatTheDefinitionSays) {
  int summed = 0;
  for (std::uint32_t seed = 1; seed <= 1200; ++seed) {
    RandomStatement statement(seed);
    std::string text = statement.text();
    Diagnostics diagnostics;
    auto kernel = read_text(text, diagnostics);
    ASSERT_TRUE(kernel.has_value()) << "seed " << seed << "\n" << text << "\n" << diagnostics.text();
    ASSERT_EQ(difference(*kernel, statement), "") << "seed " << seed << "\n" << text;
    auto again = read_text("type double; out Y;" + print_tk(*kernel), diagnostics);
    ASSERT_TRUE(again.has_value()) << "seed " << seed << "\n" << text << "\n" << print_tk(*kernel) << diagnostics.text();
    ASSERT_EQ(difference(*again, statement), "") << "printed, seed " << seed << "\n" << text << "\n" << print_tk(*kernel);
    summed += kernel->statements[0].domains.size() > 2 ? 1 : 0;
  }
  EXPECT_GT(summed, 800);
}

TEST(TkReading, ConditionsAreNoValuesAndValuesNoConditions) {
  for (std::uint32_t seed = 1; seed <= 800; ++seed) {
    RandomStatement statement(seed);
    std::string text = statement.ill_typed_text();
    Diagnostics diagnostics;
    ASSERT_FALSE(read_text(text, diagnostics).has_value()) << "seed " << seed << "\n" << text;
    ASSERT_NE(diagnostics.text().find("condition"), std::string::npos) << "seed " << seed << "\n"
                                                                       << text << "\n"
                                                                       << diagnostics.text();
    ASSERT_NE(diagnostics.all()[0].span, Span{}) << diagnostics.text();
  }
}

}  // namespace
}  // namespace vouch
