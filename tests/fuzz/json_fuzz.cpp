// Graph JSON: whatever is accepted must print, and read back as the same text.
#include <cstdint>

#include "io/graph_json.h"
#include "support/fault.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vouch;
  Diagnostics diagnostics;
  std::string text(reinterpret_cast<const char*>(data), size);
  auto graph = parse_graph(std::make_shared<Source>("fuzz.json", text), {}, diagnostics);
  ensure(graph.has_value() || diagnostics.has_errors(), "a refusal has a reason");
  (void)diagnostics.text();
  if (graph) {
    Diagnostics later;
    auto printed = print_graph(*graph, later);
    ensure(printed.has_value(), "what was read can be printed");
    auto again = parse_graph(std::make_shared<Source>("again.json", *printed), {}, later);
    ensure(again.has_value(), "what was printed can be read");
    ensure(print_graph(*again, later) == printed, "printing settles");
  }
  return 0;
}
