// Random well-typed programs: the C text that the C++ translator prints must be the one that Coq's translator prints, and
// with one character changed it must not. Coq decides, in batches.
//
//   property_random_certificates FIRST_SEED COUNT COQ_LIBRARY SCRATCH_FOLDER
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "../unit/array/random_program.h"
#include "array/print.h"
#include "certify/certificate.h"
#include "certify/coq_text.h"

namespace {

using namespace vouch::array;

constexpr std::uint64_t kBatch = 40;
constexpr std::size_t kMostText = 60'000;  // views are copied to where they are read, so that some texts explode

// One character replaced, in Coq: a second literal would double the time of reading them.
constexpr const char* kChanged =
    "Fixpoint changed (at_ : nat) (t : string) : string :=\n"
    "  match at_, t with\n"
    "  | O, String c r => String (if Ascii.eqb c \"0\" then \"1\" else \"0\")%char r\n"
    "  | S n, String c r => String c (changed n r)\n"
    "  | _, EmptyString => t\n  end.\n";

struct Batch {
  std::string file;
  std::string right = "nil";
  std::string wrong = "nil";
  std::size_t count = 0;
};

void add(Batch& batch, std::uint64_t seed) {
  Program program = RandomProgram(seed).make("kernel");
  std::string c = certify(program, "random").c;
  if (c.size() > kMostText) {
    return;
  }
  batch.file += fmt::format("Definition k{0} : source := {1}.\nDefinition t{0} : string := the_text {2}.\n", seed,
                            coq_source(program), coq_string(c));
  batch.right = fmt::format("(certifies k{0} t{0}) :: {1}", seed, batch.right);
  batch.wrong =
      fmt::format("(negb (certifies k{0} (changed (N.to_nat {1}) t{0}))) :: {2}", seed, seed * 7919 % c.size(), batch.wrong);
  ++batch.count;
}

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

bool check(const Batch& batch, const std::string& library, const std::string& folder) {
  std::string path = folder + "/batch.v";
  std::ofstream(path) << "From Coq Require Import ZArith NArith List Ascii String.\n"
                         "From Vouch Require Import lib.Size array.Syntax certify.Text certify.Print certify.Certificate.\n"
                         "Import ListNotations.\nLocal Open Scope string_scope.\n"
                      << kChanged << batch.file << "Set Printing Depth 10000.\nEval vm_compute in (" << batch.right
                      << ").\nEval vm_compute in (" << batch.wrong << ").\n";
  std::string command = fmt::format("coqc -q -Q '{}' Vouch '{}' > '{}/answer' 2>&1", library, path, folder);
  int status = std::system(command.c_str());
  std::ifstream answer(folder + "/answer");
  std::stringstream said;
  said << answer.rdbuf();
  return status == 0 && occurrences(said.str(), "true") == 2 * batch.count && occurrences(said.str(), "false") == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: {} FIRST_SEED COUNT COQ_LIBRARY SCRATCH_FOLDER\n", argv[0]);
    return 64;
  }
  std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  std::uint64_t last = first + std::strtoull(argv[2], nullptr, 10);
  setenv("OCAMLRUNPARAM", "s=8M,i=16M,o=1000", 0);  // as `vouch verify` runs Coq
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
  std::size_t checked = 0;
  for (std::uint64_t seed = first; seed < last;) {
    Batch batch;
    std::uint64_t begin = seed;
    for (; seed < last && seed < begin + kBatch; ++seed) {
      add(batch, seed);
    }
    if (!check(batch, argv[3], argv[4])) {
      fmt::print("Coq does not agree on seeds {} to {}: see {}/batch.v\n", begin, seed - 1, argv[4]);
      return 1;
    }
    checked += batch.count;
  }
  fmt::print("figures: {} programs agree (seeds {} to {})\n", checked, first, last - 1);
  return checked == 0 ? 1 : 0;
}
