#include "imp/print_c.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/fault.h"

namespace vouch::array {
namespace {

// Levels; as `most_indent` of coq/certify/Print.v has it.
constexpr std::size_t kMostIndent = 32;

constexpr std::string_view kHeaders =
    "#define _POSIX_C_SOURCE 200112L\n"
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n"
    "#pragma GCC diagnostic ignored \"-Wtautological-compare\"\n"
    "#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n"
    "#ifdef __clang__\n"
    "#pragma clang diagnostic ignored \"-Wpass-failed\"\n"
    "#endif\n";

// The types of parameters that C99 keeps in a header.
constexpr std::string_view kStdbool = "#include <stdbool.h>\n";

std::string allocator(Element element) {
  return fmt::format(
      "static {} *{}(int64_t n, int *failed) {{\n"
      "  void *p = NULL;\n"
      "  if (posix_memalign(&p, 64, (size_t)n * {} + 64)) {{\n"
      "    __atomic_store_n(failed, 1, __ATOMIC_RELAXED);\n"
      "    return NULL;\n"
      "  }}\n"
      "  return p;\n"
      "}}\n"
      "\n"
      "static void no_memory(void) {{\n"
      "  fputs(\"out of memory\\n\", stderr);\n"
      "  abort();\n"
      "}}\n",
      c_type(element), c_allocator_name(element), bytes_of(element));
}

std::string binary(const std::string& a, std::string_view op, const std::string& b) {
  return fmt::format("({} {} {})", a, op, b);
}

// Small arrays of constant size live on the stack.
bool on_stack(const Size& n) { return n->kind == SizeKind::Const && n->value >= 1 && n->value <= 4096; }

// There may be no block of what is small: then threads are not asked for.
bool counts_blocks(const Size& n) {
  return n->kind == SizeKind::Part || std::any_of(n->args.begin(), n->args.end(), counts_blocks);
}

}  // namespace

std::vector<std::string> c_pragmas(const CNames& names, LoopKind loop, const Size& count, bool around_unrolled) {
  const char* shared = "#pragma omp parallel for";
  bool stays = around_unrolled && count->kind == SizeKind::Const && count->value >= 2 && count->value <= 16;
  switch (loop) {
    case LoopKind::Seq: return stays ? std::vector<std::string>{"#pragma GCC unroll 1"} : std::vector<std::string>{};
    case LoopKind::Par:
      return counts_blocks(count) ? std::vector<std::string>{fmt::format("if (0 < {})", c_size(names, count)), shared}
                                  : std::vector<std::string>{shared};
    case LoopKind::Vec: return {"#pragma omp simd"};
    case LoopKind::Unr: return {"#pragma GCC unroll 16"};
  }
  fault("no such loop");
}

namespace {

std::string c_loop(const std::string& variable, const std::string& from, const std::string& until) {
  return fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0} += 1) {{", variable, from, until);
}

class Printer {
 public:
  explicit Printer(const CNames& names) : names_(names) {}

  std::string variable(unsigned v) const { return v < names_.variables.size() ? names_.variables[v] : "v" + std::to_string(v); }

  std::string loop_variable(unsigned i) const {
    std::size_t at = i - names_.variables.size();
    bool named = at < names_.loops.size() && !names_.loops[at].empty();
    return named ? names_.loops[at] : "i" + std::to_string(i);
  }

  std::string part(const SizeNode& s) const {
    const std::string& all = names_.sizes.at(s.var);
    std::string by = s.value.str();
    switch (s.part) {
      case SizePart::Quotient: return binary(all, "/", by);
      case SizePart::Remainder: return binary(all, "%", by);
      case SizePart::Digit: return binary(binary(all, "/", by), "%", s.base.str());
      case SizePart::Started: return binary(binary(binary(all, "%", by), "+", Integer(s.value - 1).str()), "/", by);
    }
    fault("no such part");
  }

  std::string size(const Size& s) const {
    switch (s->kind) {
      case SizeKind::Var: return names_.sizes.at(s->var);
      case SizeKind::Const: return s->value.str();
      case SizeKind::Add: return binary(size(s->args[0]), "+", size(s->args[1]));
      case SizeKind::Mul: return binary(size(s->args[0]), "*", size(s->args[1]));
      case SizeKind::Part: return part(*s);
    }
    fault("no such size");
  }

  std::string index(const Index& i) const {
    switch (i->kind) {
      case IndexKind::Var: return loop_variable(i->var);
      case IndexKind::Extent: return size(i->size);
      case IndexKind::Add: return index_pair(i, "+");
      case IndexKind::Sub: return index_pair(i, "-");
      case IndexKind::Mul: return index_pair(i, "*");
      case IndexKind::Div: return index_pair(i, "/");
      case IndexKind::Mod: return index_pair(i, "%");
    }
    fault("no such index term");
  }

  std::string guard(const Guard& g) const {
    switch (g->kind) {
      case GuardKind::Less: return binary(index(g->terms[0]), "<", index(g->terms[1]));
      case GuardKind::Equal: return binary(index(g->terms[0]), "==", index(g->terms[1]));
      case GuardKind::And: return binary(guard(g->parts[0]), "&&", guard(g->parts[1]));
      case GuardKind::Or: return binary(guard(g->parts[0]), "||", guard(g->parts[1]));
      case GuardKind::Not: return "(!" + guard(g->parts[0]) + ")";
    }
    fault("no such guard");
  }

  // A scalar output is written through its pointer.
  std::string access(unsigned v, const Index& i) const {
    if (i) {
      return fmt::format("{}[{}]", variable(v), index(i));
    }
    return v + 1 == names_.variables.size() ? variable(v) + "[0]" : variable(v);
  }

  // As a value of type `as`.
  std::string expression(Element as, const FlatExp& e) const {
    switch (e->kind) {
      case FlatExpKind::Read: return access(e->var, e->index);
      case FlatExpKind::Const: return c_literal(as, e->constant);
      case FlatExpKind::Position: return fmt::format("{}({})", c_position(as), index(e->index));
      case FlatExpKind::Op: {
        auto cast = cast_of(e->op);
        std::vector<std::string> args;
        for (const FlatExp& arg : e->args) {
          args.push_back(expression(cast ? cast->from : as, arg));
        }
        if (e->op == Op::Neg && e->args[0]->kind == FlatExpKind::Const && is_float(as)) {
          args[0] = "(" + args[0] + ")";  // (-(3.0f)), since (-3.0f) is a constant
        }
        return c_operation(as, e->op, args);
      }
      case FlatExpKind::If:
        return fmt::format("({} ? {} : {})", guard(e->guard), expression(as, e->args[0]), expression(as, e->args[1]));
    }
    fault("no such flat expression");
  }

  void statement(std::size_t indent, const Flat& c) {
    switch (c->kind) {
      case FlatKind::Skip: return line(indent, ";");
      case FlatKind::Seq: statement(indent, c->parts[0]); return statement(indent, c->parts[1]);
      case FlatKind::Assign:
        return line(indent, access(c->var, c->index) + " = " + expression(names_.elements.of(c->var), c->value) + ";");
      case FlatKind::New: return declaration(indent, c);
      case FlatKind::For: {
        auto found = gather_of(c);
        return found ? gather(indent, c, *found) : loop(indent, c);
      }
    }
    fault("no such flat command");
  }

  void line(std::size_t indent, std::string_view text) {
    out_.append(2 * std::min(indent, kMostIndent), ' ');
    out_ += text;
    out_ += '\n';
  }

  std::string take() { return std::move(out_); }

 private:
  std::string index_pair(const Index& i, std::string_view op) const { return binary(index(i->args[0]), op, index(i->args[1])); }

  void declaration(std::size_t indent, const Flat& c) {
    line(indent, "{");
    line(indent + 1, c_declaration(names_, c->var, c->size));
    std::string there = c_if_there(names_, c->var, c->size);
    if (!there.empty()) {
      line(indent + 1, there);
    }
    statement(there.empty() ? indent + 1 : indent + 2, c->parts[0]);
    if (!there.empty()) {
      line(indent + 1, "}");
    }
    if (std::string end = c_release(names_, c->var, c->size); !end.empty()) {
      line(indent + 1, end);
    }
    line(indent, "}");
  }

  void gather(std::size_t indent, const Flat& c, const FlatGather& found) {
    const FlatNode& stored = *c->parts[0];
    line(indent, "{");
    std::string name = loop_variable(c->var);
    line(indent + 1, fmt::format("int64_t {} = {};", name, expression(Element::I64, found.from)));
    line(indent + 1, fmt::format("if (0 <= {0} && {0} < {1}) {2} = {3};", name, size(c->size), access(stored.var, stored.index),
                                 expression(names_.elements.of(stored.var), found.value)));
    line(indent, "}");
  }

  void loop(std::size_t indent, const Flat& c) {
    const FlatNode& body = *c->parts[0];
    bool around_unrolled = body.kind == FlatKind::For && body.loop == LoopKind::Unr && c->from.empty() && c->until.empty();
    for (const std::string& before : c_pragmas(names_, c->loop, c->size, around_unrolled)) {
      line(indent, before);
    }
    std::string from = differences(kAtLeast, c->from, "0");
    line(indent, c_loop(loop_variable(c->var), from, differences(kAtMost, c->until, size(c->size))));
    statement(indent + 1, c->parts[0]);
    line(indent, "}");
  }

  std::string differences(std::string_view function, const std::vector<FlatDifference>& all, std::string last) const {
    for (auto d = all.rbegin(); d != all.rend(); ++d) {
      last = fmt::format("{}({}, {}, {})", function, index(d->first), index(d->second), last);
    }
    return last;
  }

  const CNames& names_;
  std::string out_;
};

bool on_heap(const Size& size) { return size && !on_stack(size); }

// Headers, the type that is computed where it is not float, the functions that C does not have.
std::string opening(const CNames& names, const Flat& body) {
  const std::vector<Element>& stored = names.elements.stored;
  Element computed = names.elements.computed;
  bool truths = std::find(stored.begin(), stored.end(), Element::B8) != stored.end();
  std::string text = fmt::format("{}{}\n{}", kHeaders, truths ? kStdbool : "", c_typedefs(stored));
  if (computed != Element::F32) {
    text += fmt::format("/* Elements are computed as {}. */\n", c_type(computed));
  }
  for (const std::string& definition : c_definitions(names.elements, body)) {
    text += definition + "\n";
  }
  return text;
}

}  // namespace

CNames c_names(const Program& program) {
  CNames names{{}, program.sizes, {program.computed, {}}, program.loops};
  auto add = [&](const Parameter& parameter) {
    names.variables.push_back(parameter.name);
    names.elements.stored.push_back(parameter.element);
  };
  std::for_each(program.inputs.begin(), program.inputs.end(), add);
  add(program.output);
  return names;
}

std::string c_size(const CNames& names, const Size& size) { return Printer(names).size(size); }
std::string c_guard(const CNames& names, const Guard& guard) { return Printer(names).guard(guard); }

std::string c_access(const CNames& names, unsigned variable, const Index& index) {
  return Printer(names).access(variable, index);
}

std::string c_declaration(const CNames& names, unsigned variable, const Size& size) {
  std::string name = Printer(names).variable(variable);
  Element element = names.elements.computed;
  std::string_view type = c_type(element);
  if (!size) {
    return fmt::format("{} {};", type, name);
  }
  return on_heap(size)
             ? fmt::format("{} *restrict {} = {}({}, failed);", type, name, c_allocator_name(element), c_size(names, size))
             : fmt::format("{} {}[{}] __attribute__((aligned(64)));", type, name, c_size(names, size));
}

std::string c_if_there(const CNames& names, unsigned variable, const Size& size) {
  return on_heap(size) ? fmt::format("if ({}) {{", Printer(names).variable(variable)) : "";
}

std::string c_release(const CNames& names, unsigned variable, const Size& size) {
  return on_heap(size) ? fmt::format("free({});", Printer(names).variable(variable)) : "";
}

std::string c_loop(const CNames& names, unsigned variable, const Size& count) {
  return c_loop(Printer(names).loop_variable(variable), "0", c_size(names, count));
}

std::string c_parameters(const CNames& names, const std::vector<Type>& inputs, CPointers pointers) {
  auto type_of = [&](Element element) { return pointers == CPointers::Header ? c_held(element) : c_type(element); };
  std::string_view pointer = pointers == CPointers::Restrict ? "*restrict " : "*";
  std::string text;
  for (const std::string& size : names.sizes) {
    text += "int64_t " + size + ", ";
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Element element = names.elements.of(static_cast<unsigned>(i));
    bool scalar = inputs[i]->kind == TypeKind::Num;
    // The parameters of type int64_t, without const, are sizes.
    text += fmt::format("{}{} {}{}, ", scalar && element != Element::I64 ? "" : "const ", type_of(element), scalar ? "" : pointer,
                        names.variables.at(i));
  }
  Element output = names.elements.of(static_cast<unsigned>(inputs.size()));
  return fmt::format("{}{} {}{}", text, type_of(output), pointer, names.variables.back());
}

std::string c_arguments(const CNames& names) {
  std::string sizes = fmt::format("{}", fmt::join(names.sizes, ", "));
  return fmt::format("{}{}{}", sizes, sizes.empty() ? "" : ", ", fmt::join(names.variables, ", "));
}

std::string c_tried_name(const std::string& name) { return name + "_tried"; }
std::string c_checked_name(const std::string& name) { return name + "_checked"; }

bool needs_heap(const Flat& body) {
  return (body->kind == FlatKind::New && on_heap(body->size)) ||
         std::any_of(body->parts.begin(), body->parts.end(), [](const Flat& part) { return needs_heap(part); });
}

std::string c_opening(const CNames& names, const Flat& body, bool heap) {
  return opening(names, body) + (heap ? allocator(names.elements.computed) + "\n" : "");
}

std::string c_function(const std::string& head, const CNames& names, const std::vector<Type>& inputs, bool heap,
                       const Flat& body) {
  Printer printer(names);
  printer.line(0, fmt::format("{}({}{}) {{", head, c_parameters(names, inputs), heap ? ", int *failed" : ""));
  printer.statement(1, body);
  printer.line(0, "}");
  return printer.take();
}

std::string c_stopping(const std::string& name, const CNames& names, const std::vector<Type>& inputs) {
  return fmt::format("\nvoid {}({}) {{\n  int failed[1] = {{0}};\n  {}({}, failed);\n  if (failed[0]) no_memory();\n}}\n", name,
                     c_parameters(names, inputs), c_tried_name(name), c_arguments(names));
}

std::string print_c(const std::string& name, const CNames& names, const std::vector<Type>& inputs, const Flat& body) {
  bool heap = needs_heap(body);
  std::string head = heap ? "static void " + c_tried_name(name) : "void " + name;
  return c_opening(names, body, heap) + c_function(head, names, inputs, heap, body) +
         (heap ? c_stopping(name, names, inputs) : "");
}

}  // namespace vouch::array
