// Workloads: reading, writing, running, rewriting and drawing models.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>

#include "driver/model.h"
#include "driver/picture.h"
#include "graph/eval.h"
#include "io/graph_json.h"
#include "optimize/gate.h"
#include "python/bind.h"
#include "rewrite/fold.h"
#include "rewrite/pipeline.h"
#include "rewrite/why_not.h"
#include "term/print.h"

namespace vouch::python {
namespace {

namespace py = pybind11;

std::string format_of(DType dtype) {
  switch (dtype) {
    case DType::Float32: return "f";
    case DType::Float64: return "d";
    case DType::Float16: return "e";
    case DType::BFloat16: return "H";  // its bits
    case DType::Int4:
    case DType::Int8: return "b";
    case DType::Int16: return "h";
    case DType::Int32: return "i";
    case DType::Int64: return "q";
    case DType::UInt4:
    case DType::UInt8: return "B";
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ: return "B";  // its bits
    case DType::UInt16: return "H";
    case DType::UInt32: return "I";
    case DType::UInt64: return "Q";
    case DType::Bool: return "?";
  }
  return "";
}

py::buffer_info buffer_of(Tensor& tensor) {
  auto size = static_cast<py::ssize_t>(byte_size(tensor.dtype()));
  std::vector<py::ssize_t> shape(tensor.extents().begin(), tensor.extents().end()), strides(shape.size(), size);
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[axis];
  }
  auto* bytes = const_cast<std::byte*>(tensor.bytes().data());
  return py::buffer_info(bytes, size, format_of(tensor.dtype()), static_cast<py::ssize_t>(shape.size()), shape, strides, true);
}

// The elements of an object with a buffer, in row-major order; they must have the element type of the input.
Tensor tensor_of(const py::buffer& buffer, const std::string& name, DType dtype) {
  py::buffer_info info = buffer.request();
  // Of equally long integers, platforms have several letters.
  auto letter = [](std::string format) { return format == "l" ? std::string("q") : format == "L" ? std::string("Q") : format; };
  if (letter(info.format) != format_of(dtype)) {
    throw InputError(name + ": expected elements of type " + std::string(dtype_name(dtype)) + " (buffer format '" +
                     format_of(dtype) + "'), found format '" + info.format + "'");
  }
  py::bytes packed = py::memoryview(buffer).attr("tobytes")();
  std::string_view view = packed;
  std::vector<std::byte> bytes(view.size());
  std::transform(view.begin(), view.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return Tensor(dtype, Extents(info.shape.begin(), info.shape.end()), std::move(bytes));
}

py::tuple description(const std::string& name, Type type) {
  py::list sizes;
  for (Term size : type.extents()) {
    auto number = const_int(size);
    sizes.append(number ? py::object(py::int_(*number)) : py::object(py::str(print_term(size))));
  }
  return py::make_tuple(name, dtype_name(type.dtype()), py::tuple(sizes));
}

py::list inputs_of(const Workload& workload) {
  py::list all;
  for (NodeId input : workload.graph.inputs()) {
    all.append(description(workload.graph.name(input), workload.graph.type(input)));
  }
  return all;
}

py::list outputs_of(const Workload& workload) {
  py::list all;
  for (const GraphOutput& output : workload.graph.outputs()) {
    all.append(description(output.name, workload.graph.type(output.node)));
  }
  return all;
}

py::dict run(const Workload& workload, const std::map<std::string, py::buffer>& given) {
  const Graph& graph = workload.graph;
  Diagnostics diagnostics;
  std::vector<std::string> names;
  for (NodeId input : graph.inputs()) {
    names.push_back(graph.name(input));
  }
  for (const auto& [name, buffer] : given) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError(fmt::format("{}: the model has no input of this name; its inputs: {}", name, fmt::join(names, ", ")));
    }
  }
  std::vector<Tensor> inputs;
  for (NodeId input : graph.inputs()) {
    auto found = given.find(graph.name(input));
    if (found == given.end()) {
      throw InputError(graph.name(input) + ": this input of the model is not given");
    }
    inputs.push_back(tensor_of(found->second, found->first, graph.type(input).dtype()));
  }
  auto outputs = eval_graph(graph, std::move(inputs), diagnostics, run_options(0));
  if (!outputs) {
    raise(diagnostics);
  }
  py::dict named;
  for (std::size_t k = 0; k < outputs->size(); ++k) {
    named[py::str(graph.outputs()[k].name)] = (*outputs)[k];
  }
  return named;
}

struct Optimized {
  Workload workload;
  std::vector<std::pair<std::string, std::size_t>> fired;
  std::vector<std::string> refusals;
};

// `passes`: fold parameters, merge equal calls and remove dead ones as `vouch optimize` does, besides rewriting.
Optimized rewrite_workload(const Workload& workload, const std::vector<Rule>& rules, bool allow_unproven, bool passes) {
  Optimized out{workload, {}, {}};
  Gate gate(rules, allow_unproven);
  RewriteResult result;
  if (passes) {
    OptimizeOptions options;
    options.admissions = gate.admissions();
    result = optimize(out.workload.graph, rules, options).rewriting;
  } else {
    RewriteOptions options;
    options.admissions = gate.admissions();
    result = rewrite(out.workload.graph, rules, options);
  }
  if (!result.cycle.empty()) {
    throw InputError(result.cycle);
  }
  for (std::size_t k = 0; k < rules.size(); ++k) {
    out.fired.emplace_back(rules[k].name, result.fired[k]);
  }
  for (const Refusal& refusal : result.refusals) {
    out.refusals.push_back(rules[refusal.rule].name + " did not fire at '" + refusal.node + "': " + refusal.reason);
  }
  return out;
}

std::string why_not_text(const Workload& workload, const Rule& rule, const std::string& name) {
  Graph graph = workload.graph;
  std::optional<NodeId> node;
  if (!name.empty()) {
    node = graph.find_name(name);
    if (!node) {
      throw InputError(name + ": the model has no node of this name");
    }
  }
  std::vector<Rule> rules{rule};
  Gate gate(rules, false);
  return why_not(graph, rule, gate.admission(0), node).text(graph, rule);
}

// Weights that a file computes (as light models do, by ConstantOfShape) are parameters up to this many bytes each.
constexpr std::uint64_t kMostFolded = std::uint64_t{1} << 26;

Workload load(const std::string& path, bool fold) {
  Diagnostics diagnostics;
  auto model = load_model(path, diagnostics);
  if (!model) {
    raise(diagnostics);
  }
  if (fold) {
    fold_parameters(model->graph, {.slack = kMostFolded});
  }
  return {std::move(model->graph), model->name, model->kept};
}

Workload from_json(const std::string& text, const std::string& name) {
  Diagnostics diagnostics;
  auto graph = parse_graph(std::make_shared<Source>("json", text), "", diagnostics);
  if (!graph) {
    raise(diagnostics);
  }
  return {std::move(*graph), name, nullptr};
}

std::string to_json(const Workload& workload) {
  Diagnostics diagnostics;
  auto text = print_graph(workload.graph, diagnostics);
  return text ? *text : (raise(diagnostics), "");
}

void save(const Workload& workload, const std::string& path) {
  Diagnostics diagnostics;
  if (!save_model(workload.graph, workload.name, path, diagnostics, {workload.kept.get(), {}, false})) {
    raise(diagnostics);
  }
}

std::string svg(const Workload& workload) {
  Diagnostics diagnostics;
  auto text = render(picture_of_graph(workload.graph), "svg", diagnostics);
  return text ? *text : (raise(diagnostics), "");
}

}  // namespace

void bind_graphs(py::module_& module) {
  py::class_<Tensor>(module, "Tensor", py::buffer_protocol(),
                     "A tensor that a workload gave; read it as a buffer (numpy.asarray, memoryview).")
      .def_buffer(&buffer_of)
      .def_property_readonly("shape", [](const Tensor& t) { return py::tuple(py::cast(t.extents())); })
      .def_property_readonly("dtype", [](const Tensor& t) { return dtype_name(t.dtype()); })
      .def("tolist", [](const py::object& t) { return py::memoryview(t).attr("tolist")(); });
  py::class_<Optimized>(module, "Optimized")
      .def_readonly("workload", &Optimized::workload)
      .def_readonly("fired", &Optimized::fired)
      .def_readonly("refusals", &Optimized::refusals);
  py::class_<Workload>(module, "Graph")
      .def(py::init(&load), py::arg("path"), py::arg("fold"))
      .def_static("from_json", &from_json, py::arg("text"), py::arg("name") = "graph")
      .def("to_json", &to_json)
      .def("save", &save)
      .def("svg", &svg)
      .def("run", &run)
      .def("inputs", &inputs_of)
      .def("outputs", &outputs_of)
      .def("why_not", &why_not_text)
      .def("rewrite", &rewrite_workload)
      .def_readonly("name", &Workload::name)
      .def("operators", [](const Workload& w) {
        std::map<std::string, std::size_t> counts;
        for (NodeId node = 0; node < w.graph.id_limit(); ++node) {
          if (w.graph.kind(node) == NodeKind::Call) {
            ++counts[std::string(op_def(w.graph.op(node)).name)];
          }
        }
        return counts;
      });
}

}  // namespace vouch::python
