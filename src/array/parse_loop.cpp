// The part of the parser that reads what becomes loops: maps, generations, reductions and folds, with their binders.
#include <fmt/format.h>

#include "array/parser.h"

namespace vouch::array {

LoopKind ProgramParser::loop_kind() {
  Span span = token_.span;
  LoopKind loop = accept("par")      ? LoopKind::Par
                  : accept("vec")    ? LoopKind::Vec
                  : accept("unroll") ? LoopKind::Unr
                                     : (accept("seq"), LoopKind::Seq);
  if (lanes_ > 0 && (loop == LoopKind::Par || loop == LoopKind::Vec)) {
    fail(span,
         fmt::format("a loop {} stands in a loop in lanes, which OpenMP forbids",
                     loop == LoopKind::Par ? "on several threads" : "in lanes"),
         "expected a loop that is 'seq' or 'unroll' in the body of one that is 'vec'");
  }
  return loop;
}

std::optional<ProgramParser::Binder> ProgramParser::binder() {
  std::optional<std::string> name = new_name("a name for the element");
  if (!name) {
    return std::nullopt;
  }
  Binder result{*name, ""};
  if (accept("@")) {
    std::optional<std::string> position = new_name("a name for the position");
    if (!position) {
      return std::nullopt;
    }
    result.position = *position;
  }
  bool kind = token_.kind == TokenKind::Name && !is_keyword(token_.text);  // `map parallel x in xs`
  return expect("in", "what a loop binds",
                kind ? "the kinds of loops are par, vec, unroll and seq: map par x in xs { … }"
                     : "map x in xs { 2 * x }; reduce x in xs with acc = 0 { acc + x }")
             ? std::optional(result)
             : std::nullopt;
}

// `{ exp }`, with names for what is bound. An empty name binds nothing.
Built ProgramParser::body(LoopKind loop, const std::vector<std::pair<std::string, unsigned>>& data, const std::string& position,
                          unsigned level) {
  lanes_ += loop == LoopKind::Vec ? 1 : 0;
  data_.insert(data_.end(), data.begin(), data.end());
  positions_.emplace_back(position, level);
  std::uint32_t begin = token_.span.begin;
  Built result = expect("{", "what a loop runs over") ? expression() : std::nullopt;
  if (result && !expect("}", "the body of a loop")) {
    result = std::nullopt;
  }
  report_span_ = from(begin);
  lanes_ -= loop == LoopKind::Vec ? 1 : 0;
  positions_.pop_back();
  data_.resize(data_.size() - data.size());
  return result;
}

Built ProgramParser::map_expression() {
  advance();
  LoopKind loop = loop_kind();
  std::optional<Binder> bound = binder();
  std::uint32_t begin = token_.span.begin;
  Built array = bound ? expression() : std::nullopt;
  report_span_ = from(begin);
  unsigned outside = builder_->next_level();
  return builder_->map(loop, array, [&](const Built&, unsigned level) {
    return body(loop, {{bound->name, outside}}, bound->position, level);
  });
}

Built ProgramParser::generate_expression() {
  advance();
  LoopKind loop = loop_kind();
  std::optional<std::string> position = new_name("a name for the position");
  std::optional<Size> n = position && expect("<", "the name of a position") ? size() : std::nullopt;
  if (!n) {
    return std::nullopt;
  }
  return builder_->generate(loop, *n, [&](unsigned level) { return body(loop, {}, *position, level); });
}

Built ProgramParser::reduce_expression() {
  advance();
  bool unroll = accept("unroll");
  Place place = accept("into") ? Place::Into : Place::Fresh;
  std::optional<Binder> bound = binder();
  std::uint32_t begin = token_.span.begin;
  Built array = bound ? expression() : std::nullopt;
  Span span = from(begin);
  std::optional<std::string> accumulator =
      array && expect("with", "what a reduction runs over") ? new_name("a name for the accumulator") : std::nullopt;
  Built start = accumulator && expect("=", "the name of the accumulator") ? expression() : std::nullopt;
  report_span_ = span;
  unsigned outside = builder_->next_level();
  Built out = builder_->reduce(place, array, start, [&](const Built&, const Built&, unsigned level) {
    return body(LoopKind::Seq, {{*accumulator, outside}, {bound->name, outside + 1}}, bound->position, level);
  });
  return unroll ? Builder::unrolled(std::move(out)) : out;
}

Built ProgramParser::fold_expression() {
  advance();
  bool unroll = accept("unroll");
  Place place = accept("into") ? Place::Into : Place::Fresh;
  std::optional<std::string> position = new_name("a name for the position");
  std::optional<Size> n = position && expect("<", "the name of a position") ? size() : std::nullopt;
  std::optional<std::string> accumulator =
      n && expect("with", "the bound of a position") ? new_name("a name for the accumulator") : std::nullopt;
  Built start = accumulator && expect("=", "the name of the accumulator") ? expression() : std::nullopt;
  if (!start) {
    return std::nullopt;
  }
  Built positions = builder_->constant(type_array(*n, type_num()), {});
  unsigned outside = builder_->next_level();
  Built out = builder_->reduce(place, positions, start, [&](const Built&, const Built&, unsigned level) {
    return body(LoopKind::Seq, {{*accumulator, outside}}, *position, level);
  });
  return unroll ? Builder::unrolled(std::move(out)) : out;
}

}  // namespace vouch::array
