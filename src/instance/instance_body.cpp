// What the nodes of an instance mean: kernels of the operator table, substituted into each other.
#include <fmt/format.h>

#include <algorithm>

#include "facts/ids.h"
#include "instance/conversions.h"
#include "instance/instance_state.h"
#include "instance/own_meaning.h"
#include "instance/stores.h"
#include "instance/wrapping.h"
#include "support/fault.h"
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

class Composer {
 public:
  Composer(Instance& instance, FamilyBook& book) : instance_(instance), book_(book), stores_(instance) {}

  void compose(InstanceNode& node) {
    if (node.kind == InstanceNode::Kind::Constant) {
      return compose_constant(node);
    }
    if (!node.bodies.empty()) {
      return;
    }
    switch (node.kind) {
      case InstanceNode::Kind::Input: node.bodies = {input_body(instance_.inputs[node.input])}; return;
      case InstanceNode::Kind::Constant: return;
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
  // What the target computes for a constant becomes an element of its type.
  void compose_constant(InstanceNode& node) const {
    if (node.bodies.empty() && node.contents) {  // those of symbolic length are looked at by who takes them
      node.bodies = {known_body(*node.contents, node.type)};
    }
    for (Body& body : node.bodies) {
      body.value = stores_.stored(node.type.dtype(), body.value);
    }
  }

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

  void compose_call(InstanceNode& node) const {
    compose_meaning(node);
    if (node.bodies.empty()) {  // what it means is decided by operands that are not known
      instance_.unsupported = fmt::format("{} has no one meaning on these operands", op_def(node.op).name);
      for (Type type : flat_types(node.type)) {
        node.bodies.push_back({index_symbols(type.rank()), real_const(0)});
      }
    }
  }

  // What a target computes for a float attribute is rounded, and so is each item of a list of floats.
  AttrDict rounded(const InstanceNode& node) const {
    const std::vector<AttrDef>& attributes = op_def(node.op).attributes;
    std::vector<AttrDict::Entry> entries(node.attributes.entries().begin(), node.attributes.entries().end());
    bool changed = false;
    for (const AttrDef& def : attributes) {
      bool floats = def.type == AttrType::Float || def.type == AttrType::Floats;
      for (std::size_t k = 0; floats && k < entries.size(); ++k) {
        AttrValue value = entries[k].first == Symbol(def.name) ? rounded(entries[k].second) : entries[k].second;
        changed = changed || value != entries[k].second;
        entries[k].second = std::move(value);
      }
    }
    return changed ? AttrDict(entries) : node.attributes;
  }

  AttrValue rounded(const AttrValue& value) const {
    if (const AttrTuple* items = value.tuple()) {
      AttrTuple out;
      std::transform(items->begin(), items->end(), std::back_inserter(out),
                     [this](const AttrValue& item) { return rounded(item); });
      return AttrValue(std::move(out));
    }
    return value.number() != nullptr ? AttrValue(attribute_of(*value.number(), is_of_float64(*value.number()))) : value;
  }

  bool is_of_float64(Term number) const {
    return std::any_of(instance_.inputs.begin(), instance_.inputs.end(), [number](const InputTensor& input) {
      bool listed = input.contents && std::find(input.contents->begin(), input.contents->end(), number) != input.contents->end();
      return input.type.is_tensor() && input.type.dtype() == DType::Float64 && (listed || input.fill == number);
    });
  }

  void compose_meaning(InstanceNode& node) const {
    AttrDict attributes = node.of_target ? rounded(node) : node.attributes;
    const KnownOperands known(instance_, node.operands);
    const std::vector<const Body*> bodies = operand_bodies(instance_, node);
    // Operators with the same operands come back in one instance after the other.
    thread_local std::unordered_map<Ids, Composed, WordsHash> remembered;
    auto [at, is_new] = remembered.try_emplace(key_of(node, attributes, known, bodies));
    if (is_new) {
      at->second = composed_call(node, attributes, known, bodies);
    }
    take(node, at->second);
  }

  // All that decides what the call computes. (The indices of a body are those of its rank.)
  Ids key_of(const InstanceNode& node, AttrDict attributes, const KnownOperands& known,
             const std::vector<const Body*>& bodies) const {
    Ids call{&op_def(node.op),
             attributes.id(),
             reinterpret_cast<const void*>(stores_.key()[0]),
             reinterpret_cast<const void*>(stores_.key()[1]),
             reinterpret_cast<const void*>(node.sizes),
             node.type.id(),
             reinterpret_cast<const void*>(known.types.size())};
    for (Type type : known.types) {
      call.push_back(type.id());
    }
    for (const Body* body : bodies) {
      call.push_back(body->value.id());
    }
    for (std::size_t k = 0; k < known.contents.size(); ++k) {
      if (known.contents[k] != nullptr) {
        call.push_back(nullptr);
        call.push_back(reinterpret_cast<const void*>(k));
        for (Term element : *known.contents[k]) {
          call.push_back(element.id());
        }
      }
    }
    return call;
  }

  struct Composed {
    std::vector<Body> bodies;
    bool converts = false;
  };

  static void take(InstanceNode& node, const Composed& composed) {
    node.bodies = composed.bodies;
    node.converts = composed.converts;
  }

  Composed composed_call(const InstanceNode& node, AttrDict attributes, const KnownOperands& known,
                         const std::vector<const Body*>& bodies) const {
    Kernel kernel = call_meaning(node.op, known.types, attributes, known.contents, node.sizes);
    ensure(kernel.inputs.size() == bodies.size(), "a kernel reads its operands in order");
    const Conversions conversions(node, kernel, known.types, bodies);
    Composed out;
    std::unordered_map<Symbol, Body> at;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      at.emplace(kernel.inputs[k].name, *bodies[k]);
    }
    for (const Statement& statement : kernel.statements) {
      Body body = composed_statement(statement, at);
      DType to = type_of(kernel, statement.target);
      out.converts = out.converts || conversions.is_any(statement);
      auto from = conversions.from(statement);
      body.value = from ? stores_.converted(*from, to, body.value) : stores_.stored(to, body.value);
      out.converts = out.converts || has_conversions(body.value);  // of integers that lose fractions, too
      at.insert_or_assign(statement.target, std::move(body));
    }
    for (const TensorDecl& output : kernel.outputs) {
      out.bodies.push_back(at.at(output.name));
    }
    return out;
  }

  // The operator on what stands before a branch, the branch, and what stands after it: for the branch in which the element lies.
  void compose_join(InstanceNode& node) const {
    const Body& item = instance_.nodes[node.operands[0]].bodies[0];
    Kernel kernel = call_meaning(node.op, {Type::tuple(node.lumps)}, node.attributes, {nullptr}, node.sizes);
    ensure(kernel.inputs.size() == 3 && kernel.outputs.size() == 1, "a join reads its three operands");
    std::unordered_map<Symbol, Body> at;
    at.emplace(kernel.inputs[1].name, item);
    for (std::size_t k : {0U, 2U}) {  // of these only the sizes are known
      Body other{item.indices, {}};
      std::vector<Term> indices;
      for (Symbol index : other.indices) {
        indices.push_back(int_var(index));
      }
      other.value = read(beside_a_branch(node.type.dtype(), k != 0), std::move(indices));
      at.emplace(kernel.inputs[k].name, std::move(other));
    }
    for (const Statement& statement : kernel.statements) {
      at.insert_or_assign(statement.target, composed_statement(statement, at));
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

  static DType type_of(const Kernel& kernel, Symbol target) {
    const TensorDecl* output = declared(kernel.outputs, target);
    const TensorDecl* tensor = output != nullptr ? output : declared(kernel.locals, target);
    ensure(tensor != nullptr, "a statement has a tensor to store into");
    return tensor->dtype;
  }

  Instance& instance_;
  FamilyBook& book_;
  Stores stores_;
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
