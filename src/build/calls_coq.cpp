#include "build/calls_coq.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "build/library_c.h"
#include "build/versions.h"
#include "certify/coq_text.h"
#include "support/fault.h"

namespace vouch {
namespace {

constexpr std::string_view kPreamble =
    "From Coq Require Import NArith List String.\n"
    "From Vouch Require Import array.Syntax certify.Text certify.Certificate build.Nodes build.Calls build.CallsProof "
    "build.CallsText.\n"
    "Import ListNotations.\n";

template <class T, class F>
std::string list(const std::vector<T>& items, F print, std::string_view between = "; ") {
  std::vector<std::string> out;
  for (const T& item : items) {
    out.push_back(print(item));
  }
  return fmt::format("[{}]", fmt::join(out, between));
}

// Each line ends with its own line feed.
std::string lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(array::coq_string(text.substr(0, end)) + "%text");
    text.remove_prefix(end + 1);
  }
  ensure(text.empty(), "the last line of a text ends");
  return fmt::format("{}", fmt::join(lines, ";\n"));
}

// Buffers in the order of NAME_plan's parameters; values by number: what is given, then a result for each call.
class Printer {
 public:
  explicit Printer(const Library& library)
      : library_(library), buffers_(buffers_of(library)), numbers_(library.plan.values.size(), 0) {
    for (ValueId value = 0; value < numbers_.size(); ++value) {
      if (library.plan.values[value].kind != ValueKind::Computed && library.memory.places[value]) {
        numbers_[value] = given_.size();
        given_.push_back(value);
      }
    }
    std::size_t next = given_.size();
    for (const PlanCall& call : library.plan.calls) {
      numbers_[call.result] = next++;
    }
  }

  std::string plan() const {
    std::vector<ValueId> results;
    for (const PlanTensor& output : library_.plan.outputs) {
      results.push_back(output.value);
    }
    return fmt::format(
        "{{|\n  pl_buffers := {};\n  pl_values := {};\n  pl_given := {};\n  pl_calls := {};\n  pl_results := {} |}}", buffers(),
        given_.size(), regions(given_),
        list(
            library_.plan.calls, [&](const PlanCall& call) { return this->call(call); }, ";\n    "),
        regions(results));
  }

  std::string names() const {
    std::vector<std::string> names;
    for (const LibraryBuffer& buffer : buffers_) {
      names.push_back(buffer.name);
    }
    auto text = [](const std::string& s) { return array::coq_string(s); };
    return fmt::format("{{|\n  pn_library := {};\n  pn_buffers := {};\n  pn_notes := {} |}}", text(library_.plan.name),
                       list(names, text),
                       list(
                           library_.plan.calls, [&](const PlanCall& call) { return text(call_note(call)); }, ";\n    "));
  }

 private:
  std::string buffers() const {
    std::vector<std::string> out;
    for (const LibraryBuffer& buffer : buffers_) {
      std::size_t memory = buffer.kind == Buffer::Arena ? buffers_.size() : out.size();
      out.push_back(fmt::format("{{| bu_cells := {}%N; bu_written := {}; bu_element := {}; bu_memory := {} |}}", buffer.cells,
                                buffer.written(), array::coq_name(buffer.element), memory));
    }
    return fmt::format("[{}]", fmt::join(out, "; "));
  }

  std::string place(ValueId value) const {
    const auto& at = library_.memory.places[value];
    ensure(at.has_value(), "what a call reads or writes has a place");
    auto buffer = std::find_if(buffers_.begin(), buffers_.end(),
                               [&](const LibraryBuffer& b) { return b.kind == at->buffer && b.number == at->number; });
    return fmt::format("({}, {}%N)", buffer - buffers_.begin(), at->offset);
  }

  std::string regions(const std::vector<ValueId>& values) const {
    return list(
        values,
        [&](ValueId value) {
          return fmt::format("{{| re_value := {}%N; re_place := {}; re_cells := {}%N |}}", numbers_[value], place(value),
                             library_.plan.values[value].cells);
        },
        ";\n    ");
  }

  // The values of which an argument consists, with how many cells each has.
  std::vector<std::string> pieces(ValueId value) const {
    const PlanValue& about = library_.plan.values[value];
    if (about.pieces.empty()) {
      return {fmt::format("({}%N, {}%N)", numbers_[value], about.cells)};
    }
    std::vector<std::string> all;
    for (ValueId piece : about.pieces) {
      for (std::string& one : pieces(piece)) {
        all.push_back(std::move(one));
      }
    }
    return all;
  }

  std::string call(const PlanCall& call) const {
    return fmt::format("{{| ca_kernel := {}; ca_values := {}; ca_places := {}; ca_result := {} |}}", call.kernel,
                       list(call.arguments, [&](ValueId value) { return fmt::format("[{}]", fmt::join(pieces(value), "; ")); }),
                       list(call.arguments, [&](ValueId value) { return place(value); }), place(call.result));
  }

  const Library& library_;
  std::vector<LibraryBuffer> buffers_;
  std::vector<std::size_t> numbers_;
  std::vector<ValueId> given_;
};

std::string_view computed_kernel(const PlanKernel& kernel) {
  return is_reordered(kernel.tiling) ? "ordered_kernel" : "index_kernel";
}

std::string node_record(const std::string& module, const PlanKernel& kernel) {
  return fmt::format("{{| nd_kernel := {}.{}; nd_fused := {} |}}", module, computed_kernel(kernel), kernel.fused);
}

std::string kernel_record(const std::string& module, const PlanKernel& kernel, bool versioned) {
  std::string_view computed = computed_kernel(kernel);
  std::string node = node_record(module, kernel);
  std::string text = versioned ? fmt::format("SeveralVersions\n       {} _ _ {}.kernels eq_refl", node, module)
                               : fmt::format("OneText\n       {} _ _", node);
  return fmt::format(
      "{{| ck_node := {1};\n     ck_source := {0}.{2}kernel; ck_text := {0}.kernel_text;\n"
      "     ck_certified := {3} {0}.certified {0}.computes_{4} |}}",
      module, node, versioned ? "generic." : "", text, computed);
}

// Why the kernel computes, over numbers with the laws for it, what was written.
std::string why_written(const std::string& module, const PlanKernel& kernel) {
  std::string node = node_record(module, kernel);
  std::string why =
      is_reordered(kernel.tiling)
          ? fmt::format("stands_in_order K laws {0} {1}.index_kernel {1}.pieces {1}.reordered eq_refl", node, module)
          : fmt::format("stands_as_it_is K laws {}", node);
  return kernel.written ? fmt::format("stands_in_lanes K laws {} {}.written_kernel ({}) eq_refl", node, module, why) : why;
}

// Of a library in which something is computed otherwise than it is written; else nothing.
std::string written_theorems(const Library& library, const std::vector<array::CompiledText>& certificates) {
  const std::vector<PlanKernel>& kernels = library.plan.kernels;
  if (std::all_of(kernels.begin(), kernels.end(), is_as_written)) {
    return "";
  }
  std::vector<std::string> written;
  std::string proof = "@Forall2_nil _ _ _";
  for (std::size_t k = certificates.size(); k-- > 0;) {
    const std::string& module = certificates[k].module;
    written.push_back(fmt::format("{}.{}", module, kernels[k].written ? "written_kernel" : "index_kernel"));
    proof = fmt::format("Forall2_cons _ _\n  ({})\n  ({})", why_written(module, kernels[k]), proof);
  }
  std::reverse(written.begin(), written.end());
  return fmt::format(
      "(** The kernels as they are written: where numbers have the laws for it, as the real numbers have, the calls leave the\n"
      "    values of the graph of these. *)\n"
      "From Vouch Require Import index.Kernel build.Written.\n\n"
      "Definition written : list ikernel := [\n  {}].\n\n"
      "Theorem stands : forall K, exact_numbers K -> Forall2 (stands_for K) (map ck_node kernels) written.\n"
      "Proof. exact (fun K laws => {}). Qed.\n\n"
      "Definition library_as_written := written_means kernels written the_plan checked stands.\n\n",
      fmt::join(written, ";\n  "), proof);
}

}  // namespace

std::string calls_certificate(const Library& library, const std::vector<array::CompiledText>& certificates) {
  std::string text(kPreamble);
  std::vector<std::string> kernels;
  for (std::size_t k = 0; k < certificates.size(); ++k) {
    text += fmt::format("Require {}.\n", certificates[k].file);
    const PlanKernel& kernel = library.plan.kernels[k];
    kernels.push_back(kernel_record(certificates[k].module, kernel, is_versioned(kernel, library.options)));
  }
  Printer printer(library);
  std::string written = written_theorems(library, certificates);
  return text + fmt::format(
                    "Local Open Scope string_scope.\n\nDefinition kernels : list certified_kernel := [\n  {}].\n\n"
                    "Definition the_plan : plan := {}.\n\nDefinition the_names : plan_names := {}.\n\n"
                    "Theorem typed : plan_typed (map ck_source kernels) the_plan = true.\n"
                    "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
                    "Theorem checked : plan_ok (map ck_index kernels) the_plan = true.\n"
                    "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
                    "Definition library_correct := plan_means kernels the_plan checked.\n\n"
                    "Definition the_lines : list string := map the_text [\n{}].\n\n"
                    "Theorem printed_lines : calls_lines the_names (map ck_source kernels) the_plan = the_lines.\n"
                    "Proof. vm_cast_no_check (eq_refl the_lines). Qed.\n\n"
                    "Definition calls : string := lines the_lines.\n\n"
                    "Theorem printed : calls_text the_names (map ck_source kernels) the_plan = calls.\n"
                    "Proof. exact (calls_text_lines _ _ _ _ printed_lines). Qed.\n\n"
                    "{}"
                    "Definition all := (library_correct, typed, printed{}).\nPrint Assumptions all.\n",
                    fmt::join(kernels, ";\n  "), printer.plan(), printer.names(), lines_of(library_calls(library)), written,
                    written.empty() ? "" : ", library_as_written");
}

}  // namespace vouch
