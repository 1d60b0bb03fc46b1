// What is kept as it is: values that are no tensors of the element types here (sequences, strings, 4-bit and 8-bit floats, or
// whatever a file leaves untyped), and calls of operators that the table does not define.
//
// A foreign call is never merged, folded or matched by a rule: it may draw random numbers or keep state. Where whoever read the
// file knows that it is a function of its operands, `equiv` takes it for one. Its operands are the values that its node reads
// (those that its subgraphs capture last), its results have the types that its attribute says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace vouch {

// A type of which only a text is known. It is neither a tensor nor does it have items: whoever expects either refuses it.
// `spelling`: the type as the file has it, bytes that only the reader and the writer of that kind of file look at.
Type foreign_type(std::string text, std::string spelling = {});
bool is_foreign(Type type);
// Or an item, at any depth, is.
bool has_foreign(Type type);
const std::string& foreign_spelling(Type type);

// The operator of the table whose calls are foreign.
OpId foreign_op();

struct ForeignCall {
  std::string domain;
  std::string op;
  std::string spelling;   // the node as the file has it
  bool is_value = false;  // it spells a constant value, no node
  std::vector<Type> results = {};
  std::int64_t opset = 0;    // of a node of ONNX's own domain: the version that says what it means
  std::string meaning = {};  // not empty: the results follow from the operands, as this says; no names, no types
};
AttrDict foreign_attributes(const ForeignCall& call);
ForeignCall foreign_call(AttrDict attributes);
// Its `meaning` alone.
const std::string& foreign_meaning(AttrDict attributes);

// The operator's name as people know it: `Conv`, `com.acme.Frobnicate`.
std::string operator_text(const Graph& graph, NodeId call);

// Whether the value lists types, as the attribute `results` does.
bool lists_types(const AttrValue& value);
// The types that a well-formed call's attributes list; nothing for operators that compute theirs.
std::optional<std::vector<Type>> listed_results(const OpDef& def, AttrDict attributes);

}  // namespace vouch
