// The shipped kernels and random programs as compiled C: the same bits as the evaluator of the array language, for random
// small sizes, on 1, 2 and 4 threads.
//
//   property_compiled_kernels KERNEL_FOLDER SCRATCH_FOLDER SEED CASES COMPILER FLAGS...
//
// All kernels go into one C program, which reads cases from a file and writes the outputs to another.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "../unit/array/random_program.h"
#include "array/eval.h"
#include "array/parse.h"
#include "array/print.h"
#include "certify/certificate.h"

namespace {

using namespace vouch::array;
namespace fs = std::filesystem;

constexpr std::uint64_t kRandomPrograms = 60;
constexpr std::size_t kMostText = 60'000;

std::optional<Program> read_kernel(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  vouch::Diagnostics diagnostics;
  auto program = parse_program(std::make_shared<vouch::Source>(path.string(), text.str()), diagnostics);
  fmt::print(stderr, "{}", diagnostics.text());
  return program;
}

std::vector<Program> all_programs(const std::string& folder, std::uint64_t seed) {
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".fun") {
      files.insert(entry.path());
    }
  }
  std::vector<Program> programs;
  for (const fs::path& file : files) {
    if (auto program = read_kernel(file)) {
      programs.push_back(*program);
    }
  }
  for (std::uint64_t i = 0; i < kRandomPrograms; ++i) {
    Program program = RandomProgram(seed + i).make(fmt::format("random{}", seed + i));
    if (certify(program, "").c.size() < kMostText) {
      programs.push_back(program);
    }
  }
  return programs;
}

// A case of one program: sizes that satisfy its facts, and inputs.
struct Case {
  std::size_t program;
  std::vector<vouch::Integer> sizes;
  std::vector<Cells> inputs;
  Cells expected;
};

std::optional<std::vector<vouch::Integer>> pick_sizes(const Program& program, std::mt19937_64& random) {
  for (int attempt = 0; attempt < 20'000; ++attempt) {
    std::vector<vouch::Integer> sizes;
    for (std::size_t i = 0; i < program.sizes.size(); ++i) {
      sizes.emplace_back(random() % (attempt < 10'000 ? 5 : 8));
    }
    bool holds = true;
    for (const SizeFact& fact : program.facts) {
      holds = holds && size_value(fact.first, sizes) <= size_value(fact.second, sizes);
    }
    if (holds) {
      return sizes;
    }
  }
  return std::nullopt;
}

float pick_float(std::mt19937_64& random) {
  switch (random() % 16) {
    case 0: return 0.0F;
    case 1: return std::ldexp(1.0F, static_cast<int>(random() % 40) - 20);
    default: return static_cast<float>(static_cast<double>(random() % 2'000'001) / 250'000.0 - 4.0);
  }
}

Case pick_case(const Program& program, std::size_t number, std::mt19937_64& random) {
  auto sizes = pick_sizes(program, random);
  vouch::ensure(sizes.has_value(), "sizes that satisfy the facts of " + program.name);
  Case result{number, *sizes, {}, {}};
  for (const Parameter& input : program.inputs) {
    Cells cells(cell_count(input.type, *sizes));
    for (float& cell : cells) {
      cell = pick_float(random);
    }
    result.inputs.push_back(std::move(cells));
  }
  result.expected = evaluate(program, *sizes, result.inputs);
  return result;
}

constexpr std::string_view kDriver = R"(
#ifdef __SANITIZE_THREAD__
#include OPENMP_THREADS
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static float *read_floats(FILE *in, int64_t *count) {
  if (fread(count, 8, 1, in) != 1) exit(3);
  float *cells = malloc((size_t)*count * 4 + 4);
  if (*count > 0 && fread(cells, 4, (size_t)*count, in) != (size_t)*count) exit(3);
  return cells;
}

int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
  int64_t head[3];
  if (argc != 3 || !in || !out) return 2;
  while (fread(head, 8, 3, in) == 3) {  /* program, sizes, inputs */
    int64_t sizes[64], count;
    float *inputs[64];
    if (head[1] > 0 && fread(sizes, 8, (size_t)head[1], in) != (size_t)head[1]) return 3;
    for (int i = 0; i < head[2]; ++i) inputs[i] = read_floats(in, &count);
    float *result = read_floats(in, &count);
    call(head[0], sizes, inputs, result);
    fwrite(result, 4, (size_t)count, out);
    for (int i = 0; i < head[2]; ++i) free(inputs[i]);
    free(result);
  }
  return fclose(out);
}
)";

// Each kernel in its own file, which the driver includes by its header.
void write_sources(const std::vector<Program>& programs, const std::string& folder) {
  std::ofstream driver(folder + "/driver.c");
  std::string calls;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Program& program = programs[i];
    Certified certified = certify(program, "test");
    std::ofstream(folder + "/" + program.name + ".c") << certified.c;
    std::ofstream(folder + "/" + program.name + ".h") << certified.header;
    driver << "#include \"" << program.name << ".h\"\n";
    std::string arguments;
    for (std::size_t s = 0; s < program.sizes.size(); ++s) {
      arguments += fmt::format("sizes[{}], ", s);
    }
    for (std::size_t k = 0; k < program.inputs.size(); ++k) {
      arguments += fmt::format("{}inputs[{}], ", program.inputs[k].type->kind == TypeKind::Num ? "*" : "", k);
    }
    calls += fmt::format("    case {}: {}({}result); break;\n", i, program.name, arguments);
  }
  driver << "static void call(int64_t program, int64_t *sizes, float **inputs, float *result) {\n  (void)sizes;\n"
            "  switch (program) {\n"
         << calls << "  }\n}\n"
         << kDriver;
}

void put(std::ofstream& out, std::int64_t value) { out.write(reinterpret_cast<const char*>(&value), 8); }

void put(std::ofstream& out, const Cells& cells) {
  put(out, static_cast<std::int64_t>(cells.size()));
  out.write(reinterpret_cast<const char*>(cells.data()), static_cast<std::streamsize>(cells.size() * sizeof(float)));
}

void write_cases(const std::vector<Case>& cases, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  for (const Case& one : cases) {
    put(out, static_cast<std::int64_t>(one.program));
    put(out, static_cast<std::int64_t>(one.sizes.size()));
    put(out, static_cast<std::int64_t>(one.inputs.size()));
    for (const vouch::Integer& size : one.sizes) {
      put(out, size.convert_to<std::int64_t>());
    }
    for (const Cells& input : one.inputs) {
      put(out, input);
    }
    put(out, Cells(one.expected.size(), -12345.0F));  // what the output holds before
  }
}

// The same bits, or both no number.
bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

std::string describe(const Case& one, const Program& program) {
  std::string sizes;
  for (std::size_t i = 0; i < one.sizes.size(); ++i) {
    sizes += fmt::format(" {}={}", program.sizes[i], one.sizes[i].str());
  }
  return program.name + ":" + sizes + "\n" + print_program(program);
}

bool compare(const std::vector<Case>& cases, const std::vector<Program>& programs, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  for (const Case& one : cases) {
    Cells found(one.expected.size());
    in.read(reinterpret_cast<char*>(found.data()), static_cast<std::streamsize>(found.size() * sizeof(float)));
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!in || !same_bits(found[i], one.expected[i])) {
        fmt::print("cell {} is {}, expected {}\n{}", i, found[i], one.expected[i], describe(one, programs[one.program]));
        return false;
      }
    }
  }
  return true;
}

// Shipped kernels compile without a warning (but for sizes that only say how long an input is); random programs compare things
// with themselves, and the like.
// What is given stands last: it may say that threads are not made.
bool build(const std::vector<Program>& programs, const std::string& folder, const std::string& compiler,
           const std::string& given) {
  std::string quiet;
  std::string loud = "driver.c";
  for (const Program& program : programs) {
    (program.name.starts_with("random") ? quiet : loud) += " " + program.name + ".c";
  }
  std::string flags = compiler + " -std=c99 -fopenmp -ffp-contract=off '-DOPENMP_THREADS=\"" OPENMP_THREADS "\"'" + given;
  std::string command = fmt::format(
      "cd '{0}' && {1} -Wall -Wextra -Wpedantic -Werror -Wno-unused-parameter -c {2} && {1} -w -c {3} && {1} *.o -o run -lm",
      folder, flags, loud, quiet);
  return std::system(command.c_str()) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    fmt::print(stderr, "usage: {} KERNEL_FOLDER SCRATCH_FOLDER SEED CASES COMPILER FLAGS...\n", argv[0]);
    return 64;
  }
  std::string folder = argv[2];
  std::uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  fs::create_directories(folder);
  for (const auto& entry : fs::directory_iterator(folder)) {
    fs::remove_all(entry.path());
  }
  std::vector<Program> programs = all_programs(argv[1], seed);
  write_sources(programs, folder);
  std::string given;
  for (int i = 6; i < argc; ++i) {
    given += fmt::format(" {}", argv[i]);
  }
  if (!build(programs, folder, argv[5], given)) {
    return 1;
  }
  std::mt19937_64 random(seed);
  std::vector<Case> cases;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (std::uint64_t n = std::strtoull(argv[4], nullptr, 10); n > 0; --n) {
      cases.push_back(pick_case(programs[i], i, random));
    }
  }
  write_cases(cases, folder + "/cases");
  for (int threads : {1, 2, 4}) {
    std::string run = fmt::format("cd '{}' && OMP_NUM_THREADS={} ./run cases results", folder, threads);
    if (std::system(run.c_str()) != 0 || !compare(cases, programs, folder + "/results")) {
      fmt::print("with {} threads, seed {}\n", threads, seed);
      return 1;
    }
  }
  fmt::print("figures: {} kernels, {} cases: the same bits on 1, 2 and 4 threads\n", programs.size(), cases.size());
  return 0;
}
