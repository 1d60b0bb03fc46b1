#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "driver/index_commands.h"
#include "driver/json_output.h"
#include "notation/show_tk.h"
#include "term/print.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

Json statements_json(const TkKernel& kernel) {
  Json all = Json::array();
  for (const TkStatement& statement : kernel.statements) {
    Json indices = Json::array();
    for (const TkDomain& domain : statement.domains) {
      indices.push_back({{"index", domain.name.name()},
                         {"reduced", domain.reduced},
                         {"begin", print_term(domain.begin)},
                         {"end", print_term(domain.end)}});
    }
    all.push_back({{"statement", statement.text}, {"indices", std::move(indices)}});
  }
  return all;
}

}  // namespace

ExitCode show_kernel(const ShowCommand& command) {
  Diagnostics diagnostics;
  auto kernel = load_kernel(command.kernel, command.sizes, diagnostics);
  Json json{{"vouch_show", 1},
            {"kernel", kernel ? kernel->name : ""},
            {"statements", kernel ? statements_json(*kernel) : Json::array()},
            {"messages", diagnostics_json(diagnostics)}};
  bool written = give_json(command.json, json, diagnostics);
  fmt::print(stderr, "{}", diagnostics.text());
  if (kernel && !json_alone(command.json)) {
    fmt::print("{}", show_domains(*kernel));
  }
  return kernel && written ? ExitCode::Ok : ExitCode::BadInput;
}

}  // namespace vouch
