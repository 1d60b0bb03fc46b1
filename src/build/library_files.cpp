#include "build/library_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "build/library_c.h"
#include "build/library_sizes.h"
#include "build/versions.h"
#include "certify/certificate.h"
#include "certify/index_lanes.h"
#include "certify/size_witness.h"
#include "imp/compiler_flags.h"

namespace vouch {
namespace {

constexpr std::string_view kCMake = R"(# @NAME@: a static library of the model, and an example that runs it on .npy files.
cmake_minimum_required(VERSION 3.16)
project(@NAME@ C)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
option(@UPPER@_NATIVE "for this machine's processor" OFF)

file(GLOB kernels ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.c)
add_library(@NAME@ STATIC @SOURCES@ ${kernels})
target_include_directories(@NAME@ PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(@NAME@ PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
# @ROUNDING@: the certificates say so.
target_compile_options(@NAME@ PRIVATE @FLAGS@ -Wall -Wextra -Wpedantic)
if(@UPPER@_NATIVE)
  target_compile_options(@NAME@ PRIVATE @THIS_PROCESSOR@)
endif()
@FMA@target_link_libraries(@NAME@ PUBLIC @LIBRARIES@)

add_executable(@NAME@_example example.c)
target_link_libraries(@NAME@_example PRIVATE @NAME@)
)";

// Without the instruction, `fmaf` is a function of the C library.
constexpr std::string_view kFma =
    R"(option(@UPPER@_FMA "the processor's own fused multiply-add; else the C library's: the same bits, slowly" @FMA_DEFAULT@)
if(@UPPER@_FMA AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(@NAME@ PRIVATE @FMA_INSTRUCTION@)
endif()
)";

std::string plan_file(const Library& plan) { return plan.plan.name + "_plan.c"; }

// The library's texts but its kernels.
std::string sources(const Library& library) {
  std::string text = library.plan.name + ".c";
  for (const Library* plan : plans_of(library)) {
    text += " " + plan_file(*plan);
  }
  return text + (library.has_text_weights() ? " " + library.plan.name + "_weights.c" : "");
}

}  // namespace

std::string library_cmake(const Library& library) {
  const std::string& name = library.plan.name;
  bool fma = library.options.fma;
  // Versions have the instruction where their processor does; the rest is for all processors.
  std::map<std::string, std::string> names{{"NAME", name},
                                           {"UPPER", upper_case(name)},
                                           {"FMA_INSTRUCTION", std::string(kFmaInstruction)},
                                           {"FMA_DEFAULT", library.options.targets.empty() ? "ON" : "OFF"}};
  return filled(
      kCMake, {{"NAME", name},
               {"UPPER", names.at("UPPER")},
               {"ROUNDING", fma ? "What is not written fmaf is rounded one by one" : "Sums and products are rounded one by one"},
               {"FMA", fma ? filled(kFma, names) : ""},
               {"SOURCES", sources(library)},
               {"FLAGS", fmt::format("{}", fmt::join(library_flags(library.options), " "))},
               {"THIS_PROCESSOR", std::string(kThisProcessor)},
               {"LIBRARIES", library.options.threads ? fmt::format("m {}", kOpenMp) : "m"}});
}

std::vector<std::string> library_flags(const LibraryOptions& options) {
  return {"-O3", std::string(kRoundedOneByOne), "-fno-math-errno", std::string(options.threads ? kOpenMp : kOpenMpLanes)};
}

std::string kernel_file(const std::string& name) { return fmt::format("kernels/{}.c", name); }

KernelCertificate certify_kernel(const PlanKernel& kernel, const std::string& library, const LibraryOptions& options) {
  std::string lanes = kernel.written ? lanes_certificate(*kernel.written) : "";
  if (is_versioned(kernel, options)) {
    KernelCertificate certificate = certify_versions(kernel, library, options.targets);
    certificate.certificate += lanes;
    return certificate;
  }
  array::Certified certified = array::certify_only(kernel.program, library);
  return {kernel.name, std::move(certified.c),
          certified.certificate +
              (kernel.fused ? fused_certificate(kernel.kernel, kernel.tiling) : index_certificate(kernel.kernel, kernel.tiling)) +
              lanes + array::certificate_witness({}, {}),
          std::move(certified.refutation)};
}

std::map<std::string, std::string> library_files(const Library& library, const std::vector<KernelCertificate>& certificates) {
  const std::string& name = library.plan.name;
  std::map<std::string, std::string> files{
      {name + ".h", library_header(library)},
      {name + ".c", library_source(library)},
      {"CMakeLists.txt", library_cmake(library)},
      {"example.c", library_example(library)},
  };
  for (const Library* plan : plans_of(library)) {
    files[plan_file(*plan)] = library_calls(*plan);
  }
  if (library.has_text_weights()) {
    files[name + "_weights.c"] = library_weights(library);
  }
  if (library.has_weights() && !library.options.embed) {
    files[library.weights_file()] = library.weights[0];
  }
  for (const KernelCertificate& certificate : certificates) {
    files[kernel_file(certificate.name)] = certificate.c;
  }
  return files;
}

}  // namespace vouch
