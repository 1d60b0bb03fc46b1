// What the nodes of an instance mean: kernels of the operator table, substituted into each other.
#include <fmt/format.h>

#include <algorithm>

#include "check/ids.h"
#include "check/instance_state.h"
#include "support/fault.h"
#include "support/hash.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

Term as_scalar(Term element) { return element.sort() == Sort::Int ? real_of(element) : element; }

// The element of known contents at these indices, found by its row-major position.
Term known_element(const std::vector<Term>& contents, const std::vector<Term>& extents, const std::vector<Symbol>& indices) {
  Term flat = 0;
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    flat = flat * extents[axis] + int_var(indices[axis]);
  }
  Term value = contents.empty() ? real_const(0) : as_scalar(contents.back());
  for (std::size_t k = contents.empty() ? 0 : contents.size() - 1; k-- > 0;) {
    value = select(eq(flat, static_cast<std::int64_t>(k)), as_scalar(contents[k]), value);
  }
  return value;
}

// Bits of the integers, and of the significands, that a type holds exactly; what has a sign needs one that has.
int exact_bits(DType dtype) {
  switch (dtype) {
    case DType::Bool: return 1;
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64: return static_cast<int>(8 * byte_size(dtype)) - 1;
    case DType::UInt8:
    case DType::UInt16:
    case DType::UInt32:
    case DType::UInt64: return static_cast<int>(8 * byte_size(dtype));
    case DType::BFloat16: return 8;
    case DType::Float16: return 11;
    case DType::Float32: return 24;
    case DType::Float64: return 53;
  }
  return 0;
}

// Is every value of one type a value of the other? (IEEE 754's formats; float16's range does not hold bfloat16's.)
bool holds_all(DType from, DType to) {
  if (from == to) {
    return true;
  }
  bool narrow = from == DType::BFloat16 && to == DType::Float16;
  bool truth = to == DType::Bool;
  bool fraction = is_float(from) && !is_float(to);
  bool sign = is_integer(from) && is_signed(from) && is_integer(to) && !is_signed(to);
  return !narrow && !truth && !fraction && !sign && exact_bits(from) <= exact_bits(to);
}

// Elements of what was read, and numbers: nothing that its type would have wrapped or rounded.
bool is_moved(Term value) {
  auto all = [&](std::size_t from) {
    return std::all_of(value.args().begin() + static_cast<std::ptrdiff_t>(from), value.args().end(),
                       [](Term arg) { return arg.sort() != Sort::Real || is_moved(arg); });
  };
  switch (value.kind()) {
    case TermKind::Read:
    case TermKind::RealConst: return true;
    case TermKind::Select: return all(1);
    case TermKind::Call: return (value->fn == Fn::Max || value->fn == Fn::Min) && all(0);
    case TermKind::Reduce:
      return (value->reduction == Reduction::Max || value->reduction == Reduction::Min) && is_moved(value.arg(0));
    default: return false;
  }
}

// Elements of one type become elements of another: read, perhaps without their fractions, and stored. What was `computed` in a
// narrow type has no wider one.
bool converts(Term value, DType to, const Kernel& kernel, bool computed) {
  auto any = [&](std::size_t from) {
    return std::any_of(value.args().begin() + static_cast<std::ptrdiff_t>(from), value.args().end(),
                       [&](Term arg) { return arg.sort() == Sort::Real && converts(arg, to, kernel, computed); });
  };
  auto keeps = [&](DType from) { return from == to || (holds_all(from, to) && (!computed || from == DType::Bool)); };
  switch (value.kind()) {
    case TermKind::Read:
      return std::any_of(kernel.inputs.begin(), kernel.inputs.end(),
                         [&](const TensorDecl& input) { return input.name == value->symbol && !keeps(input.dtype); });
    case TermKind::Select: return any(1);
    case TermKind::Call: return (value->fn == Fn::Trunc || value->fn == Fn::Max || value->fn == Fn::Min) && any(0);
    case TermKind::Reduce:
      return (value->reduction == Reduction::Max || value->reduction == Reduction::Min) &&
             converts(value.arg(0), to, kernel, computed);
    default: return false;
  }
}

bool is_of_types(const InstanceNode& node, const std::vector<Type>& operands) {
  return !node.type.is_tensor() || std::all_of(operands.begin(), operands.end(), [&](Type operand) {
    return !operand || (operand.is_tensor() && operand.dtype() == node.type.dtype());
  });
}

class Composer {
 public:
  Composer(Instance& instance, FamilyBook& book) : instance_(instance), book_(book) {}

  void compose(InstanceNode& node) {
    if (!node.bodies.empty()) {
      return;
    }
    switch (node.kind) {
      case InstanceNode::Kind::Input: node.bodies = {input_body(instance_.inputs[node.input])}; return;
      case InstanceNode::Kind::Constant:
        if (node.contents) {  // those of symbolic length are looked at by who takes them
          node.bodies = {known_body(*node.contents, node.type)};
        }
        return;
      case InstanceNode::Kind::Tuple:
        for (InstanceNodeId item : node.operands) {
          const auto& bodies = instance_.nodes[item].bodies;
          node.bodies.insert(node.bodies.end(), bodies.begin(), bodies.end());
        }
        return;
      case InstanceNode::Kind::Projection: project(node); return;
      case InstanceNode::Kind::Call: node.lumps.empty() ? compose_call(node) : compose_join(node); return;
      case InstanceNode::Kind::Family: node.bodies = instance_.nodes[node.operands[0]].bodies; return;
      case InstanceNode::Kind::Branch:
        for (const Body& body : instance_.nodes[node.operands[0]].bodies) {
          node.bodies.push_back({body.indices, substitute(body.value, node.index, node.branch)});
        }
        return;
      case InstanceNode::Kind::Cut: return;  // its pieces have bodies
    }
  }

 private:
  static Body known_body(const std::vector<Term>& contents, Type type) {
    Body body{index_symbols(type.rank()), {}};
    body.value = known_element(contents, type.extents(), body.indices);
    return body;
  }

  static Body input_body(const InputTensor& input) {
    Body body{index_symbols(input.type.rank()), {}};
    if (input.fill) {
      body.value = as_scalar(*input.fill);
      return body;
    }
    if (input.contents) {
      return known_body(*input.contents, input.type);
    }
    std::vector<Term> at;
    if (input.family) {
      at.push_back(int_var(*input.family));
    }
    for (Symbol index : body.indices) {
      at.push_back(int_var(index));
    }
    body.value = read(input.name, std::move(at));
    return body;
  }

  void project(InstanceNode& node) const {
    const InstanceNode& tuple = instance_.nodes[node.operands[0]];
    std::size_t begin = 0;
    for (std::uint32_t k = 0; k < node.item; ++k) {
      begin += flat_types(tuple.type.items()[k]).size();
    }
    std::size_t count = flat_types(node.type).size();
    for (std::size_t k = begin; k < begin + count; ++k) {
      node.bodies.push_back(tuple.bodies[k]);
    }
  }

  // Does the call make elements of one type elements of another, as the operator table writes it?
  bool is_conversion(const InstanceNode& node, const std::vector<Type>& types, const KnownContents& contents,
                     const std::vector<const Body*>& bodies) const {
    if (is_of_types(node, types)) {
      return false;
    }
    bool computed = std::any_of(bodies.begin(), bodies.end(), [](const Body* body) { return !is_moved(body->value); });
    Kernel kernel = call_meaning(node.op, types, node.attributes, contents);
    return std::any_of(kernel.statements.begin(), kernel.statements.end(), [&](const Statement& statement) {
      return std::any_of(kernel.outputs.begin(), kernel.outputs.end(), [&](const TensorDecl& output) {
        return output.name == statement.target && converts(statement.value, output.dtype, kernel, computed);
      });
    });
  }

  // What an element becomes in another type (wrapped, rounded, or undefined) has no term yet: the result is a tensor of which
  // only this is known, that the same call on the same elements gives it again.
  void compose_opaque(InstanceNode& node, const std::vector<const Body*>& bodies) const {
    std::string call = fmt::format("{} {}", op_def(node.op).name, node.attributes.text());
    for (InstanceNodeId operand : node.operands) {
      call += operand == kNoInstanceNode ? " _" : " " + instance_.nodes[operand].type.text();
    }
    for (const Body* body : bodies) {
      call += " " + print_term(body->value);
    }
    constexpr std::size_t kDigits = 16;
    Body body{index_symbols(node.type.rank()), {}};
    std::vector<Term> indices;
    for (Symbol index : body.indices) {
      indices.push_back(int_var(index));
    }
    std::string name = fmt::format("{} #{}", op_def(node.op).name, content_hash(call).substr(0, kDigits));
    body.value = read(Symbol(name), std::move(indices));
    node.bodies = {std::move(body)};
  }

  void compose_call(InstanceNode& node) const {
    compose_meaning(node);
    if (node.bodies.empty()) {  // what it means is decided by operands that are not known
      instance_.unsupported = fmt::format("{} has no one meaning on these operands", op_def(node.op).name);
      for (Type type : flat_types(node.type)) {
        node.bodies.push_back({index_symbols(type.rank()), real_const(0)});
      }
    }
  }

  void compose_meaning(InstanceNode& node) const {
    std::vector<Type> types;
    std::vector<std::optional<std::vector<Term>>> known;
    std::vector<const Body*> bodies;
    for (InstanceNodeId operand : node.operands) {
      types.push_back(operand == kNoInstanceNode ? Type() : instance_.nodes[operand].type);
      known.push_back(operand == kNoInstanceNode ? std::nullopt : known_of(instance_.nodes[operand]));
      if (operand != kNoInstanceNode) {
        for (const Body& body : instance_.nodes[operand].bodies) {
          bodies.push_back(&body);
        }
      }
    }
    KnownContents contents;
    for (const auto& elements : known) {
      contents.push_back(elements ? &*elements : nullptr);
    }
    if (is_conversion(node, types, contents, bodies)) {
      return compose_opaque(node, bodies);
    }
    if (std::any_of(known.begin(), known.end(), [](const auto& elements) { return elements.has_value(); })) {
      node.bodies = composed_call(node, types, known, bodies);
      return;
    }
    // Operators with the same operands come back in one instance after the other.
    thread_local std::unordered_map<Ids, std::vector<Body>, IdsHash> remembered;
    Ids call{&op_def(node.op), node.attributes.id()};
    for (Type type : types) {
      call.push_back(type.id());
    }
    for (const Body* body : bodies) {
      call.push_back(body->value.id());
    }
    auto [at, is_new] = remembered.try_emplace(std::move(call));
    if (is_new) {
      at->second = composed_call(node, types, known, bodies);
    }
    node.bodies = at->second;
  }

  static std::vector<Body> composed_call(const InstanceNode& node, const std::vector<Type>& types,
                                         const std::vector<std::optional<std::vector<Term>>>& known,
                                         const std::vector<const Body*>& bodies) {
    KnownContents contents;
    for (const auto& elements : known) {
      contents.push_back(elements ? &*elements : nullptr);
    }
    Kernel kernel = call_meaning(node.op, types, node.attributes, contents);
    ensure(kernel.inputs.size() == bodies.size(), "a kernel reads its operands in order");
    std::unordered_map<Symbol, Body> at;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      at.emplace(kernel.inputs[k].name, *bodies[k]);
    }
    for (const Statement& statement : kernel.statements) {
      at.insert_or_assign(statement.target, composed(statement, at));
    }
    std::vector<Body> out;
    for (const TensorDecl& output : kernel.outputs) {
      out.push_back(at.at(output.name));
    }
    return out;
  }

  // The operator on what stands before a branch, the branch, and what stands after it: for the branch in which the element lies.
  void compose_join(InstanceNode& node) const {
    const Body& item = instance_.nodes[node.operands[0]].bodies[0];
    Kernel kernel = call_meaning(node.op, {Type::tuple(node.lumps)}, node.attributes, {nullptr});
    ensure(kernel.inputs.size() == 3 && kernel.outputs.size() == 1, "a join reads its three operands");
    std::unordered_map<Symbol, Body> at;
    at.emplace(kernel.inputs[1].name, item);
    for (std::size_t k : {0U, 2U}) {  // of these only the sizes are known
      Body other{item.indices, {}};
      std::vector<Term> indices;
      for (Symbol index : other.indices) {
        indices.push_back(int_var(index));
      }
      other.value = read(Symbol(k == 0 ? "what is before a branch" : "what is after a branch"), std::move(indices));
      at.emplace(kernel.inputs[k].name, std::move(other));
    }
    for (const Statement& statement : kernel.statements) {
      at.insert_or_assign(statement.target, composed(statement, at));
    }
    Body body = at.at(kernel.outputs[0].name);
    Type middle = node.lumps[1];
    auto branch = book_.position(node.index, middle.extents()[node.item], node.length, int_var(body.indices[node.item]));
    if (!branch) {
      instance_.unsupported = "the branch of a position along a concatenation";
      branch = Term(0);
    }
    body.value = substitute(body.value, node.index, *branch);
    node.bodies = {std::move(body)};
  }

  static Body composed(const Statement& statement, const std::unordered_map<Symbol, Body>& at) {
    Body body{index_symbols(statement.indices.size()), {}};
    Substitution rename;
    for (std::size_t axis = 0; axis < statement.indices.size(); ++axis) {
      rename.emplace(statement.indices[axis], int_var(body.indices[axis]));
    }
    // Renamed first, what reads the same element of an operand takes its body as it is.
    body.value = replace_reads(substitute(statement.value, rename), [&](Symbol tensor, std::span<const Term> indices) {
      auto found = at.find(tensor);
      return found == at.end() ? std::nullopt : std::optional(element_at(found->second, {indices.begin(), indices.end()}));
    });
    return body;
  }

  std::optional<std::vector<Term>> known_of(const InstanceNode& node) const {
    if (node.kind != InstanceNode::Kind::Tuple) {
      return node.contents;
    }
    std::vector<Term> all;
    for (InstanceNodeId item : node.operands) {
      const auto& elements = instance_.nodes[item].contents;
      if (!elements) {
        return std::nullopt;
      }
      all.insert(all.end(), elements->begin(), elements->end());
    }
    return all;
  }

  Instance& instance_;
  FamilyBook& book_;
};

}  // namespace

std::vector<Symbol> index_symbols(std::size_t rank) {
  thread_local std::vector<Symbol> all;
  while (all.size() < rank) {
    all.emplace_back(fmt::format("@{}", all.size()));
  }
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank)};
}

std::vector<Term> assumed(const Instance& instance) {
  std::vector<Term> all;
  for (const FreeSymbol& symbol : instance.symbols) {
    if (symbol.at_least) {
      all.push_back(ge(int_var(symbol.name), *symbol.at_least));
    }
  }
  for (const InstanceCondition& c : instance.assumptions) {
    all.push_back(c.guard);
  }
  return all;
}

Term element_at(const Body& body, const std::vector<Term>& indices) {
  ensure(indices.size() == body.indices.size(), "one index for each axis");
  Substitution replacements;
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    if (indices[axis] != int_var(body.indices[axis])) {
      replacements.emplace(body.indices[axis], indices[axis]);
    }
  }
  return replacements.empty() ? body.value : substitute(body.value, replacements);
}

void compose_bodies(Instance& instance, FamilyBook& book) {
  Composer composer(instance, book);
  for (InstanceNode& node : instance.nodes) {
    composer.compose(node);
  }
  for (InstanceOutput& output : instance.outputs) {
    output.source_body = instance.nodes[output.source].bodies[output.part];
    output.target_body = instance.nodes[output.target].bodies[output.part];
  }
}

}  // namespace vouch
