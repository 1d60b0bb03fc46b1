#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "build/library_files.h"
#include "build/library_sizes.h"
#include "imp/elements.h"

namespace vouch {
namespace {

constexpr std::string_view kExample = R"(/* Runs @NAME@ on .npy files: @USAGE@ */
@OWN_HEADER@

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong(const char *file, const char *what) {
  fprintf(stderr, "%s: %s\n", file, what);
  return 1;
}

@PUT_BITS@static uint64_t bits_of(const unsigned char *cell, size_t width) {
  uint64_t bits = cell[0];
  uint32_t bits32;
  uint16_t bits16;
  if (width == 8) memcpy(&bits, cell, 8);
  if (width == 4) {
    memcpy(&bits32, cell, 4);
    bits = bits32;
  }
  if (width == 2) {
    memcpy(&bits16, cell, 2);
    bits = bits16;
  }
  return bits;
}

@READ_NPY@/* The same, written. */
static int write_npy(const char *path, const char *type, const char *shape, const void *cells, size_t count, size_t width) {
  char header[@HEADER@];
  int length, padded;
  size_t i;
  FILE *file = fopen(path, "wb");
  if (file == NULL) return wrong(path, "cannot be written");
  length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  padded = (length + 1 + 10 + 63) / 64 * 64 - 10;
  fwrite("\x93NUMPY\x01\x00", 1, 8, file);
  fputc(padded & 255, file);
  fputc(padded >> 8, file);
  fprintf(file, "%s%*s\n", header, padded - length - 1, "");
  for (i = 0; i < count; i += 1) {
    uint64_t bits = bits_of((const unsigned char *)cells + i * width, width);
    size_t k;
    for (k = 0; k < width; k += 1) fputc((int)(bits >> (8 * k) & 255u), file);
  }
  i = (size_t)ferror(file);
  return fclose(file) != 0 || i != 0 ? wrong(path, "cannot be written") : 0;
}

@TENSORS@@ARENA@@CHOICES@
int main(int argc, char **argv) {
  int code;
@DECLARE@  if (argc != @ARGUMENTS@) {
    fprintf(stderr, "usage: %s", argv[0]);
@PRINT_WORDS@    fputs("\n", stderr);
    return 64;
  }
@CHOOSE@@READ@@RUN@  if (code != @UPPER@_OK) return wrong("@NAME@", @NAME@_message(code));
@WRITE@  return 0;
}
)";

constexpr std::string_view kPutBits = R"(/* An element's bits, whatever the machine's order of bytes. */
static void put_bits(unsigned char *cell, uint64_t bits, size_t width) {
  uint32_t bits32 = (uint32_t)bits;
  uint16_t bits16 = (uint16_t)bits;
  if (width == 8) memcpy(cell, &bits, 8);
  if (width == 4) memcpy(cell, &bits32, 4);
  if (width == 2) memcpy(cell, &bits16, 2);
  if (width == 1) cell[0] = (unsigned char)bits;
}

)";

constexpr std::string_view kReadNpy =
    R"(/* An array in C order of this type and shape: `<f4`, `(1, 3)`, as NumPy writes them; each element is `width` bytes. A bool
 * becomes 0 or 1. */
static int read_npy(const char *path, const char *type, const char *shape, void *cells, size_t count, size_t width) {
  unsigned char start[12];
  char header[@HEADER@];
  size_t length, wide, i;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return wrong(path, "cannot be read");
  if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0) {
    fclose(file);
    return wrong(path, "is no .npy file");
  }
  length = (size_t)start[8] | (size_t)start[9] << 8;
  wide = start[6] > 1 ? 2 : 0;
  if (wide != 0 && (fread(start + 10, 1, 2, file) != 2 || start[10] != 0 || start[11] != 0)) length = sizeof header;
  if (length >= sizeof header || fread(header, 1, length, file) != length) {
    fclose(file);
    return wrong(path, "has a header that is too long");
  }
  header[length] = '\0';
  if (strstr(header, type) == NULL || strstr(header, "'fortran_order': False") == NULL || strstr(header, shape) == NULL) {
    fclose(file);
    fprintf(stderr, "%s: expected elements of type '%s', of shape %s, in C order\n", path, type, shape);
    return 1;
  }
  for (i = 0; i < count; i += 1) {
    unsigned char b[8];
    uint64_t bits = 0;
    size_t k;
    if (fread(b, 1, width, file) != width) {
      fclose(file);
      return wrong(path, "ends too early");
    }
    for (k = 0; k < width; k += 1) bits |= (uint64_t)b[k] << (8 * k);
    put_bits((unsigned char *)cells + i * width, strcmp(type, "|b1") == 0 ? bits != 0 : bits, width);
  }
  fclose(file);
  return 0;
}

)";

// `(1, 3)`, `(3,)`, `()`.
std::string npy_shape(const Extents& extents) {
  return fmt::format("({}{})", fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
}

// A buffer that every tensor's header fits in, and what other programs put around it.
std::size_t header_bytes(const Library& library) {
  std::size_t longest = 0;
  for (const Library* plan : plans_of(library)) {
    for (const auto* tensors : {&plan->plan.inputs, &plan->plan.outputs}) {
      for (const PlanTensor& tensor : *tensors) {
        longest = std::max(longest, npy_shape(tensor.extents).size());
      }
    }
  }
  constexpr std::size_t kAround = 1024;
  return longest + kAround;
}

// NumPy has no bfloat16: the bits.
std::string_view npy_type(array::Element element) {
  static constexpr std::string_view kTypes[] = {"<f4", "<f8", "<i4", "<i8", "|b1", "<f2", "|i1",
                                                "|u1", "<u2", "<i2", "<u2", "<u4", "<u8"};
  return kTypes[static_cast<std::size_t>(element)];
}

// What NAME_run is told and given.
std::string tensor_list(const Library& library) {
  std::vector<std::string> names;
  for (std::size_t s = 0; s < library.sizes.size(); ++s) {
    names.push_back(fmt::format("sizes[plan][{}]", s));
  }
  for (std::size_t k = 0; k < library.inputs.size(); ++k) {
    names.push_back(fmt::format("input_{}", k));
  }
  for (std::size_t k = 0; k < library.outputs.size(); ++k) {
    names.push_back(fmt::format("output_{}", k));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Tables of what each choice of sizes has: sizes, and of the tensors shapes and numbers of elements.
std::string choice_tables(const Library& library) {
  std::vector<std::string> sizes;
  std::vector<std::string> shapes;
  std::vector<std::string> counts;
  std::size_t tensors = library.inputs.size() + library.outputs.size();
  for (const Library& plan : library.plans) {
    std::vector<std::string> its_shapes;
    std::vector<std::string> its_counts;
    for (const auto* list : {&plan.plan.inputs, &plan.plan.outputs}) {
      for (std::size_t k = 0; k < list->size(); ++k) {
        its_shapes.push_back(fmt::format("\"{}\"", npy_shape((*list)[k].extents)));
        its_counts.push_back(count_name(plan, list == &plan.plan.inputs ? "INPUT" : "OUTPUT", k, (*list)[k]));
      }
    }
    sizes.push_back(fmt::format("{{{}}}", fmt::join(plan.at, ", ")));
    shapes.push_back(fmt::format("{{{}}}", fmt::join(its_shapes, ", ")));
    counts.push_back(fmt::format("{{{}}}", fmt::join(its_counts, ", ")));
  }
  std::size_t plans = library.plans.size();
  return fmt::format(
      "\n/* Of each choice of sizes: these, the shapes of the tensors, how many elements they have. */\n"
      "static const size_t sizes[{0}][{1}] = {{{3}}};\n"
      "static const char *const shapes[{0}][{2}] = {{\n  {4}\n}};\n"
      "static const size_t counts[{0}][{2}] = {{\n  {5}\n}};\n\n"
      "static size_t number(const char *text) {{\n  char *end;\n  unsigned long value = strtoul(text, &end, 10);\n"
      "  return *text != '\\0' && *end == '\\0' ? (size_t)value : 0;\n}}\n",
      plans, library.sizes.size(), tensors, fmt::join(sizes, ", "), fmt::join(shapes, ",\n  "), fmt::join(counts, ",\n  "));
}

// Finds `plan`, by the arguments from the first one on.
std::string choose_plan(const Library& library, std::size_t first) {
  std::string differs;
  for (std::size_t s = 0; s < library.sizes.size(); ++s) {
    differs += fmt::format("{}sizes[plan][{}] != number(argv[{}])", s == 0 ? "" : " || ", s, first + s);
  }
  return fmt::format(
      "  while (plan < {0} && ({1})) plan += 1;\n  if (plan == {0}) return wrong(\"{2}\", {2}_message({3}_SIZE));\n",
      library.plans.size(), differs, library.plan.name, upper_case(library.plan.name));
}

// Where the next word is on the example's command line, and the arrays of the tensors whose files they name.
struct Words {
  std::size_t next = 1;
  std::string arrays;
};

bool reads_weights(const Library& library) { return library.has_weights() && !library.options.embed; }

// What reads an input, or writes an output.
std::string file_call(const Library& library, bool input, std::size_t k, Words& words) {
  const PlanTensor& tensor = (input ? library.plan.inputs : library.plan.outputs)[k];
  array::Element element = element_of(library, tensor);
  std::string count = count_name(library, input ? "INPUT" : "OUTPUT", k, tensor);
  std::string name = fmt::format("{}_{}", input ? "input" : "output", k);
  words.arrays += fmt::format("static {} {}[{}];\n", array::c_held(element), name, count);
  std::string shape = fmt::format("\"{}\"", npy_shape(tensor.extents));
  if (!library.sizes.empty()) {
    std::size_t among_all = input ? k : library.inputs.size() + k;
    shape = fmt::format("shapes[plan][{}]", among_all);
    count = fmt::format("counts[plan][{}]", among_all);
  }
  return fmt::format("  if ({}_npy(argv[{}], \"{}\", {}, {}, {}, {}) != 0) return 1;\n", input ? "read" : "write", words.next++,
                     npy_type(element), shape, name, count, array::bytes_of(element));
}

// The lines that hold weights and arena, and run the model.
void add_run(const Library& library, bool by_file, std::map<std::string, std::string>& values) {
  std::string upper_name = values["UPPER"];
  std::string name = library.plan.name;
  if (!library.options.no_alloc) {
    values["DECLARE"] += fmt::format("  {} *model;\n", name);
    values["RUN"] = fmt::format(
        "  code = {0}_open({1}&model);\n  if (code != {2}_OK) return wrong({3}, {0}_message(code));\n"
        "  code = {0}_call(model, {4});\n  {0}_close(model);\n",
        name, by_file ? "argv[1], " : "", upper_name, by_file ? "argv[1]" : "\"" + name + "\"", tensor_list(library));
    return;
  }
  values["ARENA"] = fmt::format("static float arena[{0}_ARENA_FLOATS + 1];\n{1}", upper_name,
                                by_file ? fmt::format("static float weights[{}_WEIGHT_FLOATS];\n", upper_name) : "") +
                    (library.has_other_arenas() ? fmt::format("static {}_more more;\n", name) : "");
  values["RUN"] = (by_file ? fmt::format("  code = {0}_load_weights(argv[1], weights, {1}_WEIGHT_FLOATS);\n"
                                         "  if (code != {1}_OK) return wrong(argv[1], {0}_message(code));\n",
                                         name, upper_name)
                           : "") +
                  fmt::format("  code = {0}_run({1},{2} arena, {3}_ARENA_FLOATS{4});\n", name, tensor_list(library),
                              by_file ? " weights," : "", upper_name, library.has_other_arenas() ? ", &more" : "");
}

}  // namespace

std::string example_words(const Library& library, const std::string& weights) {
  std::string out = reads_weights(library) ? " " + weights : "";
  for (const LibrarySize& size : library.sizes) {
    out += " " + upper_case(size.parameter);
  }
  for (const auto* names : {&library.inputs, &library.outputs}) {
    for (const std::string& name : *names) {
      out += fmt::format(" {}.npy", name);
    }
  }
  return out;
}

namespace {

// In pieces: C promises no longer string than 4095 characters, and models have thousands of tensors.
std::string print_words(std::string_view words) {
  constexpr std::size_t kLine = 90;
  std::string out;
  while (!words.empty()) {
    std::size_t end = std::min(words.find(' ', std::min(kLine, words.size())), words.size());
    out += fmt::format("    fputs(\"{}\", stderr);\n", words.substr(0, end));
    words.remove_prefix(end);
  }
  return out;
}

}  // namespace

std::string library_example(const Library& library) {
  bool by_file = reads_weights(library);
  std::map<std::string, std::string> values{{"NAME", library.plan.name},
                                            {"OWN_HEADER", fmt::format("#include \"{}.h\"", library.plan.name)},
                                            {"UPPER", upper_case(library.plan.name)},
                                            {"HEADER", std::to_string(header_bytes(library))},
                                            {"PUT_BITS", ""},
                                            {"READ_NPY", ""},
                                            {"READ", ""},
                                            {"WRITE", ""},
                                            {"ARENA", ""},
                                            {"CHOICES", library.sizes.empty() ? "" : choice_tables(library)},
                                            {"DECLARE", library.sizes.empty() ? "" : "  size_t plan = 0;\n"}};
  Words words;
  words.next += by_file ? 1 : 0;
  values["CHOOSE"] = library.sizes.empty() ? "" : choose_plan(library, words.next);
  words.next += library.sizes.size();
  for (std::size_t k = 0; k < library.inputs.size(); ++k) {
    values["READ"] += file_call(library, true, k, words);
  }
  for (std::size_t k = 0; k < library.outputs.size(); ++k) {
    values["WRITE"] += file_call(library, false, k, words);
  }
  if (!library.inputs.empty()) {
    values["PUT_BITS"] = kPutBits;
    values["READ_NPY"] = filled(kReadNpy, values);
  }
  values["TENSORS"] = words.arrays;
  std::string taken = example_words(library, "WEIGHTS");
  values["PRINT_WORDS"] = print_words(taken);
  values["USAGE"] = library.plan.name + "_example" + taken;
  values["ARGUMENTS"] = std::to_string(words.next);
  add_run(library, by_file, values);
  return filled(kExample, values);
}

}  // namespace vouch
