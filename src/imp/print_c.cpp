#include "imp/print_c.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/fault.h"

namespace vouch::array {
namespace {

constexpr std::string_view kHeaders =
    "#define _POSIX_C_SOURCE 200112L\n"
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n"
    "#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
    "#ifdef __clang__\n"
    "#pragma clang diagnostic ignored \"-Wpass-failed\"\n"
    "#endif\n"
    "\n"
    "static inline float greater(float a, float b) {\n"
    "  return a < b || a != a ? b : a;\n"
    "}\n"
    "\n"
    "static inline float lesser(float a, float b) {\n"
    "  return b < a || a != a ? b : a;\n"
    "}\n";

constexpr std::string_view kAllocator =
    "static float *new_floats(int64_t n, int *failed) {\n"
    "  void *p = NULL;\n"
    "  if (posix_memalign(&p, 64, (size_t)n * 4 + 64)) {\n"
    "    __atomic_store_n(failed, 1, __ATOMIC_RELAXED);\n"
    "    return NULL;\n"
    "  }\n"
    "  return p;\n"
    "}\n"
    "\n"
    "static void no_memory(void) {\n"
    "  fputs(\"out of memory\\n\", stderr);\n"
    "  abort();\n"
    "}\n";

std::string binary(const std::string& a, std::string_view op, const std::string& b) {
  return fmt::format("({} {} {})", a, op, b);
}

// Small arrays of constant size live on the stack.
bool on_stack(const Size& n) { return n->kind == SizeKind::Const && n->value >= 1 && n->value <= 4096; }

std::string c_magnitude(const Integer& mantissa, const Integer& exponent) {
  if (exponent == 0) {
    return mantissa.str() + ".0f";
  }
  return fmt::format("0x{}p{}f", mantissa.str(0, std::ios_base::hex), exponent.str());
}

}  // namespace

std::string c_constant(const Const& c) {
  if (c.infinite) {
    return c.negative ? "(-INFINITY)" : "INFINITY";
  }
  Integer positive = -c.mantissa;
  return c.mantissa < 0 ? "(-" + c_magnitude(positive, c.exponent) + ")" : c_magnitude(c.mantissa, c.exponent);
}

std::string c_operation(Op op, const std::vector<std::string>& x) {
  auto call1 = [&](std::string_view f) { return fmt::format("{}({})", f, x[0]); };
  auto call2 = [&](std::string_view f) { return fmt::format("{}({}, {})", f, x[0], x[1]); };
  auto truth = [&](std::string_view o) { return fmt::format("({} {} {} ? 1.0f : 0.0f)", x[0], o, x[1]); };
  switch (op) {
    case Op::Neg: return "(-" + x[0] + ")";
    case Op::Abs: return call1("fabsf");
    case Op::Sqrt: return call1("sqrtf");
    case Op::Exp: return call1("expf");
    case Op::Log: return call1("logf");
    case Op::Tanh: return call1("tanhf");
    case Op::Erf: return call1("erff");
    case Op::Sin: return call1("sinf");
    case Op::Cos: return call1("cosf");
    case Op::Floor: return call1("floorf");
    case Op::Ceil: return call1("ceilf");
    case Op::Tan: return call1("tanf");
    case Op::Asin: return call1("asinf");
    case Op::Acos: return call1("acosf");
    case Op::Atan: return call1("atanf");
    case Op::Sinh: return call1("sinhf");
    case Op::Cosh: return call1("coshf");
    case Op::Asinh: return call1("asinhf");
    case Op::Acosh: return call1("acoshf");
    case Op::Atanh: return call1("atanhf");
    case Op::Add: return binary(x[0], "+", x[1]);
    case Op::Sub: return binary(x[0], "-", x[1]);
    case Op::Mul: return binary(x[0], "*", x[1]);
    case Op::Div: return binary(x[0], "/", x[1]);
    case Op::Max: return call2("greater");
    case Op::Min: return call2("lesser");
    case Op::Pow: return call2("powf");
    case Op::Less: return truth("<");
    case Op::LessEq: return truth("<=");
    case Op::Equal: return truth("==");
    case Op::Fma: return fmt::format("fmaf({}, {}, {})", x[0], x[1], x[2]);
    case Op::Sel: return fmt::format("({} != 0.0f ? {} : {})", x[0], x[1], x[2]);
  }
  fault("no such operation");
}

std::string_view c_pragma(LoopKind loop) {
  switch (loop) {
    case LoopKind::Seq: return "";
    case LoopKind::Par: return "#pragma omp parallel for";
    case LoopKind::Vec: return "#pragma omp simd";
    case LoopKind::Unr: return "#pragma GCC unroll 16";
  }
  fault("no such loop");
}

namespace {

class Printer {
 public:
  explicit Printer(const CNames& names) : names_(names) {}

  std::string variable(unsigned v) const { return v < names_.variables.size() ? names_.variables[v] : "v" + std::to_string(v); }

  std::string size(const Size& s) const {
    switch (s->kind) {
      case SizeKind::Var: return names_.sizes.at(s->var);
      case SizeKind::Const: return s->value.str();
      case SizeKind::Add: return binary(size(s->args[0]), "+", size(s->args[1]));
      case SizeKind::Mul: return binary(size(s->args[0]), "*", size(s->args[1]));
    }
    fault("no such size");
  }

  std::string index(const Index& i) const {
    switch (i->kind) {
      case IndexKind::Var: return "i" + std::to_string(i->var);
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

  std::string expression(const FlatExp& e) const {
    switch (e->kind) {
      case FlatExpKind::Read: return access(e->var, e->index);
      case FlatExpKind::Const: return c_constant(e->constant);
      case FlatExpKind::Op: {
        std::vector<std::string> args;
        for (const FlatExp& arg : e->args) {
          args.push_back(expression(arg));
        }
        if (e->op == Op::Neg && e->args[0]->kind == FlatExpKind::Const) {
          args[0] = "(" + args[0] + ")";  // (-(3.0f)), since (-3.0f) is a constant
        }
        return c_operation(e->op, args);
      }
      case FlatExpKind::If: return fmt::format("({} ? {} : {})", guard(e->guard), expression(e->args[0]), expression(e->args[1]));
    }
    fault("no such flat expression");
  }

  void statement(std::size_t indent, const Flat& c) {
    switch (c->kind) {
      case FlatKind::Skip: return line(indent, ";");
      case FlatKind::Seq: statement(indent, c->parts[0]); return statement(indent, c->parts[1]);
      case FlatKind::Assign: return line(indent, access(c->var, c->index) + " = " + expression(c->value) + ";");
      case FlatKind::New: return declaration(indent, c);
      case FlatKind::For: return loop(indent, c);
    }
    fault("no such flat command");
  }

  void line(std::size_t indent, std::string_view text) {
    out_.append(2 * indent, ' ');
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

  void loop(std::size_t indent, const Flat& c) {
    if (std::string_view pragma = c_pragma(c->loop); !pragma.empty()) {
      line(indent, pragma);
    }
    line(indent, c_loop(names_, c->var, c->size));
    statement(indent + 1, c->parts[0]);
    line(indent, "}");
  }

  const CNames& names_;
  std::string out_;
};

bool on_heap(const Size& size) { return size && !on_stack(size); }

}  // namespace

CNames c_names(const Program& program) {
  CNames names{{}, program.sizes};
  for (const Parameter& input : program.inputs) {
    names.variables.push_back(input.name);
  }
  names.variables.push_back(program.output.name);
  return names;
}

std::string c_size(const CNames& names, const Size& size) { return Printer(names).size(size); }
std::string c_guard(const CNames& names, const Guard& guard) { return Printer(names).guard(guard); }

std::string c_access(const CNames& names, unsigned variable, const Index& index) {
  return Printer(names).access(variable, index);
}

std::string c_declaration(const CNames& names, unsigned variable, const Size& size) {
  std::string name = Printer(names).variable(variable);
  if (!size) {
    return fmt::format("float {};", name);
  }
  return on_heap(size) ? fmt::format("float *restrict {} = new_floats({}, failed);", name, c_size(names, size))
                       : fmt::format("float {}[{}] __attribute__((aligned(64)));", name, c_size(names, size));
}

std::string c_if_there(const CNames& names, unsigned variable, const Size& size) {
  return on_heap(size) ? fmt::format("if ({}) {{", Printer(names).variable(variable)) : "";
}

std::string c_release(const CNames& names, unsigned variable, const Size& size) {
  return on_heap(size) ? fmt::format("free({});", Printer(names).variable(variable)) : "";
}

std::string c_loop(const CNames& names, unsigned variable, const Size& count) {
  return fmt::format("for (int64_t i{0} = 0; i{0} < {1}; i{0} += 1) {{", variable, c_size(names, count));
}

std::string c_parameters(const CNames& names, const std::vector<Type>& inputs, CPointers pointers) {
  std::string_view pointer = pointers == CPointers::Restrict ? "*restrict " : "*";
  std::string text;
  for (const std::string& size : names.sizes) {
    text += "int64_t " + size + ", ";
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    bool scalar = inputs[i]->kind == TypeKind::Num;
    text += scalar ? "float " : fmt::format("const float {}", pointer);
    text += names.variables.at(i) + ", ";
  }
  return fmt::format("{}float {}{}", text, pointer, names.variables.back());
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

std::string print_c(const std::string& name, const CNames& names, const std::vector<Type>& inputs, const Flat& body) {
  bool heap = needs_heap(body);
  std::string parameters = c_parameters(names, inputs);
  Printer printer(names);
  printer.line(0, heap ? fmt::format("static void {}({}, int *failed) {{", c_tried_name(name), parameters)
                       : fmt::format("void {}({}) {{", name, parameters));
  printer.statement(1, body);
  printer.line(0, "}");
  std::string text = fmt::format("{}\n{}{}{}", kHeaders, heap ? kAllocator : "", heap ? "\n" : "", printer.take());
  if (heap) {
    text += fmt::format("\nvoid {}({}) {{\n  int failed[1] = {{0}};\n  {}({}, failed);\n  if (failed[0]) no_memory();\n}}\n",
                        name, parameters, c_tried_name(name), c_arguments(names));
  }
  return text;
}

}  // namespace vouch::array
