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
#include "kernel/show_tk.h"
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

void check_all(const TkKernel& kernel, const std::vector<Symbol>& targets, const std::string& what, bool second) {
  SCOPED_TRACE(what);
  Diagnostics diagnostics;
  prove_reads(kernel, diagnostics);
  GradientRecord record;
  auto reverse = gradient(kernel, targets, diagnostics, &record);
  auto forward = tangent(kernel, targets, diagnostics);
  ASSERT_TRUE(reverse && forward && !diagnostics.has_errors()) << what << diagnostics.text();
  BijectionProof proof = prove_index_changes(record.changes);
  changes_seen += proof.changes;
  changes_proven += proof.proven;
  prove_reads(*reverse, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << what << print_tk(*reverse) << diagnostics.text();
  expect_equal_to_differences(kernel, *reverse, targets, false, what);
  expect_equal_to_differences(kernel, read_back(*reverse), targets, false, what + " (text read back)\n" + print_tk(*reverse));
  expect_equal_to_differences(kernel, *forward, targets, true, what + " (forward)");
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
struct Named {
  const char* name;
  const char* text;
};
const Named kKernels[] = {
    {"strided", "Y<4>[i] = A<9>[2*i + k] * W<3>[k];"},
    {"dilated", "Y<4>[i] = A<10>[i + 3*k] * W<3>[k];"},
    {"strided and dilated", "Y<3>[i] = A<13>[3*i + 2*k] * W<4>[k];"},
    {"coefficients without common factor", "Y<3>[i] = A<23>[3*i + 5*k] * W<4>[k];"},
    {"diagonal", "Y<4>[i] = A<4, 4>[i, i];"},
    {"twice", "Y<4, 4>[i, j] = A<4, 4>[i, k] * A<4, 4>[k, j];"},
    {"reversed", "Y<5>[i] = A<5>[4 - i] * A<5>[i];"},
    {"folded", "Y<24>[i] = A<2, 3, 4>[i//12, i//4%3, i%4];"},
    {"nested folds", "Y<24>[i] = A<3, 2>[(i//4)//2, (i%6)//3];"},
    {"unfolded", "Y<2, 3>[i, j] = A<6>[3*i + j];"},
    {"broadcast", "Y<3, 4>[i, j] = A<3>[i] + B<4>[j];"},
    {"sums over their own indices", "Y<3>[i] = A<3, 4>[i, 1] + A<3, 4>[i, k];"},
    {"reduction in a product", "Y<3>[i] = (A<3>[i] + B<3, 2>[i, k]) * A<3>[i];"},
    {"transposed convolution", "Y<7>[z] = select(z - k >= 0 && z - k < 5, A<5>[z - k] * W<3>[k], 0);"},
    {"choice on indices", "Y<4, 4>[i, j] = select(i < j, A<4, 4>[i, j], 2 * A<4, 4>[j, i]);"},
    {"matrix times Khatri-Rao", "Y<3, 4>[i, j] = A<3, 2, 3>[i, k, l] * C<2, 4>[k, j] * D<3, 4>[l, j];"},
    {"tensor times matrix, five axes", "Y<2, 2, 3, 2>[a, b, c, d] = A<2, 2, 3, 4>[a, b, c, k] * M<4, 2>[k, d];"},
    {"six indices", "Y<2, 2, 2>[a, b, c] = A<2, 2, 2, 2>[a, d, e, f] * B<2, 2>[d, b] * C<2, 2, 2>[e, f, c];"},
    {"quotient of tensors", "Y<3>[i] = A<3>[i] / (B<3>[i] * A<3>[i] + 3);"},
    {"functions", "Y<3>[i] = exp(A<3>[i]/8) * tanh(A<3>[2 - i]) + sqrt(abs(A<3>[i]) + 1) - erf(A<3>[i]);"},
    {"extrema", "Y<4>[i] = max(A<4>[i], A<4>[3 - i]/2) - min(A<4>[i], 0) + abs(A<4>[i]);"},
    {"logarithm and power", "Y<3>[i] = log(A<3>[i]) * pow(A<3>[i], 2);"},
    {"several statements",
     "T<4>[i] = A<4, 3>[i, k] * B<3>[k]; U<4>[i] = T<4>[i] * T<4>[3 - i]; Y<2>[i] = U<4>[2*i + k] * A<4, 3>[i, 0] where 0 <= k < "
     "2;"},
    {"accumulation",
     "Y<3, 3>[i, j] = Y<3, 3>[i, j] + alpha<1> * (A<3, 2>[i, k] * C<2, 3>[k, j]); Y<3, 3>[i, j] = Y<3, 3>[i, j] * A<3, 2>[i, "
     "1];"},
    {"window average", "Y<3, 3>[p, q] = A<6, 6>[2*p + r, 2*q + s] / 4 where 0 <= r < 2, 0 <= s < 2;"},
    {"an index nothing names in one branch", "Y<3>[i] = select(i < 2, A<3>[i], D<4>[k]);"},
    {"negative and other coefficients", "Y<3, 4>[i, j] = A<12, 4>[11 - 2*i - 3*k, 3 - j] * W<2, 3>[1 - k, 2 - i];"},
    {"negative fold", "Y<9>[i] = A<3, 4>[(8 - i)//3, (11 - 2*i + 8)%4];"},
    {"strided, dilated and grouped", "Y<4, 3>[k, p] = A<4, 11>[k//2*2 + c, 2*p + 3*r] * W<4, 2, 3>[k, c, r];"},
    {"diagonal of a cube and its sums", "Y<3>[i] = A<3, 3, 3>[i, i, i] * A<3, 3, 3>[i, j, k] * A<3, 3, 3>[i, i, j];"},
    {"anti-diagonals", "Y<3>[i] = A<3, 5>[k, i + k] * A<3, 5>[2 - k, 4 - i - k] where 0 <= k < 3;"},
    {"the same tensor three times", "Y<3, 3>[i, j] = A<3, 3>[i, k] * A<3, 3>[k, j] * A<3, 3>[j, i];"},
    {"windows within windows", "Y<2, 2>[i, j] = A<10>[4*i + 2*j + k] * W<4>[k] where 0 <= k < 4;"},
    {"folds of folds", "Y<30>[i] = A<3, 2, 2>[i//2//5, i%10//5, (i%10 + 1)%4//2] * A<3, 2, 2>[i//10, 0, i%2];"},
    {"choice on remainders", "Y<7>[i] = select((i + 1)%3 == 0, A<7>[i], select(i//2%2 == 1, A<7>[6 - i] * A<7>[i], 3));"},
    {"broadcast along diagonals", "Y<3, 4>[i, j] = A<6>[i + j] * A<6>[2] + B<1>[0] * A<6>[5 - i];"},
    {"reduction in a product of sums", "Y<2>[i] = (A<2, 3>[i, k] + B<2>[i]) * (A<2, 3>[i, l] - C<2, 3>[i, l]);"},
    {"transposed convolution, stride 2",
     "Y<9>[z] = select((z - k)%2 == 0 && z - k >= 0 && z - k < 8, A<4>[(z - k)//2%4] * W<3>[k], 0);"},
    {"five statements",
     "P<4>[i] = A<4, 2>[i, k]; Q<4>[i] = P<4>[3 - i] * A<4, 2>[i, 1]; P<4>[i] = P<4>[i] + Q<4>[i]; R<2>[i] = P<4>[2*i] * "
     "Q<4>[2*i + 1]; Y<2, 4>[i, j] = R<2>[i] + P<4>[j];"},
    {"slopes of which one part is constant", "Y<3>[i] = tanh(A<3>[i] + B<4>[k]) + log(A<3>[i] * B<4>[l]);"},
    {"a choice that is never taken", "Y<4, 3>[i, j] = select(2 - j < 4, A<3>[j], A<3>[(6 - 2*i + j)%3]) + A<3>[(3 - i)%3];"},
    {"a remainder that bounds no index", "Y<2>[i] = C<2, 2>[i, i%4] * A<2>[1 - i] + A<2>[(3*i + 1)%4];"},
    {"choice on data", "Y<4>[i] = select(A<4>[i] < A<4>[3 - i], A<4>[i] * 2, A<4>[3 - i]);"},
};

TEST(NamedGradients, AreExactDifferences) {
  for (const Named& named : kKernels) {
    changes_seen = changes_proven = 0;
    counts = {};
    check_all(parsed("named.tk", std::string("out Y;") + named.text), {Symbol("A")}, named.name + std::string("\n"), true);
    EXPECT_TRUE(counts.refused.empty() && counts.equal + counts.nearly > 0) << named.name << counts.text();
    EXPECT_EQ(changes_proven, changes_seen) << named.name;
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
    counts = {};
    check_all(kernel, kernel.grad_to, item["case"].get<std::string>(), false);
    EXPECT_TRUE(counts.refused.empty() && counts.equal + counts.nearly > 0) << item["case"] << counts.text();
  }
  EXPECT_EQ(compared, 11);
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
    EXPECT_NE(print_c(*derived, CStyle::Cpp, "x.hpp").header.find(item["signature"].get<std::string>()), std::string::npos)
        << print_c(*derived, CStyle::Cpp, "x.hpp").header;
  }
}

}  // namespace
}  // namespace vouch
