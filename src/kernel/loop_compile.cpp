#include "kernel/loop_compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/fault.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {

std::int64_t LoopProgram::lane_count() const {
  std::int64_t count = 1;
  for (const Axis& axis : lanes) {
    count *= axis.extent;
  }
  return count;
}

std::int64_t LoopProgram::outer_count() const {
  std::int64_t count = 1;
  for (const Axis& axis : outer) {
    count *= axis.extent;
  }
  return count;
}

namespace {

class Preparation {
 public:
  Preparation(Ranges& ranges, std::string& error) : ranges_(ranges), error_(error) {}

  Term visit(Term term) {
    if (term.args().empty()) {
      return term;
    }
    if (auto found = done_.find(term); found != done_.end()) {
      return found->second;
    }
    Term result = term.kind() == TermKind::Reduce ? reduction(term) : arguments(term);
    done_.emplace(term, result);
    return result;
  }

 private:
  Term arguments(Term term) {
    std::vector<Term> args;
    for (Term arg : term.args()) {
      args.push_back(visit(arg));
    }
    return rebuild(term, args);
  }

  Term reduction(Term term) {
    static const std::string kSeparator = "#";
    std::vector<BoundIndex> indices;
    Substitution renaming;
    for (std::size_t i = 0; i < term->bound.size(); ++i) {
      Term extent = ranges_.simplify(visit(term.arg(i + 2)));
      Range range = ranges_.of(extent);
      if (!range.bounded()) {
        error_ = fmt::format("the extent `{}` of `{}` is not bounded", print_term(extent), term->bound[i].name());
      }
      Symbol name(term->bound[i].name() + kSeparator + std::to_string(++count_));
      ranges_.bind(name, {0, std::max<std::int64_t>(range.high - 1, 0)});
      renaming.insert_or_assign(term->bound[i], int_var(name));
      indices.push_back({name, extent});
    }
    Term guard = visit(substitute(term.arg(1), renaming));
    Term body = visit(substitute(term.arg(0), renaming));
    return reduce(term->reduction, indices, guard, body);
  }

  Ranges& ranges_;
  std::string& error_;
  std::unordered_map<Term, Term> done_;
  int count_ = 0;
};

void conjuncts(Term guard, std::vector<Term>& out) {
  if (guard.kind() == TermKind::And) {
    out.insert(out.end(), guard.args().begin(), guard.args().end());
  } else if (!is_true(guard)) {
    out.push_back(guard);
  }
}

// What holds where `guard` does not.
void negated_facts(Term guard, std::vector<Term>& out) {
  if (guard.kind() == TermKind::Or) {
    for (Term arg : guard.args()) {
      out.push_back(negate(arg));
    }
  } else {
    conjuncts(negate(guard), out);
  }
}

bool mentions(Term term, const std::set<Symbol>& names) {
  std::vector<Symbol> free = free_variables(term);
  return std::any_of(free.begin(), free.end(), [&](Symbol name) { return names.contains(name); });
}

// Where a value is computed only for some lanes: the register of that condition, and what is known there.
struct Context {
  std::uint32_t mask = kNone;
  std::vector<Term> facts;
};

class Compiler {
 public:
  Compiler(LoopProgram& program, const TensorTable& tensors, Ranges& ranges, std::string& error)
      : program_(program), tensors_(tensors), ranges_(ranges), error_(error) {
    for (int depth = 0; depth < 3; ++depth) {
      open_scope();
    }
    for (const Axis& axis : program_.outer) {
      program_.outer_registers.push_back(new_register(false, true, 1));
      variables_.emplace(axis.name, program_.outer_registers.back());
    }
    for (const Axis& axis : program_.lanes) {
      lane_names_.insert(axis.name);
    }
    program_.lane_registers.assign(program_.lanes.size(), kNone);
  }

  void compile(Term body) {
    program_.result = scalar(body, {});
  }

 private:
  struct Scope {
    std::size_t index = 0;  // in the program
    std::map<std::pair<const void*, std::uint32_t>, std::uint32_t> known;
  };

  // --- registers and instructions
  std::size_t open_scope() {
    program_.scopes.emplace_back();
    chain_.push_back({program_.scopes.size() - 1, {}});
    return chain_.size() - 1;
  }

  std::uint32_t new_register(bool real, bool uniform, std::size_t depth) {
    std::uint32_t& used = real ? program_.reals : program_.integers;
    program_.registers.push_back({real, uniform, used});
    used += uniform ? 1 : static_cast<std::uint32_t>(kLanes);
    depths_.push_back(depth);
    return static_cast<std::uint32_t>(program_.registers.size() - 1);
  }

  bool real(std::uint32_t at) const { return program_.registers[at].real; }
  bool uniform(std::uint32_t at) const { return at == kNone || program_.registers[at].uniform; }

  // Puts the instruction where its operands are known, but not outside of `floor`.
  std::uint32_t emit(Instruction instruction, bool is_real, std::size_t floor = 0, bool lanes = false) {
    std::size_t depth = lanes ? std::max<std::size_t>(floor, 2) : floor;
    bool is_uniform = !lanes;
    for (std::uint32_t operand : {instruction.a, instruction.b, instruction.c, instruction.mask}) {
      if (operand != kNone) {
        depth = std::max(depth, depths_[operand]);
        is_uniform &= program_.registers[operand].uniform;
      }
    }
    instruction.dst = new_register(is_real, is_uniform, depth);
    program_.scopes[chain_[depth].index].push_back(instruction);
    return instruction.dst;
  }

  std::uint32_t binary(Op op, std::uint32_t a, std::uint32_t b, bool is_real = false) {
    return emit({.op = op, .a = a, .b = b}, is_real);
  }
  std::uint32_t constant(std::int64_t value) { return emit({.op = Op::ConstI, .imm = value}, false); }
  std::uint32_t as_real(std::uint32_t at) {
    return real(at) ? at : emit({.op = Op::RealOfInt, .a = at}, true);
  }
  std::size_t here() const { return chain_.size() - 1; }

  std::uint32_t fail(std::string message) {
    if (error_.empty()) {
      error_ = std::move(message);
    }
    return constant(0);
  }

  template <class Compute>
  std::uint32_t shared(Term term, const Context& context, Compute compute) {
    std::pair<const void*, std::uint32_t> key{term.id(), context.mask};
    for (const Scope& scope : chain_) {
      if (auto found = scope.known.find(key); found != scope.known.end()) {
        return found->second;
      }
    }
    std::uint32_t at = compute();
    chain_[depths_[at]].known.emplace(key, at);
    return at;
  }

  // --- what a term is
  bool integral(Term term) {
    if (auto found = integral_.find(term); found != integral_.end()) {
      return found->second;
    }
    bool answer = compute_integral(term);
    integral_.emplace(term, answer);
    return answer;
  }

  bool compute_integral(Term term) {
    switch (term.kind()) {
      case TermKind::RealConst:
        return vouch::is_integral(term->value) && int64_of(Integer(numerator(term->value))).has_value();
      case TermKind::RealOf: return true;
      case TermKind::Read: return !is_float(slot(term).dtype);
      case TermKind::RealAdd:
      case TermKind::RealSub:
      case TermKind::RealMul: return integral(term.arg(0)) && integral(term.arg(1));
      case TermKind::RealNeg:
      case TermKind::Reduce: return integral(term.arg(0));
      case TermKind::Select: return integral(term.arg(1)) && integral(term.arg(2));
      case TermKind::Call: return integral_call(term);
      default: return false;
    }
  }

  bool integral_call(Term term) {
    bool args = std::all_of(term.args().begin(), term.args().end(), [this](Term arg) { return integral(arg); });
    switch (term->fn) {
      case Fn::Abs:
      case Fn::Sign:
      case Fn::Floor:
      case Fn::Ceil:
      case Fn::Round:
      case Fn::Trunc:
      case Fn::Min:
      case Fn::Max:
      case Fn::Mod:
      case Fn::Fmod:
      case Fn::TruncDiv: return args;
      case Fn::Pow: return args && term.arg(1).kind() == TermKind::RealConst && term.arg(1)->value >= 0;
      default: return false;
    }
  }

  const TensorSlot& slot(Term read) const { return tensors_.slots[tensors_.position.at(read->symbol)]; }

  // Whether the term has a value whatever the indices: then it need not be guarded and may leave its loop.
  bool total(Term term) {
    if (auto found = total_.find(term); found != total_.end()) {
      return found->second;
    }
    bool answer = std::all_of(term.args().begin(), term.args().end(), [this](Term arg) { return total(arg); }) &&
                  head_total(term);
    total_.emplace(term, answer);
    return answer;
  }

  bool head_total(Term term) {
    switch (term.kind()) {
      case TermKind::FloorDiv:
      case TermKind::FloorMod: {
        Range divisor = ranges_.of(term.arg(1));
        return divisor.low > 0 || divisor.high < 0;
      }
      case TermKind::IntOf: return integral(term.arg(0));
      case TermKind::Call: {
        bool divides = term->fn == Fn::Mod || term->fn == Fn::Fmod || term->fn == Fn::TruncDiv;
        return !divides || !integral(term) || (is_const(term.arg(1)) && term.arg(1)->value != 0);
      }
      case TermKind::Read: {
        const Extents& extents = slot(term).extents;
        for (std::size_t i = 0; i < extents.size(); ++i) {
          if (!in_bounds(term.arg(i), extents[i], {})) {
            return false;
          }
        }
        return true;
      }
      default: return true;
    }
  }

  bool in_bounds(Term index, std::int64_t extent, std::span<const Term> facts) {
    return ranges_.non_negative(index, facts) && ranges_.non_negative(Term(extent - 1) - index, facts);
  }

  // --- integers
  std::uint32_t integer(Term term, const Context& outer) {
    Context context = total(term) ? Context{} : outer;
    return shared(term, context, [&] { return compute_integer(term, context); });
  }

  std::uint32_t variable(Term term) {
    auto found = variables_.find(term->symbol);
    if (found != variables_.end()) {
      return found->second;
    }
    for (std::size_t i = 0; i < program_.lanes.size(); ++i) {
      if (program_.lanes[i].name == term->symbol) {
        program_.lane_registers[i] = new_register(false, false, 2);
        variables_.emplace(term->symbol, program_.lane_registers[i]);
        return program_.lane_registers[i];
      }
    }
    return fail(fmt::format("`{}` has no value", term->symbol.name()));
  }

  std::uint32_t compute_integer(Term term, const Context& context) {
    auto arg = [&](std::size_t i) { return integer(term.arg(i), context); };
    switch (term.kind()) {
      case TermKind::IntConst: {
        auto value = const_int(term);
        return value ? constant(*value) : fail(fmt::format("`{}` exceeds 64 bits", print_term(term)));
      }
      case TermKind::IntVar: return variable(term);
      case TermKind::IntAdd:
      case TermKind::IntMul: return folded(term, context);
      case TermKind::FloorDiv:
      case TermKind::FloorMod: {
        Op op = term.kind() == TermKind::FloorDiv ? Op::FloorDivI : Op::FloorModI;
        return checked_division(op, arg(0), arg(1), total(term), context, term);
      }
      case TermKind::IntMin: return binary(Op::MinI, arg(0), arg(1));
      case TermKind::IntMax: return binary(Op::MaxI, arg(0), arg(1));
      case TermKind::IntSelect: {
        auto [condition, then, otherwise] = branches(term, context);
        return emit({.op = Op::SelectI, .a = condition, .b = integer(term.arg(1), then),
                     .c = integer(term.arg(2), otherwise), .origin = term}, false);
      }
      case TermKind::IntOf: return from_data(term, context);
      default: fault("an integer term is expected");
    }
  }

  std::uint32_t checked_division(Op op, std::uint32_t a, std::uint32_t b, bool safe, const Context& context, Term term) {
    return emit({.op = op, .a = a, .b = b, .mask = safe ? kNone : context.mask, .origin = term}, false,
                safe ? 0 : here());
  }

  std::uint32_t from_data(Term term, const Context& context) {
    std::uint32_t at = scalar(term.arg(0), context);
    return real(at) ? emit({.op = Op::IntOfReal, .a = at, .mask = context.mask, .origin = term}, false, here()) : at;
  }

  // Sums and products from the outermost operands inwards, so that partial results leave the loops.
  std::uint32_t folded(Term term, const Context& context) {
    std::vector<std::uint32_t> parts;
    for (Term arg : term.args()) {
      parts.push_back(integer(arg, context));
    }
    std::stable_sort(parts.begin(), parts.end(), [this](std::uint32_t a, std::uint32_t b) {
      return std::pair(depths_[a], !uniform(a)) < std::pair(depths_[b], !uniform(b));
    });
    std::uint32_t total_so_far = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
      total_so_far = binary(term.kind() == TermKind::IntAdd ? Op::AddI : Op::MulI, total_so_far, parts[i]);
    }
    // What holds data may wrap: its index is checked, or its value is not used.
    if (!ranges_.of(term).bounded() && tensors_read(term).empty()) {
      return fail(fmt::format("`{}` may exceed 64 bits", print_term(term)));
    }
    return total_so_far;
  }

  // --- guards
  std::uint32_t guard(Term term, const Context& outer) {
    Context context = total(term) ? Context{} : outer;
    return shared(term, context, [&] { return compute_guard(term, context); });
  }

  std::uint32_t compared(Term term, const Context& context, Op integers, Op reals) {
    std::uint32_t a = scalar(term.arg(0), context);
    std::uint32_t b = scalar(term.arg(1), context);
    return real(a) || real(b) ? binary(reals, as_real(a), as_real(b)) : binary(integers, a, b);
  }

  std::uint32_t compute_guard(Term term, const Context& context) {
    switch (term.kind()) {
      case TermKind::BoolConst: return constant(term->value != 0);
      case TermKind::IntLe: return binary(Op::LeI, integer(term.arg(0), context), integer(term.arg(1), context));
      case TermKind::IntEq: return binary(Op::EqI, integer(term.arg(0), context), integer(term.arg(1), context));
      case TermKind::RealLt: return compared(term, context, Op::LtI, Op::LtR);
      case TermKind::RealLe: return compared(term, context, Op::LeI, Op::LeR);
      case TermKind::RealEq: return compared(term, context, Op::EqI, Op::EqR);
      case TermKind::Not: return emit({.op = Op::Not, .a = guard(term.arg(0), context)}, false);
      case TermKind::And:
      case TermKind::Or: return junction(term, context);
      default: fault("a guard is expected");
    }
  }

  // From left to right; what may have no value is evaluated only where the ones before leave it open.
  std::uint32_t junction(Term term, const Context& context) {
    bool all = term.kind() == TermKind::And;
    Context rest = context;
    std::uint32_t so_far = kNone;
    for (Term arg : term.args()) {
      std::uint32_t next = guard(arg, rest);
      so_far = so_far == kNone ? next : binary(all ? Op::And : Op::Or, so_far, next);
      if (!total(term)) {
        rest = all ? within(context, so_far, rest.facts) : outside(context, so_far, rest.facts);
        all ? conjuncts(arg, rest.facts) : negated_facts(arg, rest.facts);
      }
    }
    return so_far;
  }

  Context within(const Context& context, std::uint32_t condition, std::vector<Term> facts) {
    return {context.mask == kNone ? condition : binary(Op::And, context.mask, condition), std::move(facts)};
  }
  Context outside(const Context& context, std::uint32_t condition, std::vector<Term> facts) {
    return {context.mask == kNone ? emit({.op = Op::Not, .a = condition}, false)
                                  : binary(Op::AndNot, context.mask, condition),
            std::move(facts)};
  }

  struct Branches {
    std::uint32_t condition;
    Context then;
    Context otherwise;
  };

  Branches branches(Term term, const Context& context) {
    Branches out{guard(term.arg(0), context), context, context};
    if (!total(term.arg(1))) {
      out.then = within(context, out.condition, context.facts);
      conjuncts(term.arg(0), out.then.facts);
    }
    if (!total(term.arg(2))) {
      out.otherwise = outside(context, out.condition, context.facts);
      negated_facts(term.arg(0), out.otherwise.facts);
    }
    return out;
  }

  // --- scalars
  std::uint32_t scalar(Term term, const Context& outer) {
    Context context = total(term) ? Context{} : outer;
    return shared(term, context, [&] { return compute_scalar(term, context); });
  }

  std::uint32_t arithmetic(Term term, const Context& context, Op integers, Op reals) {
    std::uint32_t a = scalar(term.arg(0), context);
    std::uint32_t b = scalar(term.arg(1), context);
    return real(a) || real(b) ? binary(reals, as_real(a), as_real(b), true) : binary(integers, a, b);
  }

  std::uint32_t compute_scalar(Term term, const Context& context) {
    switch (term.kind()) {
      case TermKind::RealConst:
        return integral(term) ? constant(*int64_of(Integer(numerator(term->value))))
                              : emit({.op = Op::ConstR, .real = double_of(term->value)}, true);
      case TermKind::RealVar: return fail(fmt::format("`{}` has no value", term->symbol.name()));
      case TermKind::RealOf: return integer(term.arg(0), context);
      case TermKind::Read: return load(term, context);
      case TermKind::RealAdd: return arithmetic(term, context, Op::AddI, Op::AddR);
      case TermKind::RealSub: return arithmetic(term, context, Op::SubI, Op::SubR);
      case TermKind::RealMul: return arithmetic(term, context, Op::MulI, Op::MulR);
      case TermKind::RealDiv:
        return binary(Op::DivR, as_real(scalar(term.arg(0), context)), as_real(scalar(term.arg(1), context)), true);
      case TermKind::RealNeg: {
        std::uint32_t a = scalar(term.arg(0), context);
        return emit({.op = real(a) ? Op::NegR : Op::NegI, .a = a}, real(a));
      }
      case TermKind::Call: return call(term, context);
      case TermKind::Select: return selected(term, context);
      case TermKind::Reduce: return reduction(term, context);
      default: fault("a scalar term is expected");
    }
  }

  std::uint32_t selected(Term term, const Context& context) {
    auto [condition, then, otherwise] = branches(term, context);
    std::uint32_t b = scalar(term.arg(1), then);
    std::uint32_t c = scalar(term.arg(2), otherwise);
    bool is_real = real(b) || real(c);
    if (is_real) {
      b = as_real(b);
      c = as_real(c);
    }
    return emit({.op = is_real ? Op::SelectR : Op::SelectI, .a = condition, .b = b, .c = c}, is_real);
  }

  std::uint32_t call(Term term, const Context& context) {
    std::vector<std::uint32_t> args;
    for (Term arg : term.args()) {
      args.push_back(scalar(arg, context));
    }
    args.push_back(kNone);
    if (integral(term)) {
      return integral_function(term, args, context);
    }
    std::uint32_t b = args[1] == kNone ? kNone : as_real(args[1]);
    return emit({.op = Op::CallR, .fn = term->fn, .a = as_real(args[0]), .b = b, .origin = term}, true);
  }

  std::uint32_t integral_function(Term term, const std::vector<std::uint32_t>& args, const Context& context) {
    switch (term->fn) {
      case Fn::Abs: return emit({.op = Op::AbsI, .a = args[0]}, false);
      case Fn::Sign: return emit({.op = Op::SignI, .a = args[0]}, false);
      case Fn::Min: return binary(Op::MinI, args[0], args[1]);
      case Fn::Max: return binary(Op::MaxI, args[0], args[1]);
      case Fn::Pow: return binary(Op::PowI, args[0], args[1]);
      case Fn::Mod: return checked_division(Op::FloorModI, args[0], args[1], head_total(term), context, term);
      case Fn::Fmod: return checked_division(Op::FmodI, args[0], args[1], head_total(term), context, term);
      case Fn::TruncDiv: return checked_division(Op::TruncDivI, args[0], args[1], head_total(term), context, term);
      default: return args[0];  // rounding an integer
    }
  }

  // --- memory
  std::uint32_t load(Term term, const Context& context) {
    const TensorSlot& from = slot(term);
    std::size_t floor = total(term) ? 0 : here();
    Term position = 0;
    std::int64_t stride = 1;
    for (std::size_t i = from.extents.size(); i-- > 0;) {
      if (!in_bounds(term.arg(i), from.extents[i], context.facts)) {
        emit({.op = Op::CheckRange, .a = integer(term.arg(i), context), .mask = context.mask,
              .imm = from.extents[i], .origin = term}, false, floor);
      }
      position = position + term.arg(i) * Term(stride);
      stride *= std::max<std::int64_t>(from.extents[i], 1);
    }
    Instruction instruction{.op = is_float(from.dtype) ? Op::LoadR : Op::LoadI, .mask = context.mask,
                            .tensor = tensors_.position.at(term->symbol), .origin = term};
    split_position(position, context, instruction);
    return emit(instruction, is_float(from.dtype), floor, instruction.imm != 0);
  }

  // position = uniform part + part that differs between lanes
  void split_position(Term position, const Context& context, Instruction& instruction) {
    std::vector<Monomial> same;
    std::vector<Monomial> differing;
    for (Monomial& m : monomials(position)) {
      bool differs = std::any_of(m.atoms.begin(), m.atoms.end(), [&](Term atom) { return mentions(atom, lane_names_); });
      (differs ? differing : same).push_back(std::move(m));
    }
    instruction.a = integer(from_monomials(same), context);
    if (!uniform(instruction.a)) {  // it is guarded lane by lane
      instruction.a = constant(0);
      instruction.b = integer(position, context);
    } else if (auto step = lane_stride(differing)) {
      instruction.imm = *step;
    } else {
      instruction.b = integer(from_monomials(differing), context);
    }
  }

  // The step from lane to lane if positions are linear over the whole row of lanes.
  std::optional<std::int64_t> lane_stride(const std::vector<Monomial>& differing) const {
    std::unordered_map<Symbol, std::int64_t> coefficient;
    for (const Monomial& m : differing) {
      auto value = int64_of(m.coefficient);
      if (m.atoms.size() != 1 || m.atoms[0].kind() != TermKind::IntVar || !value) {
        return std::nullopt;
      }
      coefficient[m.atoms[0]->symbol] = *value;
    }
    std::optional<std::int64_t> step;
    std::int64_t inner = 1;
    for (std::size_t i = program_.lanes.size(); i-- > 0;) {
      const Axis& axis = program_.lanes[i];
      if (axis.extent == 1) {
        continue;
      }
      auto found = coefficient.find(axis.name);
      std::int64_t own = found == coefficient.end() ? 0 : found->second;
      if (!step) {
        step = own;
      } else if (own != *step * inner) {
        return std::nullopt;
      }
      inner *= axis.extent;
    }
    return step.value_or(0);
  }

  // --- reductions
  std::size_t depth_of(Term term) {
    std::size_t depth = 0;
    for (Symbol name : free_variables(term)) {
      if (lane_names_.contains(name)) {
        depth = std::max<std::size_t>(depth, 2);
      } else if (auto found = variables_.find(name); found != variables_.end()) {
        depth = std::max(depth, depths_[found->second]);
      }
    }
    return depth;
  }

  std::uint32_t reduction(Term term, const Context& context) {
    std::size_t parent = total(term) ? depth_of(term) : here();
    std::vector<Scope> suspended(std::make_move_iterator(chain_.begin() + static_cast<std::ptrdiff_t>(parent) + 1),
                                 std::make_move_iterator(chain_.end()));
    chain_.resize(parent + 1);
    std::uint32_t result = reduction_here(term, context);
    chain_.resize(parent + 1);
    chain_.insert(chain_.end(), std::make_move_iterator(suspended.begin()), std::make_move_iterator(suspended.end()));
    return result;
  }

  // Indices that conditions mention run outside, so that the conditions are tested less often.
  static std::vector<std::size_t> loop_order(Term term) {
    std::set<Symbol> tested;
    collect_tested(term.arg(1), tested);
    collect_tested(term.arg(0), tested);
    std::vector<std::size_t> order(term->bound.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t i) { return tested.contains(term->bound[i]); });
    return order;
  }

  static void collect_tested(Term term, std::set<Symbol>& tested) {
    if (term.sort() == Sort::Bool) {
      for (Symbol name : free_variables(term)) {
        tested.insert(name);
      }
      return;
    }
    if (term.kind() == TermKind::Select || term.kind() == TermKind::RealMul || term.kind() == TermKind::RealAdd) {
      for (Term arg : term.args()) {
        collect_tested(arg, tested);
      }
    }
  }

  std::uint32_t reduction_here(Term term, Context context) {
    struct LoopParts {
      std::uint32_t extent;
      std::uint32_t variable;
      std::size_t scope;
    };
    std::size_t parent = here();
    std::vector<LoopParts> loops;
    std::vector<Term> guards;
    for (std::size_t i : loop_order(term)) {
      Term extent = term.arg(i + 2);
      std::uint32_t limit = integer(extent, context);
      Term name = int_var(term->bound[i]);
      if (!uniform(limit)) {  // all lanes run to the largest extent
        limit = constant(std::max<std::int64_t>(ranges_.of(extent).high, 0));
        guards.push_back(lt(name, extent));
      }
      loops.push_back({limit, 0, 0});
      std::size_t depth = open_scope();
      loops.back().variable = new_register(false, true, depth);
      loops.back().scope = chain_[depth].index;
      variables_.emplace(term->bound[i], loops.back().variable);
    }
    conjuncts(term.arg(1), guards);
    for (Term conjunct : guards) {
      context = restricted(context, conjunct, parent);
    }
    std::uint32_t body = scalar(term.arg(0), context);
    bool lanes = !uniform(body) || !uniform(context.mask);
    std::uint32_t result = new_register(real(body), !lanes, parent);
    program_.scopes[chain_.back().index].push_back({.op = Op::Accumulate, .reduction = term->reduction, .dst = result,
                                                    .a = body, .mask = context.mask});
    program_.scopes[chain_[parent].index].push_back(
        {.op = Op::Reset, .reduction = term->reduction, .dst = result});
    for (std::size_t i = loops.size(); i-- > 0;) {
      std::size_t into = i == 0 ? chain_[parent].index : loops[i - 1].scope;
      program_.scopes[into].push_back({.op = Op::Loop, .dst = loops[i].variable, .a = loops[i].extent,
                                       .imm = static_cast<std::int64_t>(loops[i].scope)});
    }
    return result;
  }

  // The context in which `condition` holds too. A condition that is the same for all lanes ends a step of its loop.
  Context restricted(Context context, Term condition, std::size_t parent) {
    std::uint32_t at = guard(condition, context);
    if (uniform(at) && depths_[at] > parent) {
      program_.scopes[chain_[depths_[at]].index].push_back({.op = Op::Continue, .a = at});
    } else {
      context.mask = context.mask == kNone ? at : binary(Op::And, context.mask, at);
    }
    conjuncts(condition, context.facts);
    return context;
  }

  LoopProgram& program_;
  const TensorTable& tensors_;
  Ranges& ranges_;
  std::string& error_;
  std::vector<Scope> chain_;
  std::vector<std::size_t> depths_;  // of registers
  std::unordered_map<Symbol, std::uint32_t> variables_;
  std::set<Symbol> lane_names_;
  std::unordered_map<Term, bool> integral_;
  std::unordered_map<Term, bool> total_;
};

}  // namespace

std::optional<Term> prepare_body(Term body, Ranges& ranges, std::string& error) {
  Term prepared = ranges.simplify(Preparation(ranges, error).visit(body));
  return error.empty() ? std::optional(prepared) : std::nullopt;
}

std::optional<LoopProgram> compile_loops(Term body, std::vector<Axis> outer, std::vector<Axis> lanes,
                                         const TensorTable& tensors, Ranges& ranges, std::string& error) {
  LoopProgram program;
  program.outer = std::move(outer);
  program.lanes = std::move(lanes);
  Compiler(program, tensors, ranges, error).compile(body);
  return error.empty() ? std::optional(std::move(program)) : std::nullopt;
}

}  // namespace vouch
