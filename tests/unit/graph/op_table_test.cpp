// The table as a whole: every entry is well-formed, whatever it is called with.
#include "graph/op_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include "graph/operand_types.h"
#include "graph/unknown_size.h"
#include "term/print.h"

namespace vouch {
namespace {

std::vector<OpId> all_ops() {
  std::vector<OpId> out;
  for (std::size_t op = 0; op < op_count(); ++op) {
    out.push_back(static_cast<OpId>(op));
  }
  return out;
}

TEST(OpTable, NamesAreUnique) {
  std::set<std::string_view> names;
  for (OpId op : all_ops()) {
    EXPECT_TRUE(names.insert(op_def(op).name).second) << op_def(op).name;
    EXPECT_EQ(find_op(op_def(op).name), op);
  }
}

TEST(OpTable, HoldsTheOperatorsThatModelsNeed) {
  std::istringstream names(
      "Add Sub Mul Div Sum Neg Abs Relu LeakyRelu PRelu Clip Sigmoid Tanh Exp Log Sqrt Reciprocal Sign Floor Ceil Round "
      "Mod Erf Gelu HardSigmoid HardSwish Pow Min Max Equal Less Greater Not And Or Where Cast MatMul Gemm Conv "
      "ConvTranspose BatchNormalization LayerNormalization Softmax LogSoftmax ReduceSum ReduceMean ReduceMax ReduceMin "
      "ReduceProd MaxPool AveragePool GlobalAveragePool GlobalMaxPool LRN Reshape Flatten Transpose Squeeze Unsqueeze "
      "Concat Split Slice Pad Gather Expand Shape Size ConstantOfShape Range Identity Dropout Constant Resize "
      "DepthToSpace SpaceToDepth dense bias_add reverse iota compare select clamp broadcast_in_dim dot_general "
      "dynamic_slice dynamic_update_slice pad If Loop Scan LSTM GRU ScatterND");
  for (std::string name; names >> name;) {
    EXPECT_TRUE(find_op(name)) << name;
  }
}

TEST(OpTable, FurtherResultsAreOperatorsOfTheSameForm) {
  for (OpId op : all_ops()) {
    for (std::string_view name : op_def(op).further) {
      if (name.empty()) {
        continue;  // a result that is not supported
      }
      auto further = find_op(name);
      ASSERT_TRUE(further) << name;
      EXPECT_FALSE(op_def(op).several_results);
      ASSERT_EQ(op_def(*further).attributes.size(), op_def(op).attributes.size()) << name;
      for (std::size_t k = 0; k < op_def(op).attributes.size(); ++k) {
        EXPECT_EQ(op_def(*further).attributes[k].name, op_def(op).attributes[k].name);
      }
    }
  }
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return text.ends_with(ending); });
}

// An attribute that a definition does not read would be silently without effect: its name must stand in the sources
// elsewhere than where it is declared.
TEST(OpTable, DeclaredAttributesAreRead) {
  std::string sources;
  for (const auto& file : std::filesystem::directory_iterator(std::string(VOUCH_ROOT) + "/src/graph/ops")) {
    std::ifstream in(file.path());
    sources.append(std::istreambuf_iterator<char>(in), {});
  }
  const std::set<std::string_view> without_effect{"seed"};  // of what is drawn
  for (OpId op : all_ops()) {
    for (const AttrDef& attr : op_def(op).attributes) {
      std::string quoted = "\"" + std::string(attr.name) + "\"";
      bool read = false;
      for (std::size_t at = sources.find(quoted); at != std::string::npos; at = sources.find(quoted, at + 1)) {
        read |= !ends_with_any(std::string_view(sources).substr(0, at),
                               {".name = ", "each(", "spread(", "axes(", "maybe(", "number(", "choice(", "flag(", "factor("});
      }
      EXPECT_TRUE(read || op_def(op).opaque || without_effect.contains(attr.name)) << op_def(op).name << ": " << attr.name;
    }
  }
}

TEST(OpTable, TypesABroadcastAddition) {
  Type a = Type::tensor(DType::Float32, {int_var("n"), Term(1)});
  Type b = Type::tensor(DType::Float32, {Term(4)});
  auto typing = type_call(*find_op("Add"), {a, b}, {}, {nullptr, nullptr});
  ASSERT_EQ(typing->error, "");
  EXPECT_EQ(typing->results[0].text(), "float32[n, 4]");
  EXPECT_TRUE(typing->conditions.empty());
}

TEST(OpTable, UnknownSizesBroadcastUnderACondition) {
  Type a = Type::tensor(DType::Float32, {int_var("n")});
  Type b = Type::tensor(DType::Float32, {int_var("m")});
  auto typing = type_call(*find_op("Add"), {a, b}, {}, {nullptr, nullptr});
  ASSERT_EQ(typing->conditions.size(), 1U);
  EXPECT_EQ(print_term(typing->conditions[0].guard),
            print_term(either(either(eq(int_var("n"), int_var("m")), eq(int_var("n"), 1)), eq(int_var("m"), 1))));
}

// A residual sum of each layer meets the same two sizes: what they are together does not grow with the layers.
TEST(OpTable, SizesThatMeetAgainDoNotGrow) {
  Type a = Type::tensor(DType::Float32, {int_var("n")});
  Type b = Type::tensor(DType::Float32, {floor_div(int_var("m"), int_var("k"))});
  auto sum = [](Type x, Type y) { return type_call(*find_op("Add"), {x, y}, {}, {nullptr, nullptr})->results[0]; };
  Type once = sum(a, b);
  EXPECT_EQ(once.text(), "float32[select(1 == n, m // k, n)]");
  EXPECT_EQ(sum(once, a).text(), once.text());
  EXPECT_EQ(sum(once, b).text(), once.text());
  Type c = Type::tensor(DType::Float32, {floor_div(int_var("k"), int_var("m"))});
  EXPECT_EQ(sum(sum(once, c), sum(b, a)).text(), sum(once, c).text());
}

TEST(OpTable, RefusesSizesThatDoNotBroadcast) {
  Type a = Type::tensor(DType::Float32, Extents{2, 3});
  Type b = Type::tensor(DType::Float32, Extents{4});
  auto typing = type_call(*find_op("Add"), {a, b}, {}, {nullptr, nullptr});
  EXPECT_NE(typing->error.find("do not broadcast"), std::string::npos) << typing->error;
}

// Typing remembers calls: with the lists that they are given, and which operand has which.
TEST(OpTable, ListsTellCallsApart) {
  Type x = Type::tensor(DType::Float32, {int_var("n"), int_var("m")});
  Type axes = Type::tensor(DType::Int64, {Term(1)});
  const std::vector<Term> first{Term(0)};
  const std::vector<Term> last{Term(2)};
  auto unsqueezed = [&](const std::vector<Term>* at) {
    auto typing = type_call(*find_op("Unsqueeze"), {x, axes}, {}, {nullptr, at});
    return typing->error.empty() ? typing->results[0].text() : std::string("ill-typed");
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(unsqueezed(&first), "float32[1, n, m]");
    EXPECT_EQ(unsqueezed(&last), "float32[n, m, 1]");
    EXPECT_EQ(unsqueezed(nullptr), "ill-typed");
  }
  auto sliced = [&](const std::vector<Term>* starts, const std::vector<Term>* ends) {
    Type four = Type::tensor(DType::Float32, {Term(4)});
    return type_call(*find_op("Slice"), {four, axes, axes}, {}, {nullptr, starts, ends})->results[0].text();
  };
  EXPECT_EQ(sliced(&first, &last), "float32[2]");
  EXPECT_EQ(sliced(&last, &first), "float32[0]");
}

// Sizes that users name as indices are not captured by them.
TEST(OpTable, IndicesAvoidTheNamesOfSizes) {
  Type x = Type::tensor(DType::Float32, {int_var("i0"), int_var("k")});
  Type w = Type::tensor(DType::Float32, {int_var("k"), int_var("i1")});
  Kernel kernel = call_meaning(*find_op("MatMul"), {x, w}, {}, {nullptr, nullptr});
  const Statement& product = kernel.statements[0];
  EXPECT_EQ(product.indices[0].name(), "i0_1");
  EXPECT_EQ(product.indices[1].name(), "i1_1");
  EXPECT_EQ(product.value->bound[0].name(), "k_1");
}

// --- calls at random: symbolic or small numbers, legal or not

class RandomCall {
 public:
  RandomCall(OpId op, std::size_t rank, bool symbolic, unsigned seed)
      : rank_(rank), symbolic_(symbolic), random_(seed), allowed_(operand_types(op)) {
    const std::vector<OperandDef>& operands = op_def(op).operands;
    quantised_ = std::any_of(operands.begin(), operands.end(),
                             [](const OperandDef& operand) { return operand.name.ends_with("_zero_point"); });
    for (const OperandDef& operand : operands) {
      add_operand(operand);
    }
    std::vector<AttrDict::Entry> entries;
    for (const AttrDef& attr : op_def(op).attributes) {
      bool needed = std::holds_alternative<Required>(attr.otherwise);
      if (attr.type != AttrType::Graph && (needed || pick(2) == 0)) {
        entries.emplace_back(Symbol(attr.name), value_of(attr));
      }
    }
    attributes = AttrDict(std::move(entries));
  }

  KnownContents known() const {
    KnownContents out;
    for (const auto& elements : contents_) {
      out.push_back(elements ? &*elements : nullptr);
    }
    return out;
  }

  std::vector<Type> types;
  AttrDict attributes;

 private:
  std::int64_t pick(std::int64_t below) { return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random_); }

  Term size() {
    const char* names[] = {"n", "m", "i0", "k"};
    return symbolic_ && pick(3) != 0 ? int_var(names[pick(4)]) : Term(pick(5));
  }

  Term small() { return symbolic_ && pick(2) == 0 ? int_var("a" + std::to_string(pick(3))) : Term(pick(7) - 2); }

  // Mostly a type that the operand may have, and the one that another has.
  DType dtype() {
    constexpr int kAny = 8;
    std::vector<DType> allowed = (pick(kAny) == 0 ? kAllTypes : allowed_.of(types.size())).types();
    if (!chosen_ || pick(4) == 0 || std::find(allowed.begin(), allowed.end(), *chosen_) == allowed.end()) {
      chosen_ = allowed[static_cast<std::size_t>(pick(static_cast<std::int64_t>(allowed.size())))];
    }
    return *chosen_;
  }

  Type tensor(std::size_t rank) {
    std::vector<Term> extents;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      extents.push_back(size());
    }
    return Type::tensor(dtype(), extents);
  }

  void add_operand(const OperandDef& operand) {
    contents_.emplace_back();
    bool optional = operand.kind == OperandKind::Optional || operand.kind == OperandKind::OptionalTuple;
    if (optional && pick(2) == 0) {
      types.emplace_back();
    } else if (operand.name.ends_with("_scale") || operand.name.ends_with("_zero_point")) {
      types.push_back(Type::tensor(operand.name.ends_with("_scale") ? DType::Float32 : DType::UInt8, Extents{}));
    } else if (quantised_) {
      types.push_back(Type::tensor(DType::UInt8, tensor(types.empty() || pick(2) == 0 ? rank_ : 1).extents()));
    } else if (operand.kind == OperandKind::Tuple || operand.kind == OperandKind::OptionalTuple) {
      types.push_back(Type::tuple(pick(2) == 0 ? tensors() : starts()));
    } else if (!types.empty() && pick(2) == 0) {
      add_parameters();
    } else {
      types.push_back(tensor(types.empty() || pick(2) == 0 ? rank_ : static_cast<std::size_t>(pick(4))));
    }
  }

  std::vector<Type> tensors() {
    std::vector<Type> items(static_cast<std::size_t>(pick(4)));
    std::generate(items.begin(), items.end(), [&] { return tensor(pick(4) == 0 ? 1 : rank_); });
    return items;
  }

  std::vector<Type> starts() const { return std::vector<Type>(rank_, Type::tensor(DType::Int64, Extents{})); }

  // A list of integers whose elements are known.
  void add_parameters() {
    std::vector<Term> elements(static_cast<std::size_t>(pick(5)));
    std::generate(elements.begin(), elements.end(), [&] { return small(); });
    types.push_back(Type::tensor(DType::Int64, Extents{static_cast<std::int64_t>(elements.size())}));
    contents_.back() = std::move(elements);
  }

  std::size_t length(const AttrDef& attr) {
    switch (attr.length) {
      case AttrLength::Any: return static_cast<std::size_t>(pick(4));
      case AttrLength::Spatial: return rank_ < 2 ? 0 : rank_ - 2;
      case AttrLength::SpatialPairs: return rank_ < 2 ? 0 : 2 * (rank_ - 2);
      case AttrLength::Rank: return rank_;
    }
    return 0;
  }

  AttrValue list(const AttrDef& attr) {
    AttrTuple items(length(attr));
    std::generate(items.begin(), items.end(), [&] { return AttrValue(small()); });
    return AttrValue(std::move(items));
  }

  AttrValue value_of(const AttrDef& attr) {
    const char* words[] = {"ij,jk->ik", "i...->...", "x"};
    switch (attr.type) {
      case AttrType::Int: return AttrValue(small());
      case AttrType::Float: return AttrValue(symbolic_ ? real_var(Symbol("eps")) : real_const(Rational(pick(5) - 2)));
      case AttrType::String:
        return AttrValue(
            attr.choices.empty()
                ? std::string(words[pick(3)])
                : std::string(attr.choices[static_cast<std::size_t>(pick(static_cast<std::int64_t>(attr.choices.size())))]));
      case AttrType::DType: return AttrValue(std::string("int32"));
      case AttrType::IntOrInts: return pick(2) == 0 ? AttrValue(small()) : list(attr);
      case AttrType::Ints:
      case AttrType::Floats:
      case AttrType::Tuple: return list(attr);
      case AttrType::Strings: return AttrValue(AttrTuple{});
      case AttrType::Tensor:
        return AttrValue(std::make_shared<const Tensor>(DType::Float32, Extents(static_cast<std::size_t>(pick(2)), 1)));
      case AttrType::Graph: break;
    }
    return {};
  }

  std::size_t rank_;
  bool symbolic_;
  bool quantised_ = false;  // zero points say so
  std::mt19937 random_;
  const OperandTypes& allowed_;
  std::optional<DType> chosen_;
  std::vector<std::optional<std::vector<Term>>> contents_;
};

void collect_reads(Term t, std::set<const void*>& seen, std::vector<Term>& out) {
  if (seen.insert(t.id()).second) {
    if (t.kind() == TermKind::Read) {
      out.push_back(t);
    }
    for (Term arg : t.args()) {
      collect_reads(arg, seen, out);
    }
  }
}

// Each target is computed once, from inputs and earlier targets, with one index for each axis and no free variable
// but indices, sizes and attributes.
void expect_well_formed(const Kernel& kernel, const std::string& name) {
  std::map<Symbol, std::size_t> ranks;
  for (const TensorDecl& input : kernel.inputs) {
    ranks.emplace(input.name, input.extents.size());
  }
  std::map<Symbol, std::size_t> targets;
  for (const auto* declared : {&kernel.locals, &kernel.outputs}) {
    for (const TensorDecl& target : *declared) {
      EXPECT_TRUE(targets.emplace(target.name, target.extents.size()).second) << name;
    }
  }
  const std::set<std::string> open{"n", "m", "i0", "k", "a0", "a1", "a2", "eps"};
  for (const Statement& statement : kernel.statements) {
    ASSERT_TRUE(targets.contains(statement.target)) << name;
    EXPECT_EQ(targets.at(statement.target), statement.indices.size()) << name;
    for (Symbol variable : free_variables(statement.value)) {
      bool index = std::find(statement.indices.begin(), statement.indices.end(), variable) != statement.indices.end();
      bool fresh = is_unknown_size(variable.name());
      EXPECT_TRUE(index || fresh || open.contains(variable.name()))
          << name << ": " << variable.name() << " in " << print_term(statement.value);
    }
    std::set<const void*> seen;
    std::vector<Term> reads;
    collect_reads(statement.value, seen, reads);
    for (Term read : reads) {
      ASSERT_TRUE(ranks.contains(read->symbol)) << name << " reads " << print_term(read);
      EXPECT_EQ(ranks.at(read->symbol), read.args().size()) << name << ": " << print_term(read);
    }
    EXPECT_TRUE(ranks.emplace(statement.target, statement.indices.size()).second) << name;
  }
  EXPECT_EQ(kernel.statements.size(), targets.size()) << name;
}

class EveryOp : public testing::TestWithParam<bool> {};

TEST_P(EveryOp, IsTypedOrRefusedAndHasAWellFormedMeaning) {
  std::map<std::string_view, int> typed;
  for (OpId op : all_ops()) {
    const OpDef& def = op_def(op);
    bool nested = std::any_of(def.attributes.begin(), def.attributes.end(),
                              [](const AttrDef& attr) { return attr.type == AttrType::Graph; });
    for (unsigned seed = 0; !nested && (seed < 200 || (seed < 2000 && !typed.contains(def.name))); ++seed) {
      RandomCall call(op, seed % 6, GetParam(), seed);
      auto typing = type_call(op, call.types, call.attributes, call.known());
      if (!typing->error.empty()) {
        continue;
      }
      ++typed[def.name];
      EXPECT_FALSE(typing->results.empty()) << def.name;
      EXPECT_TRUE(def.several_results || typing->results.size() == 1) << def.name;
      if (!def.opaque) {
        expect_well_formed(call_meaning(op, call.types, call.attributes, call.known()), std::string(def.name));
      }
    }
  }
  // The others are met too seldom by chance: the tests of values have them.
  EXPECT_GE(typed.size() * 10, op_count() * 9);
}

INSTANTIATE_TEST_SUITE_P(OpTable, EveryOp, testing::Bool(),
                         [](const auto& given) { return given.param ? "OfSymbolicSizes" : "OfNumbers"; });

}  // namespace
}  // namespace vouch
