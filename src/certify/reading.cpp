#include "certify/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "certify/coq_text.h"
#include "certify/reading_value.h"
#include "certify/reading_words.h"

namespace vouch::array {
namespace {

constexpr std::size_t kMostText = 6000;
constexpr std::size_t kColumns = 100;

// Lines of at most `kColumns`, broken at spaces; what continues a line is indented more.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t margin = indent + (begin == 0 ? 0 : 2);
    std::size_t end = text.size();
    std::size_t forced = text.find('\n', begin);
    std::size_t width = kColumns - margin;
    if (forced != std::string::npos && forced - begin <= width) {
      end = forced;
    } else if (end - begin > width) {
      std::size_t space = text.rfind(' ', begin + width);
      end = space != std::string::npos && space > begin ? space : std::min(text.find(' ', begin + width), end);
    }
    result += std::string(margin, ' ') + text.substr(begin, end - begin) + "\n";
    begin = std::min(end, text.size() - 1) + 1;
  }
  return result;
}

bool only_numbers(const Type& type) {
  return type->kind == TypeKind::Num || (type->kind == TypeKind::Array && only_numbers(type->parts[0]));
}

std::vector<Size> extents(const Type& type) {
  std::vector<Size> all;
  for (Type at = type; at->kind == TypeKind::Array; at = at->parts[0]) {
    all.push_back(at->size);
  }
  return all;
}

class Statement {
 public:
  Statement(const Program& program, const std::string& by) : program_(program), by_(by), words_(program.sizes) {
    for (const Parameter& input : program.inputs) {
      inputs_.push_back(words_.rename(input.name));
    }
    output_ = words_.rename(program.output.name);
  }

  std::optional<std::string> theorem() {
    std::vector<std::string> indices;
    CellPath path;
    for (std::size_t i = 0; i < extents(program_.output.type).size(); ++i) {
      indices.push_back(words_.enter_index(i));
      path.push_back(CellStep{CellStep::Kind::Element, int_var(indices.back())});
    }
    ValueReader reader(program_, inputs_, words_);
    Written value = reader.read(path, path.size());
    if (!reader.readable() || value.text.size() > kMostText) {
      return std::nullopt;
    }
    return statement(indices, value.text) + proof(value.data);
  }

 private:
  // `let a := fun i1 i2 => before 0 (i1 * n + i2) in`
  std::string accessor(const std::string& name, const Type& type, std::string_view memory, std::size_t variable) const {
    std::string parameters;
    std::string address;
    int number = 0;
    for (const Size& extent : extents(type)) {
      std::string index = fmt::format("i{}", ++number);
      parameters += " " + index;
      address = address.empty()
                    ? index
                    : fmt::format("{} * {} + {}", number > 2 ? "(" + address + ")" : address, words_.size_factor(extent), index);
    }
    std::string cell = address.empty() ? "0" : number > 1 ? "(" + address + ")" : address;
    return fmt::format("let {} := {}{} {} {} in", name, address.empty() ? "" : "fun" + parameters + " => ", memory, variable,
                       cell);
  }

  std::string statement(const std::vector<std::string>& indices, const std::string& value) const {
    std::string sizes;
    for (const std::string& size : words_.sizes()) {
      sizes += (sizes.empty() ? "" : " ") + size;
    }
    std::string list = sizes;
    for (std::size_t at = list.find(' '); at != std::string::npos; at = list.find(' ', at + 2)) {
      list.replace(at, 1, "; ");
    }
    std::string text = wrapped(fmt::format("Theorem computes : forall {}(K : scalars) (before after : mem K),",
                                           sizes.empty() ? "" : "(" + sizes + " : nat) "),
                               0);
    text += wrapped(fmt::format("runs kernel_text [{}] before after ->", list), 2);
    for (const SizeFact& fact : program_.facts) {
      text += wrapped(fmt::format("{} <= {} ->", words_.size(fact.first), words_.size(fact.second)), 2);
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      text += wrapped(accessor(inputs_[i], program_.inputs[i].type, "before", i), 2);
    }
    text += wrapped(accessor(output_, program_.output.type, "after", inputs_.size()), 2);
    std::string cell = output_;
    std::vector<Size> bounds = extents(program_.output.type);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      text += wrapped(fmt::format("forall {0}, {0} < {1} ->", indices[i], words_.size(bounds[i])), 2);
      cell += " " + indices[i];
    }
    return text + wrapped(fmt::format("{} =\n{}.", cell, value), 2);
  }

  // The address of the cell, for Coq to compute with.
  std::string address() const {
    std::string text;
    std::size_t number = 0;
    for (const Size& extent : extents(program_.output.type)) {
      std::string index = fmt::format("(XVar {})", number++);
      text = text.empty() ? index : fmt::format("(XAdd (XMul {} (XSize {})) {})", text, coq_size(extent), index);
    }
    return text.empty() ? "(XSize (SConst 0))" : text;
  }

  // The names are ours: those of the program might hide what the proof speaks of.
  std::string proof(const std::string& value) const {
    std::size_t sizes = words_.sizes().size();
    std::string introduced = numbered("n", sizes, " ") + (sizes == 0 ? "" : " ") + "K before after RUNS";
    std::string facts = "I";
    for (std::size_t i = 0; i < program_.facts.size(); ++i) {
      introduced += fmt::format(" FACT{}", i);
      facts = fmt::format("(conj FACT{} {})", program_.facts.size() - 1 - i, facts);
    }
    std::size_t rank = extents(program_.output.type).size();
    std::string below = "I";
    for (std::size_t i = 0; i < rank; ++i) {
      introduced += fmt::format(" i{0} BELOW{0}", i);
      below = fmt::format("(conj BELOW{} {})", rank - 1 - i, below);
    }
    return fmt::format("Proof.\n  cbv zeta.\n{}  {} RUNS {}\n{}{}    {} {}.\nQed.\n", wrapped("intros " + introduced + ".", 2),
                       by_, rank == 0 ? "(@nil nat)" : "[" + numbered("i", rank, "; ") + "]", wrapped(address(), 4),
                       wrapped(value, 4), facts, below);
  }

  static std::string numbered(std::string_view stem, std::size_t count, std::string_view separator) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text += fmt::format("{}{}{}", i == 0 ? "" : separator, stem, i);
    }
    return text;
  }

  const Program& program_;
  const std::string& by_;
  ReadingWords words_;
  std::vector<std::string> inputs_;
  std::string output_;
};

bool plain(const Program& program) {
  return only_numbers(program.output.type) &&
         std::all_of(program.inputs.begin(), program.inputs.end(), [](const auto& i) { return only_numbers(i.type); });
}

}  // namespace

std::optional<std::string> element_statement(const Program& program, std::size_t indices) {
  if (!plain(program)) {
    return std::nullopt;
  }
  ReadingWords words(program.sizes);
  std::vector<std::string> inputs;
  for (const Parameter& input : program.inputs) {
    inputs.push_back(words.rename(input.name));
  }
  CellPath path;
  for (std::size_t level = 0; level < indices; ++level) {
    path.push_back(element_step(int_var(words.enter_index(level))));
  }
  path.resize(std::min(path.size(), extents(program.output.type).size()));
  ValueReader reader(program, inputs, words, StoredValues::ReadThrough);
  Written value = reader.read(path, indices);
  return reader.readable() ? std::optional(value.data) : std::nullopt;
}

std::optional<std::string> readable_theorem(const Program& program, const std::string& by) {
  return plain(program) ? Statement(program, by).theorem() : std::nullopt;
}

}  // namespace vouch::array
