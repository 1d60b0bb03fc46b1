#include "graph/op_table.h"
#include "python/bind.h"

namespace vouch::python {
namespace {

namespace py = pybind11;

std::string_view kind_name(OperandKind kind) {
  switch (kind) {
    case OperandKind::Required: return "required";
    case OperandKind::Optional: return "optional";
    case OperandKind::Tuple: return "tuple";
    case OperandKind::OptionalTuple: return "optional tuple";
  }
  return "";
}

// For the signatures and docstrings of `vouch.op`.
py::list operators() {
  py::list all;
  for (const std::string& name : op_names()) {
    const OpDef& def = op_def(*find_op(name));
    py::list operands, attributes;
    for (const OperandDef& operand : def.operands) {
      operands.append(py::make_tuple(operand.name, kind_name(operand.kind)));
    }
    for (const AttrDef& attr : def.attributes) {
      py::object otherwise = std::visit(
          [](const auto& value) -> py::object {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, Required>) {
              return py::ellipsis();
            } else if constexpr (std::is_same_v<T, Absent>) {
              return py::none();
            } else {
              return py::cast(value);
            }
          },
          attr.otherwise);
      attributes.append(py::make_tuple(attr.name, otherwise));
    }
    all.append(py::make_tuple(name, operands, attributes, def.several_results));
  }
  return all;
}

}  // namespace
}  // namespace vouch::python

PYBIND11_MODULE(_vouch, module) {
  using namespace vouch::python;
  pybind11::register_exception<InputError>(module, "Error").attr("__doc__") =
      "Bad input: a rule, a model or values that Vouch refuses. The text is the one that the command prints: what, where, "
      "expected and found, how to mend.";
  module.def("operators", &operators, "Every operator: name, operands with their kinds, attributes with their defaults.");
  bind_rules(module);
  bind_graphs(module);
  bind_equivalence(module);
}
