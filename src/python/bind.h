// The Python extension `vouch._vouch`: a thin layer over the rooms; what users see is the package in src/python/vouch.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>

#include "graph/graph.h"
#include "io/onnx_import.h"
#include "rule/ast.h"
#include "support/diagnostic.h"

namespace vouch::python {

// `vouch.Error` in Python: the text that the command would print.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void raise(const Diagnostics& diagnostics) { throw InputError(diagnostics.text()); }

struct Workload {
  Graph graph;
  std::string name;
  std::shared_ptr<const OnnxKept> kept;  // of the ONNX model that it was read from
};

void bind_rules(pybind11::module_& module);
void bind_graphs(pybind11::module_& module);
void bind_equivalence(pybind11::module_& module);

}  // namespace vouch::python
