// Gradients of kernels in index notation: against exact differences on every element, against the golden gradients of the
// original project by proof, and as compiled C. Seeds are printed on failure.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "autodiff/differences.h"
#include "autodiff/gradient.h"
#include "driver/index_proof.h"
#include "io/kernel_json.h"
#include "notation/show_cpp.h"
#include "notation/show_tk.h"
#include "property/random_index_kernel.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

const std::string kData = VOUCH_ROOT "/../shared/data/autograd";

TkKernel parsed(const std::string& name, const std::string& text) {
  Diagnostics diagnostics;
  auto kernel = read_kernel(std::make_shared<Source>(name, text), {}, diagnostics);
  EXPECT_TRUE(kernel) << text << diagnostics.text();
  return kernel.value_or(TkKernel());
}

std::string contents(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// What random kernels came to. Elements are those of first derivatives, reverse and forward, of second ones, and of texts read
// back.
struct Counts {
  std::size_t kernels = 0;
  std::size_t differentiated = 0;
  std::size_t without_target = 0;  // a constant condition left no read of it
  std::size_t equal = 0;
  std::size_t nearly = 0;
  std::map<std::string, std::size_t> refused;  // by reason, with the names of the kernel left out

  std::string text() const {
    std::string out = fmt::format(
        "{} kernels: {} differentiated, {} elements equal exactly, {} within the bound of differences; {} without the target",
        kernels, differentiated, equal, nearly, without_target);
    for (const auto& [reason, count] : refused) {
      out += fmt::format("\n  {} refused: {}", count, reason);
    }
    return out;
  }
} counts;

void expect_equal_to_differences(const TkKernel& kernel, const TkKernel& derivative, const std::vector<Symbol>& targets,
                                 bool forward, const std::string& what) {
  DifferenceReport report = compare_with_differences(kernel, derivative, targets, forward);
  if (!report.refusal.empty()) {
    ++counts.refused[report.refusal];
    return;
  }
  counts.equal += report.equal;
  counts.nearly += report.nearly;
  EXPECT_EQ(report.different, "") << what << print_tk(kernel) << print_tk(derivative);
  EXPECT_EQ(report.equal + report.nearly, report.elements) << what;
}

// Of all index changes: the solver may give up on nested folds; what it says it proved is compared too.
std::size_t changes_seen = 0;
std::size_t changes_proven = 0;

// The derivative as text, read again.
TkKernel read_back(const TkKernel& derivative) { return parsed("derivative.tk", print_tk_file(derivative)); }

// Of what no output depends on; it has no tangent, since nothing would be given.
bool is_zero(const TkKernel& gradient) {
  return std::all_of(gradient.statements.begin(), gradient.statements.end(), [](const TkStatement& statement) {
    return std::all_of(statement.summands.begin(), statement.summands.end(),
                       [](const TkSummand& one) { return is_const(one.body) && one.body->value == 0; });
  });
}

void check_all(const TkKernel& kernel, const std::vector<Symbol>& targets, const std::string& what, bool second) {
  SCOPED_TRACE(what);
  Diagnostics diagnostics;
  prove_reads(kernel, diagnostics);
  GradientRecord record;
  auto reverse = gradient(kernel, targets, diagnostics, &record);
  ASSERT_TRUE(reverse && !diagnostics.has_errors()) << what << diagnostics.text();
  Diagnostics refused;
  auto forward = tangent(kernel, targets, refused);
  ASSERT_EQ(forward.has_value(), !is_zero(*reverse)) << what << refused.text();
  BijectionProof proof = prove_index_changes(record.changes);
  changes_seen += proof.changes;
  changes_proven += proof.proven;
  prove_reads(*reverse, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << what << print_tk(*reverse) << diagnostics.text();
  expect_equal_to_differences(kernel, *reverse, targets, false, what);
  expect_equal_to_differences(kernel, read_back(*reverse), targets, false, what + " (text read back)\n" + print_tk(*reverse));
  if (forward) {
    expect_equal_to_differences(kernel, *forward, targets, true, what + " (forward)");
  }
  std::vector<Symbol> again;
  for (Symbol target : targets) {
    if (std::find(reverse->inputs.begin(), reverse->inputs.end(), target) != reverse->inputs.end()) {
      again.push_back(target);
    }
  }
  if (second && !again.empty()) {
    auto twice = gradient(*reverse, again, diagnostics);
    ASSERT_TRUE(twice) << what << diagnostics.text();
    expect_equal_to_differences(*reverse, *twice, again, false, what + " (second derivative)");
  }
}

// Of processor time, for one kernel: nothing in it grows without bound.
constexpr double kMostSeconds = 30;
double slowest_seconds = 0;
std::uint32_t slowest_seed = 0;

void check_random(std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed) {
    std::string text = testing::RandomIndexKernel(seed).text();
    std::string what = fmt::format("seed {}:\n{}", seed, text);
    Diagnostics diagnostics;
    auto kernel = read_kernel(std::make_shared<Source>("random.tk", text), {}, diagnostics);
    ++counts.kernels;
    if (!kernel) {
      EXPECT_FALSE(diagnostics.text().empty()) << what;
      ++counts.refused[diagnostics.all().front().message];
      continue;
    }
    bool reads = std::find(kernel->inputs.begin(), kernel->inputs.end(), Symbol("A")) != kernel->inputs.end();
    counts.without_target += reads ? 0 : 1;
    if (reads) {
      std::clock_t start = std::clock();
      check_all(*kernel, {Symbol("A")}, what, seed % 8 == 0);
      ++counts.differentiated;
      double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      if (seconds > slowest_seconds) {
        slowest_seconds = seconds;
        slowest_seed = seed;
      }
      EXPECT_LE(seconds, kMostSeconds) << what;
    }
  }
}

// Few may be refused, whatever the reason: no more than one in a hundred.
void check_random_and_count(std::uint32_t first, std::uint32_t count) {
  changes_seen = changes_proven = 0;
  counts = {};
  check_random(first, count);
  fmt::print("{}\n{} of {} index changes proven bijective; seed {} took the longest, {:.1f} s\n", counts.text(), changes_proven,
             changes_seen, slowest_seed, slowest_seconds);
  EXPECT_GE(changes_proven * 20, changes_seen * 19);
  std::size_t refused = 0;
  for (const auto& [reason, times] : counts.refused) {
    refused += times;
  }
  EXPECT_LE(refused * 100, counts.kernels) << counts.text();
  EXPECT_GE(counts.differentiated * 10, counts.kernels * 9);
}

TEST(RandomGradients, AreExactDifferences) { check_random_and_count(1, 120); }

// Ten thousand, a thousand at a time: terms live as long as the process.
class RandomGradientsLong : public ::testing::TestWithParam<std::uint32_t> {};
TEST_P(RandomGradientsLong, AreExactDifferences) { check_random_and_count(100000 + 1000 * GetParam(), 1000); }
INSTANTIATE_TEST_SUITE_P(Thousand, RandomGradientsLong, ::testing::Range(0U, 10U));

// Classes of subscripts and bodies, each by name.
std::vector<std::pair<std::string, std::string>> named_kernels() {
  std::istringstream lines(contents(std::string(VOUCH_ROOT) + "/tests/property/named_kernels.txt"));
  std::vector<std::pair<std::string, std::string>> out;
  for (std::string line; std::getline(lines, line);) {
    std::size_t colon = line.find(": ");
    if (!line.starts_with("#") && colon != std::string::npos) {
      out.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
  }
  return out;
}

TEST(NamedGradients, AreExactDifferences) {
  std::vector<std::pair<std::string, std::string>> kernels = named_kernels();
  EXPECT_GT(kernels.size(), 40);
  for (const auto& [name, text] : kernels) {
    changes_seen = changes_proven = 0;
    counts = {};
    check_all(parsed("named.tk", "out Y;" + text), {Symbol("A")}, name + "\n", true);
    EXPECT_TRUE(counts.refused.empty() && counts.equal + counts.nearly > 0) << name << counts.text();
    EXPECT_EQ(changes_proven, changes_seen) << name;
  }
}

nlohmann::json golden() {
  auto json = nlohmann::json::parse(contents(kData + "/golden.json"));
  return json["cases"];
}

TEST(Golden, DerivedGradientsAreProvenEqual) {
  if (!fs::exists(kData)) {
    GTEST_SKIP() << "not run: " << kData << " is not there";
  }
  int compared = 0;
  for (const auto& item : golden()) {
    TkKernel kernel = parsed("case.json", contents(kData + "/" + item["case"].get<std::string>().substr(5) + ".json"));
    for (const auto& [name, text] : item["golden_gradients"].items()) {
      std::string closed = text.get<std::string>();
      closed += closed.back() == ';' ? "" : ";";
      Diagnostics diagnostics;
      auto derived = gradient(kernel, {Symbol(name.substr(1))}, diagnostics);
      ASSERT_TRUE(derived) << diagnostics.text();
      std::string remainder;
      EXPECT_TRUE(prove_equal(*derived, parsed("golden.tk", closed), remainder))
          << item["case"] << print_tk(*derived) << remainder;
      // A neighbour of the golden gradient is not equal: twice of it.
      std::string wrong = closed.substr(0, closed.find('=') + 1) + " 2 * (" +
                          closed.substr(closed.find('=') + 1, closed.size() - closed.find('=') - 2) + ");";
      EXPECT_FALSE(prove_equal(*derived, parsed("wrong.tk", wrong), remainder)) << wrong;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 11);
}

TEST(GoldenLong, DerivedGradientsAreDifferences) {
  if (!fs::exists(kData)) {
    GTEST_SKIP() << "not run: " << kData << " is not there";
  }
  for (const auto& item : golden()) {
    TkKernel kernel = parsed("case.json", contents(kData + "/" + item["case"].get<std::string>().substr(5) + ".json"));
    counts = {};
    check_all(kernel, kernel.grad_to, item["case"].get<std::string>(), false);
    EXPECT_TRUE(counts.refused.empty() && counts.equal + counts.nearly > 0) << item["case"] << counts.text();
  }
}

TEST(Golden, SignaturesAreTheSources) {
  if (!fs::exists(kData)) {
    GTEST_SKIP() << "not run: " << kData << " is not there";
  }
  for (const auto& item : golden()) {
    TkKernel kernel = parsed("case.json", contents(kData + "/" + item["case"].get<std::string>().substr(5) + ".json"));
    Diagnostics diagnostics;
    auto derived = gradient(kernel, kernel.grad_to, diagnostics);
    ASSERT_TRUE(derived);
    EXPECT_NE(cpp_signature(*derived).find(item["signature"].get<std::string>()), std::string::npos) << cpp_signature(*derived);
  }
}

}  // namespace
}  // namespace vouch
