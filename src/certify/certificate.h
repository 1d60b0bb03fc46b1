// From a functional program to C with a certificate that Coq checks.
//
// The certificate is data and two theorems: `checked`, that Coq's own translation of the kernel prints this very text, and
// `certified`, what follows (coq/certify/Certificate.v): under every interleaving of its threads the text computes the
// kernel, stays in bounds and changes nothing but its output. Nothing here has to be trusted: a wrong text has no proof.
#pragma once

#include <string>

#include "array/program.h"

namespace vouch::array {

struct Certified {
  std::string c;            // NAME.c
  std::string header;       // NAME.h
  std::string certificate;  // NAME.v
};

// `program` must be well typed, with usable names and binary32 constants (as the parser makes it); `origin` is named in
// comments. Without `readable` the certificate has no statement `computes`.
Certified certify(const Program& program, const std::string& origin, bool readable = true);

// A Coq file that proves that the C text `c` is the one that the text `certificate`, compiled as module `module`,
// certifies, and prints what that rests on, and its statements `computes` and `computes_index_kernel` if it has them.
std::string certificate_check(const std::string& module, const std::string& certificate, const std::string& c);

}  // namespace vouch::array
