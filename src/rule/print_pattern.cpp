#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rule/printer.h"

namespace vouch {
namespace {

constexpr std::array<std::pair<std::string_view, char>, 4> kInfix = {{{"Add", '+'}, {"Sub", '-'}, {"Mul", '*'}, {"Div", '/'}}};

char mark_of(const Pattern& p) {
  for (const auto& [name, mark] : kInfix) {
    if (op_def(*p.op).name == name) {
      return mark;
    }
  }
  return '\0';
}

}  // namespace

std::string RulePrinter::use(PatternId id, bool tight) {
  if (id == kNone) {
    return "_";
  }
  if (auto named = names_.find(id); named != names_.end()) {
    return named->second;
  }
  std::string text = form(id);
  PatternKind kind = rule_.pattern(id).kind;
  bool open = is_arithmetic(rule_.pattern(id)) || kind == PatternKind::Conditional || text[0] == '-';
  return tight && open ? "(" + text + ")" : text;
}

std::string RulePrinter::items(const std::vector<PatternId>& ids) {
  return fmt::format("({}{})", list(ids), ids.size() == 1 ? "," : "");
}

std::string RulePrinter::form(PatternId id) {
  const Pattern& p = rule_.pattern(id);
  switch (p.kind) {
    case PatternKind::Wildcard: return "*" + attributes(p);
    case PatternKind::Const: return is_number(id) ? attr(p.attributes[1].value) : "const" + attributes(p);
    case PatternKind::Variable: return "variable" + attributes(p);
    case PatternKind::Call: return is_arithmetic(p) ? arithmetic(p) : call(p);
    case PatternKind::Tuple: return items(p.operands);
    case PatternKind::Projection: return fmt::format("{}[{}]", use(p.operands[0], true), attr(p.attributes[0].value));
    case PatternKind::Variadic: return inline_variadic(id);
    case PatternKind::Instance: return instance(p);
    case PatternKind::Alternative: return fmt::format("first({})", list(p.operands));
    case PatternKind::Conditional:
      return fmt::format("if ({}) {} else {}", attr(p.selector), use(p.operands[0], true), use(p.operands[1], true));
  }
  return {};
}

std::string RulePrinter::call(const Pattern& p) {
  auto variable = op_names_.find(p.op_variable);
  std::string head = p.op                          ? std::string(op_def(*p.op).name)
                     : variable != op_names_.end() ? variable->second
                                                   : p.op_variable.name();
  return fmt::format("{}({}){}", head, list(p.operands), attributes(p));
}

bool RulePrinter::is_arithmetic(const Pattern& p) const {
  if (style_ == Style::Canonical || p.kind != PatternKind::Call || !p.op || !p.attributes.empty() || p.attributes_as != kNone) {
    return false;
  }
  bool two = p.operands.size() == 2 && p.operands[0] != kNone && p.operands[1] != kNone;
  return (two && mark_of(p) != '\0') || (p.operands.size() == 1 && op_def(*p.op).name == "Neg");
}

// A number of the source as it was written: `2.0`.
bool RulePrinter::is_number(PatternId id) const {
  const Pattern& p = rule_.pattern(id);
  if (style_ == Style::Canonical || !rule_.in_source[id] || p.attributes.size() != 2 || p.attributes[0].name.name() != "rank" ||
      p.attributes[1].name.name() != "value") {
    return false;
  }
  const AttrExpr& rank = rule_.attr(p.attributes[0].value);
  const AttrExpr& value = rule_.attr(p.attributes[1].value);
  return rank.kind == AttrKind::Value && rank.value.int64() == 0 && value.kind == AttrKind::Value && value.value.number() &&
         print_value(value.value).find('/') == std::string::npos;
}

// Operands of arithmetic that are arithmetic themselves stand in parentheses: the grouping is seen at once.
std::string RulePrinter::arithmetic(const Pattern& p) {
  if (p.operands.size() == 1) {
    std::string operand = use(p.operands[0], true);
    bool number = operand[0] >= '0' && operand[0] <= '9';  // `-2.0` would read as a number
    return number ? "Neg(" + operand + ")" : "-" + operand;
  }
  return fmt::format("{} {} {}", use(p.operands[0], true), mark_of(p), use(p.operands[1], true));
}

std::string RulePrinter::instance(const Pattern& p) {
  std::string out = fmt::format("{}[{}]", use(p.operands[0], true), attr(p.selector));
  const Pattern& variadic = rule_.pattern(denoted_variadic(rule_, p.operands[0]));
  bool is_field = variadic.kind == PatternKind::Variadic && variadic.operands[0] == p.operands[1];
  return is_field ? out : out + "." + use(p.operands[1]);
}

// `a = 1, b, c as p`: attributes taken from one pattern under the same name stand together.
std::string RulePrinter::attributes(const Pattern& p) {
  std::vector<std::string> parts;
  std::vector<std::pair<PatternId, std::string>> copied;
  for (const PatternAttr& a : p.attributes) {
    const AttrExpr& value = rule_.attr(a.value);
    bool same = style_ == Style::Readable && value.kind == AttrKind::Access && value.name == a.name &&
                !attr_names_.contains(a.value) && rule_.pattern(value.pattern).kind != PatternKind::Instance;
    if (!same) {
      parts.push_back(fmt::format("{} = {}", a.name.name(), attr(a.value)));
      continue;
    }
    auto group = std::find_if(copied.begin(), copied.end(), [&](const auto& g) { return g.first == value.pattern; });
    if (group == copied.end()) {
      copied.emplace_back(value.pattern, a.name.name());
    } else {
      group->second += ", " + a.name.name();
    }
  }
  for (const auto& [pattern, labels] : copied) {
    parts.push_back(fmt::format("{} as {}", labels, use(pattern)));
  }
  if (p.attributes_as != kNone) {
    parts.push_back("* as " + use(p.attributes_as));
  }
  return parts.empty() ? "" : fmt::format(" {{{}}}", fmt::join(parts, ", "));
}

std::string RulePrinter::inline_variadic(PatternId id) {
  std::string out = "variadic" + block_head(id) + " { ";
  bind_symbol(rule_.pattern(id).index);
  std::string body = use(rule_.pattern(id).operands[0]);
  unbind_symbol();
  return out + body + " }";
}

}  // namespace vouch
