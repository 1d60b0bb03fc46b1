// Many pairs judged in one run, for continuous integration.
#pragma once

#include "driver/equiv_command.h"
#include "equiv/region_prover.h"

namespace vouch {

// The pairs of `command.list`: a file with two models on each line, or a folder in which each folder with two models is a pair
// (`original.onnx` first). Verdicts come in this order, whatever the number of threads.
ExitCode judge_list(const EquivCommand& command, RegionVerdicts& verdicts);

}  // namespace vouch
