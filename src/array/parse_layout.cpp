// The part of the parser that reads layouts: what only looks at an array in another shape or order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "array/parser.h"

namespace vouch::array {

Built ProgramParser::apply_layout(const Built& argument) {
  std::uint32_t begin = token_.span.begin;
  if (accept("pad")) {
    return pad(argument);
  }
  std::optional<Layout> of = layout_name(argument->type);
  report_span_ = from(begin);
  return of ? builder_->through(*of, argument) : std::nullopt;
}

std::optional<Layout> ProgramParser::layout_name(const Type& source) {
  static const std::vector<std::string> kNames = {"fst",     "snd",   "zip",   "unzip",  "split", "join", "transpose",
                                                  "reverse", "slide", "slice", "repeat", "at",    "each", "pad"};
  const std::string name = token_.text;
  Span span = token_.span;
  advance();
  if (name == "fst") return layout(LayoutKind::Fst);
  if (name == "snd") return layout(LayoutKind::Snd);
  if (name == "zip") return layout(LayoutKind::Zip);
  if (name == "unzip") return layout(LayoutKind::Unzip);
  if (name == "transpose") return layout(LayoutKind::Trans);
  if (name == "split") return sized_layout(LayoutKind::Split, 2, "split(length, parts)");
  if (name == "slide") return sized_layout(LayoutKind::Slide, 4, "slide(windows, width, stride, dilation)");
  if (name == "slice") return sized_layout(LayoutKind::Slice, 2, "slice(begin, length)");
  if (name == "repeat") return sized_layout(LayoutKind::Repeat, 1, "repeat(count)");
  if (name == "join") return join_layout(source);
  if (name == "reverse") return reverse_layout(source);
  if (name == "each") return each_layout(source);
  if (name == "at") {
    std::optional<Index> i = expect("(", "'at'") ? index() : std::nullopt;
    return i && expect(")", "a position") ? std::optional(layout_at(*i)) : std::nullopt;
  }
  std::optional<std::string> near = suggest(name, kNames);
  bool loop = is_keyword(name);
  fail(span, fmt::format("there is no layout '{}'", name),
       near   ? fmt::format("did you mean '{}'?", *near)
       : loop ? fmt::format("'{}' stands before what it is applied to: map x in xs {{ … }}, max(x, y)", name)
              : fmt::format("layouts: {}", fmt::join(kNames, ", ")));
  return std::nullopt;
}

std::optional<Layout> ProgramParser::sized_layout(LayoutKind kind, std::size_t count, std::string_view form) {
  std::vector<Size> sizes;
  bool good = expect("(", "a layout that takes sizes", form);
  if (good && is(")")) {
    fail(token_.span, "expected a size, found ')'", fmt::format("it is written {}", form));
    good = false;
  }
  for (std::size_t i = 0; good && i < count; ++i) {
    std::optional<Size> next = i == 0 || expect(",", "a size", form) ? size() : std::nullopt;
    good = next.has_value();
    if (next) {
      sizes.push_back(*next);
    }
  }
  return good && expect(")", "the sizes of a layout", form) ? std::optional(layout(kind, sizes)) : std::nullopt;
}

std::optional<Layout> ProgramParser::join_layout(const Type& source) {
  if (is("(")) {
    return sized_layout(LayoutKind::Join, 2, "join(length, parts), or join");
  }
  if (source->kind != TypeKind::Array || source->parts[0]->kind != TypeKind::Array) {
    fail(token_.span, fmt::format("join needs an array of arrays, not {}", builder_->text(source)));
    return std::nullopt;
  }
  return layout(LayoutKind::Join, {source->parts[0]->size, source->size});
}

std::optional<Layout> ProgramParser::reverse_layout(const Type& source) {
  if (is("(")) {
    return sized_layout(LayoutKind::Rev, 1, "reverse(length), or reverse");
  }
  if (source->kind != TypeKind::Array) {
    fail(token_.span, fmt::format("reverse needs an array, not {}", builder_->text(source)));
    return std::nullopt;
  }
  return layout(LayoutKind::Rev, {source->size});
}

std::optional<Layout> ProgramParser::each_layout(const Type& source) {
  if (source->kind != TypeKind::Array) {
    fail(token_.span, fmt::format("each needs an array, not {}", builder_->text(source)));
    return std::nullopt;
  }
  if (!expect("(", "'each'") || !enter()) {
    return std::nullopt;
  }
  std::optional<Layout> inner = layout_name(source->parts[0]);
  leave();
  return inner && expect(")", "a layout") ? std::optional(layout_each(*inner)) : std::nullopt;
}

Built ProgramParser::pad(const Built& array) {
  std::optional<Size> lo = expect("(", "'pad'") ? size() : std::nullopt;
  std::optional<Size> hi = lo && expect(",", "a size") ? size() : std::nullopt;
  if (!hi || !expect(",", "a size")) {
    return std::nullopt;
  }
  bool negative = accept("-");
  std::optional<Const> value = literal();
  if (!value || !expect(")", "'pad'")) {
    return std::nullopt;
  }
  if (negative) {
    value->negative = value->infinite;
    value->mantissa = -value->mantissa;
  }
  return builder_->pad(*lo, *hi, *value, array);
}

}  // namespace vouch::array
