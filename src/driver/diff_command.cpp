#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "driver/commands.h"
#include "driver/diff.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "driver/picture_page.h"
#include "io/file.h"

namespace vouch {

ExitCode diff(const DiffCommand& command) {
  Diagnostics diagnostics;
  auto a = load_model(command.a, diagnostics);
  auto b = load_model(command.b, diagnostics);
  if (!a || !b) {
    return give_up(diagnostics);
  }
  ModelDiff found = diff_models(a->graph, b->graph);
  nlohmann::ordered_json json{{"vouch_diff", 1}, {"a", command.a}, {"b", command.b}};
  json.update(diff_json(found, a->graph, b->graph));
  FilesTogether files;
  bool written = true;
  if (!command.out.empty()) {
    std::string title = command.a + " and " + command.b;
    auto picture = picture_bytes(diff_picture(found, a->graph, b->graph, command.scope), title, command.out, diagnostics);
    written = picture && write_file(command.out, *picture, diagnostics);
  }
  if (!written || !give_json(command.json, json, diagnostics) || !files.commit(diagnostics)) {
    return give_up(diagnostics);
  }
  if (!json_alone(command.json) && command.out != "-") {
    fmt::print("{}", diff_text(found, a->graph, b->graph));
  }
  return found.none() ? ExitCode::Ok : ExitCode::Refuted;
}

}  // namespace vouch
