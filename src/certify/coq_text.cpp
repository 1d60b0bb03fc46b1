#include "certify/coq_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "support/fault.h"

namespace vouch::array {
namespace {

std::string integer(const Integer& value) { return value < 0 ? "(" + value.str() + ")" : value.str(); }

constexpr std::size_t kWidth = 100;
constexpr std::size_t kMostIndent = 68;

// Terms are printed on several lines, so that people can read them.
class TermPrinter {
 public:
  std::string print(const Exp& e, std::size_t indent) {
    out_.clear();
    print_at(e, indent);
    return std::move(out_);
  }

  // The constructor and what is not a term.
  std::string head(const Exp& e) const;

 private:
  void print_at(const Exp& e, std::size_t indent) {
    std::size_t begin = out_.size();
    if (print_flat(e, begin + kWidth - std::min(indent, kMostIndent)) || e->args.empty()) {
      return;
    }
    out_.resize(begin);
    out_ += "(" + head(e);
    for (const Exp& arg : e->args) {
      out_ += "\n" + std::string(std::min(indent + 2, kMostIndent), ' ');
      print_at(arg, indent + 2);
    }
    out_ += ")";
  }

  // On one line; false, and no more than that is written, where that goes beyond `most`.
  bool print_flat(const Exp& e, std::size_t most) {
    out_ += "(" + head(e);
    bool fits = out_.size() <= most;
    for (std::size_t k = 0; fits && k < e->args.size(); ++k) {
      out_ += " ";
      fits = print_flat(e->args[k], most);
    }
    out_ += ")";
    return fits && out_.size() <= most;
  }

  std::string out_;
};

// Where a reduction accumulates, and whether its loop is unrolled.
std::string_view coq_place(const ExpNode& reduction) {
  bool into = reduction.place == Place::Into;
  return reduction.loop == LoopKind::Unr ? (into ? "(Unrolled Into)" : "(Unrolled Fresh)") : into ? "Into" : "Fresh";
}

std::string TermPrinter::head(const Exp& e) const {
  switch (e->kind) {
    case ExpKind::Var: return fmt::format("EVar {}", e->var);
    case ExpKind::Const: return fmt::format("ECst {} {}", coq_type(e->types[0]), coq_const(e->constant));
    case ExpKind::Op: return fmt::format("EOp (Op{} {})", op_row(e->op).arity, op_row(e->op).coq);
    case ExpKind::Pair: return "EPair";
    case ExpKind::Lay: return "ELay " + coq_layout(e->layout);
    case ExpKind::Pad:
      return fmt::format("EPad {} {} {} {}", coq_size(e->sizes[0]), coq_size(e->sizes[1]), coq_size(e->sizes[2]),
                         coq_const(e->constant));
    case ExpKind::If: return "EIf " + coq_guard(e->guard);
    case ExpKind::Map:
      return fmt::format("EMap {} {} {} {}", coq_loop(e->loop), coq_size(e->sizes[0]), coq_type(e->types[0]),
                         coq_type(e->types[1]));
    case ExpKind::Reduce:
      return fmt::format("ERed {} {} {} {}", coq_place(*e), coq_size(e->sizes[0]), coq_type(e->types[0]), coq_type(e->types[1]));
    case ExpKind::Let: return "ELet";
    case ExpKind::Mem: return "EMem " + coq_type(e->types[0]);
    case ExpKind::Cat: return fmt::format("ECat {} {} {}", coq_size(e->sizes[0]), coq_size(e->sizes[1]), coq_type(e->types[0]));
  }
  fault("no such term");
}

template <class List, class Print>
std::string coq_list(const List& list, Print print) {
  std::string text;
  for (const auto& item : list) {
    text += (text.empty() ? "" : "; ") + print(item);
  }
  return "[" + text + "]";
}

}  // namespace

std::string coq_head(const Exp& exp) { return TermPrinter().head(exp); }

std::string coq_index(const Index& index) {
  auto two = [&](std::string_view head) {
    return fmt::format("({} {} {})", head, coq_index(index->args[0]), coq_index(index->args[1]));
  };
  switch (index->kind) {
    case IndexKind::Var: return fmt::format("(XVar {})", index->var);
    case IndexKind::Extent: return fmt::format("(XSize {})", coq_size(index->size));
    case IndexKind::Add: return two("XAdd");
    case IndexKind::Sub: return two("XSub");
    case IndexKind::Mul: return two("XMul");
    case IndexKind::Div: return two("XDiv");
    case IndexKind::Mod: return two("XMod");
  }
  fault("no such index term");
}

std::string_view coq_loop(LoopKind kind) {
  switch (kind) {
    case LoopKind::Seq: return "Seq";
    case LoopKind::Par: return "Par";
    case LoopKind::Vec: return "Vec";
    case LoopKind::Unr: return "Unr";
  }
  fault("no such loop");
}

namespace {

std::string coq_part(const SizeNode& size) {
  std::string by = size.value.str();
  switch (size.part) {
    case SizePart::Quotient: return fmt::format("(Quot {})", by);
    case SizePart::Remainder: return fmt::format("(Rem {})", by);
    case SizePart::Digit: return fmt::format("(Digit {} {})", by, size.base.str());
    case SizePart::Started: return fmt::format("(Started {})", by);
  }
  fault("no such part");
}

}  // namespace

std::string coq_size(const Size& size) {
  switch (size->kind) {
    case SizeKind::Var: return fmt::format("(SVar {})", size->var);
    case SizeKind::Const: return fmt::format("(SConst {})", size->value.str());
    case SizeKind::Add: return fmt::format("(SAdd {} {})", coq_size(size->args[0]), coq_size(size->args[1]));
    case SizeKind::Mul: return fmt::format("(SMul {} {})", coq_size(size->args[0]), coq_size(size->args[1]));
    case SizeKind::Part: return fmt::format("(SPart {} {})", coq_part(*size), size->var);
  }
  fault("no such size");
}

std::string coq_const(const Const& c) {
  if (c.ordinal) {
    return "Ordinal";
  }
  if (c.infinite) {
    return c.negative ? "(Infinity true)" : "(Infinity false)";
  }
  return fmt::format("(Dyadic {} {})", integer(c.mantissa), integer(c.exponent));
}

std::string coq_guard(const Guard& guard) {
  auto terms = [&](std::string_view head) {
    return fmt::format("({} {} {})", head, coq_index(guard->terms[0]), coq_index(guard->terms[1]));
  };
  auto parts = [&](std::string_view head) {
    return fmt::format("({} {} {})", head, coq_guard(guard->parts[0]), coq_guard(guard->parts[1]));
  };
  switch (guard->kind) {
    case GuardKind::Less: return terms("GLess");
    case GuardKind::Equal: return terms("GEqual");
    case GuardKind::And: return parts("GAnd");
    case GuardKind::Or: return parts("GOr");
    case GuardKind::Not: return fmt::format("(GNot {})", coq_guard(guard->parts[0]));
  }
  fault("no such guard");
}

std::string coq_layout(const Layout& of) {
  auto sized = [&](std::string_view head) {
    std::string text = fmt::format("({}", head);
    for (const Size& size : of->sizes) {
      text += " " + coq_size(size);
    }
    return text + ")";
  };
  switch (of->kind) {
    case LayoutKind::Fst: return "LFst";
    case LayoutKind::Snd: return "LSnd";
    case LayoutKind::At: return fmt::format("(LAt {})", coq_index(of->index));
    case LayoutKind::Zip: return "LZip";
    case LayoutKind::Unzip: return "LUnzip";
    case LayoutKind::Split: return sized("LSplit");
    case LayoutKind::Join: return sized("LJoin");
    case LayoutKind::Trans: return "LTrans";
    case LayoutKind::Rev: return sized("LRev");
    case LayoutKind::Slide: return sized("LSlide");
    case LayoutKind::Slice: return sized("LSlice");
    case LayoutKind::Repeat: return sized("LRepeat");
    case LayoutKind::Each: return fmt::format("(LMap {})", coq_layout(of->inner));
  }
  fault("no such layout");
}

std::string coq_type(const Type& type) {
  switch (type->kind) {
    case TypeKind::Num: return "TNum";
    case TypeKind::Array: return fmt::format("(TAry {} {})", coq_size(type->size), coq_type(type->parts[0]));
    case TypeKind::Pair: return fmt::format("(TPair {} {})", coq_type(type->parts[0]), coq_type(type->parts[1]));
  }
  fault("no such type");
}

std::string coq_element(Element element) { return std::string(coq_name(element)); }

std::string coq_exp(const Exp& exp) { return TermPrinter().print(exp, 4); }

std::string coq_string(std::string_view text) {
  std::string literal = "\"";
  for (char c : text) {
    literal += c;
    if (c == '"') {
      literal += c;
    }
  }
  return literal + "\"";
}

std::string coq_text(std::string_view text) {
  constexpr std::size_t kMost = 4000;
  std::string out;
  do {
    std::size_t end = text.size() <= kMost ? text.size() : text.rfind('\n', kMost) + 1;
    end = end == 0 ? std::min(text.size(), kMost) : end;
    out += fmt::format("{}the_text\n{}%text", out.empty() ? "" : " ++ ", coq_string(text.substr(0, end)));
    text.remove_prefix(end);
  } while (!text.empty());
  return "(" + out + ")%string";
}

std::string coq_source(const Program& program) {
  auto name = [](const Parameter& parameter) { return coq_string(parameter.name); };
  std::vector<Parameter> variables = program.inputs;
  variables.push_back(program.output);
  return fmt::format(
      "{{|\n  kernel_name := {};\n  kernel_names := {{| var_names := {}; size_names := {};\n    element_types := {{| computed := "
      "{}; stored := {} |}}; loop_names := {} |}};\n"
      "  kernel_facts := {};\n  kernel_inputs := {};\n  kernel_output := {};\n  kernel_term :=\n    {} |}}",
      coq_string(program.name), coq_list(variables, name), coq_list(program.sizes, coq_string), coq_element(program.computed),
      coq_list(variables, [](const Parameter& parameter) { return coq_element(parameter.element); }),
      coq_list(program.loops, coq_string),
      coq_list(program.facts,
               [](const SizeFact& fact) { return "(" + coq_size(fact.first) + ", " + coq_size(fact.second) + ")"; }),
      coq_list(program.inputs, [](const Parameter& input) { return coq_type(input.type); }), coq_type(program.output.type),
      coq_exp(program.term));
}

}  // namespace vouch::array
