// Certificates that one process of Coq compiles together: most of what a small one takes is loading the library.
#pragma once

#include "driver/coq.h"

namespace vouch {

// Where a question's texts were compiled; a text that it does not have is nowhere.
struct CompiledQuestion {
  array::CompiledText certificate;
  array::CompiledText derivation;
  array::CompiledText adjoint;
};

// Positions of questions that are compiled together, each once, in order: as many for each of `jobs`, but never so many that
// the last of them would be waited for alone.
std::vector<std::vector<std::size_t>> questions_together(const std::vector<CoqQuestion>& questions, unsigned jobs);

// One file with all texts of these questions, each in a module of its own.
std::string text_together(const std::vector<CoqQuestion>& questions, const std::vector<std::size_t>& which);
// Where that file, compiled as `file`, has the texts of the question at position `at`.
CompiledQuestion compiled_together(const CoqQuestion& question, std::size_t at, const std::string& file);

}  // namespace vouch
