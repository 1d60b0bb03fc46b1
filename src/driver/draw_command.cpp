#include <fmt/format.h>

#include "driver/commands.h"
#include "driver/model.h"
#include "driver/picture.h"
#include "io/file.h"
#include "rewrite/match.h"
#include "rule/print.h"

namespace vouch {

ExitCode draw_model(const DrawCommand& command) {
  Diagnostics diagnostics;
  auto model = load_model(command.model, diagnostics);
  auto svg = model ? svg_of_dot(picture_of_graph(model->graph), diagnostics) : std::nullopt;
  if (!svg || !write_file(command.out, *svg, diagnostics)) {
    fmt::print(stderr, "{}", diagnostics.text());
    return ExitCode::BadInput;
  }
  fmt::print("{}: {} nodes drawn\n", command.out, model->graph.live_count());
  return ExitCode::Ok;
}

ExitCode list_operators() {
  for (const std::string& name : op_names()) {
    const OpDef& def = op_def(*find_op(name));
    std::string operands;
    for (const OperandDef& operand : def.operands) {
      operands += fmt::format("{}{}{}", operands.empty() ? "" : ", ", operand.name,
                              operand.kind == OperandKind::Optional ? "?" : operand.kind == OperandKind::Tuple ? "…" : "");
    }
    std::string attributes;
    for (const AttrDef& attr : def.attributes) {
      attributes += fmt::format("{}{}", attributes.empty() ? " {" : ", ", attr.name);
    }
    fmt::print("{}({}){}\n", name, operands, attributes.empty() ? "" : attributes + "}");
  }
  return ExitCode::Ok;
}

}  // namespace vouch
