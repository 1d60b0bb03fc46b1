#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "array/parse.h"
#include "array/print.h"
#include "certify/certificate.h"
#include "certify/derivation.h"
#include "certify/index_kernel.h"
#include "certify/index_tile.h"
#include "driver/index_commands.h"
#include "driver/kernel_commands.h"
#include "driver/manifest.h"
#include "io/file.h"
#include "lower/limits.h"
#include "lower/lower.h"
#include "support/hash.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

// The kernels named, those of folders (.fun, .tk) in alphabetical order.
std::vector<std::string> kernel_files(const std::vector<std::string>& named) {
  std::vector<std::string> files;
  for (const std::string& path : named) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path, ignored)) {
      if (entry.path().extension() == ".fun" || entry.path().extension() == ".tk") {
        found.insert(entry.path().string());
      }
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::optional<std::string> read_kernel(const std::string& path, Diagnostics& diagnostics) {
  return read_file(path, diagnostics, 16 << 20);
}

struct KernelFiles {
  std::string name;
  std::string path;                             // of the .fun file
  std::map<std::string, std::string> contents;  // by what follows the name, but for the C text
  std::string c;
};

std::string origin_of(const std::string& path) { return fs::path(path).filename().string(); }

// Numbers that C's 64 bits do not hold have no certificate.
bool countable(const array::Program& program, const std::string& path, Diagnostics& diagnostics) {
  std::optional<array::Size> beyond = array::size_beyond_64_bits(program, array::flat_program(program));
  if (beyond) {
    diagnostics.error_at(path, fmt::format("the kernel '{}' counts to {}, and indices of 64 bits stop before 2^63", program.name,
                                           array::print_size(*beyond, program.sizes)));
  }
  return !beyond;
}

std::optional<KernelFiles> compile_functional(const std::string& path, bool derivation, Diagnostics& diagnostics) {
  std::optional<std::string> text = read_kernel(path, diagnostics);
  std::optional<array::Program> program =
      text ? array::parse_program(std::make_shared<Source>(path, *text), diagnostics) : std::nullopt;
  if (!program) {
    return std::nullopt;
  }
  if (!countable(*program, path, diagnostics)) {
    return std::nullopt;
  }
  array::Certified certified = array::certify(*program, origin_of(path));
  KernelFiles files{program->name, path, {{".v", certified.certificate}, {".h", certified.header}, {".fun", *text}}, certified.c};
  if (derivation) {
    files.contents[std::string(kDerivationEnding)] = array::print_derivation(*program, origin_of(path));
  }
  return files;
}

std::optional<std::vector<KernelFiles>> compile_index(const TkKernel& kernel, const std::string& path, Diagnostics& diagnostics) {
  auto parts = index_kernels(kernel, diagnostics);
  if (!parts) {
    return std::nullopt;
  }
  std::vector<KernelFiles> all;
  for (const IndexKernel& part : *parts) {
    std::optional<IndexTiling> tiling = plan_index(part);
    array::Program program = lower_index(part, tiling);
    if (!countable(program, path, diagnostics)) {
      return std::nullopt;
    }
    // Of tiles, a reader wants to know what they are made of.
    array::Certified certified =
        tiling ? array::certify_only(program, origin_of(path)) : array::certify(program, origin_of(path));
    all.push_back({program.name,
                   path,
                   {{".v", certified.certificate + index_certificate(part, tiling)},
                    {".h", certified.header},
                    {".fun", array::print_program(program)}},
                   certified.c});
  }
  return all;
}

std::vector<KernelFiles> compile_kernel(const std::string& path, const CompileCommand& command, Diagnostics& diagnostics) {
  if (fs::path(path).extension() == ".fun") {
    auto files = compile_functional(path, command.derivation, diagnostics);
    return files ? std::vector{std::move(*files)} : std::vector<KernelFiles>{};
  }
  Diagnostics own;  // an error in one kernel does not stop the others
  auto kernel = load_kernel(path, command.sizes, own);
  auto files = kernel ? compile_index(*kernel, path, own) : std::nullopt;
  for (const Diagnostic& diagnostic : own.all()) {
    diagnostics.add(diagnostic);
  }
  return files.value_or(std::vector<KernelFiles>{});
}

// Those that can be compiled; of several of one name, the first.
std::vector<KernelFiles> compile_all(const CompileCommand& command, Diagnostics& diagnostics) {
  std::vector<KernelFiles> kernels;
  std::map<std::string, std::string> seen;
  for (const std::string& path : kernel_files(command.kernels)) {
    for (KernelFiles& files : compile_kernel(path, command, diagnostics)) {
      auto [first, is_new] = seen.try_emplace(files.name, path);
      if (is_new) {
        kernels.push_back(std::move(files));
      } else {
        diagnostics.error_at(path, fmt::format("{} has the kernel '{}' too", first->second, files.name));
      }
    }
  }
  return kernels;
}

// Nobody may find the old C text beside a new certificate.
bool remove_old(const std::string& folder, const KernelFiles& kernel, Diagnostics& diagnostics) {
  for (std::string_view ending : {std::string_view(".c"), kDerivationEnding}) {
    std::string path = fmt::format("{}/{}{}", folder, kernel.name, ending);
    std::error_code failed;
    fs::remove(path, failed);
    if (failed) {
      diagnostics.error_at(path, fmt::format("the file cannot be removed: {}", failed.message()));
      return false;
    }
  }
  return true;
}

// Everything but the C text.
bool write_certificate(const std::string& folder, const KernelFiles& kernel, KernelEntry& entry, Diagnostics& diagnostics) {
  entry = {origin_of(kernel.path),
           {{kernel.name + ".c", content_hash(kernel.c)}},
           {{"vouch", VOUCH_VERSION}, {"coq", VOUCH_COQ_VERSION}}};
  for (const auto& [ending, text] : kernel.contents) {
    entry.files[kernel.name + ending] = content_hash(text);
    if (!write_file(folder + "/" + kernel.name + ending, text, diagnostics, Survives::ProcessEnd)) {
      return false;
    }
  }
  return true;
}

// C texts are written last, once all certificates and the manifest are there.
bool write_kernels(const std::string& folder, const std::vector<KernelFiles>& kernels, Diagnostics& diagnostics) {
  std::string manifest_path = folder + "/manifest.json";
  std::optional<Manifest> manifest = read_manifest(manifest_path, diagnostics);
  if (!manifest) {
    return false;
  }
  for (const KernelFiles& kernel : kernels) {
    if (!remove_old(folder, kernel, diagnostics) || !write_certificate(folder, kernel, (*manifest)[kernel.name], diagnostics)) {
      return false;
    }
  }
  if (!write_file(manifest_path, print_manifest(*manifest), diagnostics, Survives::ProcessEnd)) {
    return false;
  }
  return std::all_of(kernels.begin(), kernels.end(), [&](const KernelFiles& kernel) {
    return write_file(fmt::format("{}/{}.c", folder, kernel.name), kernel.c, diagnostics, Survives::ProcessEnd);
  });
}

}  // namespace

std::optional<std::vector<std::string>> write_index_kernels(const TkKernel& kernel, const std::string& origin,
                                                            const std::string& folder, Diagnostics& diagnostics) {
  auto kernels = compile_index(kernel, origin, diagnostics);
  if (!kernels || !write_kernels(folder, *kernels, diagnostics)) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const KernelFiles& files : *kernels) {
    names.push_back(files.name);
  }
  return names;
}

ExitCode compile_kernels(const CompileCommand& command) {
  Diagnostics diagnostics;
  std::vector<KernelFiles> kernels = compile_all(command, diagnostics);
  if (kernels.empty() && !diagnostics.has_errors()) {
    diagnostics.error_at(command.kernels.front(), "there are no .fun or .tk files here");
  }
  if (!kernels.empty()) {
    std::error_code failed;
    fs::create_directories(command.out, failed);
    if (failed) {
      diagnostics.error_at(command.out, fmt::format("the folder cannot be made: {}", failed.message()));
    } else if (write_kernels(command.out, kernels, diagnostics)) {
      for (const KernelFiles& kernel : kernels) {
        fmt::print("{0}: {1}/{2}.c, {2}.h, {2}.v\n", kernel.path, command.out, kernel.name);
      }
    }
  }
  fmt::print(stderr, "{}", diagnostics.text());
  return diagnostics.has_errors() ? ExitCode::BadInput : ExitCode::Ok;
}

}  // namespace vouch
