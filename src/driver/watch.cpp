#include "driver/watch.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "driver/model.h"
#include "driver/standard_streams.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

using Stamp = std::pair<fs::file_time_type, std::uintmax_t>;

// When each file was written and how long it is.
std::map<std::string, Stamp> stamps(const std::vector<std::string>& paths) {
  Diagnostics missing;  // a file that is being replaced comes back
  std::map<std::string, Stamp> all;
  for (const std::string& file : rule_files(paths, missing)) {
    std::error_code failed;
    all[file] = {fs::last_write_time(file, failed), fs::file_size(file, failed)};
  }
  return all;
}

}  // namespace

ExitCode watch_rules(const std::vector<std::string>& paths, const std::function<void()>& work) {
  for (;;) {
    std::map<std::string, Stamp> seen = stamps(paths);
    work();
    fmt::print("watching {} file{}\n", seen.size(), seen.size() == 1 ? "" : "s");
    flush_output();
    while (stamps(paths) == seen) {
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
    }
  }
}

}  // namespace vouch
