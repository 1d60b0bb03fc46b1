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
#include "driver/index_commands.h"
#include "driver/kernel_commands.h"
#include "driver/manifest.h"
#include "io/file.h"
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
  std::string origin;
  std::map<std::string, std::string> contents;  // by what follows the name, but for the C text
  std::string c;
};

// Writes the files of one kernel, the C text last.
bool write_kernel(const std::string& folder, const KernelFiles& files, Diagnostics& diagnostics) {
  std::string base = folder + "/" + files.name;
  std::error_code ignored;
  fs::remove(base + ".c", ignored);
  fs::remove(base + std::string(kDerivationEnding), ignored);
  std::optional<Manifest> manifest = read_manifest(folder + "/manifest.json", diagnostics);
  if (!manifest) {
    return false;
  }
  KernelEntry& entry = (*manifest)[files.name];
  entry = {files.origin, {{files.name + ".c", content_hash(files.c)}}, {{"vouch", VOUCH_VERSION}, {"coq", VOUCH_COQ_VERSION}}};
  for (const auto& [ending, text] : files.contents) {
    entry.files[files.name + ending] = content_hash(text);
    if (!write_file(base + ending, text, diagnostics)) {
      return false;
    }
  }
  return write_file(folder + "/manifest.json", print_manifest(*manifest), diagnostics) &&
         write_file(base + ".c", files.c, diagnostics);
}

// The kernel's name, or nothing.
std::optional<std::string> compile_functional(const std::string& path, const CompileCommand& command,
                                          Diagnostics& diagnostics) {
  std::optional<std::string> text = read_kernel(path, diagnostics);
  std::optional<array::Program> program =
      text ? array::parse_program(std::make_shared<Source>(path, *text), diagnostics) : std::nullopt;
  if (!program) {
    return std::nullopt;
  }
  std::string origin = fs::path(path).filename().string();
  array::Certified certified = array::certify(*program, origin);
  KernelFiles files{program->name, origin, {{".v", certified.certificate}, {".h", certified.header}, {".fun", *text}},
                    certified.c};
  if (command.derivation) {
    files.contents[std::string(kDerivationEnding)] = array::print_derivation(*program, origin);
  }
  return write_kernel(command.out, files, diagnostics) ? std::optional(program->name) : std::nullopt;
}

bool is_functional(const std::string& path) { return fs::path(path).extension() == ".fun"; }

}  // namespace

std::optional<std::vector<std::string>> write_index_kernels(const TkKernel& kernel, const std::string& origin, const std::string& folder,
                                                            Diagnostics& diagnostics) {
  auto parts = index_kernels(kernel, diagnostics);
  std::vector<std::string> names;
  for (const IndexKernel& part : parts ? *parts : std::vector<IndexKernel>{}) {
    array::Program program = lower_index(part);
    array::Certified certified = array::certify(program, origin);
    KernelFiles files{program.name, origin, {{".v", certified.certificate + index_certificate(part)}, {".h", certified.header},
                                             {".fun", array::print_program(program)}}, certified.c};
    if (!write_kernel(folder, files, diagnostics)) {
      return std::nullopt;
    }
    names.push_back(program.name);
  }
  return parts ? std::optional(names) : std::nullopt;
}

namespace {

std::vector<std::string> compile_kernel(const std::string& path, const CompileCommand& command, Diagnostics& diagnostics) {
  if (is_functional(path)) {
    auto name = compile_functional(path, command, diagnostics);
    return name ? std::vector<std::string>{*name} : std::vector<std::string>{};
  }
  Diagnostics own;  // an error in one kernel does not stop the others
  auto kernel = load_kernel(path, command.sizes, own);
  auto names = kernel ? write_index_kernels(*kernel, fs::path(path).filename().string(), command.out, own) : std::nullopt;
  for (const Diagnostic& diagnostic : own.all()) {
    diagnostics.add(diagnostic);
  }
  return names.value_or(std::vector<std::string>{});
}

}  // namespace

ExitCode compile_kernels(const CompileCommand& command) {
  Diagnostics diagnostics;
  std::error_code failed;
  fs::create_directories(command.out, failed);
  std::vector<std::string> files = kernel_files(command.kernels);
  if (files.empty()) {
    diagnostics.error_at(command.kernels.front(), "there are no .fun or .tk files here");
  }
  std::set<std::string> names;
  for (const std::string& file : files) {
    for (const std::string& name : compile_kernel(file, command, diagnostics)) {
      if (!names.insert(name).second) {
        diagnostics.error_at(file, fmt::format("another file has the kernel '{}' too", name));
      } else {
        fmt::print("{0}: {1}/{2}.c, {2}.h, {2}.v\n", file, command.out, name);
      }
    }
  }
  fmt::print(stderr, "{}", diagnostics.text());
  return diagnostics.has_errors() ? ExitCode::BadInput : ExitCode::Ok;
}

}  // namespace vouch
