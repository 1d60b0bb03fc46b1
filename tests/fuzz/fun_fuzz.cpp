// Kernels: whatever is accepted prints and reads back as the same program; its translation stays within its variables and
// computes what the term does, bit for bit, where that is little work; and it has a certificate and a derivation.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "array/eval.h"
#include "array/parse.h"
#include "array/print.h"
#include "certify/certificate.h"
#include "certify/derivation.h"
#include "imp/eval.h"
#include "lower/lower.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

constexpr std::size_t kMostText = 600;
constexpr std::size_t kMostCells = 200;

bool same_program(const Program& a, const Program& b) {
  return a.name == b.name && a.sizes == b.sizes && a.facts == b.facts && a.term == b.term && a.output.name == b.output.name &&
         a.output.type == b.output.type && a.inputs.size() == b.inputs.size();
}

void print_and_read_back(const Program& program) {
  std::string printed = print_program(program);
  Diagnostics diagnostics;
  auto again = parse_program(std::make_shared<Source>("again.fun", printed), diagnostics);
  ensure(again.has_value(), "what was printed can be read:\n" + printed + diagnostics.text());
  ensure(same_program(program, *again), "it is the same program:\n" + printed);
}

// The numbers of a text bound what it can compute where all sizes are 1: every extent is made of them.
bool is_little_work(const std::string& text) {
  std::size_t product = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t number = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
      number = std::min<std::size_t>(10 * number + static_cast<std::size_t>(text[i] - '0'), kMostCells);
    }
    product *= number + 1;
    if (product > kMostCells) {
      return false;
    }
  }
  return text.size() <= kMostText;
}

bool facts_hold(const Program& program, const std::vector<Integer>& sizes) {
  return std::all_of(program.facts.begin(), program.facts.end(),
                     [&](const SizeFact& fact) { return size_value(fact.first, sizes) <= size_value(fact.second, sizes); });
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

// Inputs 0, 1, 2 ..., all sizes 1.
void evaluate_both_ways(const Program& program) {
  std::vector<Integer> sizes(program.sizes.size(), 1);
  if (!facts_hold(program, sizes)) {
    return;
  }
  std::vector<Cells> variables;
  for (const Parameter& input : program.inputs) {
    Cells cells(cell_count(input.type, sizes));
    std::iota(cells.begin(), cells.end(), 0.0F);
    variables.push_back(std::move(cells));
  }
  Cells expected = evaluate(program, sizes, variables);
  variables.emplace_back(expected.size(), 99.0F);
  FlatRun found = run_flat(flat_program(program), sizes, variables);
  ensure(found.problem.empty(), found.problem);
  ensure(std::equal(found.output.begin(), found.output.end(), expected.begin(), expected.end(), same_bits),
         "the translation computes the term:\n" + print_program(program));
}

}  // namespace
}  // namespace vouch::array

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vouch;
  Diagnostics diagnostics;
  std::string text(reinterpret_cast<const char*>(data), size);
  auto program = array::parse_program(std::make_shared<Source>("fuzz.fun", text), diagnostics);
  ensure(program.has_value() != diagnostics.has_errors(), "a refusal has a reason, and only that");
  (void)diagnostics.text();
  if (program) {
    ensure(array::verify_program(*program), "what is accepted is well typed");
    array::print_and_read_back(*program);
    ensure(!array::certify(*program, "fuzz.fun").certificate.empty(), "there is a certificate");
    if (array::is_little_work(text)) {
      array::evaluate_both_ways(*program);
      (void)array::print_derivation(*program, "fuzz.fun");
    }
  }
  return 0;
}
