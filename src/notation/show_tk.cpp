#include "notation/show_tk.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "notation/guard_text.h"
#include "notation/tk_addends.h"
#include "notation/tk_bounds.h"
#include "notation/tk_empty.h"
#include "notation/tk_header.h"
#include "notation/tk_meaning.h"
#include "support/symbols.h"
#include "term/print.h"

namespace vouch {
namespace {

// Terms as the kernel language writes them: shapes at every read, `real(i)` and `3.0` as they are written there.
class Printer {
 public:
  explicit Printer(const TkKernel& kernel) : kernel_(kernel), names_(plain_names(kernel)) {}

  std::string access(Symbol tensor, const std::vector<std::string>& at) const {
    const TkTensor& declared = kernel_.tensor(tensor);
    std::vector<std::string> shape;
    for (Term extent : declared.shape) {
      shape.push_back(print_term(extent));
    }
    return fmt::format("{}<{}>[{}]", names_.at(tensor), fmt::join(shape, ", "), fmt::join(at, ", "));
  }

  std::string scalar(Term term) const {
    auto arg = [&](std::size_t k) { return scalar(term.arg(k)); };
    switch (term.kind()) {
      case TermKind::Read: {
        std::vector<std::string> at;
        for (Term index : term.args()) {
          at.push_back(index.kind() == TermKind::IntOf ? scalar(index.arg(0)) : print_term(index));
        }
        return access(term->symbol, at);
      }
      case TermKind::RealAdd: return fmt::format("({} + {})", arg(0), arg(1));
      case TermKind::RealSub: return fmt::format("({} - {})", arg(0), arg(1));
      case TermKind::RealMul: return fmt::format("({} * {})", arg(0), arg(1));
      case TermKind::RealDiv: return fmt::format("({} / {})", arg(0), arg(1));
      case TermKind::RealNeg: return fmt::format("(-{})", arg(0));
      case TermKind::RealOf: return fmt::format("({})", print_term(term.arg(0)));
      case TermKind::RealConst: return to_text(term->value);
      case TermKind::Select: {
        auto gathered = gathered_read(kernel_, term);
        return gathered ? scalar(*gathered) : fmt::format("select({}, {}, {})", guard(term.arg(0)), arg(1), arg(2));
      }
      case TermKind::Call: {
        std::vector<std::string> args;
        for (Term part : term.args()) {
          args.push_back(scalar(part));
        }
        return fmt::format("{}({})", fn_name(term->fn), fmt::join(args, ", "));
      }
      default: return print_term(term);
    }
  }

  std::string guard(Term term) const {
    return guard_text(
        term, {[](Term t) { return print_term(t); }, [&](Term t) { return scalar(t); }, [](Term t) { return print_term(t); }});
  }

  // Loops over constants are said by the domain, others by conditions; so are loops that not every addend of the body names.
  std::string summand(const TkStatement& statement, const TkSummand& summand) const {
    std::vector<std::string> conditions;
    bool parted = is_parted(statement, summand);
    for (const TkLoop& loop : summand.loops) {
      if (!is_fixed(loop)) {
        bounds(loop.begin, TermKind::IntMax, loop.name, conditions);
        bounds(loop.end, TermKind::IntMin, loop.name, conditions);
      } else if (parted || !is_named(loop.name, summand)) {
        conditions.push_back(fmt::format("{} >= {}", loop.name.name(), print_term(loop.begin)));
      }
    }
    if (!is_true(summand.guard)) {
      conditions.push_back(guard(summand.guard));
    }
    std::string body = scalar(summand.body);
    return conditions.empty() ? body : fmt::format("select({}, {}, 0.0)", fmt::join(conditions, " && "), body);
  }

  // ` where 0 <= t < 7`: the domains that the parser would not find.
  std::string domains(const TkStatement& statement) const {
    std::vector<std::string> out;
    for (Symbol index : partial_indices(statement)) {
      out.push_back(fmt::format("0 <= {} < {}", index.name(), print_term(extent_of(statement, index))));
    }
    for (const TkSummand& summand : statement.summands) {
      Box box = summand_box(kernel_, statement, summand);
      bool parted = is_parted(statement, summand);
      for (const TkLoop& loop : summand.loops) {
        Interval range = box[loop.name];
        bool fixed = is_fixed(loop);
        if (parted || !found_by_parser(summand, loop.name, range, fixed)) {
          Term last = box.greater(*range.high, *range.low).value_or(*range.high);  // an empty loop has conditions
          add_once(fmt::format("{} <= {} < {}", print_term(*range.low), loop.name.name(), print_term(last + Term(1))), out);
        }
      }
    }
    return out.empty() ? "" : fmt::format(" where {}", fmt::join(out, ", "));
  }

 private:
  // Summands of one statement as it was written share loops.
  static void add_once(std::string text, std::vector<std::string>& out) {
    if (std::find(out.begin(), out.end(), text) == out.end()) {
      out.push_back(std::move(text));
    }
  }

  // Would the parser sum some part of the body over fewer loops? Within `select` it tells no parts apart.
  bool is_parted(const TkStatement& statement, const TkSummand& summand) const {
    std::vector<Symbol> kept = statement.indices;
    kept.insert(kept.end(), kernel_.sizes.names.begin(), kernel_.sizes.names.end());
    std::vector<TkAddend> addends = split_addends(summand.body, kept);
    return std::any_of(addends.begin(), addends.end(), [&](const TkAddend& addend) {
      return addends.size() > 1 && addend.reduced.size() < summand.loops.size();
    });
  }

  Term extent_of(const TkStatement& statement, Symbol index) const {
    auto at = std::find(statement.indices.begin(), statement.indices.end(), index);
    return kernel_.tensor(statement.target).shape[static_cast<std::size_t>(at - statement.indices.begin())];
  }

  // Those of the target that alone subscript axes of another extent.
  std::vector<Symbol> partial_indices(const TkStatement& statement) const {
    std::vector<Symbol> out;
    for (const TkSummand& summand : statement.summands) {
      each_read(summand.body, [&](Term at) {
        const std::vector<Term>& shape = kernel_.tensor(at->symbol).shape;
        for (std::size_t a = 0; a < shape.size(); ++a) {
          Symbol name = at.arg(a).kind() == TermKind::IntVar ? at.arg(a)->symbol : Symbol();
          bool spatial = std::find(statement.indices.begin(), statement.indices.end(), name) != statement.indices.end();
          bool listed = std::find(out.begin(), out.end(), name) != out.end();
          if (spatial && !listed && shape[a] != extent_of(statement, name)) {
            out.push_back(name);
          }
        }
      });
    }
    return out;
  }

  // Its bounds name no index.
  bool is_fixed(const TkLoop& loop) const {
    return index_variables(loop.begin, kernel_.sizes).empty() && index_variables(loop.end, kernel_.sizes).empty();
  }

  bool is_named(Symbol name, const TkSummand& summand) const {
    for (Term term : {summand.body, summand.guard}) {
      std::vector<Symbol> names = free_variables(term);
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        return true;
      }
    }
    return std::any_of(summand.loops.begin(), summand.loops.end(), [&](const TkLoop& loop) {
      bool fixed = is_fixed(loop);
      std::vector<Symbol> names = free_variables(loop.begin + loop.end);
      return !fixed && std::find(names.begin(), names.end(), name) != names.end();
    });
  }

  // Every subscript of this index alone is the index itself, along axes of one extent.
  bool found_by_parser(const TkSummand& summand, Symbol name, const Interval& range, bool exactly) const {
    bool found = false;
    bool good = nonnegative(*range.low, kernel_.sizes) && nonnegative(*range.high - *range.low, kernel_.sizes) &&
                (!exactly || *range.low == Term(0));
    each_read(summand.body, [&](Term at) {
      const std::vector<Term>& shape = kernel_.tensor(at->symbol).shape;
      for (std::size_t a = 0; a < shape.size(); ++a) {
        if (index_variables(at.arg(a), kernel_.sizes) == std::vector<Symbol>{name}) {
          found = true;
          good = good && at.arg(a).kind() == TermKind::IntVar;
          good = good &&
                 (exactly ? *range.high == shape[a] - Term(1) : nonnegative(shape[a] - Term(1) - *range.high, kernel_.sizes));
        }
      }
    });
    return found && good;
  }

  static void each_read(Term term, const std::function<void(Term)>& visit) {
    if (term.kind() == TermKind::Read) {
      visit(term);
    }
    for (Term part : term.args()) {
      each_read(part, visit);
    }
  }

  static void bounds(Term bound, TermKind extremum, Symbol name, std::vector<std::string>& conditions) {
    if (bound.kind() == extremum) {
      bounds(bound.arg(0), extremum, name, conditions);
      bounds(bound.arg(1), extremum, name, conditions);
    } else {
      conditions.push_back(fmt::format("{} {} {}", name.name(), extremum == TermKind::IntMax ? ">=" : "<", print_term(bound)));
    }
  }

  const TkKernel& kernel_;
  std::unordered_map<Symbol, std::string> names_;
};

}  // namespace

std::unordered_map<Symbol, std::string> plain_names(const TkKernel& kernel) {
  std::unordered_map<Symbol, std::string> out;
  std::set<std::string> taken;
  for (const TkTensor& tensor : kernel.tensors) {
    taken.insert(tensor.name.name());
  }
  for (const TkTensor& tensor : kernel.tensors) {
    std::string name = tensor.name.name();
    bool version = name.find('@') != std::string::npos;
    std::replace(name.begin(), name.end(), '@', '_');
    while (version && !taken.insert(name).second) {
      name += "_";
    }
    out[tensor.name] = name;
  }
  return out;
}

namespace {

// A line with these names; nothing if there are none.
std::string names_line(const std::vector<Symbol>& symbols, fmt::format_string<std::string&> line) {
  std::string names;
  for (Symbol name : symbols) {
    names += (names.empty() ? "" : ", ") + name.name();
  }
  return names.empty() ? "" : fmt::format(line, names);
}

// A line for each condition on sizes.
std::string condition_lines(const TkKernel& kernel, fmt::format_string<std::string&> line) {
  std::string out;
  for (Term condition : kernel.sizes.conditions) {
    std::string text = print_term(condition);
    out += fmt::format(line, text);
  }
  return out;
}

}  // namespace

std::string show_domains(const TkKernel& kernel) {
  std::vector<Symbol> from_one = sizes_from_one(kernel);
  std::vector<Symbol> from_zero = kernel.sizes.names;
  std::erase_if(from_zero, [&](Symbol name) { return contains(from_one, name); });
  std::string out = names_line(from_zero, "sizes: {} >= 0\n") + names_line(from_one, "sizes: {} >= 1\n") +
                    condition_lines(kernel, "  {} >= 0\n");
  for (const TkStatement& statement : kernel.statements) {
    out += statement.text + "\n";
    for (const TkDomain& domain : statement.domains) {
      out += fmt::format("{}\n  index type: {}\n  domain: [{}, {})\n", domain.name.name(), domain.reduced ? "Reduce" : "Spatial",
                         print_term(domain.begin), print_term(domain.end));
    }
  }
  return out;
}

std::string print_tk(const TkKernel& kernel) {
  Printer printer(kernel);
  std::string out;
  for (const TkStatement& statement : kernel.statements) {
    std::vector<std::string> at;
    for (Symbol index : statement.indices) {
      at.push_back(index.name());
    }
    std::vector<std::string> parts;
    for (const TkSummand& summand : statement.summands) {
      parts.push_back(printer.summand(statement, summand));
    }
    std::string value = parts.empty() ? "0.0" : fmt::format("{}", fmt::join(parts, " + "));
    out += fmt::format("{} = {}{};\n", printer.access(statement.target, at), value, printer.domains(statement));
  }
  return out;
}

std::string print_sizes(const TkKernel& kernel) {
  return names_line(kernel.sizes.names, "size {};\n") + condition_lines(kernel, "require {} >= 0;\n");
}

std::string print_stored(const TkKernel& kernel) {
  std::map<std::string, std::string_view> types;
  for (const auto& [name, dtype] : kernel.stored) {
    types.emplace(name.name(), element_type_name(dtype));
  }
  std::string out;
  for (const auto& [name, type] : types) {
    out += fmt::format("type {} {};\n", type, name);
  }
  return out;
}

std::string print_tk_file(const TkKernel& kernel) {
  std::unordered_map<Symbol, std::string> names = plain_names(kernel);
  auto list = [&](const std::vector<Symbol>& tensors) {
    std::vector<std::string> out;
    for (Symbol tensor : tensors) {
      out.push_back(names.at(tensor));
    }
    return fmt::format("{}", fmt::join(out, ", "));
  };
  std::string in = kernel.inputs.empty() ? "" : fmt::format("in {};\n", list(kernel.inputs));
  return fmt::format("kernel {};\n{}{}out {};\ntype {};\n{}{}", kernel.name, print_sizes(kernel), in, list(kernel.outputs),
                     kernel.dtype, print_stored(kernel), print_tk(kernel));
}

}  // namespace vouch
