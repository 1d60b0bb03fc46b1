// The operator table: every operator, by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/op_def.h"
#include "support/diagnostic.h"

namespace vouch {

// Position in the table; small, dense, the same in every run of one build.
using OpId = std::uint16_t;

const OpDef& op_def(OpId op);
std::optional<OpId> find_op(std::string_view name);
std::size_t op_count();
std::vector<std::string> op_names();  // for suggestions

// What one call of an operator is: types of its results, or why it is ill-typed.
struct CallTyping {
  std::vector<Type> results;
  std::string error;                             // not empty: ill-typed
  Blame blame;                                   // of the error
  std::vector<OpContext::Condition> conditions;  // undecided legality conditions
  std::vector<Term> supposed_not_empty;          // sizes, each a variable, that `results` take to be at least 1
  // Elements of the results that are known terms (shape arithmetic); empty where unknown.
  std::vector<std::optional<std::vector<Term>>> contents;
  bool reusable = true;        // the same for every call of this form: no size of it is new
  std::string data_condition;  // not empty: one more legality condition, that only the operands' elements decide
  bool undecided = false;      // the error: more has to be known than is here
  std::string number_wanted;   // the attribute that has to be a number, if that is the error
};
using KnownContents = std::vector<const std::vector<Term>*>;  // one per operand, null where unknown

// Remembered by operator, operand types and attributes where no contents take part.
std::shared_ptr<const CallTyping> type_call(OpId op, const std::vector<Type>& operands, AttrDict attributes,
                                            const KnownContents& contents, SizeDomain sizes = SizeDomain::AtLeastOne);

// The meaning of a call as a kernel whose inputs are the operands' tensors in order (tuples flattened, absent
// optional operands left out). The call must be well-typed and the operator not opaque.
Kernel call_meaning(OpId op, const std::vector<Type>& operands, AttrDict attributes, const KnownContents& contents,
                    SizeDomain sizes = SizeDomain::AtLeastOne);

// The same, remembered among the calls of this thread.
std::shared_ptr<const Kernel> shared_meaning(OpId op, const std::vector<Type>& operands, AttrDict attributes,
                                             const KnownContents& contents);

// Checks operand count, attribute names and types against the declaration; messages carry suggestions.
bool verify_call_form(const OpDef& def, std::size_t operand_count, AttrDict attributes, const std::string& place,
                      Diagnostics& diagnostics);

}  // namespace vouch
