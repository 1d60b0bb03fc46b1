#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "build/library_files.h"
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

@TENSORS@@ARENA@
int main(int argc, char **argv) {
  int code;
@DECLARE@  if (argc != @ARGUMENTS@) {
    fprintf(stderr, "usage: %s@PARAMETERS@\n", argv[0]);
    return 64;
  }
@READ@@RUN@  if (code != @UPPER@_OK) return wrong("@NAME@", @NAME@_message(code));
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
  for (const auto* tensors : {&library.plan.inputs, &library.plan.outputs}) {
    for (const PlanTensor& tensor : *tensors) {
      longest = std::max(longest, npy_shape(tensor.extents).size());
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

std::string tensor_list(const Library& library) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < library.inputs.size(); ++k) {
    names.push_back(fmt::format("input_{}", k));
  }
  for (std::size_t k = 0; k < library.outputs.size(); ++k) {
    names.push_back(fmt::format("output_{}", k));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The lines that hold weights and arena, and run the model.
void add_run(const Library& library, bool by_file, std::map<std::string, std::string>& values) {
  std::string upper_name = values["UPPER"];
  std::string name = library.plan.name;
  if (!library.options.no_alloc) {
    values["DECLARE"] = fmt::format("  {} *model;\n", name);
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

std::string library_example(const Library& library) {
  bool by_file = library.has_weights() && !library.options.embed;
  std::map<std::string, std::string> values{{"NAME", library.plan.name},
                                            {"OWN_HEADER", fmt::format("#include \"{}.h\"", library.plan.name)},
                                            {"UPPER", upper_case(library.plan.name)},
                                            {"HEADER", std::to_string(header_bytes(library))},
                                            {"PUT_BITS", ""},
                                            {"READ_NPY", ""},
                                            {"ARENA", ""},
                                            {"DECLARE", ""}};
  std::string tensors;
  std::string parameters = by_file ? " WEIGHTS" : "";
  std::string read;
  std::string write;
  std::size_t argument = by_file ? 2 : 1;
  for (std::size_t k = 0; k < library.inputs.size(); ++k, ++argument) {
    array::Element element = element_of(library, library.plan.inputs[k]);
    std::string cells = count_name(library, "INPUT", k, library.plan.inputs[k]);
    tensors += fmt::format("static {} input_{}[{}];\n", array::c_held(element), k, cells);
    parameters += fmt::format(" {}.npy", library.inputs[k]);
    read += fmt::format("  if (read_npy(argv[{}], \"{}\", \"{}\", input_{}, {}, {}) != 0) return 1;\n", argument,
                        npy_type(element), npy_shape(library.plan.inputs[k].extents), k, cells, array::bytes_of(element));
  }
  for (std::size_t k = 0; k < library.outputs.size(); ++k, ++argument) {
    array::Element element = element_of(library, library.plan.outputs[k]);
    std::string cells = count_name(library, "OUTPUT", k, library.plan.outputs[k]);
    tensors += fmt::format("static {} output_{}[{}];\n", array::c_held(element), k, cells);
    parameters += fmt::format(" {}.npy", library.outputs[k]);
    write += fmt::format("  if (write_npy(argv[{}], \"{}\", \"{}\", output_{}, {}, {}) != 0) return 1;\n", argument,
                         npy_type(element), npy_shape(library.plan.outputs[k].extents), k, cells, array::bytes_of(element));
  }
  if (!library.inputs.empty()) {
    values["PUT_BITS"] = kPutBits;
    values["READ_NPY"] = filled(kReadNpy, values);
  }
  values["TENSORS"] = tensors;
  values["PARAMETERS"] = parameters;
  values["USAGE"] = library.plan.name + "_example" + parameters;
  values["ARGUMENTS"] = std::to_string(argument);
  values["READ"] = read;
  values["WRITE"] = write;
  add_run(library, by_file, values);
  return filled(kExample, values);
}

}  // namespace vouch
