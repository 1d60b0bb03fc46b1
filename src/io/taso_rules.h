// TASO's substitutions (its `graph_subst.pb`, decoded to JSON) as rules in the text of GSL.
//
// Its tensors are float32. Its operators here: matmul is MatMul of matrices; conv2d is Conv with strides and dilations 1, padding
// SAME with the odd row before the image (SAME_LOWER) and as many groups as channels of the image over channels of the kernel; an
// activation is a Relu around it; concat and relu are Concat and Relu; split cuts where the one concat below it joined. ewadd and
// ewmul want equal shapes, as its verifier has it, or broadcast sizes of one (at equal ranks), as its runtime has it.
//
//   [{"id": 0, "src": [NODE, …], "dst": [NODE, …], "mappedOutputs": [{"src": [node, result], "dst": [node, result]}, …]}, …]
//   NODE = {"op": "CONV2D", "inputs": [[-k, 0] for pattern variable x_k | [node, result], …], "params": {…}}
//
// A rule with several outputs is one rule; where they share nothing, the outputs are one tuple, since a source has to be
// connected.
#pragma once

#include <optional>
#include <string>

#include "support/diagnostic.h"
#include "support/source.h"

namespace vouch {

enum class TasoQuestion : std::uint8_t {
  Equal,  // are both sides equal wherever both are legal? The target's legality stands among the conditions.
  Legal,  // is the target legal wherever the source is?
};

struct TasoOptions {
  TasoQuestion question = TasoQuestion::Equal;
  bool broadcast = false;  // ewadd and ewmul broadcast
};

// One rule `taso-ID` for each substitution, in order. Errors name file, line, column and JSON pointer.
std::optional<std::string> taso_rules_text(const SourceRef& source, const TasoOptions& options, Diagnostics& diagnostics);

}  // namespace vouch
