#include "imp/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "array/arithmetic.h"
#include "array/constant.h"
#include "array/index_eval.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

struct Variable {
  std::vector<float> cells;
  std::vector<bool> written;
};

class FlatMachine {
 public:
  FlatMachine(const std::vector<Integer>& sizes, std::vector<std::vector<float>> variables) : sizes_(sizes) {
    output_ = static_cast<unsigned>(variables.size() - 1);
    for (std::size_t v = 0; v < variables.size(); ++v) {
      std::vector<bool> written(variables[v].size(), v != output_);
      variables_[static_cast<unsigned>(v)] = {std::move(variables[v]), std::move(written)};
    }
  }

  FlatRun run(const Flat& program) {
    execute(program);
    return {variables_[output_].cells, problem_};
  }

 private:
  void fail(std::string problem) {
    if (problem_.empty()) {
      problem_ = std::move(problem);
    }
  }

  Integer index(const Index& i) {
    std::optional<Integer> value = index_value(i, values_);
    if (!value) {
      fail("division of an index by zero");
    }
    return value.value_or(0);
  }

  Integer difference(const FlatDifference& d) {
    Integer a = index(d.first);
    Integer b = index(d.second);
    return a < b ? Integer(0) : a - b;
  }

  bool holds(const Guard& guard) {
    std::optional<bool> value = guard_value(guard, values_);
    if (!value) {
      fail("division of an index by zero");
    }
    return value.value_or(false);
  }

  // Where an access goes; nothing if it is outside of its variable.
  std::optional<std::size_t> place(unsigned variable, const Index& i) {
    Integer at = i ? index(i) : Integer(0);
    auto found = variables_.find(variable);
    if (found == variables_.end() || at < 0 || at >= found->second.cells.size()) {
      fail(fmt::format("access to cell {} of variable {}", at.str(), variable));
      return std::nullopt;
    }
    return at.convert_to<std::size_t>();
  }

  float evaluate(const FlatExp& e) {
    switch (e->kind) {
      case FlatExpKind::Read: {
        std::optional<std::size_t> at = place(e->var, e->index);
        if (at && !variables_[e->var].written[*at]) {
          fail(fmt::format("cell {} of variable {} is read before it is written", *at, e->var));
        }
        return at ? variables_[e->var].cells[*at] : 0.0F;
      }
      case FlatExpKind::Const: return float_of(e->constant);
      case FlatExpKind::Position: return index(e->index).convert_to<float>();
      case FlatExpKind::Op: {
        std::vector<float> arguments;
        for (const FlatExp& arg : e->args) {
          arguments.push_back(evaluate(arg));
        }
        return apply_op(e->op, arguments);
      }
      case FlatExpKind::If: return evaluate(e->args[holds(e->guard) ? 0 : 1]);
    }
    fault("no such flat expression");
  }

  void assign(const Flat& c) {
    float value = evaluate(c->value);
    if (std::optional<std::size_t> at = place(c->var, c->index)) {
      variables_[c->var].cells[*at] = value;
      variables_[c->var].written[*at] = true;
    }
  }

  void execute(const Flat& c) {
    switch (c->kind) {
      case FlatKind::Skip: return;
      case FlatKind::Seq:
        execute(c->parts[0]);
        execute(c->parts[1]);
        return;
      case FlatKind::Assign: return assign(c);
      case FlatKind::New: {
        std::size_t cells = c->size ? size_value(c->size, sizes_).convert_to<std::size_t>() : 1;
        if (variables_.contains(c->var)) {
          fail(fmt::format("variable {} is declared twice", c->var));
        }
        variables_[c->var] = {std::vector<float>(cells), std::vector<bool>(cells, false)};
        execute(c->parts[0]);
        variables_.erase(c->var);
        return;
      }
      case FlatKind::For: {
        Integer end = size_value(c->size, sizes_);
        for (const FlatDifference& d : c->until) {
          end = std::min(end, difference(d));
        }
        Integer first = 0;
        for (const FlatDifference& d : c->from) {
          first = std::max(first, difference(d));
        }
        for (Integer i = first; i < end; ++i) {
          loops_[c->var] = i;
          execute(c->parts[0]);
        }
        loops_.erase(c->var);
        return;
      }
    }
    fault("no such flat command");
  }

  const std::vector<Integer>& sizes_;
  std::map<unsigned, Variable> variables_;
  std::map<unsigned, Integer> loops_;
  const IndexValues values_{sizes_, [this](unsigned loop) { return loops_.at(loop); }};
  unsigned output_ = 0;
  std::string problem_;
};

}  // namespace

FlatRun run_flat(const Flat& program, const std::vector<Integer>& sizes, std::vector<std::vector<float>> variables) {
  ensure(!variables.empty(), "a flat program has an output");
  return FlatMachine(sizes, std::move(variables)).run(program);
}

}  // namespace vouch::array
