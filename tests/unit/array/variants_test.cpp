// The table of shipped kernels is whole and true: every file is in it once, and variants compute what their specification
// does, for random sizes and inputs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "array/eval.h"
#include "array/parse.h"

namespace vouch::array {
namespace {

struct Row {
  std::string folder;
  std::string kernel;
  bool same_bits = false;
  std::vector<std::string> variants;
};

std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Row> table() {
  std::istringstream lines(slurp(VOUCH_ROOT "/kernels/README.md"));
  std::regex row(R"(\| (\w+) \| `(\w+)` \| (=|≈) ((?:`\w+` ?)+)\|.*)");
  std::regex name(R"(`(\w+)`)");
  std::vector<Row> rows;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) {
      Row found{match[1], match[2], match[3] == "=", {}};
      std::string variants = match[4];
      for (auto it = std::sregex_iterator(variants.begin(), variants.end(), name); it != std::sregex_iterator(); ++it) {
        found.variants.push_back((*it)[1]);
      }
      rows.push_back(found);
    }
  }
  return rows;
}

Program load(const Row& row, const std::string& name) {
  std::string path = std::string(VOUCH_ROOT "/kernels/") + row.folder + "/" + name + ".fun";
  Diagnostics diagnostics;
  auto program = parse_program(std::make_shared<Source>(path, slurp(path)), diagnostics);
  EXPECT_TRUE(program) << diagnostics.text();
  return *program;
}

// The specification's sizes at which its arrays are as long as the variant's: those that are an extent by themselves, the
// others by name.
void match_sizes(const Type& wanted, const Type& given, const std::vector<Integer>& sizes, std::map<unsigned, Integer>& found) {
  if (wanted->kind == TypeKind::Array) {
    if (wanted->size->kind == SizeKind::Var) {
      found[wanted->size->var] = size_value(given->size, sizes);
    }
    match_sizes(wanted->parts[0], given->parts[0], sizes, found);
  }
}

std::vector<Integer> spec_sizes(const Program& spec, const Program& variant, const std::vector<Integer>& sizes) {
  std::map<unsigned, Integer> found;
  for (std::size_t i = 0; i < variant.sizes.size(); ++i) {
    for (unsigned j = 0; j < spec.sizes.size(); ++j) {
      if (spec.sizes[j] == variant.sizes[i]) {
        found[j] = sizes[i];
      }
    }
  }
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    match_sizes(spec.inputs[i].type, variant.inputs[i].type, sizes, found);
  }
  match_sizes(spec.output.type, variant.output.type, sizes, found);
  std::vector<Integer> result;
  for (unsigned j = 0; j < spec.sizes.size(); ++j) {
    EXPECT_TRUE(found.contains(j)) << spec.name << ": size " << spec.sizes[j];
    result.push_back(found[j]);
  }
  return result;
}

std::vector<Integer> pick_sizes(const Program& program, std::mt19937_64& random) {
  for (int attempt = 0; attempt < 20'000; ++attempt) {
    std::vector<Integer> sizes;
    for (std::size_t i = 0; i < program.sizes.size(); ++i) {
      sizes.emplace_back(random() % 4);
    }
    bool holds = true;
    for (const SizeFact& fact : program.facts) {
      holds = holds && size_value(fact.first, sizes) <= size_value(fact.second, sizes);
    }
    if (holds) {
      return sizes;
    }
  }
  ADD_FAILURE() << "no sizes satisfy the facts of " << program.name;
  return {};
}

bool agree(float a, float b, bool same_bits) {
  if (std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b))) {
    return true;
  }
  return !same_bits && std::abs(a - b) <= 1e-4F * std::max(1.0F, std::abs(a));
}

void compare(const Program& spec, const Program& variant, bool same_bits, std::mt19937_64& random) {
  ASSERT_EQ(spec.inputs.size(), variant.inputs.size()) << variant.name;
  std::vector<Integer> sizes = pick_sizes(variant, random);
  std::vector<Integer> whole = spec_sizes(spec, variant, sizes);
  std::vector<Cells> inputs;
  for (std::size_t i = 0; i < variant.inputs.size(); ++i) {
    Cells cells(cell_count(variant.inputs[i].type, sizes));
    ASSERT_EQ(cells.size(), cell_count(spec.inputs[i].type, whole)) << variant.name;
    for (float& cell : cells) {
      cell = static_cast<float>(random() % 1001) / 250 - 2;
    }
    inputs.push_back(cells);
  }
  Cells expected = evaluate(spec, whole, inputs);
  Cells found = evaluate(variant, sizes, inputs);
  ASSERT_EQ(found.size(), expected.size()) << variant.name;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(agree(expected[i], found[i], same_bits))
        << variant.name << " cell " << i << ": " << found[i] << ", not " << expected[i];
  }
}

TEST(Variants, TheTableNamesEachFileOnce) {
  std::multiset<std::string> named;
  for (const Row& row : table()) {
    named.insert(row.folder + "/" + row.kernel);
    for (const std::string& variant : row.variants) {
      named.insert(row.folder + "/" + variant);
    }
  }
  std::multiset<std::string> there;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(VOUCH_ROOT "/kernels")) {
    if (entry.path().extension() == ".fun") {
      there.insert(entry.path().parent_path().filename().string() + "/" + entry.path().stem().string());
    }
  }
  EXPECT_EQ(named, there);
  EXPECT_GE(table().size(), 30U);
}

TEST(Variants, ComputeWhatTheirSpecificationDoes) {
  std::mt19937_64 random(7);
  for (const Row& row : table()) {
    Program spec = load(row, row.kernel);
    for (const std::string& name : row.variants) {
      Program variant = load(row, name);
      EXPECT_EQ(variant.name, name);
      for (int times = 0; times < 6; ++times) {
        compare(spec, variant, row.same_bits, random);
      }
    }
  }
}

}  // namespace
}  // namespace vouch::array
