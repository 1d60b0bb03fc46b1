#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "build/library_c.h"
#include "build/library_sizes.h"
#include "imp/elements.h"

namespace vouch {
namespace {

struct Pointer {
  std::string name;
  std::string bytes;
  unsigned wide = 1;
};

// Each pointer that `tested` looks at: inputs, weights, outputs, arena, what else lives there; with a plan's tensors.
std::vector<Pointer> pointers(const Library& library, const Library& plan) {
  std::vector<Pointer> out;
  for (Buffer kind : {Buffer::Input, Buffer::Weights, Buffer::Output, Buffer::Arena}) {
    for (const LibraryBuffer& buffer : buffers_of(plan)) {
      bool given = kind == Buffer::Input || kind == Buffer::Output || buffer.element == array::Element::F32;
      if (buffer.kind == kind && given) {
        unsigned wide = array::bytes_of(buffer.element);
        std::int64_t cells = kind == Buffer::Arena ? library.arena_floats() : buffer.cells;
        out.push_back({buffer.name, std::to_string(cells * wide), wide});
      }
    }
  }
  if (library.has_other_arenas()) {
    unsigned widest = 1;
    for (const LibraryBuffer& buffer : buffers_of(library)) {
      bool lives = buffer.kind == Buffer::Arena && buffer.cells > 0;
      widest = lives ? std::max(widest, unsigned{array::bytes_of(buffer.element)}) : widest;
    }
    out.push_back({"more", "sizeof *more", widest});
  }
  return out;
}

// The call of a plan's NAME_plan.
std::string plan_call(const Library& library, const Library& plan) {
  std::vector<std::string> out;
  for (const LibraryBuffer& buffer : buffers_of(plan)) {
    bool other = buffer.element != array::Element::F32;
    bool in_more = buffer.kind == Buffer::Arena && library.has_other_arenas() && buffer.cells > 0;
    out.push_back(other && buffer.kind == Buffer::Weights ? weights_argument(library, buffer.element)
                  : in_more                               ? "more->" + buffer.name
                                                          : buffer.name);
  }
  return fmt::format("{}_plan({});", plan.plan.name, fmt::join(out, ", "));
}

void add_pointers(const Library& library, std::map<std::string, std::string>& values) {
  std::vector<std::string> bytes_of_plans;
  for (const Library* plan : plans_of(library)) {
    std::string set;
    std::vector<std::string> bytes;
    std::vector<unsigned> wide;
    for (const Pointer& pointer : pointers(library, *plan)) {
      set += fmt::format("  p[{}] = {};\n", bytes.size(), pointer.name);
      bytes.push_back(pointer.bytes);
      wide.push_back(pointer.wide);
    }
    values["SET"] = set;
    values["WIDE"] = fmt::format("{}", fmt::join(wide, ", "));
    values["POINTERS"] = std::to_string(bytes.size());
    values["READ"] = std::to_string(library.inputs.size() + 1);
    values["WRITTEN"] = std::to_string(bytes.size() - library.inputs.size() - 1);
    bytes_of_plans.push_back(fmt::format("{{{}}}", fmt::join(bytes, ", ")));
  }
  values["BYTES"] =
      library.sizes.empty() ? bytes_of_plans[0] : fmt::format("{{\n    {}\n  }}", fmt::join(bytes_of_plans, ",\n    "));
}

std::string plan_for(const Library& library) {
  std::string head;
  std::string differs;
  for (std::size_t s = 0; s < library.sizes.size(); ++s) {
    const std::string& parameter = library.sizes[s].parameter;
    head += fmt::format("{}size_t {}", s == 0 ? "" : ", ", parameter);
    differs += fmt::format("{}at[plan][{}] != {}", s == 0 ? "" : " || ", s, parameter);
  }
  std::vector<std::string> rows;
  for (const Library& plan : library.plans) {
    rows.push_back(fmt::format("{{{}}}", fmt::join(plan.at, ", ")));
  }
  return fmt::format(
      "/* Which plan is for these sizes: of {0}, from 0 on; {0} if none is. */\n"
      "static size_t plan_for({1}) {{\n  static const size_t at[{0}][{2}] = {{{3}}};\n  size_t plan = 0;\n"
      "  while (plan < {0} && ({4})) plan += 1;\n  return plan;\n}}\n\n",
      library.plans.size(), head, library.sizes.size(), fmt::join(rows, ", "), differs);
}

// Which plan is called, by the sizes that are told.
void add_choice(const Library& library, std::map<std::string, std::string>& values) {
  std::string upper = upper_case(library.plan.name);
  std::string count = std::to_string(library.plans.size());
  std::vector<std::string> told;
  for (const LibrarySize& size : library.sizes) {
    told.push_back(size.parameter);
  }
  std::string cases;
  for (std::size_t k = 0; k < library.plans.size(); ++k) {
    std::string label = k + 1 == library.plans.size() ? "default" : fmt::format("case {}", k);
    cases += fmt::format("    {}: {} break;\n", label, plan_call(library, library.plans[k]));
  }
  values["SIZE_MESSAGE"] = fmt::format("    case {}_SIZE: return \"it was not made for these sizes\";\n", upper);
  values["PLAN_FOR"] = plan_for(library);
  values["PLANS"] = fmt::format("[{}]", count);
  values["WHICH"] = fmt::format("  size_t plan = plan_for({});\n", fmt::join(told, ", "));
  values["SIZE_TEST"] = fmt::format("  if (plan == {}) return {}_SIZE;\n", count, upper);
  values["ITS"] = "[plan]";
  values["CALL"] = fmt::format("  switch (plan) {{\n{}  }}\n", cases);
}

}  // namespace

std::map<std::string, std::string> run_values(const Library& library) {
  std::map<std::string, std::string> values{{"SIZE_MESSAGE", ""}, {"PLAN_FOR", ""}, {"PLANS", ""}, {"WHICH", ""},
                                            {"SIZE_TEST", ""},    {"ITS", ""},      {"CALL", ""},  {"PLAN_PROTOTYPES", ""}};
  for (const Library* plan : plans_of(library)) {
    values["PLAN_PROTOTYPES"] += plan_prototype(*plan) + ";\n";
  }
  add_pointers(library, values);
  if (library.sizes.empty()) {
    values["CALL"] = fmt::format("  {}\n", plan_call(library, library));
  } else {
    add_choice(library, values);
  }
  return values;
}

}  // namespace vouch
