// Equality of two workloads.
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "driver/equiv_report.h"
#include "equiv/equiv.h"
#include "io/onnx_evaluate.h"
#include "python/bind.h"

namespace vouch::python {
namespace {

namespace py = pybind11;

using Ranges = std::map<std::string, std::pair<double, double>>;

// What was found, as text and as JSON.
std::pair<std::string, std::string> judged(const Workload& a, const Workload& b, const std::map<std::string, std::string>& names,
                                           const std::map<std::string, std::int64_t>& sizes, const Ranges& assumed, bool exact,
                                           std::optional<double> fold_tolerance) {
  EquivOptions options;
  options.pairing.names = names;
  options.pairing.sizes = sizes;
  options.pairing.foreign = evaluate_onnx;
  options.exact = exact;
  if (fold_tolerance && !FoldTolerance::can_be(*fold_tolerance)) {
    throw py::value_error("fold_tolerance: expected a number from 0 to below 1, found " + std::to_string(*fold_tolerance));
  }
  if (fold_tolerance) {
    options.fold_tolerance = options.simulation.parameter_change = FoldTolerance(*fold_tolerance);
  }
  for (const auto& [name, range] : assumed) {
    options.simulation.ranges.emplace(name, Range{range.first, range.second});
  }
  EquivResult result = compare_models(a.graph, b.graph, options);
  return {equiv_text(result), equiv_json(result).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

}  // namespace

void bind_equivalence(py::module_& module) {
  module.def("equiv", &judged, py::arg("a"), py::arg("b"), py::arg("names"), py::arg("sizes"), py::arg("assumed"),
             py::arg("exact"), py::arg("fold_tolerance"));
}

}  // namespace vouch::python
