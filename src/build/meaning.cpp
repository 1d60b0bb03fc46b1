#include "build/meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "build/data_reads.h"
#include "build/extrema.h"
#include "build/piecewise.h"
#include "build/windows.h"
#include "graph/contents.h"
#include "graph/foreign.h"
#include "graph/typed_operands.h"
#include "tensor/element.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// What is known of an operand's elements.
struct Elements {
  std::vector<std::int64_t> extents;
  std::vector<Term> values;
};

Term as_scalar(Term element) { return element.sort() == Sort::Int ? real_of(element) : element; }

// first + sum of step * index, if that is what the elements are at every index.
std::optional<Term> affine(const Elements& known, std::span<const Term> at) {
  std::vector<std::int64_t> flat;
  for (Term value : known.values) {
    auto number = value.sort() == Sort::Int ? const_int(value) : std::nullopt;
    if (!number) {
      return std::nullopt;
    }
    flat.push_back(*number);
  }
  std::size_t rank = known.extents.size();
  std::vector<std::int64_t> steps(rank, 0);
  std::int64_t stride = 1;
  for (std::size_t axis = rank; axis-- > 0;) {
    steps[axis] = known.extents[axis] > 1 ? flat[static_cast<std::size_t>(stride)] - flat[0] : 0;
    stride *= known.extents[axis];
  }
  for (std::size_t position = 0; position < flat.size(); ++position) {
    std::int64_t expected = flat[0];
    auto rest = static_cast<std::int64_t>(position);
    for (std::size_t axis = rank; axis-- > 0; rest /= known.extents[axis]) {
      expected += steps[axis] * (rest % known.extents[axis]);
    }
    if (expected != flat[position]) {
      return std::nullopt;
    }
  }
  Term sum(flat[0]);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    sum = sum + Term(steps[axis]) * at[axis];
  }
  return real_of(sum);
}

// A number, where the index is one or the elements are all alike; a term over the index, where they step evenly.
std::optional<Term> element(const Elements& known, std::span<const Term> at) {
  bool alike = std::all_of(known.values.begin(), known.values.end(), [&](Term value) { return value == known.values[0]; });
  if (alike) {
    return as_scalar(known.values[0]);
  }
  std::int64_t flat = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    auto index = const_int(at[axis]);
    if (!index || *index < 0 || *index >= known.extents[axis]) {
      return affine(known, at);
    }
    flat = flat * known.extents[axis] + *index;
  }
  return as_scalar(known.values[static_cast<std::size_t>(flat)]);
}

// Integers, as far as shape arithmetic follows them; of floats only what is one number.
std::optional<Elements> known_elements(const Graph& graph, GraphTensor tensor) {
  Type type = tensor_type(graph, tensor);
  auto extents = type.concrete_extents();
  auto count = extents ? element_count(*extents) : std::nullopt;
  if (!count || *count == 0 || (is_float(type.dtype()) && *count != 1)) {
    return std::nullopt;
  }
  if (graph.has_value(tensor.node)) {
    auto values = contents_of(graph.value(tensor.node));
    return values ? std::optional(Elements{*extents, std::move(*values)}) : std::nullopt;
  }
  const std::vector<Term>* contents = graph.type(tensor.node).is_tuple() ? nullptr : graph.contents(tensor.node);
  bool numbers = contents != nullptr && std::all_of(contents->begin(), contents->end(), [](Term t) { return is_const(t); });
  return numbers ? std::optional(Elements{*extents, *contents}) : std::nullopt;
}

// Statements that the outputs need read these.
std::set<Symbol> names_read(const Kernel& kernel) {
  std::set<Symbol> wanted;
  for (const TensorDecl& output : kernel.outputs) {
    wanted.insert(output.name);
  }
  for (std::size_t s = kernel.statements.size(); s-- > 0;) {
    if (wanted.contains(kernel.statements[s].target)) {
      for (Symbol name : tensors_read(kernel.statements[s].value)) {
        wanted.insert(name);
      }
    }
  }
  return wanted;
}

// Without what no output needs.
void prune(NodeMeaning& meaning) {
  std::set<Symbol> read = names_read(meaning.kernel);
  std::vector<GraphTensor> operands;
  std::vector<TensorDecl> inputs;
  for (std::size_t k = 0; k < meaning.kernel.inputs.size(); ++k) {
    if (read.contains(meaning.kernel.inputs[k].name)) {
      inputs.push_back(meaning.kernel.inputs[k]);
      operands.push_back(meaning.operands[k]);
    }
  }
  meaning.kernel.inputs = std::move(inputs);
  meaning.operands = std::move(operands);
  std::erase_if(meaning.kernel.statements, [&](const Statement& s) { return !read.contains(s.target); });
  std::erase_if(meaning.kernel.locals, [&](const TensorDecl& local) { return !read.contains(local.name); });
}

void put_known(const Graph& graph, NodeMeaning& meaning) {
  std::unordered_map<Symbol, Elements> known;
  for (std::size_t k = 0; k < meaning.kernel.inputs.size(); ++k) {
    if (auto elements = known_elements(graph, meaning.operands[k])) {
      known.emplace(meaning.kernel.inputs[k].name, std::move(*elements));
    }
  }
  for (Statement& statement : meaning.kernel.statements) {
    statement.value = replace_reads(statement.value, [&](Symbol tensor, std::span<const Term> at) {
      auto found = known.find(tensor);
      return found == known.end() ? std::nullopt : element(found->second, at);
    });
  }
}

// A parameter without infinities and NaN.
bool is_finite(const Graph& graph, const NodeMeaning& meaning, Symbol tensor) {
  for (std::size_t k = 0; k < meaning.operands.size(); ++k) {
    if (meaning.kernel.inputs[k].name == tensor && graph.has_value(meaning.operands[k].node)) {
      return all_finite(graph.value(meaning.operands[k].node));
    }
  }
  return false;
}

}  // namespace

std::vector<GraphTensor> tensors_of(const Graph& graph, NodeId node) {
  if (graph.kind(node) == NodeKind::Tuple) {
    std::vector<GraphTensor> all;
    for (NodeId item : graph.operands(node)) {
      for (GraphTensor tensor : tensors_of(graph, item)) {
        all.push_back(tensor);
      }
    }
    return all;
  }
  if (graph.kind(node) == NodeKind::Projection) {
    return {tensors_of(graph, graph.operands(node)[0]).at(graph.projection_index(node))};
  }
  if (!graph.type(node).is_tuple()) {
    return {{node, 0}};
  }
  std::vector<GraphTensor> all;
  for (std::uint32_t item = 0; item < graph.type(node).items().size(); ++item) {
    all.push_back({node, item});
  }
  return all;
}

Type tensor_type(const Graph& graph, GraphTensor tensor) {
  Type type = graph.type(tensor.node);
  return type.is_tuple() ? type.items()[tensor.item] : type;
}

std::optional<Symbol> open_size(const Kernel& kernel) {
  for (const TensorDecl& output : kernel.outputs) {
    for (Term extent : output.extents) {
      for (Symbol name : free_variables(extent)) {
        return name;
      }
    }
  }
  for (const Statement& statement : kernel.statements) {
    for (Symbol name : free_variables(statement.value)) {
      if (std::find(statement.indices.begin(), statement.indices.end(), name) == statement.indices.end()) {
        return name;
      }
    }
  }
  return std::nullopt;
}

// Why a call has no meaning: it is foreign, or its operator is no function of elements.
static std::string without_meaning(const Graph& graph, NodeId node) {
  if (graph.op(node) != foreign_op()) {
    return "the operator has no kernel: what it computes is not one function of elements";
  }
  ForeignCall call = foreign_call(graph.attributes(node));
  bool known = (call.domain.empty() || call.domain == "ai.onnx") && find_op(call.op);
  return known ? "the call is left as it is: what it reads or gives is of no known type, or its form is not in the operator table"
               : fmt::format("the operator table does not define {}", operator_text(graph, node));
}

std::optional<NodeMeaning> meaning_of_node(const Graph& graph, NodeId node, bool plain, std::string& why) {
  const OpDef& def = op_def(graph.op(node));
  if (def.opaque) {
    why = without_meaning(graph, node);
    return std::nullopt;
  }
  auto [types, contents] = typed_operands(graph, node);
  NodeMeaning out;
  for (NodeId operand : graph.operands(node)) {
    for (GraphTensor tensor : operand == kNoNode ? std::vector<GraphTensor>{} : tensors_of(graph, operand)) {
      out.operands.push_back(tensor);
    }
  }
  out.kernel = call_meaning(graph.op(node), types, graph.attributes(node), contents);
  if (out.kernel.outputs.empty()) {
    why = "the operator has no one meaning on operands of which only the sizes are known";
    return std::nullopt;
  }
  put_known(graph, out);
  prune(out);
  if (!plain) {
    separate_windows(out.kernel);
  }
  write_out_extrema(out.kernel);
  take_data_reads_apart(out.kernel, [&](Symbol tensor) { return is_finite(graph, out, tensor); });
  take_choices_apart(out.kernel);
  out.tables = make_tables(out.kernel);
  return out;
}

}  // namespace vouch
