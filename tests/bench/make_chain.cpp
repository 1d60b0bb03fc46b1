// make_chain PAIRS FILE: the chain of MatMul and Add as an ONNX model, for the peers that read one.
#include <cstdio>
#include <cstdlib>

#include "io/onnx_export.h"
#include "workloads.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: make_chain PAIRS FILE\n", stderr);
    return 64;
  }
  vouch::Diagnostics diagnostics;
  vouch::Graph graph = vouch::bench::matmul_add_chain(std::strtoul(argv[1], nullptr, 10));
  if (!vouch::write_onnx(graph, "chain", argv[2], diagnostics)) {
    std::fputs(diagnostics.text().c_str(), stderr);
    return 1;
  }
  return 0;
}
