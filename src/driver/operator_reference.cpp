#include "driver/operator_reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "driver/operator_kernel.h"
#include "graph/op_table.h"
#include "graph/operand_types.h"
#include "notation/show_tk.h"

namespace vouch {
namespace {

std::string_view type_word(AttrType type) {
  switch (type) {
    case AttrType::Int: return "integer";
    case AttrType::Float: return "number";
    case AttrType::String: return "text";
    case AttrType::Ints: return "integers";
    case AttrType::IntOrInts: return "integer or integers";
    case AttrType::Floats: return "numbers";
    case AttrType::Strings: return "texts";
    case AttrType::Tensor: return "tensor";
    case AttrType::DType: return "element type";
    case AttrType::Graph: return "graph";
    case AttrType::Tuple: return "tuple";
  }
  return "";
}

std::string default_word(const AttrDef& attr) {
  if (std::holds_alternative<Required>(attr.otherwise)) {
    return "required";
  }
  if (attr.each_if_absent) {
    return fmt::format("each {}", *attr.each_if_absent);
  }
  if (const auto* whole = std::get_if<std::int64_t>(&attr.otherwise)) {
    return std::to_string(*whole);
  }
  if (const auto* real = std::get_if<double>(&attr.otherwise)) {
    return fmt::format("{}", *real);
  }
  const auto* text = std::get_if<std::string_view>(&attr.otherwise);
  return text != nullptr ? fmt::format("\"{}\"", *text) : "absent";
}

std::string operand_table(const OpDef& def) {
  std::string out = def.operands.empty() ? "" : "\n| operand | elements |\n|---|---|\n";
  for (std::size_t k = 0; k < def.operands.size(); ++k) {
    out += fmt::format("| `{}` | {} |\n", def.operands[k].name, operand_types_of(def.name).of(k).text());
  }
  return out;
}

std::string attribute_table(const OpDef& def) {
  std::string out = def.attributes.empty() ? "" : "\n| attribute | type | otherwise |\n|---|---|---|\n";
  for (const AttrDef& attr : def.attributes) {
    std::string choices = attr.choices.empty() ? "" : fmt::format(": {}", fmt::join(attr.choices, ", "));
    out += fmt::format("| `{}` | {}{} | {} |\n", attr.name, type_word(attr.type), choices, default_word(attr));
  }
  return out;
}

bool lists(const OpDef& def) {
  return std::any_of(def.operands.begin(), def.operands.end(), [](const OperandDef& operand) {
    return operand.kind == OperandKind::Tuple || operand.kind == OperandKind::OptionalTuple;
  });
}

// The kernel of the first small operands that are legal, every attribute as it is where it is not given. The fourth operand and
// those after it are like the third.
std::optional<TkKernel> example_kernel(const OpDef& def) {
  static constexpr std::array<const char*, 7> kShapes = {"2,3", "3,4", "3", "1,2,4,4", "3,2,3,3", "2", "2,3,4"};
  auto required = static_cast<std::size_t>(std::count_if(
      def.operands.begin(), def.operands.end(), [](const OperandDef& operand) { return operand.kind == OperandKind::Required; }));
  std::size_t tries = 1;
  for (std::size_t k = 0; k < std::min<std::size_t>(required, 3); ++k) {
    tries *= kShapes.size();
  }
  for (std::size_t t = 0; t < tries && !lists(def); ++t) {
    OperatorCall call{std::string(def.name), {}, {}};
    std::size_t rest = t;
    for (std::size_t k = 0; k < required; ++k) {
      call.operands.push_back(k < 3 ? kShapes[rest % kShapes.size()] : call.operands[2]);
      rest /= kShapes.size();
    }
    Diagnostics illegal;
    if (auto kernel = operator_kernel(call, illegal)) {
      return kernel;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string operator_signature(const OpDef& def) {
  std::string operands;
  for (const OperandDef& operand : def.operands) {
    operands += fmt::format("{}{}{}", operands.empty() ? "" : ", ", operand.name,
                            operand.kind == OperandKind::Optional ? "?"
                            : operand.kind == OperandKind::Tuple  ? "…"
                                                                  : "");
  }
  std::string attributes;
  for (const AttrDef& attr : def.attributes) {
    attributes += fmt::format("{}{}", attributes.empty() ? " {" : ", ", attr.name);
  }
  return fmt::format("{}({}){}", def.name, operands, attributes.empty() ? "" : attributes + "}");
}

std::string operator_page(const OpDef& def) {
  std::string out = fmt::format("`{}`\n", operator_signature(def));
  std::vector<std::string_view> traits;
  for (auto [holds, word] : {std::pair(def.traits.commutative, "commutative"), std::pair(def.traits.elementwise, "elementwise"),
                             std::pair(def.opaque, "opaque: typed and left alone")}) {
    if (holds) {
      traits.emplace_back(word);
    }
  }
  out += traits.empty() ? "" : fmt::format("\n{}.\n", fmt::join(traits, ", "));
  out += operand_table(def) + attribute_table(def);
  auto kernel = def.opaque ? std::nullopt : example_kernel(def);
  return kernel ? fmt::format("{}\n```\n{}```\n", out, print_tk(*kernel)) : out;
}

ExitCode list_operators(const OpsCommand& command) {
  if (!command.name.empty() && !find_op(command.name)) {
    Diagnostics diagnostics;
    auto near = suggest(command.name, op_names());
    diagnostics.error_at("ops", fmt::format("there is no operator '{}'", command.name),
                         near ? fmt::format("did you mean '{}'?", *near) : "'vouch ops' lists them");
    return give_up(diagnostics);
  }
  if (command.markdown && command.name.empty()) {
    fmt::print(
        "# Operators\n\nWritten by `vouch ops --markdown` from the operator table. A formula is the operator's one definition in "
        "index "
        "notation, shown at small sizes with attributes left out; other sizes and attributes have other formulas, from the same "
        "definition. Operators without one read lists from their operands, need attributes, or take any number of operands.\n");
  }
  for (const std::string& name : command.name.empty() ? op_names() : std::vector{command.name}) {
    const OpDef& def = op_def(*find_op(name));
    if (command.markdown || !command.name.empty()) {
      fmt::print("\n## {}\n\n{}", name, operator_page(def));
    } else {
      fmt::print("{}\n", operator_signature(def));
    }
  }
  return ExitCode::Ok;
}

}  // namespace vouch
