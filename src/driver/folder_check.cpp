#include "driver/folder_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "driver/index_commands.h"
#include "driver/kernel_folder.h"
#include "io/file.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What sources give, by recipe and text: several kernels come from one source.
class Sources {
 public:
  struct Given {
    std::vector<KernelTexts> kernels;
    std::string errors;
  };

  const Given& of(const KernelRecipe& recipe, const std::string& path, const std::string& text) {
    auto [at, is_new] = known_.try_emplace({recipe_json(recipe).dump(-1, ' ', false, Replace), text});
    if (is_new) {
      Diagnostics diagnostics;
      auto all = compile_texts(recipe, recipe.has_source() ? std::make_shared<Source>(path, text) : nullptr, diagnostics);
      at->second = {all ? std::move(*all) : std::vector<KernelTexts>{}, diagnostics.text()};
    }
    return at->second;
  }

 private:
  static constexpr auto Replace = Json::error_handler_t::replace;
  std::map<std::pair<std::string, std::string>, Given> known_;
};

bool is_identifier(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  });
}

std::string what_it_is(const std::string& file, const KernelTexts& texts) {
  return file == texts.name + ".c"           ? "the C text is not the certified one"
         : file == texts.name + ".h"         ? "the header is not the certified function's"
         : file == texts.name + ".v"         ? "the certificate is not this kernel's"
         : file.ends_with(kDerivationEnding) ? "the derivation is not this kernel's"
         : file.ends_with(kAdjointEnding)    ? "the adjoint certificate is not this gradient's"
                                             : "it is not what the source gives";
}

// A file against the text that it should hold.
void compare(const KernelTexts& texts, const std::string& file, const std::string& expected, KernelCheck& check) {
  constexpr std::uint64_t kMore = 1 << 20;  // enough to show where they differ
  FileBytes found = read_regular(check.folder + "/" + file, expected.size() + kMore);
  if (!found.bytes) {
    check.differences.push_back(fmt::format("{}: {}; {}", file, what_it_is(file, texts), found.why));
  } else if (*found.bytes != expected) {
    check.differences.push_back(
        fmt::format("{}: {}; {}", file, what_it_is(file, texts), first_difference(expected, *found.bytes)));
  }
}

void compare_entry(const KernelEntry& listed, const KernelEntry& expected, KernelCheck& check) {
  auto compare_lines = [&](const char* what, const std::vector<std::string>& said, const std::vector<std::string>& given) {
    if (said != given) {
      check.differences.push_back(fmt::format("{}: {}: expected '{}', found '{}'", kManifest, what, fmt::join(given, ", "),
                                              printable(fmt::format("{}", fmt::join(said, ", ")))));
    }
  };
  if (Json said = recipe_json(listed.recipe), given = recipe_json(expected.recipe); said != given) {
    check.differences.push_back(fmt::format("{}: its recipe asks for what this kernel does not have: expected {}, found {}",
                                            kManifest, given.dump(),
                                            printable(said.dump(-1, ' ', false, Json::error_handler_t::replace))));
  }
  compare_lines("the facts that it lists are not those of the source", listed.sizes.facts, expected.sizes.facts);
  compare_lines("the limits that it lists are not those of the source", listed.sizes.limits, expected.sizes.limits);
  compare_lines("the sizes that it gives for an example are others", listed.sizes.witness, expected.sizes.witness);
  for (const auto& [file, hash] : expected.files) {
    auto found = listed.files.find(file);
    if (found == listed.files.end()) {
      check.differences.push_back(fmt::format("{}: it does not list {}", kManifest, file));
    } else if (found->second != hash) {
      check.differences.push_back(fmt::format("{}: its hash of {} is not that of what the source gives", kManifest, file));
    }
  }
  for (const auto& [file, hash] : listed.files) {
    if (!expected.files.contains(file)) {
      check.differences.push_back(fmt::format("{}: it lists {}, which the source does not give", kManifest, printable(file)));
    }
  }
  for (const auto& [tool, version] : listed.tools) {
    auto ours = expected.tools.find(tool);
    if (ours == expected.tools.end() || ours->second != version) {
      check.remarks.push_back(fmt::format("compiled by {} {}, checked by {}", printable(tool), printable(version),
                                          ours == expected.tools.end() ? "another tool" : ours->second));
    }
  }
}

void check_kernel(Sources& sources, const KernelEntry& entry, const Manifest& manifest, KernelCheck& check) {
  std::string path = check.folder + "/" + source_file(entry.recipe, check.kernel);
  FileBytes source = entry.recipe.has_source() ? read_regular(path, kMostKernelBytes) : FileBytes{"", ""};
  if (!source.bytes) {
    check.differences.push_back(
        fmt::format("{}: the source cannot be had: {}", source_file(entry.recipe, check.kernel), source.why));
    return;
  }
  const Sources::Given& given = sources.of(entry.recipe, check.folder + "/" + entry.recipe.origin, *source.bytes);
  if (given.kernels.empty()) {
    check.differences.push_back("the source gives no certificate:\n" + given.errors);
    return;
  }
  for (const KernelTexts& texts : given.kernels) {
    if (texts.name == check.kernel) {
      check.texts = texts;
    } else if (!manifest.contains(texts.name)) {
      check.differences.push_back(fmt::format("{}: it does not list {}, which the source gives too", kManifest, texts.name));
    }
  }
  if (!check.texts) {
    check.differences.push_back(fmt::format("the source gives {}, not this kernel", given.kernels[0].name));
    return;
  }
  for (const auto& [file, text] : check.texts->files()) {
    compare(*check.texts, file, text, check);
  }
  compare_entry(entry, entry_of(entry.recipe, *check.texts), check);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool plain = c >= ' ' && c != '\x7f';
    out += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string first_difference(std::string_view expected, std::string_view found) {
  auto [a, b] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
  std::size_t line = 1 + static_cast<std::size_t>(std::count(expected.begin(), a, '\n'));
  auto shown = [](std::string_view text, std::size_t at) {
    std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) == std::string_view::npos ? 0 : text.rfind('\n', at - 1) + 1;
    begin = std::max(begin, at < 60 ? 0 : at - 60);
    return printable(text.substr(begin, std::min(text.find('\n', at), begin + 100) - begin));
  };
  auto at = static_cast<std::size_t>(a - expected.begin());
  return fmt::format("line {}: expected '{}', found '{}'", line, shown(expected, at), shown(found, at));
}

std::vector<KernelCheck> check_kernels(const std::string& folder, std::set<std::string>& covered, Diagnostics& diagnostics) {
  std::string path = fmt::format("{}/{}", folder, kManifest);
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) {
    return {};
  }
  covered.insert(std::string(kManifest));
  constexpr std::uint64_t kMostManifest = 64 << 20;
  FileBytes bytes = read_regular(path, kMostManifest);
  std::optional<Manifest> manifest = bytes.bytes ? read_manifest(path, *bytes.bytes, diagnostics) : std::nullopt;
  if (!bytes.bytes) {
    diagnostics.error_at(path, "the manifest cannot be had: " + bytes.why);
  }
  std::vector<KernelCheck> checks;
  if (!manifest) {
    return checks;
  }
  if (std::string written = print_manifest(*manifest); written != *bytes.bytes) {
    diagnostics.error_at(path, "the manifest says more than its kernels account for; " + first_difference(written, *bytes.bytes));
  }
  Sources sources;
  for (const auto& [kernel, entry] : *manifest) {
    KernelCheck check{folder, kernel, {}, {}, {}};
    if (is_identifier(kernel)) {
      check_kernel(sources, entry, *manifest, check);
    } else {
      check.differences.push_back("this is no name of a kernel");
    }
    for (const auto& [file, text] : check.texts ? check.texts->files() : std::map<std::string, std::string>{}) {
      covered.insert(file);
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

void name_uncovered(const std::string& folder, const std::set<std::string>& covered, Diagnostics& diagnostics) {
  constexpr std::size_t kMostNamed = 50;
  std::set<std::string> folders;
  for (const std::string& file : covered) {
    for (fs::path above = fs::path(file).parent_path(); !above.empty(); above = above.parent_path()) {
      folders.insert(above.string());
    }
  }
  std::set<std::string> uncovered;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, failed);
  for (fs::recursive_directory_iterator end; !failed && at != end; at.increment(failed)) {
    std::string path = at->path().lexically_relative(folder).string();
    std::error_code ignored;
    bool is_folder = at->symlink_status(ignored).type() == fs::file_type::directory;
    if (!(is_folder ? folders : covered).contains(path)) {
      uncovered.insert(path + (is_folder ? "/" : ""));
    }
  }
  if (failed) {
    diagnostics.error_at(folder, fmt::format("the folder cannot be read: {}", failed.message()));
  }
  std::size_t named = 0;
  for (const std::string& path : uncovered) {
    if (++named > kMostNamed) {
      diagnostics.error_at(folder, fmt::format("and {} more that nothing covers", uncovered.size() - kMostNamed));
      return;
    }
    diagnostics.error_at(folder + "/" + printable(path), "no certificate covers this", "keep it elsewhere, or remove it");
  }
}

}  // namespace vouch
