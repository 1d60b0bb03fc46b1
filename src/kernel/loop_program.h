// Loop programs: what one statement becomes. Registers hold one number (uniform) or one for each lane of a block of
// consecutive elements; instructions stand in scopes, each of which runs once for every step of its loop:
//
//   scope 0 (once)  >  scope 1 (each point of the outer axes)  >  scope 2 (each block)  >  loops of reductions …
//
// An instruction stands in the outermost scope in which all that it reads is known, so what does not depend on a loop
// is not computed again in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/tensor.h"
#include "term/term.h"

namespace vouch {

inline constexpr std::int64_t kLanes = 256;

enum class Op : std::uint8_t {
  // integers: dst, a, b, c are registers; `imm` a constant
  ConstI, AddI, SubI, MulI, FloorDivI, FloorModI, MinI, MaxI, SelectI, NegI, AbsI, SignI, TruncDivI, FmodI, PowI,
  // conditions, 0 or 1
  LeI, LtI, EqI, LeR, LtR, EqR, And, AndNot, Or, Not,
  // doubles
  ConstR, AddR, SubR, MulR, DivR, NegR, SelectR, CallR, RealOfInt, IntOfReal,
  // memory: element a (uniform position) + b (lane offsets) or + imm * lane
  LoadI, LoadR,
  CheckRange,  // 0 <= a < imm, else the run fails
  // reductions
  Reset,       // dst = neutral element
  Accumulate,  // dst = dst (reduction) a, where mask
  Loop,        // for dst in 0 .. a: scope `imm`
  Continue,    // leaves this step of the scope's loop unless a
};

inline constexpr std::uint32_t kNone = UINT32_MAX;

struct Register {
  bool real = false;
  bool uniform = true;
  std::uint32_t offset = 0;  // within the numbers of its kind
};

struct Instruction {
  Op op = Op::ConstI;
  Fn fn = Fn::Exp;                            // of CallR
  Reduction reduction = Reduction::Sum;       // of Reset, Accumulate
  std::uint32_t dst = kNone;                  // registers
  std::uint32_t a = kNone;
  std::uint32_t b = kNone;
  std::uint32_t c = kNone;
  std::uint32_t mask = kNone;                 // lanes where it counts; elsewhere it does nothing harmful
  std::uint32_t tensor = 0;                   // of a load
  std::int64_t imm = 0;
  double real = 0;                            // of ConstR
  Term origin{};                              // for messages
};

// One axis of the elements that are computed.
struct Axis {
  Symbol name;
  std::int64_t extent = 1;
  std::int64_t stride = 0;  // of the destination, in elements
};

struct LoopProgram {
  std::vector<Axis> outer;
  std::vector<Axis> lanes;          // together one row of lanes, the last axis fastest
  std::vector<Register> registers;
  std::vector<std::vector<Instruction>> scopes;
  std::vector<std::uint32_t> outer_registers;  // uniform integers, one for each outer axis
  std::vector<std::uint32_t> lane_registers;   // lane integers, one for each lane axis; kNone if not needed
  std::uint32_t result = kNone;
  std::uint32_t integers = 0;       // numbers of each kind that registers occupy
  std::uint32_t reals = 0;

  std::int64_t lane_count() const;
  std::int64_t outer_count() const;
};

}  // namespace vouch
