#include "driver/shipped.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>
#include <sys/auxv.h>

#include <filesystem>

#include "driver/model.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

// Of the running program, also where there is no /proc.
fs::path program_file() {
  std::error_code failed;
  fs::path file = fs::read_symlink("/proc/self/exe", failed);
  const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return failed && started != nullptr ? fs::canonical(started, failed) : file;
}

}  // namespace

fs::path own_folder() {
  Dl_info found{};
  void* map = nullptr;
  bool known = dladdr1(reinterpret_cast<void*>(&own_folder), &found, &map, RTLD_DL_LINKMAP) != 0 && map != nullptr;
  std::string name = known ? static_cast<link_map*>(map)->l_name : "";  // empty: the program itself
  std::error_code ignored;
  fs::path file = name.empty() ? program_file() : fs::canonical(name, ignored);
  return file.parent_path();
}

std::optional<std::string> shipped_rules(Diagnostics& diagnostics) {
  fs::path folder = own_folder();
  std::vector<std::string> tried;
  for (const char* candidate : {"rules", "../share/vouch/rules"}) {
    std::error_code ignored;
    fs::path path = (folder / candidate).lexically_normal();
    if (fs::is_directory(path, ignored)) {
      return path.string();
    }
    tried.push_back(path.string());
  }
  diagnostics.error_at("--rules", fmt::format("the shipped rules are not there: looked for {}", fmt::join(tried, " and ")),
                       "name rule files or folders");
  return std::nullopt;
}

std::optional<std::vector<Rule>> load_named_or_shipped(const std::vector<std::string>& named, Diagnostics& diagnostics) {
  if (!named.empty()) {
    return load_rules(named, diagnostics);
  }
  auto shipped = shipped_rules(diagnostics);
  return shipped ? load_rules({*shipped}, diagnostics) : std::nullopt;
}

}  // namespace vouch
