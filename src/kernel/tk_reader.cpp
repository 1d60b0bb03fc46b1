// Tokens, shapes and accesses.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/tk_expression.h"
#include "kernel/tk_meaning.h"
#include "term/print.h"

namespace vouch {
namespace {

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 40;

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
  std::string found = token_.kind == TkTokenKind::End ? "the end" : fmt::format("'{}'", token_.text);
  fail(token_.span, fmt::format("expected '{}', found {}", punctuation, found));
  return false;
}

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

std::optional<std::int64_t> TkReader::size() {
  bool negative = accept("-");
  TkToken token = take();
  std::int64_t value = 0;
  if (token.kind == TkTokenKind::Name) {
    auto found = sizes_.find(std::string(token.text));
    if (found == sizes_.end()) {
      fail(token.span, fmt::format("size '{}' has no value", token.text), fmt::format("give one: --size {}=16", token.text));
      return std::nullopt;
    }
    value = found->second;
  } else if (token.kind != TkTokenKind::Whole) {
    fail(token.span, fmt::format("expected a size, found '{}'", token.text));
    return std::nullopt;
  } else {
    value = token.text.size() > 18 ? kLargestExtent + 1 : std::stoll(std::string(token.text));
  }
  if (negative || value <= 0) {
    fail(token.span, fmt::format("an extent must be at least 1, found {}{}", negative ? "-" : "", value));
    return std::nullopt;
  }
  if (value > kLargestExtent) {
    fail(token.span, "an extent must be at most 2^40");
    return std::nullopt;
  }
  return value;
}

bool TkReader::declare(const TkToken& name, const Extents& extents) {
  Symbol symbol(name.text);
  if (const TkTensor* known = find(symbol)) {
    if (known->extents != extents) {
      fail(name.span, fmt::format("'{}' has another shape here: <{}>, before <{}>", name.text, fmt::join(extents, ", "),
                                  fmt::join(known->extents, ", ")));
    }
    return !failed_;
  }
  auto count = element_count(extents);
  if (!count || *count > kLargestExtent) {
    fail(name.span, fmt::format("'{}' has too many elements: <{}>, more than 2^40", name.text, fmt::join(extents, ", ")));
    return false;
  }
  tensors.push_back({symbol, symbol, extents});
  return true;
}

std::optional<TkAccess> TkReader::shaped(const TkToken& name) {
  TkAccess out{Symbol(name.text), {}, {}, {}, false};
  if (accept("<")) {
    do {
      auto extent = size();
      if (!extent) {
        return std::nullopt;
      }
      out.extents.push_back(*extent);
    } while (accept(","));
    if (!expect_shape_end() || !declare(name, out.extents)) {
      return std::nullopt;
    }
  } else if (const TkTensor* known = find(out.tensor)) {
    out.extents = known->extents;
  } else {
    std::vector<std::string> names;
    for (const TkTensor& tensor : tensors) {
      names.push_back(tensor.name.name());
    }
    auto near = suggest(name.text, names);
    fail(name.span, fmt::format("unknown name '{}': its shape has not been given", name.text),
         near ? fmt::format("did you mean '{}'?", *near) : fmt::format("write `{}<…>[…]`", name.text));
    return std::nullopt;
  }
  return out;
}

std::optional<TkAccess> TkReader::access(const TkToken& name) {
  auto out = shaped(name);
  if (!out) {
    return std::nullopt;
  }
  Span whole = name.span;
  if (accept("[")) {
    std::size_t reads_before = reads.size();
    do {
      Parsed subscript = disjunction();
      if (!subscript) {
        return std::nullopt;
      }
      if (reads.size() != reads_before) {
        fail(subscript->span, "a subscript that is data: subscripts are made of indices and constants");
        return std::nullopt;
      }
      if (subscript->term.sort() != Sort::Int || !is_linear(subscript->term)) {
        fail(subscript->span, "a subscript must be linear in the indices, with integer coefficients below 2^31");
        return std::nullopt;
      }
      out->subscripts.push_back(subscript->term);
      out->spans.push_back(subscript->span);
    } while (accept(","));
    if (!expect("]")) {
      return std::nullopt;
    }
    whole.end = last_end_;
  } else if (out->extents == Extents{1}) {
    out->subscripts.push_back(Term(0));
    out->spans.push_back(name.span);
  }
  if (out->subscripts.size() != out->extents.size()) {
    fail(whole, fmt::format("'{}' has rank {} but {} subscripts", name.text, out->extents.size(), out->subscripts.size()));
    return std::nullopt;
  }
  return out;
}

}  // namespace vouch
