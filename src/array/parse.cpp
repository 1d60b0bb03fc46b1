#include "array/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "array/foreign.h"
#include "array/parser.h"
#include "support/fault.h"
#include "support/plain_text.h"

namespace vouch::array {

ProgramParser::ProgramParser(SourceRef source, const SizeValues& values, Diagnostics& diagnostics)
    : source_(std::move(source)), diagnostics_(diagnostics), values_(values) {
  advance();
}

void ProgramParser::advance() {
  last_end_ = token_.span.end;
  token_ = next_token(source_->text(), token_.span.end);
}

bool ProgramParser::accept(std::string_view text) {
  bool here = is(text);
  if (here) {
    advance();
  }
  return here;
}

// One error is reported: what follows it is seldom worth reading.
void ProgramParser::fail(Span span, std::string message, std::string hint) {
  if (!failed_) {
    diagnostics_.error(source_, span, std::move(message), std::move(hint));
  }
  failed_ = true;
}

bool ProgramParser::expect(std::string_view text, std::string_view after, std::string_view hint) {
  if (accept(text)) {
    return true;
  }
  std::string_view meant = meant_by(text, notation_here());
  fail(here(), fmt::format("expected '{}' after {}, found {}", text, after, found()), std::string(meant.empty() ? hint : meant));
  return false;
}

// Where a message points: what is missing at the end of the file is missing after the last word.
Span ProgramParser::here() const { return token_.kind == TokenKind::End ? Span{last_end_, last_end_} : token_.span; }

std::string ProgramParser::found() const {
  return token_.kind == TokenKind::End ? "the end of the file" : fmt::format("'{}'", token_.text);
}

// What another notation writes as one mark, the lexer cuts in two.
std::string_view ProgramParser::notation_here() const {
  std::string_view text = source_->text();
  for (std::string_view mark : {"**", "//"}) {
    bool first = text.substr(token_.span.begin, 2) == mark;
    bool second = token_.span.begin > 0 && text.substr(token_.span.begin - 1, 2) == mark;
    if (first || second) {
      return mark;
    }
  }
  return token_.text;
}

bool ProgramParser::enter() {
  if (++nesting_ > kMostNesting) {
    fail(token_.span, fmt::format("nested more than {} deep", kMostNesting));
    --nesting_;
    return false;
  }
  return true;
}

std::optional<std::string> ProgramParser::new_name(std::string_view what) {
  if (token_.kind != TokenKind::Name || is_keyword(token_.text)) {
    std::string hint = is_keyword(token_.text) ? "that is a word of the language" : "";
    std::string_view meant = meant_by(what == "the output" ? "->" : what, notation_here());
    hint += fmt::format("{}{}", hint.empty() || meant.empty() ? "" : "; ", meant);
    fail(here(), fmt::format("expected {}, found {}", what, found()), hint);
    return std::nullopt;
  }
  std::string name = token_.text;
  advance();
  return name;
}

// Names that the C function has must be usable there.
bool ProgramParser::c_name(Span span, const std::string& name, CNameUse use) {
  std::optional<std::string_view> fault = c_name_fault(name, use);
  if (fault) {
    fail(span,
         fmt::format("'{}' cannot name {}: it {}", name,
                     use == CNameUse::Function ? "a C function" : "a parameter of a C function", *fault),
         fmt::format("another name, such as '{}'", c_name_like(name, use)));
  }
  return !fault;
}

std::optional<Parameter> ProgramParser::parameter(std::string_view what) {
  Span span = token_.span;
  std::optional<std::string> name = new_name(what);
  if (!name) {
    return std::nullopt;
  }
  if (!c_name(span, *name, CNameUse::Parameter)) {
    return std::nullopt;
  }
  std::optional<Type> of = expect(":", what) ? type() : std::nullopt;
  return of ? std::optional(Parameter{*name, *of}) : std::nullopt;
}

bool ProgramParser::parse_sizes() {
  if (!accept("sizes")) {
    return true;
  }
  do {
    Span span = token_.span;
    std::optional<std::string> name = new_name("the name of a size");
    if (!name) {
      return false;
    }
    if (!c_name(span, *name, CNameUse::Parameter)) {
      return false;
    }
    if (std::find(declared_.begin(), declared_.end(), *name) != declared_.end()) {
      fail(span, fmt::format("'{}' cannot name another parameter of the C function", *name));
      return false;
    }
    declared_.push_back(*name);
    if (!values_.contains(*name)) {
      sizes_.push_back(*name);
    }
  } while (accept(","));
  return is(")") || expect(";", "the sizes");
}

bool ProgramParser::parse_facts(std::vector<SizeFact>& facts) {
  if (!accept("where")) {
    return true;
  }
  do {
    std::optional<Size> low = size();
    std::optional<Size> high = low && expect("<=", "a size") ? size() : std::nullopt;
    if (!high) {
      return false;
    }
    facts.emplace_back(*low, *high);
  } while (accept(","));
  return true;
}

namespace {

// The first name that is not new.
std::optional<std::string> repeated(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::nullopt : std::optional(*twice);
}

}  // namespace

std::optional<Program> ProgramParser::parse() {
  Span name_span = token_.span;
  if (!expect("kernel", "the beginning of the file")) {
    return std::nullopt;
  }
  name_span = token_.span;
  std::optional<std::string> name = new_name("the kernel's name");
  if (!name || !c_name(name_span, *name, CNameUse::Function) || !expect("(", "the kernel's name") || !parse_sizes()) {
    return std::nullopt;
  }
  std::vector<Parameter> inputs;
  std::vector<std::string> names = declared_;
  while (!is(")") && (inputs.empty() || expect(",", "a parameter", "an array of n numbers is written xs: num[n]"))) {
    std::optional<Parameter> input = parameter("a parameter");
    if (!input) {
      return std::nullopt;
    }
    inputs.push_back(*input);
    names.push_back(input->name);
  }
  if (failed_ || !expect(")", "the parameters") || !expect("->", "the parameters")) {
    return std::nullopt;
  }
  std::optional<Parameter> output = parameter("the output");
  std::vector<SizeFact> facts;
  if (!output || !parse_facts(facts) || !expect("=", "the head of the kernel")) {
    return std::nullopt;
  }
  names.push_back(output->name);
  // What the C text calls the kernel, and its other forms.
  names.insert(names.end(), {*name, *name + "_tried", *name + "_checked"});
  if (std::optional<std::string> twice = repeated(names)) {
    fail(name_span, fmt::format("the name '{}' is used twice", *twice));
    return std::nullopt;
  }
  builder_.emplace(sizes_, facts,
                   [this](std::string message, std::string hint) { fail(report_span_, std::move(message), std::move(hint)); });
  for (const Parameter& input : inputs) {
    data_.emplace_back(input.name, static_cast<unsigned>(data_.size()));
    builder_->input(input.name, input.type);
  }
  std::uint32_t begin = token_.span.begin;
  Built term = expression();
  report_span_ = from(begin);
  if (term && token_.kind != TokenKind::End) {
    fail(token_.span, fmt::format("expected the end of the kernel, found '{}'", token_.text),
         std::string(meant_by("the end", notation_here())));
  }
  std::optional<Program> program = term && !failed_ ? builder_->finish(*name, *output, term) : std::nullopt;
  if (program) {
    program->formula = source_->text();
  }
  return program;
}

std::optional<Program> parse_program(SourceRef source, Diagnostics& diagnostics, const SizeValues& values) {
  return reads_as_it_looks(source, diagnostics) ? ProgramParser(std::move(source), values, diagnostics).parse() : std::nullopt;
}

}  // namespace vouch::array
