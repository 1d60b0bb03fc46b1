#include "rule/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace vouch {
namespace {

// Binding strengths of attribute expressions, loosest first.
enum Level : int { kOr, kAnd, kNot, kCompare, kSum, kProduct, kUnary, kAtom };

Level level_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or:
      return kOr;
    case BinaryOp::And:
      return kAnd;
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
      return kCompare;
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Concat:
      return kSum;
    case BinaryOp::Mul:
    case BinaryOp::Div:
    case BinaryOp::FloorDiv:
    case BinaryOp::Mod:
      return kProduct;
    case BinaryOp::Min:
    case BinaryOp::Max:
    case BinaryOp::Divides:
    case BinaryOp::Permute:
      return kAtom;
  }
  return kAtom;
}

std::string_view unary_name(UnaryOp op) {
  switch (op) {
    case UnaryOp::Neg:
      return "-";
    case UnaryOp::Not:
      return "not ";
    case UnaryOp::Length:
      return "len";
    case UnaryOp::Abs:
      return "abs";
    case UnaryOp::Ceil:
      return "ceil";
    case UnaryOp::Floor:
      return "floor";
    case UnaryOp::Sqrt:
      return "sqrt";
  }
  return "";
}

class RulePrinter {
 public:
  explicit RulePrinter(const Rule& rule) : rule_(rule) {
    for (PatternId id = 0; id < rule.patterns.size(); ++id) {
      if (!rule.patterns[id].name.empty()) {
        names_.emplace(id, rule.patterns[id].name.name());
      }
    }
  }

  std::string attr(AttrId id, int level = kOr) const {
    std::string out;
    int own = write_attr(rule_.attr(id), out);
    return own < level ? "(" + out + ")" : out;
  }

  // A pattern as used: by its name if it has one.
  std::string use(PatternId id) const {
    auto named = names_.find(id);
    return named == names_.end() ? form(id) : named->second;
  }

  std::string form(PatternId id) const {
    const Pattern& p = rule_.pattern(id);
    switch (p.kind) {
      case PatternKind::Wildcard:
        return "*";
      case PatternKind::Const:
        return "const" + attributes(p);
      case PatternKind::Variable:
        return "variable" + attributes(p);
      case PatternKind::Call: {
        std::string head = p.op ? std::string(op_def(*p.op).name) : p.op_variable.name();
        return fmt::format("{}({}){}", head, list(p.operands), attributes(p));
      }
      case PatternKind::Tuple:
        return fmt::format("({})", list(p.operands));
      case PatternKind::Projection:
        return fmt::format("{}[{}]", use(p.operands[0]), attr(p.attributes[0].value));
      case PatternKind::Variadic:
        return fmt::format("variadic[{} < {}] {{ {} }}", p.index.name(), p.length == kNone ? "?" : attr(p.length, kSum),
                           use(p.operands[0]));
      case PatternKind::Instance:
        return instance(p);
      case PatternKind::Alternative:
        return fmt::format("first({})", list(p.operands));
      case PatternKind::Conditional:
        return fmt::format("if ({}) {} else {}", attr(p.selector), use(p.operands[0]), use(p.operands[1]));
    }
    return {};
  }

  std::string rule() {
    std::string out = fmt::format("rule {}{} {{\n", rule_.name, rule_.doc.empty() ? "" : fmt::format(" \"{}\"", rule_.doc));
    name_shared_patterns();
    out += operator_variables();
    for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
      if (inside_block(id)) {
        continue;
      }
      if (is_block(id)) {
        out += block(id);
      } else if (names_.contains(id)) {
        out += fmt::format("  let {} = {};\n", names_.at(id), form(id));
      }
    }
    for (const RankClaim& claim : rule_.ranks) {
      out += fmt::format("  rank {} {}..{};\n", use(claim.input), claim.from, claim.to);
    }
    for (AttrId condition : rule_.constraints) {
      out += fmt::format("  where {};\n", attr(condition));
    }
    out += fmt::format("  source {};\n  target {};\n", list(rule_.source_outputs), list(rule_.target_outputs));
    return out + expectation() + "}\n";
  }

 private:
  std::string list(const std::vector<PatternId>& ids) const {
    std::string out;
    for (PatternId id : ids) {
      out += (out.empty() ? "" : ", ") + use(id);
    }
    return out;
  }

  std::string attributes(const Pattern& p) const {
    std::string out;
    for (const PatternAttr& a : p.attributes) {
      out += fmt::format("{}{} = {}", out.empty() ? " {" : ", ", a.name.name(), attr(a.value));
    }
    return out.empty() ? out : out + "}";
  }

  std::string instance(const Pattern& p) const {
    const Pattern& variadic = rule_.pattern(p.operands[0]);
    std::string out = fmt::format("{}[{}]", use(p.operands[0]), attr(p.selector));
    return p.operands[1] == variadic.operands[0] ? out : out + "." + use(p.operands[1]);
  }

  bool is_block(PatternId id) const {
    return rule_.pattern(id).kind == PatternKind::Variadic && rule_.pattern(id).length == kNone;
  }

  bool inside_block(PatternId id) const {
    for (PatternId other = id + 1; other < rule_.patterns.size(); ++other) {
      const std::vector<PatternId>& templates = rule_.pattern(other).templates;
      if (rule_.pattern(other).kind == PatternKind::Variadic &&
          std::find(templates.begin(), templates.end(), id) != templates.end()) {
        return true;
      }
    }
    return false;
  }

  // Identity matters: a pattern that is used more than once, or by an attribute, must have a name.
  void name_shared_patterns() {
    std::vector<int> uses(rule_.patterns.size());
    for (const Pattern& p : rule_.patterns) {
      for (PatternId used : p.operands) {
        ++uses[used];
      }
      for (PatternId used : p.first) {
        uses[used] += 2;
      }
    }
    for (PatternId output : rule_.source_outputs) {
      ++uses[output];
    }
    for (PatternId output : rule_.target_outputs) {
      ++uses[output];
    }
    for (const AttrExpr& expr : rule_.attrs) {
      if (expr.kind == AttrKind::Access && rule_.pattern(expr.pattern).kind != PatternKind::Instance) {
        uses[expr.pattern] += 2;
      }
    }
    int next = 0;
    for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
      bool must = uses[id] > 1 || is_block(id);
      if (must && !names_.contains(id) && rule_.pattern(id).kind != PatternKind::Instance) {
        names_.emplace(id, fmt::format("p_{}", next++));
      }
    }
  }

  std::string operator_variables() const {
    std::vector<Symbol> seen;
    std::string out;
    for (const Pattern& p : rule_.patterns) {
      if (p.kind == PatternKind::Call && !p.op && std::find(seen.begin(), seen.end(), p.op_variable) == seen.end()) {
        seen.push_back(p.op_variable);
        out += fmt::format("  operator {} {};\n", p.op_variable.name(), trait_name(p.trait));
      }
    }
    return out;
  }

  std::string block(PatternId id) const {
    const Pattern& p = rule_.pattern(id);
    std::string out = fmt::format("  variadic {}[{}]{}{} {{\n", use(id), p.index.name(),
                                  p.first.empty() ? "" : " from " + list(p.first),
                                  p.min_length == 1 ? "" : fmt::format(" min {}", p.min_length));
    for (PatternId inner : p.templates) {
      if (inner != p.operands[0] && names_.contains(inner)) {
        out += fmt::format("    let {} = {};\n", names_.at(inner), form(inner));
      }
    }
    return out + fmt::format("    yield {};\n  }}\n", form(p.operands[0]));
  }

  std::string expectation() const {
    switch (rule_.expectation) {
      case Expectation::None:
        return "";
      case Expectation::Sound:
        return "  expect sound;\n";
      case Expectation::Unsound:
        return "  expect unsound;\n";
      case Expectation::IllTyped:
        return "  expect ill_typed;\n";
    }
    return "";
  }

  std::string attr_list(const std::vector<AttrId>& ids) const {
    std::string out;
    for (AttrId id : ids) {
      out += (out.empty() ? "" : ", ") + attr(id);
    }
    return out;
  }

  static std::string value_text(const AttrValue& value, int& level) {
    level = kAtom;
    if (value.number() == nullptr || value.number()->sort() == Sort::Int) {
      return value.text();
    }
    const Rational& number = (*value.number())->value;
    std::string text = decimal(number);
    level = text.find('/') == std::string::npos ? kAtom : kProduct;
    return text;
  }

  // A finite decimal where there is one (denominators of 2 and 5 only), else a quotient.
  static std::string decimal(const Rational& value) {
    Integer numerator_part(numerator(value));
    Integer rest(denominator(value));
    unsigned digits = 0;
    Integer scaled = numerator_part;
    while (rest != 1 && digits < 400) {
      Integer shared = rest % 10 == 0 ? Integer(10) : rest % 5 == 0 ? Integer(5) : rest % 2 == 0 ? Integer(2) : Integer(0);
      if (shared == 0) {
        return numerator_part.str() + ".0 / " + Integer(denominator(value)).str();
      }
      scaled *= 10 / shared;
      rest /= shared;
      ++digits;
    }
    std::string text = scaled.str();
    bool negative = text[0] == '-';
    text.erase(0, negative ? 1 : 0);
    if (text.size() <= digits) {
      text.insert(0, digits + 1 - text.size(), '0');
    }
    text.insert(text.size() - digits, ".");
    return (negative ? "-" : "") + text + (digits == 0 ? "0" : "");
  }

  int write_bound(const AttrExpr& e, std::string_view word, std::string& out) const {
    out = fmt::format("{}[{} < {}]({})", word, e.name.name(), attr(e.args[1], kSum), attr(e.args[0]));
    return kAtom;
  }

  static std::string_view reduction_word(Reduction reduction) {
    switch (reduction) {
      case Reduction::Sum:
        return "sum";
      case Reduction::Product:
        return "product";
      case Reduction::Max:
        return "maximum";
      case Reduction::Min:
        return "minimum";
    }
    return "sum";
  }

  int write_binary(const AttrExpr& e, std::string& out) const {
    Level own = level_of(e.binary);
    if (own == kAtom) {
      out = fmt::format("{}({}, {})", binary_op_text(e.binary), attr(e.args[0]), attr(e.args[1]));
      return kAtom;
    }
    int left = own == kCompare ? kSum : own;
    out = fmt::format("{} {} {}", attr(e.args[0], left), binary_op_text(e.binary), attr(e.args[1], own + 1));
    return own;
  }

  int write_attr(const AttrExpr& e, std::string& out) const {
    int level = kAtom;
    switch (e.kind) {
      case AttrKind::Value:
        out = value_text(e.value, level);
        return level;
      case AttrKind::Any:
        out = "any";
        return kAtom;
      case AttrKind::Access:
        out = use(e.pattern) + "." + e.name.name();
        return kAtom;
      case AttrKind::Unary:
        if (e.unary == UnaryOp::Neg || e.unary == UnaryOp::Not) {
          bool neg = e.unary == UnaryOp::Neg;
          out = std::string(unary_name(e.unary)) + attr(e.args[0], neg ? kUnary : kCompare);
          return neg ? kUnary : kNot;
        }
        out = fmt::format("{}({})", unary_name(e.unary), attr(e.args[0]));
        return kAtom;
      case AttrKind::Binary:
        return write_binary(e, out);
      case AttrKind::Tuple:
        out = fmt::format("({}{})", attr_list(e.args), e.args.size() == 1 ? "," : "");
        return kAtom;
      case AttrKind::Project:
        out = fmt::format("{}[{}]", attr(e.args[0], kAtom), attr(e.args[1]));
        return kAtom;
      case AttrKind::Symbol:
        out = e.name.name();
        return kAtom;
      case AttrKind::VarTuple:
        return write_bound(e, "tuple", out);
      case AttrKind::Reduce:
        return write_bound(e, reduction_word(e.reduction), out);
      case AttrKind::Conditional:
        out = fmt::format("if ({}) {} else {}", attr(e.args[0]), attr(e.args[1], kAtom), attr(e.args[2], kAtom));
        return kOr;
    }
    return kAtom;
  }

  const Rule& rule_;
  std::unordered_map<PatternId, std::string> names_;
};

}  // namespace

std::string print_rule(const Rule& rule) { return RulePrinter(rule).rule(); }
std::string print_attr(const Rule& rule, AttrId attr) { return RulePrinter(rule).attr(attr); }
std::string print_pattern(const Rule& rule, PatternId pattern) { return RulePrinter(rule).form(pattern); }

}  // namespace vouch
