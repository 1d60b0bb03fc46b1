// Tokens, shapes and accesses.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "notation/tk_expression.h"
#include "notation/tk_foreign.h"
#include "notation/tk_meaning.h"
#include "support/how_many.h"
#include "term/print.h"

namespace vouch {
namespace {

constexpr std::size_t kMostAxes = 32;
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 40;
constexpr std::array<std::string_view, 6> kReductions = {"max", "min", "sum", "mean", "prod", "argmax"};

std::string shape_text(const std::vector<Term>& shape) {
  std::vector<std::string> out;
  for (Term extent : shape) {
    out.push_back(print_term(extent));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

TkReader::TkReader(SourceRef source, const SizeValues& sizes, Diagnostics& diagnostics)
    : source_(std::move(source)), sizes_(sizes), diagnostics_(diagnostics), token_(next_tk_token(source_->text(), 0)) {}

TkToken TkReader::take() {
  TkToken taken = token_;
  last_end_ = taken.span.end;
  token_ = next_tk_token(source_->text(), taken.span.end);
  return taken;
}

bool TkReader::accept(std::string_view punctuation) {
  if (token_.kind != TkTokenKind::Punctuation || token_.text != punctuation) {
    return false;
  }
  take();
  return true;
}

bool TkReader::expect(std::string_view punctuation) {
  if (accept(punctuation)) {
    return true;
  }
  std::string_view read = source_->text().substr(0, last_end_);
  bool joined = last_end_ == token_.span.begin && !read.empty();
  bool choice = token_.kind == TkTokenKind::Name && read.ends_with(" if");  // `… = if A[i] > 0`
  fail(place(), fmt::format("expected '{}', found {}", punctuation, found()),
       std::string(tk_meant_by(punctuation, choice ? "if" : token_.text, joined ? read.back() : ' ')));
  return false;
}

// Where a message points: what is missing at the end of the text is missing after the last word.
Span TkReader::place() const { return token_.kind == TkTokenKind::End ? Span{last_end_, last_end_} : token_.span; }

std::string TkReader::found() const { return token_.kind == TkTokenKind::End ? "the end" : fmt::format("'{}'", token_.text); }

bool TkReader::expect_shape_end() {
  if (token_.kind == TkTokenKind::Punctuation && token_.text == ">=") {
    last_end_ = token_.span.begin + 1;
    token_ = next_tk_token(source_->text(), last_end_);
    return true;
  }
  return expect(">");
}

void TkReader::fail(Span span, std::string message, std::string hint) {
  if (!failed_) {
    diagnostics_.error(source_, span, std::move(message), std::move(hint));
  }
  failed_ = true;
}

const TkTensor* TkReader::find(Symbol name) const {
  auto found = std::find_if(tensors.begin(), tensors.end(), [&](const TkTensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

std::optional<Term> TkReader::size() {
  ++in_shape_;
  Parsed read = additive();
  --in_shape_;
  if (read && read->term.sort() != Sort::Int) {
    std::string_view text = source_->text();
    bool divided = text.substr(read->span.begin, read->span.end - read->span.begin).find('/') != std::string_view::npos;
    fail(read->span, "expected a size: a whole number of at most 2^40, or a term over sizes",
         divided ? "a quotient of sizes is written n // 2" : "");
    return std::nullopt;
  }
  return read ? std::optional(read->term) : std::nullopt;
}

void TkReader::require() {
  do {
    auto high = size();
    auto low = high && expect(">=") ? size() : std::nullopt;
    if (!low) {
      return;
    }
    auto number = number_of(*high - *low);
    if (number ? *number < 0 : nonnegative(*low - *high - Term(1), named_sizes)) {
      fail(token_.span, fmt::format("no sizes have {} >= {}", print_term(*high), print_term(*low)));
      return;
    }
    named_sizes.assume(*high - *low, 0);
  } while (accept(","));
}

// A name within a shape, or declared.
bool TkReader::name_size(const TkToken& name) {
  Symbol symbol(name.text);
  if (sizes_.contains(std::string(name.text))) {
    return true;
  }
  if (index_places.contains(symbol) || find(symbol)) {
    fail(name.span, fmt::format("'{}' is both a size and {}", name.text, find(symbol) ? "a tensor" : "an index"));
  } else if (!named_sizes.has(symbol)) {
    named_sizes.names.push_back(symbol);
  }
  return !failed_;
}

std::optional<Term> TkReader::extent() {
  TkToken first = token_;
  bool begins = first.kind == TkTokenKind::Whole || first.kind == TkTokenKind::Name || first.text == "-" || first.text == "(";
  bool large = first.kind == TkTokenKind::Whole && first.text.size() > 18;
  if (!begins || large) {
    fail(first.span, large ? "an extent must be at most 2^40" : fmt::format("expected a size, found '{}'", first.text),
         first.text == ">" ? "a scalar has one element: C<1> = …" : "");
    return std::nullopt;
  }
  auto value = size();
  if (!value) {
    return std::nullopt;
  }
  auto number = number_of(*value);
  Span span{first.span.begin, last_end_};
  if (number ? *number < 1 : nonnegative(-*value, named_sizes)) {
    fail(span, fmt::format("an extent must be at least 1, found {}", print_term(*value)));
  } else if (number && *number > kLargestExtent) {
    fail(span, "an extent must be at most 2^40");
  } else {
    named_sizes.assume(*value - Term(1));
  }
  return failed_ ? std::nullopt : value;
}

bool TkReader::declare(const TkToken& name, const std::vector<Term>& shape) {
  Symbol symbol(name.text);
  if (const TkTensor* known = find(symbol)) {
    if (known->shape != shape) {
      fail(name.span,
           fmt::format("'{}' has another shape here: <{}>, before <{}>", name.text, shape_text(shape), shape_text(known->shape)));
    }
    return !failed_;
  }
  Term count(1);
  for (Term extent : shape) {
    count = count * extent;
  }
  auto number = number_of(count);
  if (number && *number > kLargestExtent) {
    fail(name.span, fmt::format("'{}' has too many elements: <{}>, more than 2^40", name.text, shape_text(shape)));
    return false;
  }
  tensors.push_back({symbol, symbol, shape});
  return true;
}

std::optional<TkAccess> TkReader::shaped(const TkToken& name) {
  TkAccess out{Symbol(name.text), {}, {}, {}, {}, name.span, false};
  if (accept("<")) {
    do {
      auto axis = extent();
      if (!axis) {
        return std::nullopt;
      }
      out.shape.push_back(*axis);
      if (out.shape.size() > kMostAxes) {
        fail(name.span, fmt::format("'{}' has more than {} axes", name.text, kMostAxes));
        return std::nullopt;
      }
    } while (accept(","));
    if (!expect_shape_end() || !declare(name, out.shape)) {
      return std::nullopt;
    }
  } else if (const TkTensor* known = find(out.tensor)) {
    out.shape = known->shape;
  } else {
    std::vector<std::string> names;
    for (const TkTensor& tensor : tensors) {
      names.push_back(tensor.name.name());
    }
    if (std::find(kReductions.begin(), kReductions.end(), name.text) != kReductions.end()) {
      fail(name.span, fmt::format("'{}' over an index is not written in index notation, which has sums alone", name.text),
           name.text == "sum" ? "an index that is not on the left is summed over: `Z<m>[i] = X<m, n>[i, j];`"
                              : "write a functional program (.fun): `reduce x in xs with acc = -inf { max(acc, x) }`");
      return std::nullopt;
    }
    auto near = suggest(name.text, names);
    fail(name.span, fmt::format("unknown name '{}': its shape has not been given", name.text),
         near ? fmt::format("did you mean '{}'?", *near) : fmt::format("write `{}<…>[…]`", name.text));
    return std::nullopt;
  }
  return out;
}

bool TkReader::subscript(TkAccess& out) {
  std::size_t reads_before = reads.size();
  Parsed read = disjunction();
  if (!read) {
    return false;
  }
  bool data = reads.size() != reads_before && read->term.sort() == Sort::Real;
  if (!data && (read->term.sort() != Sort::Int || !is_linear(read->term))) {
    fail(read->span, "a subscript must be linear in the indices, with integer coefficients below 2^31");
  }
  if (data) {
    indices_from.insert(indices_from.end(), reads.begin() + static_cast<std::ptrdiff_t>(reads_before), reads.end());
  }
  out.subscripts.push_back(data ? Term(0) : read->term);
  out.at.push_back(data ? int_of(read->term) : read->term);
  out.spans.push_back(read->span);
  const Operand named = whole(read->term, read->span, {&*read});
  for (Symbol name : named.addends[0].reduced) {
    if (std::find(out.names.begin(), out.names.end(), name) == out.names.end()) {
      out.names.push_back(name);
    }
  }
  return !failed_;
}

std::optional<TkAccess> TkReader::access(const TkToken& name) {
  auto out = shaped(name);
  if (!out) {
    return std::nullopt;
  }
  Span whole = name.span;
  if (accept("[")) {
    do {
      if (!subscript(*out)) {
        return std::nullopt;
      }
    } while (accept(","));
    if (!expect("]")) {
      return std::nullopt;
    }
    whole.end = last_end_;
  } else if (out->shape == std::vector<Term>{Term(1)}) {
    out->subscripts.push_back(Term(0));
    out->at.push_back(Term(0));
    out->spans.push_back(name.span);
  }
  if (out->subscripts.size() != out->shape.size()) {
    bool apart = token_.text == "(" || token_.text == "[";  // `A(i, j)`, `A[i][j]`
    fail(whole,
         fmt::format("'{}' has rank {} but {}", name.text, out->shape.size(), how_many(out->subscripts.size(), "subscript")),
         apart ? fmt::format("subscripts stand in one pair of brackets: {}[i, j]", name.text) : "");
    return std::nullopt;
  }
  return out;
}

}  // namespace vouch
