// Index terms that are chosen, decided or taken apart; index terms as values, made tables.
#pragma once

#include <utility>
#include <vector>

#include "kernel/kernel.h"
#include "tensor/tensor.h"

namespace vouch {

// Of an input, local or output; none of another name.
const TensorDecl* declaration_of(const Kernel& kernel, Symbol name);

// Minima, maxima and choices within subscripts: decided where the ranges of the indices decide them, else the read is chosen,
// not the subscript.
void take_choices_apart(Kernel& kernel);

// Values that are computed from a statement's indices alone (how many elements a window has) become inputs, and this is what they
// hold: float32, or int64 where integers are computed, one for each new input, which stand after those that are there. Such a
// value beyond 2^24 stays.
std::vector<Tensor> make_tables(Kernel& kernel);

}  // namespace vouch
