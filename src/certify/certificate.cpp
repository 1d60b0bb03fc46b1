#include "certify/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "certify/coq_text.h"
#include "certify/derivation.h"
#include "certify/index_names.h"
#include "certify/reading.h"
#include "imp/compiler_flags.h"
#include "imp/print_c.h"
#include "lower/tests.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

bool has_truths(const Program& program) {
  auto is_truth = [](const Parameter& parameter) { return parameter.element == Element::B8; };
  return is_truth(program.output) || std::any_of(program.inputs.begin(), program.inputs.end(), is_truth);
}

std::string describe(const Program& program, const Parameter& parameter, std::string_view role) {
  std::string_view word = only_floats(program) ? "num" : c_type(parameter.element);
  return fmt::format(" * {:<8} {} {}\n", role, parameter.name, print_type(parameter.type, program.sizes, word));
}

// The kernel as written, in a comment of C.
std::string formula_comment(const Program& program) {
  std::string text;
  std::string formula = program.formula.substr(0, program.formula.find_last_not_of(" \n") + 1);
  for (std::size_t at = 0; at < formula.size();) {
    std::size_t end = std::min(formula.find('\n', at), formula.size());
    std::string line = formula.substr(at, end - at);
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {  // no comment begins or ends here
      bool mark = (line[i] == '*' && line[i + 1] == '/') || (line[i] == '/' && line[i + 1] == '*');
      line.insert(i + 1, mark ? " " : "");
    }
    std::erase_if(line, [](unsigned char c) { return std::iscntrl(c) || c == '\\'; });
    text += line.empty() ? " *\n" : fmt::format(" *     {}\n", line);
    at = end + 1;
  }
  return text.empty() ? "" : text + " *\n";
}

constexpr std::string_view kUse =
    " *\n"
    "{2}"
    " * The output must not overlap an input. Everything that is computed from sizes must be below 2^63.\n"
    " * Compile with {3} {4}: then the result is the same, bit for bit, on any number of threads.\n"
    " * If memory for a temporary cannot be had, {0} prints so and aborts. {1} returns\n"
    " *   0  after {0} has run,\n"
    " *   1  if a size is negative,\n"
    " *   2  if sizes are so large that 64 bits do not count what is computed from them,\n"
    " *   3  if what is required of the sizes does not hold,\n"
    " *   4  if an array that has elements is a null pointer,\n"
    " *   5  if the output overlaps an input,\n"
    " *   6  if memory for a temporary cannot be had; what the output then holds is not said.\n"
    " * In cases 1 to 5 nothing is read or written. */\n";

// What the types of elements mean.
std::string element_comment(const Program& program) {
  if (only_floats(program)) {
    return " * num[m, n] is m rows of n floats, one after the other; a pair is its first half, then its second.\n";
  }
  std::string_view type = c_type(program.computed);
  std::string text = fmt::format(" * float[m, n] is m rows of n elements of type float. Elements are computed as {}.\n", type);
  return is_whole(program.computed)
             ? text + " * Integers wrap around; a quotient is cut towards zero, and is 0 where the divisor is.\n"
             : text;
}

// By how much `size` grows from there when the variable grows by one.
Integer growth(const Size& size, std::vector<Integer> values, std::size_t variable) {
  Integer before = size_value(size, values);
  values[variable] += 1;
  return size_value(size, values) - before;
}

// Of a size that stands for a quotient or a difference: `2 * count <= h` and `h <= 2 * count + 1`, one after the other, say which
// number it is. Sizes are polynomials with natural coefficients: what is the same at ones and at twos is so everywhere.
std::string size_meaning(const Program& program, std::size_t variable) {
  for (std::size_t k = 0; k + 1 < program.facts.size(); ++k) {
    const auto& [low, whole] = program.facts[k];
    const auto& [same, high] = program.facts[k + 1];
    if (!same_size(whole, same)) {
      continue;
    }
    std::optional<Integer> step;
    bool says = true;
    for (int number : {1, 2}) {
      std::vector<Integer> values(program.sizes.size(), Integer(number));
      Integer room = size_value(high, values) - size_value(low, values) + 1;
      says = says && (!step || *step == room) && growth(low, values, variable) == room && growth(whole, values, variable) == 0;
      for (std::size_t later = variable + 1; later < values.size(); ++later) {  // it is those that are defined then
        says = says && growth(low, values, later) == 0;
      }
      step = room;
    }
    if (says) {
      return fmt::format("the {} with {} {} {}", *step == 1 ? "one" : "largest", print_size(low, program.sizes),
                         *step == 1 ? "==" : "<=", print_size(whole, program.sizes));
    }
  }
  return "a count, not negative";
}

// Which versions there are; empty where there is one text for all.
std::string versions_comment(const std::vector<std::string>& words) {
  return words.empty()
             ? ""
             : fmt::format(
                   " * It is there for {} processors, and asks which one runs it; all give the same bits. Compile without\n"
                   " * -march; -DVOUCH_NEWEST=0 leaves all but the generic one out, 1 those that are newer than AVX2.\n",
                   fmt::join(words, ", "));
}

std::string header_comment(const Program& program, const std::string& origin, const std::vector<std::string>& versions) {
  std::string text = fmt::format("/* {}, from {}; certified by {}.v.\n *\n", program.name, origin, program.name);
  text += formula_comment(program);
  for (std::size_t k = 0; k < program.sizes.size(); ++k) {
    text += fmt::format(" * {:<8} {}: {}\n", "size", program.sizes[k], size_meaning(program, k));
  }
  for (const SizeFact& fact : program.facts) {
    text += fmt::format(" * {:<8} {} <= {}\n", "requires", print_size(fact.first, program.sizes),
                        print_size(fact.second, program.sizes));
  }
  for (const Parameter& input : program.inputs) {
    text += describe(program, input, "reads");
  }
  text += describe(program, program.output, "writes");
  return text + fmt::format(kUse, program.name, c_checked_name(program.name),
                            element_comment(program) + versions_comment(versions), kOpenMp, kRoundedOneByOne);
}

// `I` is a macro where <complex.h> was read before the header.
CNames header_names(const Program& program) {
  CNames names = c_names(program);
  std::vector<std::string> taken = names.sizes;
  taken.insert(taken.end(), names.variables.begin(), names.variables.end());
  for (auto* list : {&names.sizes, &names.variables}) {
    std::replace(list->begin(), list->end(), std::string("I"), usable_c_name("I_", taken, CNameUse::Parameter));
  }
  return names;
}

std::string print_header(const Program& program, const std::string& origin, const std::vector<std::string>& versions = {}) {
  std::string parameters = c_parameters(header_names(program), input_types(program), CPointers::Header);
  std::string guard = "VOUCH_KERNEL_" + program.name + "_H";
  std::transform(guard.begin(), guard.end(), guard.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(
      "{0}#ifndef {1}\n#define {1}\n\n#include <stdint.h>\n{5}\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
      "void {2}({3});\nint {4}({3});\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
      header_comment(program, origin, versions), guard, program.name, parameters, c_checked_name(program.name),
      has_truths(program) ? "#ifndef __cplusplus\n#include <stdbool.h>\n#endif\n" : "");
}

constexpr std::string_view kPreamble =
    "From Coq Require Import ZArith NArith List String.\n"
    "From Vouch Require Import lib.Size array.Syntax certify.Text certify.Print certify.Certificate.\n"
    "Import ListNotations.\n"
    "Local Open Scope string_scope.\n";

}  // namespace

std::string versions_header(const std::vector<ProgramVersion>& versions, const std::string& origin) {
  std::vector<std::string> words;
  std::transform(versions.begin(), versions.end(), std::back_inserter(words), [](const ProgramVersion& v) { return v.word; });
  return print_header(versions.front().program, origin, words);
}

// What the text computes, for a person to read; where there is no such statement, `certified` still says all.
std::string certificate_reading(const Program& program, const std::string& by) {
  std::optional<std::string> theorem = readable_theorem(program, by);
  if (!theorem) {
    return "";
  }
  return "\n(** What the text computes: called in memory [before], it ends in memory [after].\n"
         "    The words are those of certify/Reading.v; [+.] and the others are operations on floats. *)\n"
         "From Coq Require Import Arith Bool.\n"
         "From Vouch Require Import array.Semantics imp.Flat certify.Computes.\n"
         "Local Open Scope bool_scope.\nLocal Open Scope nat_scope.\n"
         // The statement is compared with its data by unfolding the data first: arithmetic or a loop unfolded on either side
         // takes minutes where several remainders meet; a number unfolded is unary.
         "Local Strategy 1000 [iterate Nat.add Nat.mul Nat.sub Nat.div Nat.modulo Nat.ltb Nat.leb Nat.eqb N.to_nat].\n\n" +
         *theorem;
}

Certified certify_only(const Program& program, const std::string& origin) {
  ensure(verify_program(program), "only well-typed programs are certified");
  std::string c = kernel_text(program);
  std::string data = fmt::format(
      "(** The kernel {} of {}, and the C text that is proven to compute it. *)\n\n{}\n"
      "Definition kernel : source := {}.\n\n"
      "Definition kernel_text : string :=\n{}.\n\n",
      program.name, origin, kPreamble, coq_source(program), coq_text(c));
  std::string certificate = data +
                            "Theorem checked : certifies kernel kernel_text = true.\n"
                            "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
                            "Theorem certified : Certified kernel kernel_text.\n"
                            "Proof. exact (certifies_sound _ _ checked). Qed.\n";
  std::string refutation = data +
                           "Theorem refuted : certifies kernel kernel_text = false.\n"
                           "Proof. vm_cast_no_check (eq_refl false). Qed.\n";
  return {c, print_header(program, origin), certificate, refutation};
}

Certified certify(const Program& program, const std::string& origin) {
  Certified out = certify_only(program, origin);
  out.certificate += certificate_reading(program, kByProgram);
  return out;
}

namespace {

// Without comments and strings, as Coq reads it: in comments, too, a string is one.
std::string code_of(const std::string& text) {
  std::string code;
  int comments = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string_view two = std::string_view(text).substr(at, 2);
    if (text[at] == '"') {
      in_string = !in_string;
    } else if (!in_string && two == "(*") {
      ++comments;
      ++at;
    } else if (!in_string && comments > 0 && two == "*)") {
      --comments;
      ++at;
    } else if (!in_string && comments == 0) {
      code += text[at];
      continue;
    }
    code += ' ';
  }
  return code;
}

// Whether the text speaks of something of that name, whatever it says of it: an axiom, too, must be looked at.
bool mentions(const std::string& code, std::string_view name) {
  auto part_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\''; };
  for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    std::size_t end = at + name.size();
    if ((at == 0 || !part_of_name(code[at - 1])) && (end == code.size() || !part_of_name(code[end]))) {
      return true;
    }
  }
  return false;
}

// The kernel whose C text is certified is the gradient; and what both say together of that text.
std::string adjoint_check(std::size_t number, const ToCheck& subject) {
  return fmt::format(
      "Theorem is_gradient_{0} : Vouch.adjoint.Adjoint.is_gradient {2}.forward_kernel {1}.index_kernel {2}.gradient_witness = "
      "true.\nProof. exact {2}.gradient_checked. Qed.\n"
      "Definition gradient_{0} := Vouch.adjoint.AdjointProof.gradient_sound _ _ _ is_gradient_{0}.\n"
      "Definition gradient_text_{0} := Vouch.adjoint.Composed.gradient_text _ _ _ _ _ is_gradient_{0} "
      "{1}.computes_index_kernel certified_{0}.\n",
      number, subject.certificate.module, subject.adjoint.module);
}

// Whichever version is called computes the kernel: as it stands, with its products fused, in another order, or both.
std::string whichever_check(std::size_t number, const std::string& module, const std::string& code) {
  std::string by = "index.Versions.versions_index {1}.index_kernel _ _ certified_{0} {1}.computes_index_kernel";
  bool ordered = mentions(code, "ordered_kernel");
  if (mentions(code, "ComputesFused") && ordered) {
    by = "regroup.Whichever.versions_fused_reordered {1}.index_kernel {1}.ordered_kernel {1}.pieces _ _ {1}.reordered "
         "{1}.computes_ordered_kernel certified_{0}";
  } else if (mentions(code, "ComputesFused")) {
    by = "regroup.Whichever.versions_fused {1}.index_kernel _ _ certified_{0} {1}.computes_index_kernel";
  } else if (ordered) {
    by = "regroup.Whichever.versions_reordered {1}.index_kernel {1}.ordered_kernel {1}.pieces _ _ {1}.reordered "
         "{1}.computes_ordered_kernel certified_{0}";
  }
  return fmt::format(fmt::runtime("Definition whichever_{0} := Vouch." + by + ".\n"), number, module);
}

// Each version is certified, and sizes are there for each.
std::string versions_check(std::size_t number, const std::string& module, const std::string& c) {
  return fmt::format(
      "Definition text_{0} :=\n{1}.\n"
      "Theorem certified_{0} : Vouch.index.Versions.CertifiedVersions {2}.kernels text_{0}.\nProof. exact {2}.certified. Qed.\n"
      "Theorem satisfiable_{0} : Forall Vouch.certify.Witness.Satisfiable (Vouch.index.Versions.sources {2}.kernels).\n"
      "Proof. exact (Vouch.index.Versions.versions_satisfiable _ _ {2}.witnessed). Qed.\n"
      "Definition limited_{0} := Vouch.index.Versions.versions_limited _ _ {2}.limited.\n",
      number, coq_text(c), module);
}

}  // namespace

std::string certificates_check(const std::vector<ToCheck>& subjects) {
  std::string text =
      "From Coq Require Import List String.\nFrom Vouch Require Import certify.Text.\nRequire Vouch.certify.Certificate "
      "Vouch.certify.Witness.\n"
      "From Vouch Require lower.Lower certify.Print lower.Flatten lower.Simplify lower.Tighten lower.SafeProof.\n";
  std::string theorems;
  std::vector<std::string> names;
  for (const ToCheck& subject : subjects) {
    std::size_t number = &subject - subjects.data();
    const std::string& module = subject.certificate.module;
    text += fmt::format("Require {}.\n", subject.certificate.file);
    std::string code = code_of(subject.certificate_text);
    if (mentions(code, "CertifiedVersions")) {
      text += "Require Vouch.index.Versions Vouch.regroup.Whichever.\n";
      theorems += versions_check(number, module, subject.c) + whichever_check(number, module, code);
      names.push_back(fmt::format("certified_{0}, satisfiable_{0}, whichever_{0}, limited_{0}", number));
      if (mentions(code, "computes_functional")) {
        names.push_back(module + ".computes_functional");
      }
      continue;
    }
    theorems += fmt::format(
        "Definition text_{0} :=\n{1}.\n"
        "Theorem certified_{0} : Vouch.certify.Certificate.Certified {2}.kernel text_{0}.\nProof. exact {2}.certified. Qed.\n",
        number, coq_text(subject.c), module);
    names.push_back(fmt::format("certified_{}", number));
    theorems += fmt::format(
        "Theorem satisfiable_{0} : Vouch.certify.Witness.Satisfiable {1}.kernel.\n"
        "Proof. exact (Vouch.certify.Witness.witness_sound _ _ {1}.witnessed). Qed.\n",
        number, module);
    names.push_back(fmt::format("satisfiable_{}", number));
    names.push_back(fmt::format("(Vouch.certify.Witness.limits_among_sound _ _ {}.limited)", module));
    for (std::string_view statement : {"computes", "computes_index_kernel", "computes_functional"}) {
      if (mentions(code, statement)) {
        names.push_back(fmt::format("{}.{}", module, statement));
      }
    }
    if (!subject.derivation.module.empty()) {
      text += fmt::format("Require {}.\n", subject.derivation.file);
      theorems += derivation_check(fmt::format("derived_{}", number), subject.derivation.module, fmt::format("text_{}", number));
      names.push_back(fmt::format("derived_{}", number));
    }
    if (!subject.adjoint.module.empty()) {
      text += fmt::format("Require {}.\nRequire Vouch.adjoint.Composed Vouch.index.Reads.\n", subject.adjoint.file);
      theorems += adjoint_check(number, subject);
      names.push_back(fmt::format("gradient_{}", number));
      names.push_back(fmt::format("gradient_text_{}", number));
      if (mentions(code_of(subject.adjoint_text), "reads_functional")) {
        theorems += fmt::format(
            "Definition differentiated_{0} : Vouch.index.Reads.ReadsAs {1}.functional {1}.forward_kernel :=\n"
            "  {1}.reads_functional.\n",
            number, subject.adjoint.module);
        names.push_back(fmt::format("differentiated_{}", number));
      }
    }
  }
  return text + theorems + fmt::format("Definition all := ({}).\nPrint Assumptions all.\n", fmt::join(names, ", "));
}

}  // namespace vouch::array
