// Kernels in index notation as coq/index/Kernel.v has them: what a certificate specifies, and where its program comes from.
// Mirrors that file constructor by constructor; `lower_index` mirrors coq/index/Lower.v step by step, and the certificate
// checks that both arrive at the same program.
//
// Index variables are numbered from the innermost loop outwards, then the target's indices from the last to the first. Tensors
// are numbered from the last local before the statement down to the first, then the inputs. A read outside of a tensor
// is zero; `vouch` proves that kernels have none. Extents are sizes of the array language, which have no differences and no
// quotients: where the kernel has one, it is a size of its own, and facts say which.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array/program.h"
#include "notation/tk_kernel.h"
#include "support/diagnostic.h"

namespace vouch {

enum class IndexTermKind : std::uint8_t { Var, Con, Size, Add, Scale, Div, Mod };
struct IndexTerm {
  IndexTermKind kind = IndexTermKind::Con;
  unsigned var = 0;
  Integer number;    // Con: the value; Scale: the factor; Div, Mod: the divisor, positive
  array::Size size;  // Size
  std::vector<IndexTerm> args;
};

enum class IndexCondKind : std::uint8_t { True, Le, Eq, And, Or, Not };
struct IndexCond {
  IndexCondKind kind = IndexCondKind::True;
  std::vector<IndexTerm> terms;
  std::vector<IndexCond> parts;
};

enum class IndexBodyKind : std::uint8_t { Con, Index, Read, Gather, Op, If };
struct IndexBody {
  IndexBodyKind kind = IndexBodyKind::Con;
  array::Const constant;
  unsigned tensor = 0;               // Read, Gather
  std::vector<array::Size> extents;  // Read: of the tensor; Gather: without the axis that data chooses
  std::vector<IndexTerm> at;         // Read; Index: one, whose value it is, or 0 where that is below 0
  unsigned axis = 0;                 // Gather: the number of subscripts before that axis
  array::Size chosen;  // Gather: the extent of that axis, in which the position that args[0] equals is read; 0 if none
  array::Op op = array::Op::Neg;
  IndexCond condition;  // If
  std::vector<IndexBody> args;
};

// The product of extents that are all numbers.
Integer extent_product(const std::vector<array::Size>& extents);

// The sum of `body` over the loops, from 0 and in order, where the condition holds.
struct IndexSummand {
  std::vector<array::Size> loops;  // extents, outermost first
  IndexCond condition;
  IndexBody body;
  std::vector<std::string> names = {};  // of these loops for a person, or none at all
};

struct IndexStatement {
  std::vector<array::Size> extents;
  std::vector<IndexSummand> summands;   // added from left to right
  std::vector<std::string> names = {};  // of the indices for a person, or none at all
  std::string name = {};                // of a local for a person, or nothing
};

struct IndexKernel {
  std::string name;
  std::vector<std::string> sizes;
  std::vector<array::SizeFact> facts;  // assumed of the sizes
  std::vector<array::Parameter> inputs;
  std::vector<IndexStatement> locals;
  IndexStatement output;
  std::string output_name;
  array::Element output_element = array::Element::F32;  // what it is stored as
  array::Element computed = array::Element::F32;
  std::string formula;  // the whole kernel in index notation
};

// One kernel for each output, called NAME, or NAME_OUTPUT if there are several. Errors name what certificates do not
// cover: operations that the kernel's element type does not have, two indices of one read that are data.
std::optional<std::vector<IndexKernel>> index_kernels(const TkKernel& kernel, Diagnostics& diagnostics);

class SizeTable;

// With what its numbers stand for.
struct NamedIndexKernel {
  IndexKernel kernel;
  std::vector<Symbol> tensors;                 // as the output's statement numbers them
  std::vector<const TkStatement*> statements;  // the locals', then the output's
};

// Nothing of a type that C texts do not have.
std::optional<array::Element> element_in(DType dtype);
DType dtype_of(array::Element element);
array::Element computed_element(const TkKernel& kernel);
// Of an input or output; a local holds what is computed.
array::Element stored_element(const TkKernel& kernel, Symbol version);

// The statements that these outputs need, in order; the last one defines an output.
std::vector<const TkStatement*> statements_for(const TkKernel& kernel, const std::vector<Symbol>& outputs);
// What `index_kernels` gives for one output, with a new table of sizes.
NamedIndexKernel index_kernel_of(const TkKernel& kernel, Symbol output, SizeTable& sizes, Diagnostics& diagnostics);
// All inputs, and all statements that an output needs; without names for C. Sizes are those of the table, and more.
NamedIndexKernel whole_index_kernel(const TkKernel& kernel, SizeTable& sizes, Diagnostics& diagnostics);

struct IndexTiling;

// The functional program; well typed, and its outermost loops are parallel. Element by element, or by a tiling.
array::Program lower_index(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling);

// What a certificate says of the kernel in index notation, after what `certify` says of the program: that the program is
// the kernel, lowered, and so the C text computes the kernel.
std::string index_certificate(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling);
// The same of `fused_program` of that program (index_fuse.h): what is computed then, and that it is the kernel where nothing
// rounds.
std::string fused_certificate(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling);

}  // namespace vouch
