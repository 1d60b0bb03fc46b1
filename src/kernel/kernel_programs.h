// What the interpreter finds out of one kernel's statements, kept from run to run.
#pragma once

#include <string>
#include <unordered_map>

#include "kernel/loop_program.h"

namespace vouch {

class KernelPrograms {
 public:
  // The statement's program, compiled if it is not there for these indices, this type and these shapes. As `compile_statement`;
  // what is pointed at lives until another program is asked for.
  const LoopProgram* program_of(const Statement& statement, DType dtype, const std::vector<std::int64_t>& extents,
                                const std::unordered_map<Symbol, TensorShape>& tensors, std::string& error);

  // Of the value's sums (maxima, products), one within another multiplied; 1 if it has none. A size that data decide counts as 1.
  double terms_of(Term value);

 private:
  struct Kept {
    std::vector<Symbol> indices;
    DType dtype = DType::Float32;
    std::vector<std::int64_t> extents;
    std::unordered_map<Symbol, TensorShape> tensors;
    LoopProgram program;
  };

  std::unordered_map<Term, Kept> programs_;  // by the statement's value
  std::unordered_map<Term, double> terms_;
};

}  // namespace vouch
