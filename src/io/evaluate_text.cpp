// TfIdfVectorizer of ONNX: how often sequences of a pool are met.
#include <algorithm>
#include <map>

#include "io/evaluated_node.h"

namespace vouch {
namespace {

using Sequence = std::vector<std::int64_t>;

constexpr double kMostSequences = 4294967296.0;

// The sequences that are counted, each with its place in the result.
struct SequencePool {
  std::map<Sequence, std::int64_t> place;
  std::int64_t places = 0;
  std::vector<std::int64_t> order;  // places, in the order of the sequences
};

// `ngram_counts[k]`: where sequences of k + 1 numbers begin in the pool.
std::optional<SequencePool> pool_of(EvaluatedNode& node) {
  std::vector<std::int64_t> numbers = node.integers("pool_int64s", {});
  std::vector<std::int64_t> begins = node.integers("ngram_counts", {});
  SequencePool out;
  out.order = node.integers("ngram_indexes", {});
  auto end = static_cast<std::int64_t>(numbers.size());
  bool fit = !numbers.empty() && !begins.empty() && begins[0] == 0 && std::is_sorted(begins.begin(), begins.end()) &&
             begins.back() <= end &&
             std::all_of(out.order.begin(), out.order.end(), [](std::int64_t at) { return at >= 0 && at < (1 << 30); });
  begins.push_back(end);
  std::size_t next = 0;
  for (std::size_t k = 0; fit && k + 1 < begins.size(); ++k) {
    auto length = static_cast<std::int64_t>(k + 1);
    fit = (begins[k + 1] - begins[k]) % length == 0;
    for (std::int64_t at = begins[k]; fit && at < begins[k + 1]; at += length) {
      Sequence one(numbers.begin() + at, numbers.begin() + at + length);
      fit = next < out.order.size() && out.place.emplace(std::move(one), out.order[next]).second;
      out.places = fit ? std::max(out.places, out.order[next] + 1) : 0;
      ++next;
    }
  }
  fit = fit && next == out.order.size();
  return fit ? std::optional(std::move(out))
             : node.fail("expected a pool of different sequences of whole numbers, each with its place");
}

// Counts what of the pool stands in one row. Neighbours may be up to `skips + 1` apart; a number alone has none.
class Counter {
 public:
  Counter(const SequencePool& pool, std::int64_t shortest, std::int64_t longest, std::int64_t skips)
      : pool_(pool), shortest_(shortest), longest_(longest), skips_(skips) {}

  std::vector<double> of(const Tensor& x, std::int64_t begin, std::int64_t size) const {
    std::vector<double> out(static_cast<std::size_t>(pool_.places));
    for (std::int64_t length = shortest_; length <= std::min(longest_, size); ++length) {
      for (std::int64_t apart = 1; apart <= (length == 1 ? 1 : skips_ + 1) && (length - 1) * apart < size; ++apart) {
        for (std::int64_t first = 0; first + (length - 1) * apart < size; ++first) {
          Sequence one;
          for (std::int64_t k = 0; k < length; ++k) {
            one.push_back(x.int_at(begin + first + k * apart));
          }
          auto found = pool_.place.find(one);
          out[found == pool_.place.end() ? 0 : static_cast<std::size_t>(found->second)] += found == pool_.place.end() ? 0 : 1;
        }
      }
    }
    return out;
  }

 private:
  const SequencePool& pool_;
  std::int64_t shortest_;
  std::int64_t longest_;
  std::int64_t skips_;
};

}  // namespace

// TF: counts; IDF: weights of what is there; TFIDF: counts times weights.
EvaluatedResults evaluate_tf_idf_vectorizer(EvaluatedNode& node) {
  auto pool = node.needs({1}) ? pool_of(node) : std::nullopt;
  if (!pool) {
    return node.why().empty() ? node.fail("expected a row, or rows, of whole numbers") : std::nullopt;
  }
  const Tensor& x = node.operand(0);
  std::int64_t shortest = node.integer("min_gram_length", 0);
  std::int64_t longest = node.integer("max_gram_length", 0);
  std::int64_t skips = node.integer("max_skip_count", -1);
  std::string mode = node.text("mode", "");
  std::vector<double> weights = node.reals("weights");
  bool known = mode == "TF" || mode == "IDF" || mode == "TFIDF";
  bool fit = x.rank() <= 2 && is_integer(x.dtype()) && shortest >= 1 && longest >= shortest && skips >= 0 && skips < (1 << 30) &&
             known && longest <= 64 && (weights.empty() || weights.size() == pool->order.size());
  if (!fit) {
    return node.fail(
        "expected a row, or rows, of whole numbers, a mode of ONNX's, lengths of at least 1 (to 64), and a weight for each "
        "sequence");
  }
  std::int64_t size = x.extents().back();
  std::int64_t rows = x.rank() == 2 ? x.extents()[0] : 1;
  Extents extents = x.rank() == 2 ? Extents{rows, pool->places} : Extents{pool->places};
  if (!node.may_have(DType::Float32, extents)) {
    return std::nullopt;
  }
  double pairs = static_cast<double>(rows) * static_cast<double>(size) * static_cast<double>(std::min(skips + 1, size));
  if (pairs * static_cast<double>(std::min(longest, size)) > kMostSequences) {
    return node.fail("there are too many sequences to look at");
  }
  std::vector<double> weight_at(static_cast<std::size_t>(pool->places), 1);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weight_at[static_cast<std::size_t>(pool->order[k])] = weights[k];
  }
  Tensor out(DType::Float32, extents);
  Counter counter(*pool, shortest, longest, skips);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<double> counts = counter.of(x, row * size, size);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      double count = mode == "IDF" ? std::min(counts[k], 1.0) : counts[k];
      out.set_double(row * pool->places + static_cast<std::int64_t>(k), count * (mode == "TF" ? 1 : weight_at[k]));
    }
  }
  return std::vector<Tensor>{std::move(out)};
}

}  // namespace vouch
