#include <fmt/format.h>

#include <algorithm>

#include "certify/index_schedule_line.h"
#include "support/plain_text.h"

namespace vouch {
namespace {

constexpr std::size_t kMostSteps = 1000;  // of one file: plans are walked by recursion
constexpr const char* kSteps =
    "a step is one of 'each', 'tiles', 'split', 'blocks', 'merge', 'move', 'over', 'under', 'cut', 'then', 'copy', 'finish', "
    "'tile'";

IndexAxis read_axis(LineReader& line) {
  IndexAxis out;
  if (line.accept("axis")) {
    out.axis = line.place();
    if (line.accept("with")) {
      out.low = line.number();
      line.expect("before");
      line.expect("and");
      out.high = line.number();
      line.expect("after");
    }
    return out;
  }
  bool block = line.accept("block");
  if (!block && !line.accept("lane")) {
    line.refuse("'axis', 'block' or 'lane'");
    return out;
  }
  out.kind = block ? IndexAxisKind::Block : IndexAxisKind::Lane;
  out.axis = line.place();
  line.expect("of");
  out.width = line.number();
  return out;
}

IndexSplit read_split(LineReader& line) {
  IndexSplit out;
  line.expect("add");
  out.sum = line.word("the name of a sum");
  if (line.accept("loop")) {
    out.loop = line.place();
  }
  line.expect("by");
  out.lanes = line.accept("lanes");
  if (!out.lanes && !line.accept("blocks")) {
    line.refuse("'lanes' or 'blocks'");
  }
  line.expect("of");
  out.width = line.number();
  line.expect("as");
  out.partial = line.word("a new name");
  return out;
}

// Sizes with names stay words until the kernel is known: of `split` both, of `blocks` and `merge` the count, of `over` the width.
bool read_named(LineReader& line, ScheduleStep& step) {
  if (!line.has_name()) {
    return false;
  }
  bool blocks = step.node.kind != IndexPlanKind::Split && step.node.kind != IndexPlanKind::Over;
  step.name = line.rest("a size", blocks ? "of" : nullptr);
  if (blocks) {
    line.expect("of");
    step.node.width = line.number();
  }
  return true;
}

void read_pair(LineReader& line, const char* between, IndexPlan& node) {
  node.count = line.number();
  line.expect(between);
  node.width = line.number();
}

void read_tab(LineReader& line, ScheduleStep& step) {
  step.node.kind = IndexPlanKind::Tab;
  step.name = line.word("an input's name");
  if (step.name == "tensor" && !line.accept("over")) {
    step.name.clear();
    step.node.inner = line.place();
    line.expect("over");
  } else if (step.name != "tensor") {
    line.expect("over");
  }
  do {
    step.node.over.push_back(line.place());
  } while (line.more());
}

void read_loop(LineReader& line, ScheduleStep& step) {
  if (line.accept("parallel")) {
    step.node.loop = array::LoopKind::Par;
  }
  if (line.accept("each")) {
    step.node.kind = IndexPlanKind::Each;
    step.name = line.rest("how many positions the axis has");
  } else if (line.accept("tiles")) {
    step.node.kind = IndexPlanKind::Tiles;
    read_pair(line, "of", step.node);
    step.node.inner = line.accept("inside") ? line.place() : 0;
  } else if (step.node.loop == array::LoopKind::Par) {
    line.refuse("'each' or 'tiles'");
  } else {
    line.refuse("a step", kSteps);
  }
}

struct Pairs {
  const char* word;
  IndexPlanKind kind;
  const char* between;
};
constexpr Pairs kPairs[] = {{"split", IndexPlanKind::Split, "+"},
                            {"then", IndexPlanKind::Then, "+"},
                            {"blocks", IndexPlanKind::Blocks, "of"},
                            {"merge", IndexPlanKind::Merge, "of"},
                            {"cut", IndexPlanKind::Cut, "of"}};

// A step without its parts.
ScheduleStep read_step(LineReader& line) {
  ScheduleStep step;
  for (const Pairs& pairs : kPairs) {
    if (line.accept(pairs.word)) {
      step.node.kind = pairs.kind;
      bool of_axis = pairs.kind != IndexPlanKind::Then && pairs.kind != IndexPlanKind::Cut;
      if (!of_axis || !read_named(line, step)) {
        read_pair(line, pairs.between, step.node);
      }
      return step;
    }
  }
  if (line.accept("tile")) {
    step.node.kind = IndexPlanKind::Leaf;
    step.node.inner = line.accept("unrolled") ? line.place() : 0;
  } else if (line.accept("finish")) {
    step.node.kind = IndexPlanKind::Finish;
  } else if (line.accept("move")) {
    step.node.kind = IndexPlanKind::Move;
    step.node.inner = line.place();
  } else if (line.accept("over")) {
    step.node.kind = IndexPlanKind::Over;
    step.node.inner = line.place();
    line.expect("to");
    if (!read_named(line, step)) {
      step.node.width = line.number();
    }
  } else if (line.accept("under")) {
    step.node.kind = IndexPlanKind::Under;
    step.node.width = line.number();
  } else if (line.accept("copy")) {
    read_tab(line, step);
  } else {
    read_loop(line, step);
  }
  return step;
}

class Parser {
 public:
  Parser(const SourceRef& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {
    std::string_view text = source->text();
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = std::min(text.find('\n', begin), text.size());
      Line line = words_of(text, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
      if (!line.empty()) {
        lines_.push_back(std::move(line));
      }
      begin = end + 1;
    }
  }

  std::optional<std::vector<ScheduleText>> file() {
    std::vector<ScheduleText> all;
    while (at_ < lines_.size()) {
      auto one = schedule();
      if (!one) {
        return std::nullopt;
      }
      auto same = std::find_if(all.begin(), all.end(), [&](const ScheduleText& s) { return s.kernel == one->kernel; });
      if (same != all.end()) {
        diagnostics_.error(source_, one->span, fmt::format("'{}' has a schedule above already", one->kernel));
        return std::nullopt;
      }
      all.push_back(std::move(*one));
    }
    if (all.empty()) {
      diagnostics_.error(source_, {}, "expected 'schedule NAME', found the end of the file");
    }
    return all.empty() ? std::nullopt : std::optional(std::move(all));
  }

 private:
  std::optional<ScheduleText> schedule() {
    LineReader head(lines_[at_], source_, diagnostics_);
    head.expect("schedule");
    ScheduleText out;
    out.kernel = head.word("the kernel's name");
    if (!head.ended()) {
      return std::nullopt;
    }
    out.span = lines_[at_++][1].span;
    if (at_ < lines_.size() && lines_[at_][0].text == "plain") {
      LineReader plain(lines_[at_++], source_, diagnostics_);
      plain.expect("plain");
      return plain.ended() ? std::optional(std::move(out)) : std::nullopt;
    }
    if (!splits(out) || !copies(out) || !locals(out)) {
      return std::nullopt;
    }
    out.plan = steps();
    return out.plan ? std::optional(std::move(out)) : std::nullopt;
  }

  bool splits(ScheduleText& out) {
    while (at_ < lines_.size() && lines_[at_][0].text == "add") {
      const Line& words = lines_[at_++];
      LineReader line(words, source_, diagnostics_);
      out.splits.push_back({read_split(line), {words.front().span.begin, words.back().span.end}});
      if (!line.ended()) {
        return false;
      }
    }
    return true;
  }

  bool locals(ScheduleText& out) {
    while (at_ < lines_.size() && lines_[at_][0].text == "plan") {
      bool open = false;
      const Line own = without_brace(lines_[at_], open);
      LineReader line(own, source_, diagnostics_);
      line.expect("plan");
      std::string name = line.word("the name of a local");
      if (!line.ended()) {
        return false;
      }
      if (!open) {
        diagnostics_.error(source_, own.back().span, "expected '{' at the end of this line, then the steps of the local's plan");
        return false;
      }
      ++at_;
      auto plan = steps();
      if (!plan || !brace("}")) {
        return false;
      }
      out.locals.push_back({std::move(name), std::move(*plan), own.back().span});
    }
    return true;
  }

  bool copies(ScheduleText& out) {
    while (at_ < lines_.size() && lines_[at_].size() > 2 && lines_[at_][0].text == "copy" && lines_[at_][2].text == "as") {
      bool open = false;
      const Line words = without_brace(lines_[at_++], open);
      LineReader line(words, source_, diagnostics_);
      line.expect("copy");
      ScheduleCopy copy{line.word("an input's name"), {}, {}, {words.front().span.begin, words.back().span.end}};
      line.expect("as");
      do {
        copy.form.push_back(read_axis(line));
      } while (line.accept(","));
      if (!line.ended() || (open && !(copy.plan = steps(), copy.plan && brace("}")))) {
        return false;
      }
      out.copies.push_back(std::move(copy));
    }
    return true;
  }

  // A line's own words, without a brace at its end, which is asked for by `open`.
  static Line without_brace(const Line& words, bool& open) {
    Line own = words;
    open = own.size() > 1 && own.back().text == "{";
    if (open) {
      own.pop_back();
    }
    return own;
  }

  // From here to a tile.
  std::optional<ScheduleStep> steps() {
    if (at_ == lines_.size() || lines_[at_][0].text == "schedule" || lines_[at_][0].text == "}" || ++steps_ > kMostSteps) {
      Span here = at_ < lines_.size() ? lines_[at_][0].span : lines_.back().back().span;
      diagnostics_.error(
          source_, here,
          steps_ > kMostSteps ? fmt::format("a schedule has at most {} steps", kMostSteps) : "the steps end without a 'tile'",
          kSteps);
      return std::nullopt;
    }
    bool open = false;
    const Line own = without_brace(lines_[at_], open);
    LineReader line(own, source_, diagnostics_);
    ScheduleStep step = read_step(line);
    if (!line.ended()) {
      return std::nullopt;
    }
    ++at_;
    step.span = {own.front().span.begin, own.back().span.end};
    bool two = step.node.kind == IndexPlanKind::Split || step.node.kind == IndexPlanKind::Then;
    if (open != two) {
      diagnostics_.error(source_, step.span,
                         two ? "expected '{' at the end of this line, then the steps of the first part"
                             : "only 'split' and 'then' have parts in braces");
      return std::nullopt;
    }
    return rest(std::move(step), two);
  }

  std::optional<ScheduleStep> rest(ScheduleStep step, bool two) {
    if (step.node.kind == IndexPlanKind::Leaf) {
      return step;
    }
    auto first = steps();
    if (!first || (two && !brace("} {"))) {
      return std::nullopt;
    }
    step.parts.push_back(std::move(*first));
    if (two) {
      auto second = steps();
      if (!second || !brace("}")) {
        return std::nullopt;
      }
      step.parts.push_back(std::move(*second));
    }
    return step;
  }

  bool brace(const std::string& expected) {
    const Line* line = at_ < lines_.size() ? &lines_[at_] : nullptr;
    std::string found;
    for (std::size_t k = 0; line != nullptr && k < line->size(); ++k) {
      found += (k > 0 ? " " : "") + (*line)[k].text;
    }
    if (found != expected) {
      diagnostics_.error(source_, line != nullptr ? line->front().span : lines_.back().back().span,
                         fmt::format("expected '{}' on a line of its own, found {}", expected,
                                     line != nullptr ? fmt::format("'{}'", found) : std::string("the end of the file")));
      return false;
    }
    ++at_;
    return true;
  }

  const SourceRef& source_;
  Diagnostics& diagnostics_;
  std::vector<Line> lines_;
  std::size_t at_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<std::vector<ScheduleText>> parse_schedules(const SourceRef& source, Diagnostics& diagnostics) {
  return reads_as_it_looks(source, diagnostics) ? Parser(source, diagnostics).file() : std::nullopt;
}

}  // namespace vouch
