// Synthetic graphs and rule sets for the benchmarks of matching and rewriting.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "rule/parse.h"

namespace vouch::bench {

// Ends the program if the text is no rule file.
std::vector<Rule> rules_of(const std::string& text);

// `Add(MatMul(x, a), b)` is `Gemm(x, a, b)`: two calls become one of three operands.
extern const char* const kGemmRule;

// x, then `pairs` times MatMul(·, a) and Add(·, b): 2 * pairs calls, on 4 x 4 matrices.
Graph matmul_add_chain(std::size_t pairs);
// `calls` times Add(·, b): the rule's root operator everywhere, its operand nowhere.
Graph add_chain(std::size_t calls);
// One x with `count` calls MatMul(x, w), each with an input w of its own and each an output.
Graph shared_producer(std::size_t count);
// `groups` times: one Relu with `width` MatMuls, whose sum is the next group's start.
Graph groups_of_products(std::size_t groups, std::size_t width);

// `count` rules `Add(f(g(x)), b)` over pairs of unary operators; none matches in the graphs above. At most 1500.
std::string many_rules(std::size_t count);
// `outputs` products of one x, in one rule: MatMul(x, w_k) becomes Gemm(x, w_k, w_k).
std::string rule_of_outputs(std::size_t outputs);
// Any number of products of one x.
extern const char* const kVariadicRule;

// Times are CPU time of the thread, so that others on the machine disturb little; reported as nanoseconds per item.
double thread_seconds();

}  // namespace vouch::bench
