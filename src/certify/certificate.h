// From a functional program to C with a certificate that Coq checks.
//
// The certificate is data and two theorems: `checked`, that Coq's own translation of the kernel prints this very text, and
// `certified`, what follows (coq/certify/Certificate.v): under every interleaving of its threads the text computes the
// kernel, stays in bounds and changes nothing but its output. Nothing here has to be trusted: a wrong text has no proof.
#pragma once

#include <string>
#include <vector>

#include "array/program.h"
#include "lower/tests.h"

namespace vouch::array {

struct Certified {
  std::string c;            // NAME.c
  std::string header;       // NAME.h
  std::string certificate;  // NAME.v
  std::string refutation;   // a file that proves the opposite, which it can only where the certificate is wrong
};

// `program` must be well typed, with usable names and binary32 constants (as the parser makes it); `origin` is named in
// comments.
Certified certify(const Program& program, const std::string& origin);
// Without what is there for a person to read.
Certified certify_only(const Program& program, const std::string& origin);
// Versions of one kernel in one text, the generic one first; `certify_versions` of certify/versions.h has the certificate.
std::string versions_header(const std::vector<ProgramVersion>& versions, const std::string& origin);
// That part: what the text computes, as the program says it; proven by a tactic that is given the program first.
std::string certificate_reading(const Program& program, const std::string& by);

// A text that is compiled: a file of its own, or a module within one.
struct CompiledText {
  std::string file;
  std::string module;  // empty: there is none
};

struct ToCheck {
  CompiledText certificate;
  std::string certificate_text;
  std::string c;              // the C text on disk
  CompiledText derivation;    // or none
  CompiledText adjoint = {};  // that the kernel is a gradient, or none
  std::string adjoint_text = {};
};

// A Coq file that proves for each of them that the text `c` is the one that is certified, and that the derivation leads to
// it, and that the kernel is a gradient; and prints what all that rests on, with the statements `computes`,
// `computes_index_kernel` and `computes_functional` where there are any.
std::string certificates_check(const std::vector<ToCheck>& subjects);

}  // namespace vouch::array
