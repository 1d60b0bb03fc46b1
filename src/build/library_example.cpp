#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "build/library_files.h"

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

/* An array of binary32 numbers in C order, of this shape: `(1, 3)` as NumPy writes it. */
static int read_npy(const char *path, const char *shape, float *cells, size_t count) {
  unsigned char start[12];
  char header[1024];
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
  if (strstr(header, "'<f4'") == NULL || strstr(header, "'fortran_order': False") == NULL || strstr(header, shape) == NULL) {
    fclose(file);
    fprintf(stderr, "%s: expected little-endian float32 of shape %s in C order\n", path, shape);
    return 1;
  }
  for (i = 0; i < count; i += 1) {
    unsigned char b[4];
    uint32_t bits;
    if (fread(b, 1, 4, file) != 4) {
      fclose(file);
      return wrong(path, "ends too early");
    }
    bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    memcpy(cells + i, &bits, 4);
  }
  fclose(file);
  return 0;
}

static int write_npy(const char *path, const char *shape, const float *cells, size_t count) {
  char header[256];
  int length, padded;
  size_t i;
  FILE *file = fopen(path, "wb");
  if (file == NULL) return wrong(path, "cannot be written");
  length = snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape);
  padded = (length + 1 + 10 + 63) / 64 * 64 - 10;
  fwrite("\x93NUMPY\x01\x00", 1, 8, file);
  fputc(padded & 255, file);
  fputc(padded >> 8, file);
  fprintf(file, "%s%*s\n", header, padded - length - 1, "");
  for (i = 0; i < count; i += 1) {
    uint32_t bits;
    memcpy(&bits, cells + i, 4);
    fputc((int)(bits & 255u), file);
    fputc((int)(bits >> 8 & 255u), file);
    fputc((int)(bits >> 16 & 255u), file);
    fputc((int)(bits >> 24), file);
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

// `(1, 3)`, `(3,)`, `()`.
std::string npy_shape(const Extents& extents) {
  return fmt::format("({}{})", fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
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
                                by_file ? fmt::format("static float weights[{}_WEIGHT_FLOATS];\n", upper_name) : "");
  values["RUN"] = (by_file ? fmt::format("  code = {0}_load_weights(argv[1], weights, {1}_WEIGHT_FLOATS);\n"
                                         "  if (code != {1}_OK) return wrong(argv[1], {0}_message(code));\n",
                                         name, upper_name)
                           : "") +
                  fmt::format("  code = {0}_run({1},{2} arena, {3}_ARENA_FLOATS);\n", name, tensor_list(library),
                              by_file ? " weights," : "", upper_name);
}

}  // namespace

std::string library_example(const Library& library) {
  bool by_file = library.has_weights() && !library.options.embed;
  std::map<std::string, std::string> values{{"NAME", library.plan.name},
                                            {"OWN_HEADER", fmt::format("#include \"{}.h\"", library.plan.name)},
                                            {"UPPER", upper_case(library.plan.name)},
                                            {"ARENA", ""},
                                            {"DECLARE", ""}};
  std::string tensors;
  std::string parameters = by_file ? " WEIGHTS" : "";
  std::string read;
  std::string write;
  std::size_t argument = by_file ? 2 : 1;
  for (std::size_t k = 0; k < library.inputs.size(); ++k, ++argument) {
    std::string cells = fmt::format("{}_INPUT_{}_FLOATS", values["UPPER"], k);
    tensors += fmt::format("static float input_{}[{}];\n", k, cells);
    parameters += fmt::format(" {}.npy", library.inputs[k]);
    read += fmt::format("  if (read_npy(argv[{}], \"{}\", input_{}, {}) != 0) return 1;\n", argument,
                        npy_shape(library.plan.inputs[k].extents), k, cells);
  }
  for (std::size_t k = 0; k < library.outputs.size(); ++k, ++argument) {
    std::string cells = fmt::format("{}_OUTPUT_{}_FLOATS", values["UPPER"], k);
    tensors += fmt::format("static float output_{}[{}];\n", k, cells);
    parameters += fmt::format(" {}.npy", library.outputs[k]);
    write += fmt::format("  if (write_npy(argv[{}], \"{}\", output_{}, {}) != 0) return 1;\n", argument,
                         npy_shape(library.plan.outputs[k].extents), k, cells);
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
