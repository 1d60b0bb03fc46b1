#include "kernel/strided.h"

#include <algorithm>
#include <numeric>

#include "term/eval.h"

namespace vouch {
namespace {

using Table = std::vector<std::int64_t>;

struct Separated {
  std::int64_t constant = 0;
  std::vector<Table> tables;  // empty: 0 everywhere

  std::pair<std::int64_t, std::int64_t> range() const {
    std::int64_t low = constant;
    std::int64_t high = constant;
    for (const Table& table : tables) {
      if (!table.empty()) {
        auto [least, most] = std::minmax_element(table.begin(), table.end());
        low += *least;
        high += *most;
      }
    }
    return {low, high};
  }
};

// Sums of a few such values stay within 64 bits.
constexpr std::int64_t kFarthest = std::int64_t{1} << 48;

std::optional<Table> table_of(Term summand, Symbol name, std::int64_t extent) {
  Table table;
  EvalEnvironment environment;
  for (std::int64_t value = 0; value < extent; ++value) {
    environment.integers.insert_or_assign(name, Integer(value));
    auto found = eval_int(summand, environment);
    const Integer* known = std::get_if<Integer>(&found);
    if (known == nullptr || *known > kFarthest || *known < -kFarthest) {
      return std::nullopt;
    }
    table.push_back(static_cast<std::int64_t>(*known));
  }
  return table;
}

bool add_summand(Separated& sum, Term summand, const IndexSpace& space) {
  if (auto number = const_int(summand)) {
    sum.constant += *number;
    return *number<kFarthest&& * number> - kFarthest;
  }
  std::vector<Symbol> names = free_variables(summand);
  auto at = names.size() == 1 ? std::find(space.names.begin(), space.names.end(), names[0]) : space.names.end();
  if (at == space.names.end() || !tensors_read(summand).empty()) {
    return false;
  }
  auto k = static_cast<std::size_t>(at - space.names.begin());
  auto table = table_of(summand, names[0], space.extents[k]);
  if (!table) {
    return false;
  }
  Table& total = sum.tables[k];
  if (total.empty()) {
    total = std::move(*table);
  } else {
    std::transform(total.begin(), total.end(), table->begin(), total.begin(), std::plus<>());
  }
  return true;
}

std::optional<Separated> separate(Term index, const IndexSpace& space) {
  Separated sum;
  sum.tables.resize(space.names.size());
  std::span<const Term> summands = index.kind() == TermKind::IntAdd ? index.args() : std::span<const Term>(&index, 1);
  bool fits = std::all_of(summands.begin(), summands.end(), [&](Term summand) { return add_summand(sum, summand, space); });
  return fits ? std::optional(std::move(sum)) : std::nullopt;
}

struct Axis {
  Separated index;
  std::int64_t before = 0;  // elements of the border
  std::int64_t after = 0;
};

// The axes of the read, where each conjunct of the guard bounds one of them, and what is not bounded is in range.
std::optional<std::vector<Axis>> axes_of(Term read, Term guard, const Extents& extents, const IndexSpace& space) {
  std::vector<Term> conjuncts;
  if (guard.kind() == TermKind::And) {
    conjuncts.assign(guard.args().begin(), guard.args().end());
  } else if (!is_true(guard)) {
    conjuncts.push_back(guard);
  }
  auto take = [&](Term bound) { return std::erase(conjuncts, bound) > 0; };
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    auto index = separate(read.arg(k), space);
    if (!index) {
      return std::nullopt;
    }
    auto [low, high] = index->range();
    bool kept_low = take(le(0, read.arg(k)));
    bool kept_high = take(lt(read.arg(k), Term(extents[k])));
    if ((low < 0 && !kept_low) || (high >= extents[k] && !kept_high)) {
      return std::nullopt;
    }
    axes.push_back({std::move(*index), std::max<std::int64_t>(0, -low), std::max<std::int64_t>(0, high - extents[k] + 1)});
  }
  return conjuncts.empty() ? std::optional(std::move(axes)) : std::nullopt;
}

template <class T>
T element_of(const Tensor& tensor, std::int64_t position) {
  if (tensor.dtype() == DType::Float32) {
    return tensor.as<float>()[static_cast<std::size_t>(position)];
  }
  return static_cast<T>(tensor.double_at(position));
}

// The tensor's elements in the middle of `fill`.
template <class T>
std::vector<T> bordered(const Tensor& tensor, const std::vector<Axis>& axes, const Extents& wide, std::int64_t count, T fill) {
  std::vector<T> copy(static_cast<std::size_t>(count), fill);
  const Extents& extents = tensor.extents();
  std::int64_t row = extents.empty() ? 1 : extents.back();
  std::vector<std::int64_t> at(extents.size());
  for (std::int64_t from = 0; row > 0 && from < tensor.count(); from += row) {
    std::int64_t to = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      to = to * wide[k] + at[k] + axes[k].before;
    }
    for (std::int64_t i = 0; i < row; ++i) {
      copy[static_cast<std::size_t>(to + i)] = element_of<T>(tensor, from + i);
    }
    for (std::size_t k = at.size(); k-- > 1;) {
      if (++at[k - 1] < extents[k - 1]) {
        break;
      }
      at[k - 1] = 0;
    }
  }
  return copy;
}

template <class T>
bool holds(DType dtype) {
  return dtype == (sizeof(T) == sizeof(float) ? DType::Float32 : DType::Float64);
}

bool fits_float(DType dtype) { return dtype == DType::Float32 || dtype == DType::Float16 || dtype == DType::BFloat16; }

}  // namespace

template <class T>
bool StridedRead<T>::moves(std::size_t index) const {
  const std::vector<std::int64_t>& table = steps[index];
  return std::adjacent_find(table.begin(), table.end(), std::not_equal_to<>()) != table.end();
}

template <class T>
std::optional<StridedRead<T>> strided_read(Term read, Term guard, const Tensor& tensor, const IndexSpace& space, T fill) {
  if (!is_float(tensor.dtype()) || (sizeof(T) == sizeof(float) && !fits_float(tensor.dtype()))) {
    return std::nullopt;
  }
  auto axes = axes_of(read, guard, tensor.extents(), space);
  if (!axes) {
    return std::nullopt;
  }
  Extents wide;
  for (std::size_t k = 0; k < axes->size(); ++k) {
    wide.push_back(tensor.extents()[k] + (*axes)[k].before + (*axes)[k].after);
  }
  auto count = element_count(wide);
  if (!count || *count / 8 > tensor.count() + 4096) {
    return std::nullopt;
  }
  StridedRead<T> strided;
  for (std::size_t k = 0; k < space.names.size(); ++k) {
    strided.steps.emplace_back(static_cast<std::size_t>(space.extents[k]), 0);
  }
  std::int64_t stride = 1;
  for (std::size_t axis = axes->size(); axis-- > 0;) {
    const Axis& at = (*axes)[axis];
    strided.base += (at.index.constant + at.before) * stride;
    for (std::size_t k = 0; k < strided.steps.size(); ++k) {
      for (std::size_t v = 0; v < at.index.tables[k].size(); ++v) {
        strided.steps[k][v] += at.index.tables[k][v] * stride;
      }
    }
    stride *= wide[axis];
  }
  if (*count == tensor.count() && holds<T>(tensor.dtype())) {
    strided.data = tensor.as<T>().data();
  } else {
    strided.copy = bordered(tensor, *axes, wide, *count, fill);
    strided.data = strided.copy.data();
  }
  return strided;
}

template struct StridedRead<float>;
template struct StridedRead<double>;
template std::optional<StridedRead<float>> strided_read(Term, Term, const Tensor&, const IndexSpace&, float);
template std::optional<StridedRead<double>> strided_read(Term, Term, const Tensor&, const IndexSpace&, double);

}  // namespace vouch
