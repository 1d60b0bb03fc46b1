#include <fmt/format.h>
#include <fmt/ranges.h>

#include "build/library_c.h"
#include "imp/elements.h"

namespace vouch {
namespace {

constexpr std::string_view kSource = R"(/* @NAME@: what is given is tested, then the calls of @CALLED@ run. */
@OWN_HEADER@

#include <float.h>
@INCLUDES@
typedef char @NAME@_float_is_binary32[sizeof(float) == 4 && FLT_RADIX == 2 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128 ? 1 : -1];

@PLAN_PROTOTYPES@
const char *@NAME@_message(int code) {
  switch (code) {
    case @UPPER@_OK: return "all is well";
    case @UPPER@_NULL: return "an argument is a null pointer";
    case @UPPER@_ARENA: return "the arena is too small";
    case @UPPER@_ALIGNMENT: return "a pointer is not aligned for its elements";
    case @UPPER@_OVERLAP: return "an output or the arena overlaps something else";
    case @UPPER@_WEIGHTS: return "these are not the weights of this library";
    case @UPPER@_FILE: return "the file of weights cannot be read";
    case @UPPER@_MEMORY: return "there is no memory";
@SIZE_MESSAGE@    default: return "no such code";
  }
}

static int overlap(const void *p, size_t n, const void *q, size_t m) {
  uintptr_t a = (uintptr_t)p;
  uintptr_t b = (uintptr_t)q;
  return 0 < n && 0 < m && (a < b ? b - a < n : a - b < m);
}

/* What is read first, then the @WRITTEN@ that are written; n: bytes of each, wide: of its elements. */
static int tested(const void *const *p, const size_t *n, const size_t *wide) {
  size_t i, j;
  for (i = 0; i < @POINTERS@; i += 1) {
    if (p[i] == NULL && 0 < n[i]) return @UPPER@_NULL;
    if ((uintptr_t)p[i] % wide[i] != 0) return @UPPER@_ALIGNMENT;
  }
  for (i = @READ@; i < @POINTERS@; i += 1) {
    for (j = 0; j < i; j += 1) {
      if (overlap(p[i], n[i], p[j], n[j])) return @UPPER@_OVERLAP;
    }
  }
  return @UPPER@_OK;
}

@PARTS@)";

constexpr std::string_view kRunCode =
    R"(@PLAN_FOR@int @NAME@_run(@RUN_PARAMETERS@,@WEIGHT_PARAMETER@ float *arena, size_t arena_floats@MORE_PARAMETER@) {
@OWN@  const void *p[@POINTERS@];
  static const size_t bytes@PLANS@[@POINTERS@] = @BYTES@;
  static const size_t wide[@POINTERS@] = {@WIDE@};
@WHICH@  int code;
@SIZE_TEST@@SET@  code = tested(p, bytes@ITS@, wide);
  if (code != @UPPER@_OK) return code;
@ARENA_TEST@@CALL@  return @UPPER@_OK;
}
)";

// FIPS 180-4, over the bytes of floats as they lie in a little-endian file.
constexpr std::string_view kWeights = R"(
/* SHA-256, FIPS 180-4. */
struct digest {
  uint32_t h[8];
};

static uint32_t rotated(uint32_t x, unsigned n) { return (x >> n) | (x << (32u - n)); }

static void add_block(struct digest *d, const unsigned char *block) {
  static const uint32_t k[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u
  };
  uint32_t w[64], v[8];
  int i;
  for (i = 0; i < 16; i += 1) {
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  }
  for (i = 16; i < 64; i += 1) {
    uint32_t s = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ (w[i - 15] >> 3);
    uint32_t t = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s + w[i - 7] + t;
  }
  for (i = 0; i < 8; i += 1) v[i] = d->h[i];
  for (i = 0; i < 64; i += 1) {
    uint32_t s = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25);
    uint32_t t = v[7] + s + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
    uint32_t u = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    int j;
    for (j = 7; j > 0; j -= 1) v[j] = v[j - 1];
    v[4] += t;
    v[0] = t + u;
  }
  for (i = 0; i < 8; i += 1) d->h[i] += v[i];
}

/* Cells as little-endian bytes, whatever the machine. */
static struct digest digest_of(const float *cells, size_t count) {
  struct digest d = {{0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u}};
  unsigned char block[64];
  uint64_t bits = (uint64_t)count * 32;
  size_t at = 0, i;
  for (i = 0; i < count; i += 1) {
    uint32_t cell;
    memcpy(&cell, cells + i, 4);
    block[at] = (unsigned char)(cell & 255u);
    block[at + 1] = (unsigned char)(cell >> 8 & 255u);
    block[at + 2] = (unsigned char)(cell >> 16 & 255u);
    block[at + 3] = (unsigned char)(cell >> 24);
    at += 4;
    if (at == 64) {
      add_block(&d, block);
      at = 0;
    }
  }
  block[at] = 128;
  at += 1;
  if (at > 56) {
    memset(block + at, 0, 64 - at);
    add_block(&d, block);
    at = 0;
  }
  memset(block + at, 0, 56 - at);
  for (i = 0; i < 8; i += 1) block[56 + i] = (unsigned char)(bits >> (56 - 8 * i) & 255u);
  add_block(&d, block);
  return d;
}

int @NAME@_check_weights(const float *weights, size_t floats) {
  static const uint32_t expected[8] = {@HASH@};
  struct digest d;
  if (weights == NULL) return @UPPER@_NULL;
  if (floats != @UPPER@_WEIGHT_FLOATS) return @UPPER@_WEIGHTS;
  d = digest_of(weights, floats);
  return memcmp(d.h, expected, sizeof expected) == 0 ? @UPPER@_OK : @UPPER@_WEIGHTS;
}

int @NAME@_load_weights(const char *path, float *weights, size_t floats) {
  FILE *file;
  size_t i;
  int more;
  if (path == NULL || weights == NULL) return @UPPER@_NULL;
  if (floats != @UPPER@_WEIGHT_FLOATS) return @UPPER@_WEIGHTS;
  file = fopen(path, "rb");
  if (file == NULL) return @UPPER@_FILE;
  for (i = 0; i < floats; i += 1) {
    unsigned char b[4];
    uint32_t cell;
    if (fread(b, 1, 4, file) != 4) {
      int failed_to_read = ferror(file);
      fclose(file);
      return failed_to_read ? @UPPER@_FILE : @UPPER@_WEIGHTS;
    }
    cell = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    memcpy(weights + i, &cell, 4);
  }
  more = fgetc(file);
  fclose(file);
  return more == EOF ? @NAME@_check_weights(weights, floats) : @UPPER@_WEIGHTS;
}
)";

constexpr std::string_view kModelCode = R"(
struct @NAME@ {
  float *weights;
  float *arena;
@MORE_MEMBER@};

static float *cells(size_t count) { return malloc((0 < count ? count : 1) * sizeof(float)); }

int @NAME@_open(@PATH_PARAMETER@@NAME@ **model) {
  @NAME@ *made;
  int code = @UPPER@_OK;
  if (model == NULL@NO_PATH@) return @UPPER@_NULL;
  *model = NULL;
  made = malloc(sizeof *made);
  if (made == NULL) return @UPPER@_MEMORY;
  made->weights = @OWN_CELLS@;
  made->arena = cells(@UPPER@_ARENA_FLOATS);
@MORE_CELLS@  if (@NO_MEMORY@) code = @UPPER@_MEMORY;
@LOAD@  if (code != @UPPER@_OK) {
    @NAME@_close(made);
    return code;
  }
  *model = made;
  return @UPPER@_OK;
}

int @NAME@_call(@NAME@ *model, @RUN_PARAMETERS@) {
  if (model == NULL) return @UPPER@_NULL;
  return @NAME@_run(@RUN_ARGUMENTS@,@OWN_ARGUMENT@ model->arena, @UPPER@_ARENA_FLOATS@MORE_ARGUMENT@);
}

void @NAME@_close(@NAME@ *model) {
  if (model != NULL) {
    free(model->weights);
    free(model->arena);
@MORE_FREE@    free(model);
  }
}
)";

std::string hash_words(const std::string& hash) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < hash.size(); at += 8) {
    words.push_back("0x" + hash.substr(at, 8) + "u");
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

void add_model(bool by_file, bool more, std::map<std::string, std::string>& values) {
  std::string name = values["NAME"];
  values["MORE_PARAMETER"] = more ? fmt::format(", {}_more *more", name) : "";
  values["MORE_MEMBER"] = more ? fmt::format("  {}_more *more;\n", name) : "";
  values["MORE_CELLS"] = more ? "  made->more = malloc(sizeof *made->more);\n" : "";
  values["MORE_ARGUMENT"] = more ? ", model->more" : "";
  values["MORE_FREE"] = more ? "    free(model->more);\n" : "";
  values["PATH_PARAMETER"] = by_file ? "const char *path, " : "";
  values["NO_PATH"] = by_file ? " || path == NULL" : "";
  values["OWN_CELLS"] = by_file ? fmt::format("cells({}_WEIGHT_FLOATS)", values["UPPER"]) : "NULL";
  values["NO_MEMORY"] =
      std::string(by_file ? "made->weights == NULL || " : "") + "made->arena == NULL" + (more ? " || made->more == NULL" : "");
  values["LOAD"] = by_file
                       ? fmt::format("  if (code == {1}_OK) code = {0}_load_weights(path, made->weights, {1}_WEIGHT_FLOATS);\n",
                                     values["NAME"], values["UPPER"])
                       : "";
  values["OWN_ARGUMENT"] = by_file ? " model->weights," : "";
}

}  // namespace

std::string library_source(const Library& library) {
  bool by_file = library.has_weights() && !library.options.embed;
  bool allocates = !library.options.no_alloc;
  std::string own = library.has_weights() ? weights_argument(library, array::Element::F32) : "NULL";
  std::map<std::string, std::string> values{
      {"NAME", library.plan.name},
      {"OWN_HEADER", fmt::format("#include \"{}.h\"", library.plan.name)},
      {"UPPER", upper_case(library.plan.name)},
      {"RUN_PARAMETERS", run_parameters(library)},
      {"RUN_ARGUMENTS", run_arguments(library)},
      {"CALLED", library.sizes.empty() ? library.plan.name + "_plan.c" : "the plan for its sizes"},
      {"ARENA_TEST", library.arena_floats() == 0 ? "  (void)arena_floats; /* no float lives there */\n"
                                                 : fmt::format("  if (arena_floats < {0}_ARENA_FLOATS) return {0}_ARENA;\n",
                                                               upper_case(library.plan.name))},
      {"WEIGHT_PARAMETER", by_file ? " const float *weights," : ""},
      {"OWN", by_file ? "" : fmt::format("  const float *weights = {};\n", own)},
      {"HASH", hash_words(library.weights_hash)},
      {"INCLUDES", std::string(by_file ? "#include <stdio.h>\n" : "") + (allocates ? "#include <stdlib.h>\n" : "") +
                       (by_file ? "#include <string.h>\n" : "")},
  };
  values.merge(run_values(library));
  add_model(by_file, library.has_other_arenas(), values);
  values["PARTS"] =
      filled(kRunCode, values) + (by_file ? filled(kWeights, values) : "") + (allocates ? filled(kModelCode, values) : "");
  return filled(kSource, values);
}

}  // namespace vouch
