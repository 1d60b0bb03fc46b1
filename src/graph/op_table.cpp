#include "graph/op_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "graph/contents.h"
#include "graph/foreign.h"
#include "graph/operand_types.h"
#include "graph/ops/themes.h"
#include "support/fault.h"

namespace vouch {
namespace {

struct Table {
  std::vector<OpDef> defs;
  std::vector<OperandTypes> types;  // by number, too
  std::unordered_map<std::string_view, OpId> ids;
};

Table build_table() {
  Table table;
  for (auto theme : {arithmetic_ops,
                     unary_ops,
                     activation_ops,
                     logic_ops,
                     product_ops,
                     contraction_ops,
                     convolution_ops,
                     pooling_ops,
                     normalization_ops,
                     layer_normalization_ops,
                     reduction_ops,
                     softmax_ops,
                     shape_ops,
                     expanding_ops,
                     joining_ops,
                     slicing_ops,
                     padding_ops,
                     gathering_ops,
                     resampling_ops,
                     constant_ops,
                     fused_ops,
                     quantization_ops,
                     quantized_ops,
                     loss_ops,
                     opaque_ops,
                     scanning_ops,
                     group_normalization_ops,
                     scattering_ops,
                     attention_ops,
                     rotary_embedding_ops}) {
    for (OpDef& def : theme()) {
      table.types.push_back(operand_types_of(def.name));
      table.defs.push_back(std::move(def));
    }
  }
  for (std::size_t i = 0; i < table.defs.size(); ++i) {
    const OpDef& def = table.defs[i];
    ensure(def.define != nullptr, fmt::format("operator {} has a definition", def.name));
    ensure(table.ids.emplace(def.name, static_cast<OpId>(i)).second, fmt::format("operator {} is declared once", def.name));
  }
  return table;
}

const Table& table() {
  static const auto* the_table = new Table(build_table());
  return *the_table;
}

// What typing remembers a call by: all that it looks at.
struct CallKey {
  OpId op;
  SizeDomain sizes;
  const void* attributes;
  std::vector<Type> operands;
  std::vector<const void*> contents;  // the known elements of each operand, each list after a null and its place
  friend bool operator==(const CallKey&, const CallKey&) = default;
};

struct CallKeyHash {
  std::size_t operator()(const CallKey& key) const {
    std::size_t h = key.op * 0x9e3779b97f4a7c15ULL ^ std::hash<const void*>()(key.attributes);
    for (Type type : key.operands) {
      h = (h ^ std::hash<Type>()(type)) * 0xff51afd7ed558ccdULL;
    }
    for (const void* element : key.contents) {
      h = (h ^ std::hash<const void*>()(element)) * 0xff51afd7ed558ccdULL;
      h ^= h >> 32;
    }
    return h;
  }
};

// Lists of axes and sizes come back; long ones are data of a model, and do not.
bool is_short(const KnownContents& contents) {
  constexpr std::size_t kMostElements = 32;
  std::size_t elements = 0;
  for (const std::vector<Term>* known : contents) {
    elements += known != nullptr ? known->size() : 0;
  }
  return elements <= kMostElements;
}

std::vector<const void*> ids_of(const KnownContents& contents) {
  std::vector<const void*> out;
  for (std::size_t k = 0; k < contents.size(); ++k) {
    if (contents[k] != nullptr) {
      out.push_back(nullptr);
      out.push_back(reinterpret_cast<const void*>(k));
      for (Term element : *contents[k]) {
        out.push_back(element.id());
      }
    }
  }
  return out;
}

std::string operand_error(const OpDef& def, const std::vector<Type>& operands) {
  for (std::size_t i = 0; i < def.operands.size(); ++i) {
    const OperandDef& declared = def.operands[i];
    bool given = i < operands.size() && operands[i];
    bool tuple = declared.kind == OperandKind::Tuple || declared.kind == OperandKind::OptionalTuple;
    if (!given && (declared.kind == OperandKind::Required || declared.kind == OperandKind::Tuple)) {
      return fmt::format("{} needs its operand {} ({})", def.name, i + 1, declared.name);
    }
    if (given && !def.opaque && has_foreign(operands[i])) {
      return fmt::format("operand {} ({}) of {} must be a {}, found {}", i + 1, declared.name, def.name,
                         tuple ? "tuple of tensors" : "tensor", operands[i].text());
    }
    if (given && operands[i].is_tuple() != tuple) {
      return fmt::format("operand {} ({}) of {} must be a {}, found {}", i + 1, declared.name, def.name,
                         tuple ? "tuple" : "tensor", operands[i].text());
    }
  }
  return {};
}

// The first operand with an element type that it cannot have.
std::optional<std::size_t> operand_of_wrong_type(OpId op, const std::vector<Type>& operands) {
  for (std::size_t i = 0; i < operands.size() && !op_def(op).opaque; ++i) {
    std::vector<Type> tensors = operands[i] && operands[i].is_tuple() ? operands[i].items() : std::vector<Type>{operands[i]};
    bool fits = std::all_of(tensors.begin(), tensors.end(), [&](Type tensor) {
      return !tensor || !tensor.is_tensor() || operand_types(op).of(i).contains(tensor.dtype());
    });
    if (!fits) {
      return i;
    }
  }
  return std::nullopt;
}

std::string wrong_type(OpId op, std::size_t operand, Type found) {
  return fmt::format("operand {} must be a {} of {}, found {}", op_def(op).operands[operand].name,
                     found.is_tuple() ? "tuple of tensors" : "tensor", operand_types(op).of(operand).text(), found.text());
}

OpContext make_context(const OpDef& def, const std::vector<Type>& operands, AttrDict attributes, const KnownContents& contents,
                       SizeDomain sizes, bool want_meaning) {
  OpContext context(def, operands, attributes);
  context.set_size_domain(sizes);
  context.want_meaning(want_meaning);
  for (std::size_t i = 0; i < contents.size() && i < operands.size(); ++i) {
    if (contents[i]) {
      context.set_contents(i, *contents[i]);
    }
  }
  def.define(context);
  return context;
}

bool extents_are_non_negative(const std::vector<Type>& results) {
  return std::all_of(results.begin(), results.end(), [](Type type) {
    return !type.is_tensor() ||
           std::none_of(type.extents().begin(), type.extents().end(), [](Term extent) { return is_false(le(0, extent)); });
  });
}

CallTyping infer(OpId op, const std::vector<Type>& operands, AttrDict attributes, const KnownContents& contents,
                 SizeDomain sizes) {
  const OpDef& def = op_def(op);
  CallTyping typing;
  typing.error = operand_error(def, operands);
  if (!typing.error.empty()) {
    return typing;
  }
  if (auto wrong = operand_of_wrong_type(op, operands)) {
    typing.error = wrong_type(op, *wrong, operands[*wrong]);
    typing.blame = {.operands = std::uint64_t{1} << std::min<std::size_t>(*wrong, 63), .attributes = false};
    return typing;
  }
  bool folds = may_fold_contents(def, operands, contents);
  OpContext context = make_context(def, operands, attributes, contents, sizes, folds);
  typing.error = context.error();
  typing.blame = typing.error.empty() ? Blame{} : context.blame();
  typing.undecided = context.undecided();
  typing.number_wanted = context.number_wanted();
  auto listed = typing.error.empty() ? listed_results(def, attributes) : std::nullopt;
  typing.results = listed ? std::move(*listed) : context.result_types();
  typing.conditions = context.conditions();
  typing.supposed_not_empty = context.supposed_not_empty();
  typing.data_condition = context.data_condition();
  typing.reusable = !context.made_fresh_extent();
  if (typing.error.empty() && !extents_are_non_negative(typing.results)) {
    typing.error = fmt::format("the result of {} would have a negative size: {}", def.name, typing.results[0].text());
  }
  if (typing.error.empty() && folds) {
    typing.contents = fold_contents(def, context, contents);
  }
  return typing;
}

}  // namespace

const OpDef& op_def(OpId op) { return table().defs[op]; }

const OperandTypes& operand_types(OpId op) { return table().types[op]; }

std::optional<OpId> find_op(std::string_view name) {
  auto found = table().ids.find(name);
  return found == table().ids.end() ? std::nullopt : std::optional(found->second);
}

std::size_t op_count() { return table().defs.size(); }

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const OpDef& def : table().defs) {
    names.emplace_back(def.name);
  }
  return names;
}

std::shared_ptr<const CallTyping> type_call(OpId op, const std::vector<Type>& operands, AttrDict attributes,
                                            const KnownContents& contents, SizeDomain sizes) {
  thread_local std::unordered_map<CallKey, std::shared_ptr<const CallTyping>, CallKeyHash> remembered;
  if (!is_short(contents)) {
    return std::make_shared<const CallTyping>(infer(op, operands, attributes, contents, sizes));
  }
  CallKey key{op, sizes, attributes.id(), operands, ids_of(contents)};
  if (auto found = remembered.find(key); found != remembered.end()) {
    return found->second;
  }
  auto typing = std::make_shared<const CallTyping>(infer(op, operands, attributes, contents, sizes));
  if (typing->reusable) {
    remembered.emplace(std::move(key), typing);
  }
  return typing;
}

static OpContext meaning_context(OpId op, const std::vector<Type>& operands, AttrDict attributes, const KnownContents& contents,
                                 SizeDomain sizes) {
  const OpDef& def = op_def(op);
  ensure(!def.opaque, "an opaque operator has no kernel");
  OpContext context = make_context(def, operands, attributes, contents, sizes, true);
  ensure(!context.failed(), "the meaning of an ill-typed call is asked for");
  return context;
}

Kernel call_meaning(OpId op, const std::vector<Type>& operands, AttrDict attributes, const KnownContents& contents,
                    SizeDomain sizes) {
  return meaning_context(op, operands, attributes, contents, sizes).meaning();
}

std::shared_ptr<const Kernel> shared_meaning(OpId op, const std::vector<Type>& operands, AttrDict attributes,
                                             const KnownContents& contents) {
  constexpr std::size_t kMostRemembered = 1024;
  thread_local std::unordered_map<CallKey, std::shared_ptr<const Kernel>, CallKeyHash> remembered;
  CallKey key{op, SizeDomain::AtLeastOne, attributes.id(), operands, {}};
  if (is_short(contents)) {
    key.contents = ids_of(contents);
    if (auto found = remembered.find(key); found != remembered.end()) {
      return found->second;
    }
  }
  OpContext context = meaning_context(op, operands, attributes, contents, SizeDomain::AtLeastOne);
  auto meaning = std::make_shared<const Kernel>(context.meaning());
  if (is_short(contents) && !context.made_fresh_extent()) {
    if (remembered.size() >= kMostRemembered) {
      remembered.clear();
    }
    remembered.emplace(std::move(key), meaning);
  }
  return meaning;
}

}  // namespace vouch
