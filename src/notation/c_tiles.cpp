#include "notation/c_tiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "notation/tk_bounds.h"
#include "term/substitute.h"

namespace vouch {
namespace {

class TilePrinter {
 public:
  TilePrinter(const TkKernel& kernel, const TkStatement& statement, const TilePlan& plan, const CTerms& terms)
      : kernel_(kernel),
        statement_(statement),
        plan_(plan),
        terms_(terms),
        extents_(kernel.tensor(statement.target).extents()),
        lane_(statement.indices.back()),
        row_(statement.indices[plan.rows_axis]),
        lanes_end_(tiled_lanes(kernel, statement, plan)) {
    auto taken = [&](Symbol name) {
      auto has = [&](const TkSummand& s) {
        return std::any_of(s.loops.begin(), s.loops.end(), [&](const TkLoop& l) { return l.name == name; });
      };
      return std::find(statement.indices.begin(), statement.indices.end(), name) != statement.indices.end() ||
             std::any_of(statement.summands.begin(), statement.summands.end(), has);
    };
    first_ = fresh_name(Symbol("first"), taken);
  }

  std::string print() {
    line(fmt::format("if ({}) {{", plan_.finite.empty() ? "1" : tests()));
    ++depth_;
    line("int vouch_failed = 0;");
    out_ += "#pragma omp parallel reduction(|:vouch_failed)\n";
    line("{");
    ++depth_;
    frames("allocate");
    nest();
    frames("free");
    --depth_;
    line("}");
    line("vouch_done = !vouch_failed;");
    --depth_;
    line("}");
    return out_;
  }

 private:
  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }
  bool has_rows() const { return plan_.rows > 1; }
  std::string frame_name(std::size_t s, std::size_t r) const { return fmt::format("vouch_frame{}_{}", s, r); }

  std::string tests() const {
    std::vector<std::string> parts;
    for (Symbol tensor : plan_.finite) {
      const Extents extents = kernel_.tensor(tensor).extents();
      std::vector<Term> zeros(extents.size(), Term(0));
      parts.push_back(fmt::format("vouch_finite(&{}, {})", terms_.element(tensor, zeros), *element_count(extents)));
    }
    return fmt::format("{}", fmt::join(parts, " && "));
  }

  std::string frame_dims(const VectorRead& read, std::size_t from) const {
    std::string out;
    for (std::size_t a = from; a < read.counts.size(); ++a) {
      out += fmt::format("[{}]", read.counts[a] + (a + 1 == read.counts.size() ? plan_.width() - 1 : 0));
    }
    return out;
  }

  // A thread's own frames.
  void frames(std::string_view act) {
    for (std::size_t s = 0; s < plan_.summands.size(); ++s) {
      for (std::size_t r = 0; r < plan_.summands[s].reads.size(); ++r) {
        const VectorRead& read = plan_.summands[s].reads[r];
        std::string name = frame_name(s, r);
        if (read.packed && act == "allocate") {
          std::string inner = frame_dims(read, 1);
          line(fmt::format("{0} (*{1}){2} = ({0} (*){2})malloc(sizeof({0}{3}));", kernel_.dtype, name, inner,
                           frame_dims(read, 0)));
          line(fmt::format("vouch_failed |= !{};", name));
        } else if (read.packed) {
          line(fmt::format("free({});", name));
        }
      }
    }
  }

  void nest() {
    bool blocks = has_rows() && extents_[plan_.rows_axis] > plan_.block;
    std::size_t loops = extents_.size() - (has_rows() && !blocks ? 1 : 0);
    out_ += fmt::format("#pragma omp for collapse({}) schedule(static)\n", loops);
    std::size_t kept = depth_;
    for (std::size_t a = 0; a < extents_.size(); ++a) {
      bool last = a + 1 == extents_.size();
      bool rows = has_rows() && a == plan_.rows_axis;
      if (rows && !blocks) {
        continue;
      }
      std::string i = rows ? "vouch_block" : CTerms::index(last ? first_ : statement_.indices[a]);
      line(fmt::format("for (int64_t {0} = 0; {0} < {1}; {0} += {2}){3}", i, last ? lanes_end_ : extents_[a],
                       last   ? plan_.width()
                       : rows ? plan_.block
                              : 1,
                       last ? " {" : ""));
      ++depth_;
    }
    line("if (vouch_failed) continue;");
    fill_frames();
    if (has_rows()) {
      rows_of(blocks);
    } else {
      tile(1);
    }
    depth_ = kept;
    line("}");
  }

  // Whole tiles of the block's rows, then the rows that are left over.
  void rows_of(bool blocks) {
    std::int64_t extent = extents_[plan_.rows_axis];
    std::int64_t whole = extent / plan_.rows * plan_.rows;
    std::string i = CTerms::index(row_);
    std::string from = blocks ? "vouch_block" : "0";
    std::string to = blocks ? fmt::format("vouch_min({}, vouch_block + {})", whole, plan_.block) : fmt::format("{}", whole);
    line(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0} += {3}) {{", i, from, to, plan_.rows));
    ++depth_;
    tile(plan_.rows);
    --depth_;
    line("}");
    if (whole < extent) {
      line(blocks ? fmt::format("if (vouch_block <= {0} && {0} < vouch_block + {1}) {{", whole, plan_.block) : "{");
      ++depth_;
      line(fmt::format("const int64_t {} = {};", i, whole));
      tile(extent - whole);
      --depth_;
      line("}");
    }
  }

  Term at_first(Term term) const { return substitute(term, lane_, int_var(first_)); }
  Term at_row(Term term, std::int64_t r) const { return r == 0 ? term : substitute(term, row_, int_var(row_) + Term(r)); }

  void fill_frames() {
    for (std::size_t s = 0; s < plan_.summands.size(); ++s) {
      for (std::size_t r = 0; r < plan_.summands[s].reads.size(); ++r) {
        if (plan_.summands[s].reads[r].packed) {
          fill(plan_.summands[s].reads[r], frame_name(s, r));
        }
      }
    }
  }

  // Copies what of the frame lies in the tensor; along the lanes the rest is 0.
  void fill(const VectorRead& read, const std::string& name) {
    const Extents extents = kernel_.tensor(read.read->symbol).extents();
    Box box = statement_box(kernel_, statement_);
    std::size_t kept = depth_;
    std::string to = name;
    std::string from = terms_.element(read.read->symbol, {});
    for (std::size_t a = 0; a + 1 < extents.size(); ++a) {
      Term begin = read.begins[a];
      Interval range = range_of(begin, box);
      Term low = range.low && box.at_least(*range.low, Term(0)) ? Term(0) : int_max(Term(0), -begin);
      Term count(read.counts[a]);
      Term high = range.high && box.at_least(Term(extents[a]), *range.high + Term(read.counts[a]))
                      ? count
                      : int_min(count, Term(extents[a]) - begin);
      std::string at = "0";
      if (low != Term(0) || high != Term(1)) {
        at = fmt::format("vouch_at{}", a);
        line(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0})", at, terms_.integer(low), terms_.integer(high)));
        ++depth_;
      }
      to += fmt::format("[{}]", at);
      from += begin == Term(0) || at == "0" ? fmt::format("[{}]", at == "0" ? terms_.integer(begin) : at)
                                            : fmt::format("[{} + {}]", terms_.integer(begin), at);
    }
    line(fmt::format("vouch_fill({}, {}, {}, {}, {});", to, read.counts.back() + plan_.width() - 1, from,
                     terms_.integer(at_first(read.begins.back())), extents.back()));
    depth_ = kept;
  }

  void tile(std::int64_t rows) {
    rows_ = rows;
    for (std::int64_t r = 0; r < rows; ++r) {
      std::vector<std::string> sums;
      for (std::int64_t v = 0; v < plan_.vectors; ++v) {
        sums.push_back(fmt::format("vouch_sum{}_{} = {{0}}", r, v));
      }
      line(fmt::format("vouch_vector {};", fmt::join(sums, ", ")));
    }
    for (std::size_t s = 0; s < plan_.summands.size(); ++s) {
      sum(s);
    }
    store();
  }

  void sum(std::size_t s) {
    const TileSummand& summand = plan_.summands[s];
    std::size_t kept = depth_;
    line("{");
    std::vector<Term> open = summand.conditions;
    for (std::size_t depth = 0; depth <= summand.loops.size(); ++depth) {
      std::erase_if(open, [&](Term part) {
        bool ready = std::none_of(summand.loops.begin() + static_cast<std::ptrdiff_t>(depth), summand.loops.end(),
                                  [&](const TkLoop& loop) { return names_index(part, loop.name); });
        if (ready) {
          ++depth_;
          line(fmt::format("if ({})", terms_.guard(part)));
        }
        return ready;
      });
      if (depth < summand.loops.size()) {
        const TkLoop& loop = summand.loops[depth];
        std::string i = CTerms::index(loop.name);
        ++depth_;
        if (depth + 1 == summand.loops.size()) {
          out_ += "#pragma GCC unroll 1\n";  // else gcc joins steps of the loop and runs out of registers
        }
        line(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0})", i, terms_.integer(loop.begin), terms_.integer(loop.end)));
      }
    }
    out_.insert(out_.size() - 1, depth_ > kept ? " {" : "");
    body(s);
    if (depth_ > kept) {
      line("}");
    }
    depth_ = kept;
    line("}");
  }

  void body(std::size_t s) {
    ++depth_;
    const std::vector<VectorRead>& reads = plan_.summands[s].reads;
    for (std::size_t k = 0; k < reads.size(); ++k) {
      for (std::int64_t v = 0; v < plan_.vectors && is_shared(reads[k]); ++v) {
        line(fmt::format("const vouch_vector vouch_read{}_{} = {};", k, v, load(s, k, reads[k].read, v)));
      }
    }
    for (std::int64_t r = 0; r < rows_; ++r) {
      for (std::int64_t v = 0; v < plan_.vectors; ++v) {
        line(fmt::format("vouch_sum{}_{} += {};", r, v, value(s, statement_.summands[s].body, r, v)));
      }
    }
    --depth_;
  }

  // Read once for all rows: never beyond a frame.
  bool is_shared(const VectorRead& read) const { return read.packed && !(has_rows() && names_index(read.read, row_)); }

  std::string load(std::size_t s, std::size_t k, Term read, std::int64_t v) const {
    const VectorRead& vector = plan_.summands[s].reads[k];
    std::vector<Term> at;
    for (std::size_t a = 0; a < read.args().size(); ++a) {
      at.push_back(at_first(read.arg(a)) - (vector.packed ? at_first(vector.begins[a]) : Term(0)));
    }
    std::string element = vector.packed ? frame_name(s, k) : terms_.element(read->symbol, {});
    at.back() = at.back() + Term(v * plan_.lanes);
    for (Term index : at) {
      element += fmt::format("[{}]", terms_.integer(index));
    }
    return fmt::format("*(const vouch_unaligned *)&{}", element);
  }

  std::string value(std::size_t s, Term term, std::int64_t r, std::int64_t v) const {
    if (!names_index(term, lane_)) {
      return terms_.scalar(has_rows() ? at_row(term, r) : term);
    }
    auto part = [&](std::size_t k) { return value(s, term.arg(k), r, v); };
    auto binary = [&](const char* op) { return fmt::format("({} {} {})", part(0), op, part(1)); };
    switch (term.kind()) {
      case TermKind::Read: {
        const std::vector<VectorRead>& reads = plan_.summands[s].reads;
        std::size_t k = 0;
        while (reads[k].read != term) {
          ++k;
        }
        return is_shared(reads[k]) ? fmt::format("vouch_read{}_{}", k, v) : load(s, k, has_rows() ? at_row(term, r) : term, v);
      }
      case TermKind::RealAdd: return binary("+");
      case TermKind::RealSub: return binary("-");
      case TermKind::RealMul: return binary("*");
      case TermKind::RealDiv: return binary("/");
      case TermKind::RealNeg: return fmt::format("(-{})", part(0));
      default:
        return fmt::format("({} ? {} : {})", terms_.guard(has_rows() ? at_row(term.arg(0), r) : term.arg(0)), part(1), part(2));
    }
  }

  void store() {
    std::vector<Term> at;
    for (Symbol name : statement_.indices) {
      at.push_back(name == lane_ ? int_var(first_) : int_var(name));
    }
    bool whole = lanes_end_ % plan_.width() == 0;
    for (std::int64_t v = 0; v < plan_.vectors; ++v) {
      for (std::int64_t r = 0; r < rows_; ++r) {
        std::vector<Term> row;
        for (Term index : at) {
          row.push_back(has_rows() ? at_row(index, r) : index);
        }
        row.back() = row.back() + Term(v * plan_.lanes);
        // The address of a row's element, never formed beyond the row.
        std::string element = terms_.element(statement_.target, row);
        if (whole) {
          line(fmt::format("*(vouch_unaligned *)&{} = vouch_sum{}_{};", element, r, v));
        } else {
          std::vector<Term> start(row.begin(), row.end() - 1);
          line(fmt::format("VOUCH_STORE({}, {}, {}, vouch_sum{}_{});", terms_.element(statement_.target, start),
                           terms_.integer(row.back()), extents_.back(), r, v));
        }
      }
    }
  }

  const TkKernel& kernel_;
  const TkStatement& statement_;
  const TilePlan& plan_;
  const CTerms& terms_;
  const Extents extents_;
  Symbol lane_;
  Symbol row_;
  std::int64_t lanes_end_;
  Symbol first_;  // the first lane of the tile
  std::int64_t rows_ = 1;
  std::size_t depth_ = 2;
  std::string out_;
};

}  // namespace

std::int64_t tiled_lanes(const TkKernel& kernel, const TkStatement& statement, const TilePlan& plan) {
  std::int64_t extent = kernel.tensor(statement.target).extents().back();
  return plan.frames_only ? extent : extent / plan.width() * plan.width();
}

std::string tile_declarations(const std::string& dtype) {
  bool single = dtype == "float";
  return fmt::format(
      "#if defined(__GNUC__) && !defined(VOUCH_PLAIN)\n#define VOUCH_VECTORS\n"
      "typedef {0} vouch_vector __attribute__((vector_size({1})));\n"
      "typedef {0} vouch_unaligned __attribute__((vector_size({1}), aligned({2}), may_alias));\n"
      "#define VOUCH_LANES {3}\n"
      "/* Stores those lanes that lie in the row. */\n"
      "#define VOUCH_STORE(row, at, extent, sum) \\\n"
      "  do {{ if ((at) + VOUCH_LANES <= (extent)) *(vouch_unaligned *)&(row)[at] = sum; \\\n"
      "  else {{ \\\n"
      "    {0} vouch_copy[VOUCH_LANES]; \\\n"
      "    *(vouch_unaligned *)vouch_copy = sum; \\\n"
      "    for (int64_t vouch_lane = (at); vouch_lane < (extent); ++vouch_lane) (row)[vouch_lane] = vouch_copy[vouch_lane - "
      "(at)]; \\\n"
      "  }} }} while (0)\n"
      "/* The elements from `begin` on of a row, with 0 where there is none. */\n"
      "static inline void vouch_fill({0} *to, int64_t count, const {0} *row, int64_t begin, int64_t extent) {{\n"
      "  const int64_t low = vouch_min(count, vouch_max(0, -begin)), high = vouch_max(low, vouch_min(count, extent - begin));\n"
      "  for (int64_t i = 0; i < low; ++i) to[i] = 0;\n"
      "  for (int64_t i = low; i < high; ++i) to[i] = row[begin + i];\n"
      "  for (int64_t i = high; i < count; ++i) to[i] = 0;\n"
      "}}\n"
      "static inline int vouch_finite(const {0} *x, int64_t count) {{\n"
      "  {4} bits, found = 0;\n"
      "  for (int64_t i = 0; i < count; ++i) {{\n"
      "    memcpy(&bits, x + i, sizeof bits);\n"
      "    found |= (bits & {5}) == {5};\n"
      "  }}\n"
      "  return !found;\n"
      "}}\n"
      "#endif\n",
      dtype, kVectorBytes, single ? 4 : 8, kVectorBytes / (single ? 4 : 8), single ? "uint32_t" : "uint64_t",
      single ? "0x7f800000u" : "0x7ff0000000000000u");
}

std::string print_tiles(const TkKernel& kernel, const TkStatement& statement, const TilePlan& plan, const CTerms& terms) {
  return TilePrinter(kernel, statement, plan, terms).print();
}

}  // namespace vouch
