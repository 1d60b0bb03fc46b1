#include "rule/print.h"

#include <fmt/format.h>

#include <algorithm>

#include "rule/parse.h"
#include "rule/printer.h"
#include "support/hash.h"

namespace vouch {
namespace {

constexpr int kDeepestInPlace = 4;

std::string indented(int indent, const std::string& item) {
  return std::string(static_cast<std::size_t>(indent), ' ') + item + "\n";
}

bool is_name(std::string_view text) {
  bool letters = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  return !text.empty() && letters && !(text[0] >= '0' && text[0] <= '9') && !is_reserved_word(text);
}

}  // namespace

RulePrinter::RulePrinter(const Rule& rule, Style style) : rule_(rule), style_(style) {}

// --- names

void RulePrinter::name_as_written() {
  for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
    if (!rule_.pattern(id).name.empty()) {
      names_.emplace(id, rule_.pattern(id).name.name());
    }
  }
}

std::string RulePrinter::fresh_name(std::string_view stem) {
  std::string name;
  do {
    name = fmt::format("{}{}", stem, next_name_++);
  } while (taken_.contains(name));
  taken_.insert(name);
  return name;
}

std::string RulePrinter::claim(const std::string& wanted, std::string_view stem) {
  bool usable = style_ == Style::Readable && is_name(wanted) && taken_.insert(wanted).second;
  return usable ? wanted : fresh_name(stem);
}

void RulePrinter::name_pattern(PatternId id) {
  if (!names_.contains(id)) {
    names_.emplace(id, claim(rule_.pattern(id).name.name(), "p_"));
  }
}

// How often each pattern is named in the text; twice for whatever needs a name for another reason.
void RulePrinter::count_uses() {
  uses_.assign(rule_.patterns.size(), 0);
  for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
    const Pattern& p = rule_.pattern(id);
    for (PatternId used : direct_subpatterns(rule_, id)) {
      uses_[used] += 1;
    }
    for (PatternId used : p.first) {
      if (used != kNone) {
        uses_[used] += 2;
      }
    }
    if (p.kind == PatternKind::Instance) {
      uses_[p.operands[0]] += rule_.pattern(p.operands[0]).kind == PatternKind::Variadic ? 2 : 0;
      bool is_field = rule_.pattern(denoted_variadic(rule_, p.operands[0])).operands[0] == p.operands[1];
      uses_[p.operands[1]] += is_field ? 0 : 2;
    }
    if (p.attributes_as != kNone) {
      uses_[p.attributes_as] += 2;
    }
  }
  for (const auto* ids : {&rule_.source_outputs, &rule_.target_outputs, &rule_.dropped}) {
    for (PatternId id : *ids) {
      uses_[id] += ids == &rule_.dropped ? 2 : 1;
    }
  }
  for (const RankClaim& claim : rule_.ranks) {
    uses_[claim.input] += 2;
  }
  for (const AxisLayout& layout : rule_.layouts) {
    uses_[layout.pattern] += 2;
  }
  for (const AttrExpr& expr : rule_.attrs) {
    if (expr.kind == AttrKind::Access && rule_.pattern(expr.pattern).kind != PatternKind::Instance) {
      uses_[expr.pattern] += 2;
    }
  }
}

void RulePrinter::assign_names() {
  count_uses();
  std::vector<int> depth(rule_.patterns.size());
  for (const auto* order : {&rule_.source_order, &rule_.target_order}) {
    for (PatternId id : *order) {
      const Pattern& p = rule_.pattern(id);
      for (PatternId below : direct_subpatterns(rule_, id)) {
        depth[id] = std::max(depth[id], names_.contains(below) ? 0 : depth[below] + 1);
      }
      // Written in place, a variadic would have no room for the definition of a named field.
      bool block = p.kind == PatternKind::Variadic &&
                   (p.templates.size() > 1 || !p.first.empty() || (!p.templates.empty() && names_.contains(p.templates[0])));
      bool must = style_ == Style::Canonical || uses_[id] > 1 || depth[id] > kDeepestInPlace || block || !p.name.empty() ||
                  p.kind == PatternKind::Wildcard || p.kind == PatternKind::Variable;
      if (must) {
        name_pattern(id);
      }
    }
  }
  if (style_ == Style::Readable) {
    for (AttrId id = 0; id < rule_.attrs.size(); ++id) {
      if (!rule_.attr(id).let_name.empty() && rule_.attr(id).closed) {
        attr_names_.emplace(id, claim(rule_.attr(id).let_name.name(), "a_"));
      }
    }
  }
}

void RulePrinter::name_operators() {
  for (const auto* order : {&rule_.source_order, &rule_.target_order}) {
    for (PatternId id : *order) {
      const Pattern& p = rule_.pattern(id);
      if (p.kind == PatternKind::Call && !p.op && !op_names_.contains(p.op_variable)) {
        op_names_.emplace(p.op_variable, claim(p.op_variable.name(), "f_"));
      }
    }
  }
}

// Indices of one text may repeat side by side, but not within each other.
std::string RulePrinter::bind_symbol(Symbol symbol) {
  auto in_scope = [&](const std::string& name) {
    return std::any_of(symbols_.begin(), symbols_.end(), [&](const auto& bound) { return bound.second == name; });
  };
  std::string name = symbol.name();
  if (style_ == Style::Canonical || !is_name(name) || taken_.contains(name) || in_scope(name)) {
    std::size_t level = symbols_.size();
    do {
      name = fmt::format("i_{}", level++);
    } while (taken_.contains(name) || in_scope(name));
  }
  symbols_.emplace_back(symbol, name);
  return name;
}

std::string RulePrinter::symbol_name(Symbol symbol) const {
  for (auto bound = symbols_.rbegin(); bound != symbols_.rend(); ++bound) {
    if (bound->first == symbol) {
      return bound->second;
    }
  }
  return symbol.name();
}

void RulePrinter::enter_scope_of(PatternId id) {
  for (PatternId variadic : enclosing_variadics(rule_, id)) {
    bind_symbol(rule_.pattern(variadic).index);
  }
}

// --- items

std::string RulePrinter::list(const std::vector<PatternId>& ids) {
  std::string out;
  for (PatternId id : ids) {
    out += (out.empty() ? "" : ", ") + use(id);
  }
  return out;
}

std::string RulePrinter::header() const {
  std::string doc = rule_.doc.empty() ? "" : " " + print_value(AttrValue(rule_.doc));
  return fmt::format("rule {}{} {{\n", rule_.name, doc);
}

std::string RulePrinter::rule() {
  name_operators();
  assign_names();
  std::string out = header();
  std::unordered_set<Symbol> declared;
  for (const auto* order : {&rule_.source_order, &rule_.target_order}) {
    for (PatternId id : *order) {
      const Pattern& p = rule_.pattern(id);
      if (p.kind == PatternKind::Call && !p.op && declared.insert(p.op_variable).second) {
        out += indented(2, fmt::format("operator {} {};", op_names_.at(p.op_variable), trait_name(p.trait)));
      }
    }
  }
  print_patterns(rule_.source_order, kNone, 2, out);
  print_conditions(rule_.constraints, 2, out);
  out += claims();
  out += indented(2, "source " + list(rule_.source_outputs) + ";");
  print_patterns(rule_.target_order, kNone, 2, out);
  out += indented(2, "target " + list(rule_.target_outputs) + ";");
  print_drops(kNone, 2, out);
  return out + "}\n";
}

void RulePrinter::print_patterns(const std::vector<PatternId>& order, PatternId owner, int indent, std::string& out) {
  PatternId field = owner == kNone ? kNone : rule_.pattern(owner).operands[0];
  for (PatternId id : order) {
    if (rule_.pattern(id).owner != owner) {
      continue;
    }
    if (owner == kNone) {
      print_attr_lets(id, out);
    }
    if (!names_.contains(id) || (id == field && uses_[id] <= 1)) {
      continue;
    }
    if (rule_.pattern(id).kind == PatternKind::Variadic) {
      print_block(id, indent, out);
    } else {
      out += indented(indent, fmt::format("let {} = {};", names_.at(id), form(id)));
      print_layout(id, indent, out);
    }
  }
}

// Named attribute expressions stand before the first pattern that may use them.
void RulePrinter::print_attr_lets(PatternId id, std::string& out) {
  for (AttrId held : held_attributes(rule_.pattern(id))) {
    std::vector<AttrId> pending{held};
    std::vector<AttrId> found;
    std::unordered_set<AttrId> seen;
    while (!pending.empty() && !attr_names_.empty()) {
      AttrId next = pending.back();
      pending.pop_back();
      if (!seen.insert(next).second) {
        continue;
      }
      if (attr_names_.contains(next) && !defined_attrs_.contains(next)) {
        found.push_back(next);
      }
      pending.insert(pending.end(), rule_.attr(next).args.begin(), rule_.attr(next).args.end());
    }
    std::sort(found.begin(), found.end());  // parts have lower ids
    for (AttrId attr_id : found) {
      out += indented(2, fmt::format("attr {} = {};", attr_names_.at(attr_id), attr(attr_id)));
      defined_attrs_.insert(attr_id);
    }
  }
}

std::string RulePrinter::block_head(PatternId id) {
  const Pattern& p = rule_.pattern(id);
  std::string length = p.length == kNone ? "" : " < " + attr(p.length, 4);
  std::string index = bind_symbol(p.index);
  unbind_symbol();
  return fmt::format("[{}{}]{}{}", index, length, from_list(id), p.min_length == 1 ? "" : fmt::format(" min {}", p.min_length));
}

// First the field's first instance, then those of the named templates in the order in which the block defines them.
std::string RulePrinter::from_list(PatternId id) {
  const Pattern& p = rule_.pattern(id);
  if (p.first.empty()) {
    return "";
  }
  auto first_of = [&](PatternId item) {
    auto place = static_cast<std::size_t>(std::find(p.templates.begin(), p.templates.end(), item) - p.templates.begin());
    return place < p.first.size() ? p.first[place] : kNone;
  };
  bool field_is_template = std::find(p.templates.begin(), p.templates.end(), p.operands[0]) != p.templates.end();
  std::vector<PatternId> firsts;
  if (field_is_template) {
    firsts.push_back(first_of(p.operands[0]));
  }
  for (const auto* order : {&rule_.source_order, &rule_.target_order}) {
    for (PatternId item : *order) {
      if (rule_.pattern(item).owner == id && item != p.operands[0] && names_.contains(item)) {
        firsts.push_back(first_of(item));
      }
    }
  }
  return " from " + list(firsts);
}

void RulePrinter::print_block(PatternId id, int indent, std::string& out) {
  const Pattern& p = rule_.pattern(id);
  std::string inside;
  std::string head = block_head(id);
  bind_symbol(p.index);
  const auto& order = rule_.in_source[id] ? rule_.source_order : rule_.target_order;
  print_patterns(order, id, indent + 2, inside);
  print_conditions(rule_.pattern(p.operands[0]).conditions, indent + 2, inside);
  print_drops(id, indent + 2, inside);
  bool defined = uses_[p.operands[0]] > 1 || rule_.pattern(p.operands[0]).owner != id;
  std::string field = defined ? use(p.operands[0]) : form(p.operands[0]);
  unbind_symbol();
  out += indented(indent, fmt::format("variadic {}{} {{", names_.at(id), head));
  out += inside;
  out += indented(indent + 2, "yield " + field + ";");
  out += indented(indent, "}");
}

void RulePrinter::print_drops(PatternId owner, int indent, std::string& out) {
  std::vector<std::string> names;
  for (PatternId id : rule_.dropped) {
    if (rule_.pattern(id).owner == owner) {
      names.push_back(use(id));
    }
  }
  std::sort(names.begin(), names.end());
  if (!names.empty()) {
    out += indented(indent, fmt::format("drop {};", fmt::join(names, ", ")));
  }
}

void RulePrinter::print_conditions(std::vector<AttrId> conditions, int indent, std::string& out) {
  std::vector<std::string> texts;
  for (AttrId condition : conditions) {
    if (!is_of_layout(condition)) {
      texts.push_back(attr(condition));
    }
  }
  if (style_ == Style::Canonical) {
    std::sort(texts.begin(), texts.end());
  }
  for (const std::string& text : texts) {
    out += indented(indent, "where " + text + ";");
  }
}

std::string RulePrinter::claims() {
  std::vector<std::string> lines;
  for (const RankClaim& claim : rule_.ranks) {
    lines.push_back(indented(2, fmt::format("rank {} {}{};", use(claim.input), claim.from,
                                            claim.from == claim.to ? "" : fmt::format("..{}", claim.to))));
  }
  if (style_ == Style::Canonical) {
    std::sort(lines.begin(), lines.end());
  }
  std::string out = fmt::format("{}", fmt::join(lines, ""));
  if (rule_.phase != Phase::Main) {
    out += fmt::format("  phase {};\n", phase_name(rule_.phase));
  }
  if (rule_.saves != Saving::None) {
    out += fmt::format("  saves {};\n", saving_name(rule_.saves));
  }
  switch (rule_.expectation) {
    case Expectation::None: return out;
    case Expectation::Sound: return out + "  expect sound;\n";
    case Expectation::SoundExact: return out + "  expect sound exact;\n";
    case Expectation::SoundReal: return out + "  expect sound real;\n";
    case Expectation::Unsound: return out + "  expect unsound;\n";
    case Expectation::IllTyped: return out + "  expect ill_typed;\n";
    case Expectation::Vacuous: return out + "  expect vacuous;\n";
    case Expectation::Unknown: return out + "  expect unknown;\n";
  }
  return out;
}

// --- what others call

std::string print_rule(const Rule& rule) { return RulePrinter(rule, RulePrinter::Style::Readable).rule(); }

std::string canonical_text(const Rule& rule) {
  Rule meaning = rule;
  meaning.name = "r";
  meaning.doc.clear();
  meaning.expectation = Expectation::None;
  meaning.phase = Phase::Main;
  meaning.saves = Saving::None;
  return RulePrinter(meaning, RulePrinter::Style::Canonical).rule();
}

std::string content_hash(const Rule& rule) { return content_hash(canonical_text(rule)); }

const std::string& ContentHashes::of(const Rule& rule) {
  auto known = known_.find(&rule);
  return known != known_.end() ? known->second : known_.emplace(&rule, content_hash(rule)).first->second;
}

std::string print_attr(const Rule& rule, AttrId attr) {
  RulePrinter printer(rule, RulePrinter::Style::Readable);
  printer.name_as_written();
  return printer.attr(attr);
}

std::string print_pattern(const Rule& rule, PatternId pattern) {
  RulePrinter printer(rule, RulePrinter::Style::Readable);
  printer.name_as_written();
  return printer.form(pattern);
}

}  // namespace vouch
