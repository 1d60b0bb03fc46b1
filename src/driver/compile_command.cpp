#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "array/parse.h"
#include "certify/certificate.h"
#include "driver/kernel_commands.h"
#include "driver/manifest.h"
#include "io/file.h"
#include "support/hash.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

// The .fun files named, those of folders in alphabetical order.
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
      if (entry.path().extension() == ".fun") {
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

// Writes the files of one kernel, the C text last.
bool write_kernel(const std::string& folder, const std::string& name, const std::string& origin, const std::string& text,
                  const array::Certified& certified, Diagnostics& diagnostics) {
  std::string base = folder + "/" + name;
  std::error_code ignored;
  fs::remove(base + ".c", ignored);
  std::optional<Manifest> manifest = read_manifest(folder + "/manifest.json", diagnostics);
  if (!manifest) {
    return false;
  }
  (*manifest)[name] = {fs::path(origin).filename().string(),
                       {{name + ".c", content_hash(certified.c)},
                        {name + ".h", content_hash(certified.header)},
                        {name + ".v", content_hash(certified.certificate)},
                        {name + ".fun", content_hash(text)}},
                       {{"vouch", VOUCH_VERSION}, {"coq", VOUCH_COQ_VERSION}}};
  return write_file(base + ".v", certified.certificate, diagnostics) &&
         write_file(base + ".h", certified.header, diagnostics) && write_file(base + ".fun", text, diagnostics) &&
         write_file(folder + "/manifest.json", print_manifest(*manifest), diagnostics) &&
         write_file(base + ".c", certified.c, diagnostics);
}

// The kernel's name, or nothing.
std::optional<std::string> compile_kernel(const std::string& path, const std::string& folder, Diagnostics& diagnostics) {
  std::optional<std::string> text = read_kernel(path, diagnostics);
  std::optional<array::Program> program =
      text ? array::parse_program(std::make_shared<Source>(path, *text), diagnostics) : std::nullopt;
  if (!program) {
    return std::nullopt;
  }
  array::Certified certified = array::certify(*program, fs::path(path).filename().string());
  bool written = write_kernel(folder, program->name, path, *text, certified, diagnostics);
  return written ? std::optional(program->name) : std::nullopt;
}

}  // namespace

ExitCode compile_kernels(const CompileCommand& command) {
  Diagnostics diagnostics;
  std::error_code failed;
  fs::create_directories(command.out, failed);
  std::vector<std::string> files = kernel_files(command.kernels);
  if (files.empty()) {
    diagnostics.error_at(command.kernels.front(), "there are no .fun files here");
  }
  std::set<std::string> names;
  for (const std::string& file : files) {
    std::optional<std::string> name = compile_kernel(file, command.out, diagnostics);
    if (name && !names.insert(*name).second) {
      diagnostics.error_at(file, fmt::format("another file has the kernel '{}' too", *name));
    } else if (name) {
      fmt::print("{0}: {1}/{2}.c, {2}.h, {2}.v\n", file, command.out, *name);
    }
  }
  fmt::print(stderr, "{}", diagnostics.text());
  return diagnostics.has_errors() ? ExitCode::BadInput : ExitCode::Ok;
}

}  // namespace vouch
