#include "driver/kernel_texts.h"

#include <fmt/format.h>

#include "array/parse.h"
#include "array/print.h"
#include "certify/adjoint_witness.h"
#include "certify/affine.h"
#include "certify/certificate.h"
#include "certify/derivation.h"
#include "certify/index_kernel.h"
#include "certify/index_lanes.h"
#include "certify/index_names.h"
#include "certify/index_plan.h"
#include "certify/index_sizes.h"
#include "certify/size_witness.h"
#include "driver/index_commands.h"
#include "driver/index_proof.h"
#include "driver/kernel_assumptions.h"
#include "driver/kernel_limits.h"
#include "driver/kernel_program.h"
#include "driver/kernel_schedule.h"
#include "driver/kernel_versions.h"
#include "driver/manifest.h"
#include "imp/elements.h"
#include "io/kernel_json.h"
#include "lower/lower.h"
#include "notation/c_range.h"
#include "notation/show_cpp.h"
#include "notation/show_tk.h"
#include "term/print.h"

namespace vouch {
namespace {

bool fits_int64(const TkKernel& kernel, Diagnostics& diagnostics) {
  auto beyond = kernel.sizes.names.empty() ? beyond_int64(kernel) : std::nullopt;
  if (beyond) {
    diagnostics.error_at(kernel.name, fmt::format("'{}' may leave the 64 bits in which C computes it", print_term(*beyond)),
                         "make the constants or the extents smaller");
  }
  return !beyond;
}

KernelTexts texts_of(const array::Program& program, array::Certified certified) {
  return {program.name,
          std::move(certified.c),
          std::move(certified.certificate),
          std::move(certified.refutation),
          {},
          {},
          {},
          {{program.name + ".h", certified.header}},
          {},
          {}};
}

// The certificate says at which sizes it speaks of anything; without such sizes there is none.
bool add_sizes(const array::Program& program, const std::string& place, KernelTexts& texts, Diagnostics& diagnostics) {
  auto assumed = assumptions_of(program, array::flat_program(program), place, diagnostics);
  if (assumed) {
    texts.sizes = std::move(assumed->lines);
    texts.certificate += array::certificate_witness(assumed->witness, assumed->limits);
  }
  return assumed.has_value();
}

// By its own loops.
std::optional<KernelTexts> functional(const KernelRecipe& recipe, const SourceRef& source, Diagnostics& diagnostics) {
  std::optional<array::Program> program = array::parse_program(source, diagnostics);
  if (!program || !countable(*program, source->name(), diagnostics)) {
    return std::nullopt;
  }
  const array::Program written = *program;
  if (recipe.lanes && !(program = in_lanes(written, source->name(), diagnostics))) {
    return std::nullopt;
  }
  KernelTexts texts = texts_of(*program, array::certify(*program, recipe.origin));
  if (recipe.lanes) {
    texts.certificate += lanes_certificate(written, "kernel");
    texts.rounded_otherwise.emplace_back(kApproximated);
  }
  texts.others[source_file(recipe, texts.name)] = source->text();
  if (recipe.derivation) {
    texts.derivation = array::print_derivation(*program, recipe.origin);
  }
  return add_sizes(*program, source->name(), texts, diagnostics) ? std::optional(std::move(texts)) : std::nullopt;
}

void add_adjoint(const Derived& derived, Symbol output, const KernelRecipe& recipe, KernelTexts& texts) {
  AdjointAnswer answer = adjoint_certificate(derived.kernel, derived.derivative, derived.record, output);
  if (answer.certificate) {
    texts.adjoint = adjoint_text(*answer.certificate, recipe.origin);
    if (derived.program) {
      *texts.adjoint += affine_reading(*derived.program, answer.certificate->forward, kForwardKernel);
    }
  }
  texts.no_adjoint = std::move(answer.refusal);
}

// Of a kernel in index notation, by that tiling.
std::optional<KernelTexts> part_texts(const IndexKernel& part, const std::optional<IndexTiling>& tiling,
                                      const KernelRecipe& recipe, const SourceRef& source, const std::string& place,
                                      Diagnostics& diagnostics) {
  auto made = program_of(part, tiling, recipe, place, diagnostics);
  if (!made || !countable(*made, place, diagnostics)) {
    return std::nullopt;
  }
  const array::Program& program = *made;
  // Of tiles, a reader wants to know what they are made of.
  KernelTexts texts =
      texts_of(program, tiling ? array::certify_only(program, recipe.origin) : array::certify(program, recipe.origin));
  texts.rounded_otherwise = rounded_otherwise(part, tiling, recipe);
  texts.certificate += recipe.fused ? fused_certificate(part, tiling) : index_certificate(part, tiling);
  if (array::only_floats(program) && !recipe.is_functional()) {
    texts.others[texts.name + ".fun"] = array::print_program(program);
  }
  if (recipe.has_source()) {
    texts.others[source_file(recipe, texts.name)] = source->text();
  }
  if (recipe.schedule) {
    texts.others[texts.name + ".sched"] = *recipe.schedule;
  }
  return add_sizes(program, place, texts, diagnostics) ? std::optional(std::move(texts)) : std::nullopt;
}

// A functional program as a kernel in index notation, by a plan.
std::optional<KernelTexts> planned(const KernelRecipe& recipe, const SourceRef& source, Diagnostics& diagnostics) {
  auto written = read_program(source, recipe.sizes, diagnostics);
  auto program = written && recipe.lanes ? in_lanes(*written, source->name(), diagnostics) : written;
  std::string lanes = written && recipe.lanes ? lanes_certificate(*written, "functional") : "";
  auto kernel = program ? affine_kernel(*program, source->name(), diagnostics) : std::nullopt;
  if (kernel && !recipe.targets.empty()) {
    auto versions = version_texts({*kernel}, recipe, source, diagnostics, &*program);
    if (versions) {
      versions->front().certificate += lanes;
    }
    return versions ? std::optional(std::move(versions->front())) : std::nullopt;
  }
  auto tilings = kernel ? tilings_of({*kernel}, recipe, source, diagnostics) : std::nullopt;
  auto texts = tilings ? part_texts(*kernel, tilings->front(), recipe, source, source->name(), diagnostics) : std::nullopt;
  if (texts) {
    bool reordered = tilings->front() && !tilings->front()->splits.empty();
    texts->certificate += affine_certificate(*program, *kernel, reordered) + lanes;
  }
  return texts;
}

// The certificates say what the written kernels have to do with those that are computed.
std::optional<std::vector<KernelTexts>> with_lanes(std::optional<std::vector<KernelTexts>> all,
                                                   const std::vector<IndexKernel>& written, const KernelRecipe& recipe) {
  for (std::size_t k = 0; all && recipe.lanes && k < all->size(); ++k) {
    (*all)[k].certificate += lanes_certificate(written[k]);
  }
  return all;
}

// One kernel for each output.
std::optional<std::vector<KernelTexts>> index_texts(const TkKernel& kernel, const KernelRecipe& recipe, const SourceRef& source,
                                                    Diagnostics& diagnostics) {
  std::string place = source ? source->name() : recipe.origin;
  auto written = within_limits(kernel, place, diagnostics) ? index_kernels(kernel, diagnostics) : std::nullopt;
  auto parts = written && recipe.lanes ? in_lanes(*written, place, diagnostics) : written;
  if (parts && !recipe.targets.empty()) {
    return with_lanes(version_texts(*parts, recipe, source, diagnostics), *written, recipe);
  }
  auto tilings = parts ? tilings_of(*parts, recipe, source, diagnostics) : std::nullopt;
  if (!tilings) {
    return std::nullopt;
  }
  std::vector<KernelTexts> all;
  for (std::size_t k = 0; k < parts->size(); ++k) {
    auto texts = part_texts((*parts)[k], (*tilings)[k], recipe, source, place, diagnostics);
    if (!texts) {
      return std::nullopt;
    }
    all.push_back(std::move(*texts));
  }
  return with_lanes(std::move(all), *written, recipe);
}

// The C++ function over the certified ones. The derivative has a certificate, and its sizes are numbers.
std::map<std::string, std::string> cpp_texts(const TkKernel& derivative) {
  Diagnostics none;  // each of these kernels was made before
  std::vector<CCall> calls;
  for (Symbol output : derivative.outputs) {
    SizeTable sizes(derivative);
    NamedIndexKernel part = index_kernel_of(derivative, output, sizes, none);
    auto inputs = part.tensors.begin() + static_cast<std::ptrdiff_t>(part.kernel.locals.size());
    calls.push_back({part.kernel.name, part.kernel.name + ".h", {inputs, part.tensors.end()}});
    calls.back().arguments.push_back(output);
  }
  CppText text = print_cpp(derivative, calls, derivative.name + ".hpp");
  return {{derivative.name + ".hpp", text.header}, {derivative.name + ".cpp", text.source}};
}

}  // namespace

std::map<std::string, std::string> KernelTexts::files() const {
  std::map<std::string, std::string> all = others;
  all[name + ".c"] = c;
  all[name + ".v"] = certificate;
  if (derivation) {
    all[name + std::string(kDerivationEnding)] = *derivation;
  }
  if (adjoint) {
    all[name + std::string(kAdjointEnding)] = *adjoint;
  }
  return all;
}

std::optional<Derived> derive(const KernelRecipe& recipe, const SourceRef& source, Diagnostics& diagnostics) {
  const DerivativeRecipe& wanted = *recipe.derivative;
  std::optional<array::Program> program;
  std::optional<TkKernel> kernel;
  if (!recipe.has_source()) {
    kernel = operator_kernel(wanted.call, diagnostics);
    if (kernel) {
      prove_reads(*kernel, diagnostics);
    }
  } else if (!recipe.is_functional()) {
    kernel = read_index_kernel(source, recipe.sizes, diagnostics);
  } else if (auto functional = read_functional_kernel(source, recipe.sizes, diagnostics)) {
    program = std::move(functional->program);
    kernel = std::move(functional->kernel);
  }
  if (!kernel || diagnostics.has_errors()) {
    return std::nullopt;
  }
  if (wanted.cpp && !kernel->sizes.names.empty()) {
    diagnostics.error_at("--cpp", "references to arrays have numbers for extents",
                         fmt::format("give the size a value: --size {}=16", kernel->sizes.names[0].name()));
    return std::nullopt;
  }
  if (wanted.cpp && !kernel->stored.empty()) {
    diagnostics.error_at("--cpp", fmt::format("references to arrays are of the type that is computed, {}", kernel->dtype),
                         "leave out --cpp, or declare no other types");
    return std::nullopt;
  }
  std::vector<Symbol> targets(wanted.targets.begin(), wanted.targets.end());
  targets = targets.empty() ? kernel->grad_to : targets;
  GradientRecord record;
  auto derivative = wanted.forward ? tangent(*kernel, targets, diagnostics, wanted.ties)
                                   : gradient(*kernel, targets, diagnostics, &record, wanted.ties);
  std::string place = source ? source->name() : recipe.origin;
  if (!derivative || !within_limits(*derivative, place, diagnostics) || !fits_int64(*derivative, diagnostics)) {
    return std::nullopt;
  }
  return Derived{std::move(program), std::move(*kernel), std::move(targets), std::move(*derivative), std::move(record)};
}

std::map<std::string, std::string> derivative_texts(const TkKernel& derivative) {
  return {{derivative.name + ".tk", print_tk_file(derivative)}, {derivative.name + ".json", kernel_json(derivative)}};
}

std::optional<std::vector<KernelTexts>> certified_derivative(const Derived& derived, const KernelRecipe& recipe,
                                                             const SourceRef& source, Diagnostics& diagnostics) {
  const TkKernel& derivative = derived.derivative;
  auto all = index_texts(derivative, recipe, source, diagnostics);
  for (std::size_t k = 0; all && k < all->size(); ++k) {
    KernelTexts& texts = (*all)[k];
    if (!recipe.derivative->forward) {
      add_adjoint(derived, derivative.outputs[k], recipe, texts);
    }
    texts.others.merge(derivative_texts(derivative));
    if (recipe.derivative->cpp) {
      for (auto& [file, text] : cpp_texts(derivative)) {
        texts.uncertified.push_back(file);
        texts.others.emplace(file, std::move(text));
      }
    }
  }
  return all;
}

std::optional<std::vector<KernelTexts>> compile_texts(const KernelRecipe& recipe, const SourceRef& source,
                                                      Diagnostics& diagnostics) {
  if (!recipe.targets.empty() && !has_versions(recipe, source ? source->name() : recipe.origin, diagnostics)) {
    return std::nullopt;
  }
  if (recipe.derivative && recipe.lanes) {
    diagnostics.error_at(source ? source->name() : recipe.origin,
                         "a gradient's certificate speaks of exp, and --lanes computes an approximation",
                         "compile the gradient's own .tk with --lanes");
    return std::nullopt;
  }
  if (recipe.derivative) {
    auto derived = derive(recipe, source, diagnostics);
    return derived ? certified_derivative(*derived, recipe, source, diagnostics) : std::nullopt;
  }
  if (recipe.is_functional() && !recipe.planned && recipe.reordered) {
    diagnostics.error_at(source->name(),
                         "--reorder is of plans, and this functional program says by its loops in which order it adds",
                         "compile it with --plan too, or write the partial sums in the program");
    return std::nullopt;
  }
  if (!may_fuse(recipe, source->name(), diagnostics)) {
    return std::nullopt;
  }
  if (recipe.is_functional()) {
    auto texts = recipe.planned ? planned(recipe, source, diagnostics) : functional(recipe, source, diagnostics);
    return texts ? std::optional(std::vector{std::move(*texts)}) : std::nullopt;
  }
  auto kernel = read_index_kernel(source, recipe.sizes, diagnostics);
  bool named = kernel && check_c_names(*kernel, source, diagnostics);
  return named ? index_texts(*kernel, recipe, source, diagnostics) : std::nullopt;
}

}  // namespace vouch
