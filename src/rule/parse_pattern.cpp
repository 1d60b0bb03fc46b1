#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "graph/operand_types.h"
#include "rule/foreign.h"
#include "rule/parse.h"
#include "rule/parser.h"
#include "rule/verify.h"

namespace vouch {

// Records where a new pattern stands; inside a variadic's block it is one of its templates.
PatternId RuleParser::made(PatternId pattern, std::uint32_t begin) {
  builder_->at_place(span_from(begin), pattern);
  if (!blocks_.empty()) {
    blocks_.back().templates.push_back({pattern, kNone});
  }
  return pattern;
}

PatternId RuleParser::parse_pattern() {
  if (failing_ || !enter()) {
    return builder_->unreadable_pattern();
  }
  PatternId pattern = parse_pattern_sum();
  leave();
  return pattern;
}

PatternId RuleParser::parse_conditional_pattern() {
  std::uint32_t begin = here();
  advance();
  expect("(", "before the condition");
  AttrId condition = parse_attr();
  expect(")", "after the condition");
  PatternId then = parse_pattern();
  expect("else", "after the pattern for the case that the condition holds");
  PatternId otherwise = parse_pattern();
  return failing_ ? builder_->unreadable_pattern() : made(builder_->if_else(condition, then, otherwise), begin);
}

PatternId RuleParser::parse_alternative() {
  std::uint32_t begin = here();
  advance();
  std::vector<PatternId> options = parse_operands();
  return failing_ ? builder_->unreadable_pattern() : made(builder_->alternative(std::move(options)), begin);
}

// `x + 2.0`: a number takes the other operand's dtype in the target.
PatternId RuleParser::arithmetic(std::string_view op, PatternId a, PatternId b, Span span) {
  auto id = failing_ ? std::nullopt : resolve_op(op, text_, span, diagnostics_);
  if (!id) {
    return builder_->unreadable_pattern();
  }
  for (auto [literal, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (builder_->is_literal(literal) && !builder_->is_literal(other)) {
      builder_->set_literal_like(literal, other);
    }
  }
  return made(builder_->call(*id, {a, b}), span.begin);
}

PatternId RuleParser::parse_pattern_sum() {
  std::uint32_t begin = here();
  PatternId left = parse_pattern_product();
  while (at("+") || at("-")) {
    std::string_view op = advance().is("+") ? "Add" : "Sub";
    PatternId right = parse_pattern_product();
    left = arithmetic(op, left, right, span_from(begin));
  }
  return left;
}

PatternId RuleParser::parse_pattern_product() {
  std::uint32_t begin = here();
  PatternId left = parse_pattern_unary();
  while (at("*") || at("/")) {
    if (at("*") && peek(1).is("*") && peek(1).span.begin == peek().span.end) {
      fail({here(), peek(1).span.end}, "'**' does not belong in a rule", std::string(meant_by("**")));
      break;
    }
    std::string_view op = advance().is("*") ? "Mul" : "Div";
    PatternId right = parse_pattern_unary();
    left = arithmetic(op, left, right, span_from(begin));
  }
  return left;
}

PatternId RuleParser::parse_pattern_unary() {
  std::uint32_t begin = here();
  if (!accept("-")) {
    return parse_pattern_postfix();
  }
  if (at_number()) {
    return parse_number_pattern(true);
  }
  if (!enter()) {
    return builder_->unreadable_pattern();
  }
  PatternId operand = parse_pattern_unary();
  leave();
  auto id = failing_ ? std::nullopt : resolve_op("Neg", text_, span_from(begin), diagnostics_);
  return id ? made(builder_->call(*id, {operand}), begin) : builder_->unreadable_pattern();
}

bool RuleParser::denotes_variadic(PatternId pattern) const {
  const Rule& rule = builder_->rule();
  PatternId denoted = denoted_variadic(rule, pattern);
  return denoted != kNone && rule.patterns[denoted].kind == PatternKind::Variadic;
}

RuleParser::Branch RuleParser::parse_branch(PatternId variadic) {
  expect("[", "before the branch's number");
  Branch branch{variadic, parse_attr()};
  expect("]", "after the branch's number");
  return branch;
}

// Which template of the branch is meant: the one named after a dot, or the field. With `templates_only` a dot must name
// a template; otherwise what follows it may be an attribute, which is left to the caller.
PatternId RuleParser::settle_branch(Branch branch, bool templates_only, std::uint32_t begin) {
  const Rule& rule = builder_->rule();
  const Pattern& variadic = rule.patterns[denoted_variadic(rule, branch.variadic)];
  PatternId of = variadic.operands[0];  // the field
  if (at(".") && peek(1).kind == TokenKind::Name) {
    std::vector<std::string> names;
    for (PatternId item : variadic.templates) {
      const std::string& name = rule.pattern(item).name.name();
      if (!name.empty()) {
        names.push_back(name);
      }
      of = name == peek(1).text ? item : of;
    }
    bool found = std::find(names.begin(), names.end(), peek(1).text) != names.end();
    if (!found && templates_only) {
      std::string hint = nearest(peek(1).text, names);
      fail(peek(1).span, fmt::format("the variadic has no template '{}'", peek(1).text),
           hint.empty() && !names.empty() ? fmt::format("its templates: {}", fmt::join(names, ", ")) : hint);
      return builder_->unreadable_pattern();
    }
    if (found) {
      advance();
      advance();
    }
  }
  return builder_->at_place(span_from(begin), builder_->instance(branch.variadic, of, branch.index));
}

PatternId RuleParser::parse_pattern_postfix() {
  std::uint32_t begin = here();
  PatternId pattern = parse_pattern_primary();
  while (!failing_ && (at("[") || at("."))) {
    if (at(".")) {
      std::string_view accessed = text_->text().substr(begin, last_end_ - begin);
      fail(peek().span, "a dot cannot follow this pattern: only a variadic's branch has templates to name",
           peek(2).is("(") ? call_meant_after_dot(accessed)
                           : fmt::format("an attribute is accessed within {{ … }} or 'where', and named by: attr a = {}.{};",
                                         accessed, peek(1).kind == TokenKind::Name ? peek(1).text : "rank"));
    } else if (denotes_variadic(pattern)) {
      Branch branch = parse_branch(pattern);
      if (!failing_) {
        pattern = made(settle_branch(branch, true, begin), begin);
      }
    } else {
      advance();
      AttrId index = parse_attr();
      expect("]", "after the position");
      pattern = made(builder_->projection(pattern, index), begin);
    }
  }
  return failing_ ? builder_->unreadable_pattern() : pattern;
}

// `x.transpose(…)`
std::string RuleParser::call_meant_after_dot(std::string_view of) const {
  auto near = suggest(peek(1).text, op_names());
  return fmt::format("an operator stands before its operands: {}({})", near ? *near : std::string(peek(1).text), of);
}

PatternId RuleParser::parse_pattern_primary() {
  if (failing_) {
    return builder_->unreadable_pattern();
  }
  if (at("*") || at("const") || at("variable")) {
    return parse_leaf();
  }
  if (at_number()) {
    return parse_number_pattern(false);
  }
  if (at("(")) {
    return parse_pattern_parens();
  }
  if (at("variadic")) {
    std::uint32_t begin = here();
    advance();
    return parse_variadic_rest(begin);
  }
  if (at("if") && peek(1).is("(")) {
    return parse_conditional_pattern();
  }
  if (at("first") && peek(1).is("(") && !find("first")) {
    return parse_alternative();
  }
  if (at_kind(TokenKind::Name) && peek(1).is("(") && (!is_reserved_word(peek().text) || find_op(peek().text))) {
    return parse_call();
  }
  if (at_kind(TokenKind::Name) && peek(1).is("(") && suggest(peek().text, op_names())) {  // `sqrt(x)`
    failing_ = !resolve_op(peek().text, text_, peek().span, diagnostics_);
    builder_->set_unreadable();
    return builder_->unreadable_pattern();
  }
  if (at_kind(TokenKind::Name) && !is_reserved_word(peek().text)) {
    return parse_name_pattern();
  }
  if (at_kind(TokenKind::Bad)) {
    return skip_sign() ? parse_pattern_primary() : builder_->unreadable_pattern();
  }
  fail_here("a pattern", pattern_hint());
  return builder_->unreadable_pattern();
}

// What may be meant by what begins no pattern.
std::string RuleParser::pattern_hint() const {
  if (at_item_word()) {
    return "an item ends with ';'";
  }
  if (at_kind(TokenKind::Name) && parse_dtype(peek().text)) {
    return fmt::format("an element type is an attribute: Cast(x) {{to = {}}}, * {{dtype = {}}}", peek().text, peek().text);
  }
  return std::string(notation_here() == peek().text ? pattern_meant_by(peek().text) : std::string_view());
}

PatternId RuleParser::parse_leaf() {
  std::uint32_t begin = here();
  std::string_view word = advance().text;
  if (word != "*" && (at("(") || at_number())) {
    fail_here(fmt::format("attributes in braces after '{}'", word), "a constant with a value is written const {value = 1}");
  }
  AttrList list = parse_attributes();
  if (failing_) {
    return builder_->unreadable_pattern();
  }
  if (list.as != kNone) {
    report(span_from(begin), "'* as' copies the attributes of an operator call, which this is not");
  }
  return made(word == "*"       ? builder_->wildcard(std::move(list.given))
              : word == "const" ? builder_->constant(std::move(list.given))
                                : builder_->variable(std::move(list.given)),
              begin);
}

PatternId RuleParser::parse_number_pattern(bool negative) {
  std::uint32_t begin = here();
  const Token& token = advance();
  return made(builder_->literal(number_of(token, negative)), begin);
}

PatternId RuleParser::parse_pattern_parens() {
  std::uint32_t begin = here();
  advance();
  std::vector<PatternId> items;
  bool is_tuple = at(")");
  while (!failing_ && !at(")")) {
    items.push_back(parse_pattern());
    if (!at(")")) {
      is_tuple = expect(",", "or ')' after an item") || is_tuple;
    }
  }
  expect(")", "at the end of the tuple");
  if (failing_) {
    return builder_->unreadable_pattern();
  }
  return is_tuple ? made(builder_->tuple_of(std::move(items)), begin) : items[0];
}

// `com.microsoft.Gelu(x)`, `onnx::Gelu(x)`: goes on to the operator, if there is one after the dots.
bool RuleParser::skip_domain() {
  std::size_t k = 0;
  auto dots = [&] { return peek(k).is(".") ? 1 : peek(k).is(":") && peek(k + 1).is(":") ? 2 : 0; };
  while (dots() != 0 && peek(k + dots()).kind == TokenKind::Name) {
    k += dots() + 1;
  }
  bool call = k > 0 && peek(k).is("(");
  while (call && k-- > 1) {
    advance();
  }
  return call;
}

// With what follows it as if it were known: that is no mistake of its own.
void RuleParser::report_unknown_pattern(const Token& name) {
  bool op = find_op(name.text).has_value();
  if (unknown_.insert(name.text).second) {
    std::string hint(op ? fmt::format("an operator is called, its attributes follow: {}(x) {{…}}", name.text)
                        : name_meant_by(name.text));
    hint = hint.empty() ? std::string(meant_by(name.text)) : hint;
    hint = hint.empty() ? nearest(name.text, names_in_scope(Binding::Kind::Pattern)) : hint;
    report(name.span, fmt::format("no pattern is named '{}' here", name.text),
           hint.empty() ? fmt::format("define it before its use: let {} = *;", name.text) : hint);
  }
  parse_attributes();
  failing_ = failing_ || op;
}

PatternId RuleParser::parse_name_pattern() {
  const Token& name = advance();
  const Binding* binding = find(name.text);
  if (binding && binding->kind == Binding::Kind::Pattern) {
    return binding->id;
  }
  if (binding) {
    report(name.span, fmt::format("'{}' is no pattern", name.text),
           binding->kind == Binding::Kind::Operator ? "an operator variable is called: f(x)"
                                                    : fmt::format("attributes belong within {{ … }} or 'where'; a constant "
                                                                  "with this value is written const {{value = {}}}",
                                                                  name.text));
  } else if ((at(".") || at(":")) && skip_domain()) {
    report(name.span, fmt::format("no pattern is named '{}' here", name.text),
           fmt::format("operators are named without their domain: {}(…)", peek().text));
    failing_ = true;
  } else {
    report_unknown_pattern(name);
  }
  return builder_->unreadable_pattern();
}

// A pattern that has a name already, or a branch of one.
PatternId RuleParser::parse_reference() {
  std::uint32_t begin = here();
  if (failing_ || !at_kind(TokenKind::Name) || is_reserved_word(peek().text)) {
    fail_here("the name of a pattern");
    return builder_->unreadable_pattern();
  }
  PatternId pattern = parse_name_pattern();
  while (!failing_ && at("[") && denotes_variadic(pattern)) {
    Branch branch = parse_branch(pattern);
    pattern = failing_ ? builder_->unreadable_pattern() : settle_branch(branch, true, begin);
  }
  return pattern;
}

static bool shares_types(OpId op) {
  return operand_types(op).sense == TypeSense::Moves || operand_types(op).sense == TypeSense::Kinds;
}

// The first tensor that the operator takes of the same types as operand k, where operands of these share one type.
static std::optional<PatternId> operand_of_same_type(const std::vector<PatternId>& operands, OpId op, std::size_t k,
                                                     const std::function<bool(PatternId)>& is_tensor) {
  const OperandTypes& types = operand_types(op);
  if (!shares_types(op)) {
    return std::nullopt;
  }
  for (std::size_t other = 0; other < operands.size(); ++other) {
    if (is_tensor(operands[other]) && types.of(other) == types.of(k)) {
      return operands[other];
    }
  }
  return std::nullopt;
}

std::vector<PatternId> RuleParser::parse_operands() {
  std::vector<PatternId> operands;
  expect("(", "before the operands");
  while (!failing_ && !at(")")) {
    if (at_kind(TokenKind::Name) && peek(1).is("=")) {
      fail_here("an operand", "attributes stand in braces after the operands: Transpose(x) {perm = (1, 0)}");
      break;
    }
    operands.push_back(accept("_") ? kNone : parse_pattern());
    if (at("=")) {
      fail_here("',' or ')' after an operand", "attributes stand in braces after the operands: Transpose(x) {perm = (1, 0)}");
    } else if (!at(")")) {
      expect(",", "or ')' after an operand");
    }
  }
  expect(")", "after the operands");
  return operands;
}

// A fractional number among a call's operands takes the dtype of the first operand that is none; any number does of one that the
// operator takes of the same types, if these are not apart for it: `Div(x, 6)`, but not `Gather(x, 0)`.
void RuleParser::settle_operand_literals(const std::vector<PatternId>& operands, std::optional<OpId> op) {
  auto is_tensor = [&](PatternId id) { return id != kNone && !builder_->is_literal(id); };
  auto first = std::find_if(operands.begin(), operands.end(), is_tensor);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] == kNone || is_tensor(operands[k])) {
      continue;
    }
    auto alike = op ? operand_of_same_type(operands, *op, k, is_tensor) : std::nullopt;
    if (alike) {
      builder_->set_literal_like(operands[k], *alike);
    } else if (first != operands.end() && builder_->is_fraction(operands[k])) {
      builder_->set_literal_like(operands[k], *first);
    }
  }
  for (std::size_t k = 0; op && shares_types(*op) && k < operands.size() && k < op_def(*op).operands.size(); ++k) {
    if (op_def(*op).operands[k].kind == OperandKind::Tuple) {
      settle_item_literals(builder_->items_of(operands[k]));
    }
  }
}

// A number among the tensors of a tuple has the type of the first of them: `Max((x, 0))`.
void RuleParser::settle_item_literals(const std::vector<PatternId>& items) {
  auto tensor =
      std::find_if(items.begin(), items.end(), [&](PatternId item) { return item != kNone && !builder_->is_literal(item); });
  for (PatternId item : items) {
    if (tensor != items.end() && item != kNone && builder_->is_literal(item)) {
      builder_->set_literal_like(item, *tensor);
    }
  }
}

PatternId RuleParser::parse_call() {
  std::uint32_t begin = here();
  const Token& name = advance();
  std::vector<PatternId> operands = parse_operands();
  AttrList list = parse_attributes();
  if (failing_) {
    return builder_->unreadable_pattern();
  }
  const Binding* binding = find(name.text);
  if (binding && binding->kind == Binding::Kind::Operator) {
    settle_operand_literals(operands, std::nullopt);
    RuleBuilder::OpVariable variable{Symbol(name.text), binding->trait};
    return made(builder_->call(variable, std::move(operands), std::move(list.given), list.as), begin);
  }
  auto op = resolve_op(name.text, text_, name.span, diagnostics_);
  if (!op) {
    return builder_->unreadable_pattern();
  }
  settle_operand_literals(operands, *op);
  return made(builder_->call(*op, std::move(operands), std::move(list.given), list.as), begin);
}

// --- `{ … }` after a pattern

RuleParser::AttrList RuleParser::parse_attributes() {
  AttrList list;
  if (failing_ || !at("{")) {
    return list;
  }
  std::uint32_t depth = braces_;
  advance();
  while (!failing_ && !at("}")) {
    parse_attribute_item(list);
    if (!at("}")) {
      expect(",", "or '}' after an attribute");
    }
  }
  if (!failing_) {
    advance();
    return list;
  }
  // Leave the brace behind, so that what follows is read as what it is.
  while (!at_kind(TokenKind::End) && !at("}") && !at(";") && !at_item_word()) {
    advance();
  }
  if (at("}")) {
    advance();
  }
  braces_ = depth;
  return list;
}

void RuleParser::add_attribute(AttrList& list, const Token& label, AttrId value) {
  for (const RuleBuilder::Attr& earlier : list.given) {
    if (earlier.name == label.text) {
      report(label.span, fmt::format("the attribute '{}' is given twice", label.text));
      return;
    }
  }
  list.given.push_back({label.text, value, label.span});
}

void RuleParser::parse_attribute_item(AttrList& list) {
  std::uint32_t begin = here();
  if (accept("*")) {
    if (!at("as")) {
      return fail_here("'as' after '*'",
                       "a call whose attributes are copied is named: let s = Softmax(x); … Softmax(x) {* as s}");
    }
    advance();
    PatternId as = parse_reference();
    if (!failing_ && list.as != kNone) {
      report(span_from(begin), "'* as' is given twice");
    }
    list.as = as;
    return;
  }
  if (!at_kind(TokenKind::Name)) {
    fail_here("an attribute's name", list.given.empty() ? "an attribute is written with its name: {perm = (1, 0)}"
                                                        : "a tuple is written with parentheses: {perm = (1, 0)}");
    return;
  }
  if (!peek(1).is("=")) {
    parse_copied_attributes(list);
    return;
  }
  const Token& label = advance();
  advance();
  bool in_where = std::exchange(in_where_, false);
  std::uint32_t value_begin = here();
  AttrId value = accept("_") ? attr_at(builder_->absent(), value_begin) : parse_attr();
  in_where_ = in_where;
  if (!failing_) {
    add_attribute(list, label, value);
  }
}

// `a, b as p` is `a = p.a, b = p.b`.
void RuleParser::parse_copied_attributes(AttrList& list) {
  std::vector<Token> labels;
  do {
    if (!at_kind(TokenKind::Name)) {
      fail_here("an attribute's name");
      return;
    }
    labels.push_back(advance());
  } while (accept(","));
  if (!at("as")) {
    bool comparison = at("==") || at("<") || at(">") || at("<=") || at(">=") || at("!=");
    fail_here(fmt::format("'=' or 'as' after the attribute's name '{}'", labels.back().text),
              comparison
                  ? fmt::format("an attribute is narrowed to one value: {{{} = 2}}; others are conditions: where x.{} {} 2;",
                                labels.back().text, labels.back().text, peek().text)
              : at(":") ? fmt::format("an attribute is written {{{} = …}}", labels.back().text)
                        : "");
    return;
  }
  advance();
  PatternId as = parse_reference();
  for (const Token& label : labels) {
    if (!failing_) {
      add_attribute(list, label, builder_->at(label.span, builder_->access(as, label.text)));
    }
  }
}

}  // namespace vouch
