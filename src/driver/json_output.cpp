#include "driver/json_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/file.h"

namespace vouch {

bool give_json(const std::string& file, const nlohmann::ordered_json& value, Diagnostics& diagnostics) {
  if (file.empty()) {
    return true;
  }
  std::string text = value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (json_alone(file)) {
    fmt::print("{}", text);
    return true;
  }
  return write_file(file, text, diagnostics);
}

}  // namespace vouch
