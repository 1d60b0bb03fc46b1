// Rules made by hand and at random print to texts that read back to the same rule; sizes and depths that must not crash.
#include "rule/parse.h"

#include <gtest/gtest.h>

#include <random>

#include "rule/builder.h"
#include "rule/print.h"
#include "rules_of.h"

namespace vouch {
namespace {

std::optional<std::vector<Rule>> read(const std::string& text, Diagnostics& diagnostics) {
  return parse_rules(std::make_shared<Source>("test.gsl", text), diagnostics);
}

// `maximum` is a word of attributes and an operator: where a pattern stands it is the operator.
TEST(Parse, OperatorsNamedLikeWordsOfAttributes) {
  Rule rule = one_rule_of("let x = *; where maximum[k < x.rank](x.shape[k]) > 1; source minimum(maximum(x, x), x); target x;");
  ASSERT_EQ(rule.source_outputs.size(), 1U);
  EXPECT_EQ(op_def(*rule.pattern(rule.source_outputs[0]).op).name, "minimum");
  Diagnostics diagnostics;
  auto again = read(print_rule(rule), diagnostics);
  ASSERT_TRUE(again) << diagnostics.text();
  EXPECT_EQ(content_hash(again->at(0)), content_hash(rule));
}

std::string message_of(const std::string& body) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read("rule r {\n" + body + "}\n", diagnostics)) << body;
  return diagnostics.text();
}

// `#` as in the other two languages, wherever a token may end; `//` within an expression is a division.
TEST(Parse, Comments) {
  Rule plain = one_rule_of("let x = *; source Relu(x); where x.rank // 2 == 1; target Relu(x);");
  for (std::string body : {"# let y = {\nlet x = *; # \"\nsource Relu(# of\nx); where x.rank // 2 == 1; target Relu(x);#",
                           "// {\nlet x = *; // \"\nsource Relu(x); where x.rank // 2 == 1; target Relu(x); //"}) {
    EXPECT_EQ(content_hash(one_rule_of(body + "\n")), content_hash(plain)) << body;
  }
  Diagnostics diagnostics;
  auto titled = read("rule r \"no # comment\" { let x = *; source Relu(Relu(x)); target Relu(x); }", diagnostics);
  ASSERT_TRUE(titled) << diagnostics.text();
  EXPECT_EQ(titled->at(0).doc, "no # comment");
}

TEST(Parse, AnAbsentAttribute) {
  Rule rule = one_rule_of("let x = *; let s = Softmax(x) {axis = _}; source s; target Softmax(x) {axis = _, * as s};");
  Diagnostics diagnostics;
  auto again = read(print_rule(rule), diagnostics);
  ASSERT_TRUE(again) << diagnostics.text();
  EXPECT_EQ(content_hash(again->at(0)), content_hash(rule));
  EXPECT_NE(
      content_hash(one_rule_of("let x = *; let s = Softmax(x) {axis = any}; source s; target Softmax(x) {axis = _, * as s};")),
      content_hash(rule));
}

TEST(Parse, WhereNothingCanBeAbsent) {
  for (const auto& [body, expected] : std::vector<std::pair<std::string, std::string>>{
           {"let x = *; source Cast(x) {to = _}; target x;", "test.gsl:2:33: error: the attribute 'to' of Cast has no default"},
           {"let x = * {shape = _}; source Relu(x); target x;", "test.gsl:2:20: error: every tensor has 'shape'"},
           {"operator f any; let x = *; source f(x) {axis = _}; target x;", "test.gsl:2:48: error: 'axis' may be of an operator"},
           {"let x = *; source Transpose(x) {perm = (_, 0)}; target x;", "test.gsl:2:41: error: "},
           {"let x = *; where _ == 1; source Relu(x); target x;", "test.gsl:2:18: error: "}}) {
    EXPECT_NE(message_of(body).find(expected), std::string::npos) << message_of(body);
  }
}

TEST(Parse, Infinity) {
  Rule rule =
      one_rule_of("let x = *; let c = const {value = inf, rank = 0}; source Min((Max((x, -inf)), c)); target Max((x, -inf));");
  Diagnostics diagnostics;
  auto again = read(print_rule(rule), diagnostics);
  ASSERT_TRUE(again) << diagnostics.text() << print_rule(rule);
  EXPECT_EQ(content_hash(again->at(0)), content_hash(rule));
  EXPECT_EQ(one_rule_of("let inf = *; source Relu(inf); target inf;").source_order.size(), 2U);  // a name as any other
  for (const auto& [body, place] : std::vector<std::pair<std::string, std::string>>{
           {"let x = *; let c = const {value = any}; where c.value < inf; source x + c; target x;", "test.gsl:2:57: error: "},
           {"let x = *; source LeakyRelu(x) {alpha = inf}; target x;", "test.gsl:2:41: error: "},
           {"let x = *; source x + const {value = inf - 1}; target x;", "test.gsl:2:38: error: "},
           {"let x = *; source x + const {value = (inf, 1)}; target x;", "test.gsl:2:39: error: "}}) {
    EXPECT_NE(message_of(body).find(place + "there is no arithmetic of infinity"), std::string::npos) << message_of(body);
  }
}

// A random well-formed rule: a source over three inputs with shared patterns, attributes of earlier patterns,
// conditions, a tuple, and a target over the same inputs.
class RandomRule {
 public:
  explicit RandomRule(unsigned seed) : random_(seed), builder_("random", seed % 3 == 0 ? "a \"doc\"\n" : "") {}

  Rule make() {
    for (int k = 0; k < 3; ++k) {
      inputs_.push_back(k == 0 ? builder_.wildcard() : builder_.variable(below(2) ? shape() : RuleBuilder::Attrs{}));
      matched_.push_back(inputs_.back());
    }
    PatternId all = builder_.call("Concat", {builder_.tuple_of(inputs_)}, {{"axis", integer(3)}});
    matched_.push_back(all);
    PatternId root = all;
    for (std::size_t k = 2 + below(12); k > 0; --k) {
      root = builder_.call("Add", {root, call(matched_)});
      matched_.push_back(root);
      if (below(3) == 0) {
        builder_.name(root, below(2) ? "n" + std::to_string(k) : "sum");  // a word of the language: must be renamed
      }
    }
    for (std::size_t k = below(3); k > 0; --k) {
      builder_.where(builder_.binary(BinaryOp::Le, integer(3), integer(3)));
    }
    builder_.source({root});
    PatternId target = builder_.call("Concat", {builder_.tuple_of(inputs_)}, {{"axis", integer(2)}});
    std::vector<PatternId> made{target, inputs_[0], builder_.constant({{"value", fraction()}})};
    for (std::size_t k = below(8); k > 0; --k) {
      made.push_back(call(made));
    }
    for (PatternId id : made) {
      target = builder_.call("Mul", {target, id});
    }
    builder_.target({target});
    if (below(2)) {
      builder_.rank(inputs_[0], 1, 1 + static_cast<std::uint32_t>(below(3)));
    }
    builder_.expect(static_cast<Expectation>(below(8)));
    Diagnostics diagnostics;
    auto rule = builder_.finish(diagnostics);
    EXPECT_TRUE(rule) << diagnostics.text();
    return rule.value_or(Rule());
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  RuleBuilder::Attrs shape() {
    std::vector<AttrId> items{builder_.any(), integer(1)};
    return {{"shape", builder_.tuple(std::move(items))}};
  }

  PatternId call(const std::vector<PatternId>& over) {
    auto some = [&] { return over[below(over.size())]; };
    switch (below(6)) {
      case 0: return builder_.call("Relu", {some()});
      case 1: return builder_.call("Sub", {some(), some()});
      case 2: return builder_.call("Neg", {some()});
      case 3: return builder_.call("Transpose", {some()}, {{"perm", permutation()}});
      case 4: return builder_.call("Clip", {some(), kNone, some()});
      default: return builder_.call("Concat", {builder_.tuple_of({some()})}, {{"axis", integer(3)}});
    }
  }

  AttrId fraction() { return builder_.value(AttrValue::of_float(static_cast<double>(below(64)) / 8 - 3)); }

  AttrId permutation() {
    AttrId reversed = builder_.binary(BinaryOp::Sub, integer(1), builder_.symbol("k"));
    return below(2) ? builder_.var_tuple("k", integer(2), reversed)
                    : builder_.binary(BinaryOp::Concat, builder_.tuple({integer(2)}), builder_.tuple({}));
  }

  AttrId integer(int depth) {
    std::size_t form = depth == 0 ? below(2) : below(9);
    switch (form) {
      case 0: return builder_.value(AttrValue(static_cast<std::int64_t>(below(7)) - 3));
      case 1: return builder_.access(matched_.empty() ? 0 : matched_[below(matched_.size())], "rank");
      case 2: return builder_.unary(UnaryOp::Neg, integer(depth - 1));
      case 3: return builder_.unary(UnaryOp::Not, integer(depth - 1));
      case 4: return builder_.project(builder_.tuple({integer(depth - 1), integer(depth - 1)}), integer(depth - 1));
      case 5:
        return builder_.reduce(static_cast<Reduction>(below(4)), "j" + std::to_string(depth), integer(depth - 1),
                               builder_.binary(BinaryOp::Mul, builder_.symbol("j" + std::to_string(depth)), integer(depth - 1)));
      case 6: return builder_.conditional(integer(depth - 1), integer(depth - 1), integer(depth - 1));
      default: return builder_.binary(static_cast<BinaryOp>(below(16)), integer(depth - 1), integer(depth - 1));
    }
  }

  std::mt19937 random_;
  RuleBuilder builder_;
  std::vector<PatternId> inputs_;
  std::vector<PatternId> matched_{};
};

TEST(RandomRules, PrintAndReadBack) {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    Rule rule = RandomRule(seed).make();
    std::string text = print_rule(rule);
    Diagnostics diagnostics;
    auto again = read(text, diagnostics);
    ASSERT_TRUE(again) << "seed " << seed << "\n" << diagnostics.text() << text;
    ASSERT_TRUE(same_rule(rule, again->at(0))) << "seed " << seed << "\n" << text << print_rule(again->at(0));
    ASSERT_EQ(content_hash(again->at(0)), content_hash(rule)) << "seed " << seed;
  }
}

TEST(SameRule, SeesSharingAttributesAndSides) {
  Rule shared = one_rule_of("let x = *; let y = Relu(x); source y + y; target x;");
  Rule apart = one_rule_of("let x = *; source Relu(x) + Relu(x); target x;");
  EXPECT_TRUE(same_rule(shared, one_rule_of("let a = *;\n let b = Relu(a);\n source Add(b, b);\n target a;")));
  EXPECT_FALSE(same_rule(shared, apart));
  EXPECT_NE(content_hash(shared), content_hash(apart));
  Rule axis_0 = one_rule_of("let x = *; source Concat((x, x)) {axis = 0}; target x;");
  Rule axis_1 = one_rule_of("let x = *; source Concat((x, x)) {axis = 1}; target x;");
  EXPECT_FALSE(same_rule(axis_0, axis_1));
  EXPECT_NE(content_hash(axis_0), content_hash(axis_1));
}

TEST(ContentHash, IsStableOverLayoutNamesAndOrder) {
  Rule one =
      one_rule_of("let x = *; let y = variable; where x.rank == 2, y.rank == 2; source x - y; target -(y - x); expect sound;");
  Rule other = one_rule_of(
      "// a comment\nlet b = variable;\nlet a = *;\nwhere b.rank == 2;\nwhere a.rank = 2;\nsource Sub(a, b);\ntarget Neg(b - "
      "a);\n");
  EXPECT_EQ(content_hash(one), content_hash(other));
  EXPECT_NE(content_hash(one), content_hash(one_rule_of("let x = *; let y = variable; source x - y; target -(y - x);")));
}

TEST(LargeRules, OfTenThousandNodes) {
  std::string body = "let p0 = *;\n";
  for (int k = 1; k <= 10000; ++k) {
    body += "let p" + std::to_string(k) + " = Relu(p" + std::to_string(k - 1) + ");\n";
  }
  Rule rule = one_rule_of(body + "source p10000;\ntarget Relu(p0);\n");
  EXPECT_EQ(rule.source_order.size(), 10001U);
  EXPECT_EQ(rule.successors[rule.source_order[0]].size(), 1U);
  Diagnostics diagnostics;
  auto again = read(print_rule(rule), diagnostics);
  ASSERT_TRUE(again) << diagnostics.text().substr(0, 400);
  EXPECT_EQ(content_hash(again->at(0)), content_hash(rule));
}

TEST(HostileTexts, EndInMessages) {
  auto repeat = [](const std::string& part, int n) {
    std::string out;
    for (int k = 0; k < n; ++k) {
      out += part;
    }
    return out;
  };
  std::string growing = "rule r { let x = *; attr a0 = x.rank;";
  for (int k = 1; k < 60; ++k) {
    growing += "attr a" + std::to_string(k) + " = a" + std::to_string(k - 1) + " + a" + std::to_string(k - 1) + ";";
  }
  for (const std::string& text :
       {"rule r { source " + repeat("Relu(", 100000), "rule r { source " + repeat("(", 100000),
        "rule r { let x = *; where " + repeat("not ", 100000) + "1; source Relu(x); target x; }",
        "rule r { let x = *; where " + repeat("1 + ", 100000) + "1; source Relu(x); target x; }",
        "rule r { source " + repeat("-", 100000) + "x; }", repeat("rule r {", 10000), repeat("}", 10000),
        "rule r { let x = *; source " + repeat("variadic[i] {", 10000) + "x",
        growing + "where a59 == 0; source Relu(x); target x; }", std::string(1000, '\0'), repeat("\xff", 1000)}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(read(text, diagnostics));
    EXPECT_TRUE(diagnostics.has_errors());
    EXPECT_LE(diagnostics.error_count(), 300U);
  }
}

TEST(HostileTexts, CutAndSplicedRulesNeverCrash) {
  std::string whole = R"gsl(rule r "doc" { let x = *; let w1 = variable; let c = Conv(x, w1) {group = 1};
    variadic b[i] from c, w1 min 2 { let w = variable {shape = (any, w1.shape[1:])}; where w.rank == 4;
    yield Conv(x, w) {strides, pads as c, group = 1}; } source b; rank x 4; expect sound real;
    target variadic[i < b.length] { first(x, 2.0) * if (x.rank == 2) -x else (x, b[i].w)[0] }; drop w1; })gsl";
  std::mt19937 random(7);
  for (int k = 0; k < 3000; ++k) {
    std::size_t from = random() % whole.size();
    std::string text = whole.substr(0, from) + whole.substr(random() % whole.size(), random() % 40) + whole.substr(from);
    Diagnostics diagnostics;
    read(text, diagnostics);
    read(whole.substr(0, from), diagnostics);
  }
}

}  // namespace
}  // namespace vouch
