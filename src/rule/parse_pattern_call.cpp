#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "graph/operand_types.h"
#include "rule/parse.h"
#include "rule/parser.h"
#include "rule/verify.h"

namespace vouch {

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
