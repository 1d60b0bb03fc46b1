// Kernels that only move elements: copies into another layout, transpositions, borders of zeros.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "certify/index_kernel.h"

namespace vouch {

// For each cell of the output, row-major, the cell of the only input that it is a copy of, or -1 where it is zero. Nothing if the
// kernel computes, reads more than one tensor, or has more than 2^26 cells.
std::optional<std::vector<std::int64_t>> moved_cells(const IndexKernel& kernel);
// The same, cell by cell, and no other: only the shape differs.
bool keeps_cells(const IndexKernel& kernel);

// The output is the inputs, one after the other, cell by cell.
bool joins_inputs(const IndexKernel& kernel);
// The same, where elements are only moved, without the conversions to what is computed and back.
IndexKernel moved_as_stored(IndexKernel kernel);

}  // namespace vouch
