#include "driver/kernel_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "io/file.h"
#include "support/hash.h"

namespace vouch {
namespace {

struct OwnedFile {
  std::string kernel;
  std::string file;
  std::string hash;
};

// By names in small letters: to some disks `Norm.c` is `norm.c`.
using OwnedFiles = std::map<std::string, OwnedFile>;

std::string in_small_letters(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::optional<OwnedFiles> owned_files(const std::string& folder, const Manifest& manifest, Diagnostics& diagnostics) {
  OwnedFiles out;
  for (const auto& [kernel, entry] : manifest) {
    for (const auto& [file, hash] : entry.files) {
      auto [first, is_new] = out.try_emplace(in_small_letters(file), OwnedFile{kernel, file, hash});
      // Gradients of one kernel share its text.
      if (!is_new && (first->second.file != file || first->second.hash != hash)) {
        diagnostics.error_at(folder,
                             fmt::format("'{}' of kernel '{}' and '{}' of kernel '{}' may be one file", first->second.file,
                                         first->second.kernel, file, kernel),
                             "compile one of them into another folder, or call it otherwise");
        return std::nullopt;
      }
    }
  }
  return out;
}

// Nobody may find the old C text, or an old source, beside a new certificate.
bool remove_old(const std::string& folder, const std::string& kernel, const OwnedFiles& owned, Diagnostics& diagnostics) {
  for (std::string_view ending : {std::string_view(".c"), kDerivationEnding, kAdjointEnding, std::string_view(".source.tk"),
                                  std::string_view(".source.json")}) {
    auto owner = owned.find(in_small_letters(fmt::format("{}{}", kernel, ending)));
    if (owner != owned.end() && owner->second.kernel != kernel) {
      continue;
    }
    std::string path = fmt::format("{}/{}{}", folder, kernel, ending);
    std::error_code failed;
    std::filesystem::remove(path, failed);
    if (failed) {
      diagnostics.error_at(path, fmt::format("the file cannot be removed: {}", failed.message()));
      return false;
    }
  }
  return true;
}

bool is_c(const std::string& file, const KernelTexts& texts) { return file == texts.name + ".c"; }

bool write_all(const std::string& folder, const KernelTexts& texts, bool c, Diagnostics& diagnostics) {
  auto files = texts.files();
  return std::all_of(files.begin(), files.end(), [&](const auto& file) {
    return is_c(file.first, texts) != c || write_file(folder + "/" + file.first, file.second, diagnostics, Survives::ProcessEnd);
  });
}

bool has_word(const std::string& text, const std::string& word) {
  auto part_of_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = text.find(word); !word.empty() && at != std::string::npos; at = text.find(word, at + 1)) {
    if (!(at > 0 && part_of_word(at - 1)) && !part_of_word(at + word.size())) {
      return true;
    }
  }
  return false;
}

// Without what nothing of this kernel comes from: a command speaks of all kernels that it is given.
KernelRecipe of_this(KernelRecipe recipe, const KernelTexts& texts) {
  auto source = texts.others.find(source_file(recipe, texts.name));
  std::erase_if(recipe.sizes, [&](const std::string& size) {
    return source == texts.others.end() || !has_word(source->second, size.substr(0, size.find('=')));
  });
  recipe.derivation = texts.derivation.has_value();
  recipe.planned = recipe.planned && recipe.is_functional();
  return recipe;
}

}  // namespace

KernelEntry entry_of(const KernelRecipe& recipe, const KernelTexts& texts) {
  KernelEntry entry{of_this(recipe, texts), texts.sizes, {}, tool_versions()};
  for (const auto& [file, text] : texts.files()) {
    entry.files[file] = content_hash(text);
  }
  return entry;
}

bool write_kernels(const std::string& folder, const std::vector<KernelToWrite>& kernels, Diagnostics& diagnostics) {
  std::string manifest_path = fmt::format("{}/{}", folder, kManifest);
  std::optional<Manifest> manifest = load_manifest(manifest_path, diagnostics);
  if (!manifest) {
    return false;
  }
  for (const KernelToWrite& kernel : kernels) {
    (*manifest)[kernel.texts->name] = entry_of(*kernel.recipe, *kernel.texts);
  }
  auto owned = owned_files(folder, *manifest, diagnostics);
  bool good = owned && std::all_of(kernels.begin(), kernels.end(), [&](const KernelToWrite& kernel) {
                return remove_old(folder, kernel.texts->name, *owned, diagnostics) &&
                       write_all(folder, *kernel.texts, false, diagnostics);
              });
  if (!good || !write_file(manifest_path, print_manifest(*manifest), diagnostics, Survives::ProcessEnd)) {
    return false;
  }
  return std::all_of(kernels.begin(), kernels.end(),
                     [&](const KernelToWrite& kernel) { return write_all(folder, *kernel.texts, true, diagnostics); });
}

}  // namespace vouch
