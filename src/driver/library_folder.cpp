#include "driver/library_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "driver/kernel_program.h"
#include "driver/manifest.h"
#include "io/file.h"
#include "io/whole_json.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostManifest = 64 << 20;
constexpr std::string_view kBuildFile = "CMakeLists.txt";

// What may lie in the folder while it is written: in the form of a manifest, which it becomes.
constexpr std::string_view kUnfinished = "manifest.json.tmp";

bool comes_last(const std::string& file) { return file == kBuildFile; }

bool removed(const std::string& path, Diagnostics& diagnostics) {
  std::error_code failed;
  fs::remove(path, failed);
  if (failed) {
    diagnostics.error_at(path, fmt::format("the file cannot be removed: {}", failed.message()));
  }
  return !failed;
}

// Plain paths below the folder that an earlier manifest lists.
std::vector<std::string> listed_files(const std::string& manifest) {
  std::vector<std::string> out;
  auto json = whole_json(manifest);
  auto files = json.is_object() ? json.find("files") : json.end();
  if (!json.is_object() || files == json.end() || !files->is_object()) {
    return out;
  }
  for (const auto& [file, hash] : files->items()) {
    fs::path path(file);
    bool inside = path.is_relative() && std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
    if (inside) {
      out.push_back(file);
    }
  }
  return out;
}

// A folder of something else is left alone.
bool may_write(const std::string& folder, std::vector<std::string>& earlier, Diagnostics& diagnostics) {
  std::string path = fmt::format("{}/{}", folder, kManifest);
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) {
    return true;
  }
  FileBytes bytes = read_regular(path, kMostManifest);
  if (!bytes.bytes || !is_library_manifest(*bytes.bytes)) {
    diagnostics.error_at(path, "this folder holds something else than a library", "give another folder with -o");
    return false;
  }
  earlier = listed_files(*bytes.bytes);
  return true;
}

// Folders that lie elsewhere are not written into, nor anything removed there.
bool stays_inside(const std::string& folder, const BuiltLibrary& built, const std::vector<std::string>& earlier,
                  Diagnostics& diagnostics) {
  std::set<fs::path> inside;
  auto add = [&](const std::string& file) {
    for (fs::path path = fs::path(file).parent_path(); !path.empty(); path = path.parent_path()) {
      inside.insert(path);
    }
  };
  std::for_each(earlier.begin(), earlier.end(), add);
  for (const auto& [file, text] : built.files) {
    add(file);
  }
  bool none = true;
  for (const fs::path& path : inside) {
    std::error_code ignored;
    if (fs::is_symlink(fs::path(folder) / path, ignored)) {
      diagnostics.error_at((fs::path(folder) / path).string(), "a link to another folder is not written into", "remove it");
      none = false;
    }
  }
  return none;
}

// Nor is a file replaced that no library wrote.
bool leaves_others(const std::string& folder, const BuiltLibrary& built, const std::vector<std::string>& earlier,
                   Diagnostics& diagnostics) {
  std::set<std::string> ours(earlier.begin(), earlier.end());
  ours.emplace(kManifest);
  bool none = stays_inside(folder, built, earlier, diagnostics);
  for (const auto& [file, text] : built.files) {
    std::string path = folder + "/" + file;
    std::error_code ignored;
    if (ours.contains(file) || !fs::exists(fs::symlink_status(path, ignored))) {
      continue;
    }
    FileBytes there = read_regular(path, text.size());
    if (!there.bytes || *there.bytes != text) {
      diagnostics.error_at(path, "this was there before, and is of no library", "move it, or give another folder with -o");
      none = false;
    }
  }
  return none;
}

// What a run that was ended may have left.
void add_unfinished(const std::string& folder, std::vector<std::string>& earlier) {
  FileBytes bytes = read_regular(fmt::format("{}/{}", folder, kUnfinished), kMostManifest);
  if (bytes.bytes) {
    std::vector<std::string> left = listed_files(*bytes.bytes);
    earlier.insert(earlier.end(), left.begin(), left.end());
  }
}

bool note_unfinished(const std::string& folder, const BuiltLibrary& built, const std::vector<std::string>& earlier,
                     Diagnostics& diagnostics) {
  nlohmann::ordered_json files = nlohmann::ordered_json::object();
  for (const std::string& file : earlier) {
    files[file] = "";
  }
  for (const auto& [file, text] : built.files) {
    files[file] = "";
  }
  std::string text = nlohmann::ordered_json{{"files", files}}.dump();
  return write_file(fmt::format("{}/{}", folder, kUnfinished), text, diagnostics, Survives::ProcessEnd);
}

bool remove_earlier(const std::string& folder, const BuiltLibrary& built, const std::vector<std::string>& earlier,
                    Diagnostics& diagnostics) {
  std::set<std::string> folders{""};
  for (const std::string& file : earlier) {
    if (!built.files.contains(file) && !removed(folder + "/" + file, diagnostics)) {
      return false;
    }
    folders.insert(fs::path(file).parent_path().string());
  }
  for (const std::string& inside : folders) {
    remove_temporaries(folder + "/" + inside);
  }
  return true;
}

// The note of what may lie here becomes the manifest: one step from not whole to whole.
bool finish(const std::string& folder, const std::string& manifest, Diagnostics& diagnostics) {
  std::string unfinished = fmt::format("{}/{}", folder, kUnfinished);
  if (!write_file(unfinished, manifest, diagnostics, Survives::ProcessEnd)) {
    return false;
  }
  std::error_code failed;
  fs::rename(unfinished, fmt::format("{}/{}", folder, kManifest), failed);
  if (failed) {
    diagnostics.error_at(unfinished, fmt::format("the file cannot be renamed: {}", failed.message()));
  }
  return !failed;
}

bool make_folders(const std::string& folder, const BuiltLibrary& built, Diagnostics& diagnostics) {
  for (const auto& [file, text] : built.files) {
    std::error_code failed;
    fs::path path = (fs::path(folder) / file).parent_path();
    fs::create_directories(path, failed);
    if (failed) {
      diagnostics.error_at(path.string(), fmt::format("the folder cannot be made: {}", failed.message()));
      return false;
    }
  }
  return true;
}

bool write_one(const std::string& folder, const std::string& file, const std::string& text, Diagnostics& diagnostics) {
  std::string path = folder + "/" + file;
  FileBytes there = read_regular(path, text.size());
  return (there.bytes && *there.bytes == text) || write_file(path, text, diagnostics, Survives::ProcessEnd);
}

std::optional<std::string> source_text(const std::string& folder, const std::string& file, bool needed,
                                       Diagnostics& diagnostics) {
  std::string path = folder + "/" + file;
  std::error_code ignored;
  if (!needed && !fs::exists(fs::symlink_status(path, ignored))) {
    return "";
  }
  FileBytes bytes = read_regular(path, kMostFileBytes);
  if (!bytes.bytes) {
    diagnostics.error_at(path, "the library's source cannot be had: " + bytes.why);
  }
  return bytes.bytes;
}

std::optional<BuiltLibrary> made_anew(const std::string& folder, const std::string& manifest, Diagnostics& diagnostics,
                                      const LibraryWatch& watch) {
  auto recipe = read_library_manifest(fmt::format("{}/{}", folder, kManifest), manifest, diagnostics);
  auto model = recipe ? source_text(folder, library_model_file(*recipe), true, diagnostics) : std::nullopt;
  auto rules = model ? source_text(folder, std::string(kLibraryRules), false, diagnostics) : std::nullopt;
  if (!rules) {
    return std::nullopt;
  }
  LibrarySources sources{std::move(*model), std::move(*rules), {}};
  for (const std::string& file : library_trace_files(*recipe)) {
    auto trace = source_text(folder, file, true, diagnostics);
    if (!trace) {
      return std::nullopt;
    }
    sources.traces.push_back(std::move(*trace));
  }
  return build_library(*recipe, sources, diagnostics, watch);
}

// Empty if the file is as it should be.
std::string difference(const std::string& folder, const std::string& file, const std::string& expected) {
  FileBytes found = read_regular(folder + "/" + file, std::max<std::uint64_t>(expected.size() * 2, kMostManifest));
  if (!found.bytes) {
    return found.why;
  }
  return *found.bytes == expected ? "" : "not what the model gives; " + first_difference(expected, *found.bytes);
}

}  // namespace

bool write_library(const std::string& folder, const BuiltLibrary& built, Diagnostics& diagnostics) {
  std::vector<std::string> earlier;
  if (!may_write(folder, earlier, diagnostics)) {
    return false;
  }
  add_unfinished(folder, earlier);
  if (!leaves_others(folder, built, earlier, diagnostics) || !make_folders(folder, built, diagnostics) ||
      !note_unfinished(folder, built, earlier, diagnostics)) {
    return false;
  }
  for (std::string_view file : {kManifest, kBuildFile}) {
    if (!removed(fmt::format("{}/{}", folder, file), diagnostics)) {
      return false;
    }
  }
  if (!remove_earlier(folder, built, earlier, diagnostics)) {
    return false;
  }
  for (bool last : {false, true}) {
    for (const auto& [file, text] : built.files) {
      if (file != kManifest && comes_last(file) == last && !write_one(folder, file, text, diagnostics)) {
        return false;
      }
    }
  }
  return finish(folder, built.files.at(std::string(kManifest)), diagnostics);
}

bool is_library(const std::string& folder) {
  FileBytes bytes = read_regular(fmt::format("{}/{}", folder, kManifest), kMostManifest);
  return bytes.bytes && is_library_manifest(*bytes.bytes);
}

std::optional<BuiltLibrary> library_anew(const std::string& folder, Diagnostics& diagnostics, const LibraryWatch& watch) {
  FileBytes manifest = read_regular(fmt::format("{}/{}", folder, kManifest), kMostManifest);
  return manifest.bytes ? made_anew(folder, *manifest.bytes, diagnostics, watch) : std::nullopt;
}

static std::vector<std::string> rounded_otherwise(const PlanKernel& kernel) {
  KernelRecipe recipe;
  recipe.fused = kernel.fused;
  recipe.lanes = kernel.written.has_value();
  return rounded_otherwise(kernel.kernel, kernel.tiling, recipe);
}

std::optional<LibraryCheck> check_library(const std::string& folder, std::set<std::string>& covered, Diagnostics& diagnostics) {
  covered.insert(std::string(kManifest));
  auto built = library_anew(folder, diagnostics, {.steps = true});
  if (!built) {
    return std::nullopt;
  }
  LibraryCheck out{folder, std::move(*built), {}};
  std::set<std::string> of_kernels;
  for (std::size_t k = 0; k < out.built.certificates.size(); ++k) {
    const KernelCertificate& certificate = out.built.certificates[k];
    KernelCheck check{folder, certificate.name, KernelTexts{}, {}, {}};
    check.texts->rounded_otherwise = rounded_otherwise(out.built.library.plan.kernels[k]);
    check.texts->name = certificate.name;
    check.texts->c = certificate.c;
    check.texts->certificate = certificate.certificate;
    check.texts->refutation = certificate.refutation;
    std::string file = kernel_file(certificate.name);
    of_kernels.insert(file);
    if (std::string what = difference(folder, file, certificate.c); !what.empty()) {
      check.differences.push_back(fmt::format("{}: {}", file, what));
    }
    out.kernels.push_back(std::move(check));
  }
  for (const auto& [file, text] : out.built.files) {
    covered.insert(file);
    std::string what = of_kernels.contains(file) ? "" : difference(folder, file, text);
    if (!what.empty()) {
      diagnostics.error_at(folder + "/" + file, what);
    }
  }
  return out;
}

}  // namespace vouch
