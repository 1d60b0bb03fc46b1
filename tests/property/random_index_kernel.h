// Random kernels in index notation, as text: strided, dilated, reversed, diagonal and folded subscripts, `//` and `%`, one tensor
// several times, broadcasting, choices on indices, several statements.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace vouch::testing {

class RandomIndexKernel {
 public:
  explicit RandomIndexKernel(std::uint32_t seed) : random_(seed) {}

  // Inputs A, B, C; output Y; `A` is always read.
  std::string text() {
    std::vector<std::string> statements;
    bool local = pick(4) == 0;
    if (local) {
      statements.push_back(statement("T", {"A", "B"}));
      defined_ = true;
    }
    statements.push_back(
        statement("Y", local ? std::vector<std::string>{"T", "A", "C"} : std::vector<std::string>{"A", "A", "B", "C"}));
    if (pick(5) == 0) {
      statements.push_back("@Y@[" + joined(last_spatial_) + "] = @Y@[" + joined(last_spatial_) + "] * 2 + " + statement_tail());
    }
    std::string out = "kernel k;\nout Y;\n";
    for (const std::string& text : statements) {
      out += with_shapes(text) + ";\n";
    }
    return out;
  }

 private:
  struct Index {
    std::string name;
    std::int64_t extent;
  };
  using Value = std::function<std::int64_t(const std::vector<std::int64_t>&)>;
  struct Subscript {
    std::string text;
    Value value;
  };

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  static std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) {
      out += (out.empty() ? "" : ", ") + part;
    }
    return out;
  }

  std::string statement(const std::string& target, const std::vector<std::string>& tensors) {
    indices_.clear();
    last_spatial_.clear();
    int spatial = 1 + pick(2);
    std::vector<std::int64_t> extents;
    for (int s = 0; s < spatial; ++s) {
      indices_.push_back({std::string(1, static_cast<char>('i' + s)), 1 + pick(5)});
      last_spatial_.push_back(indices_.back().name);
      extents.push_back(indices_.back().extent);
    }
    int reduced = pick(3);
    for (int r = 0; r < reduced; ++r) {
      indices_.push_back({std::string(1, static_cast<char>('p' + r)), 1 + pick(4)});
    }
    shapes_[target] = extents;
    tensors_ = tensors;
    must_read_ = tensors[0];
    std::string body = expression(1 + pick(3));
    if (!must_read_.empty()) {
      body = read(must_read_) + " * (" + body + ")";
    }
    // An index that the expression does not use has no domain to give.
    std::string used = body;
    for (std::size_t r = static_cast<std::size_t>(spatial); r < indices_.size(); ++r) {
      if (used.find(indices_[r].name) == std::string::npos) {
        body += fmt::format(" * ({} + 1)", indices_[r].name);
      }
    }
    for (const std::string& name : last_spatial_) {  // so that each can be given its domain
      body += fmt::format(" + 0 * {}", name);
    }
    return "@" + target + "@[" + joined(last_spatial_) + "] = " + body + domains();
  }

  // Axes get the largest extent that any statement reads, so an index alone may subscript axes of several.
  std::string domains() const {
    std::string out;
    for (const Index& index : indices_) {
      out += fmt::format("{}0 <= {} < {}", out.empty() ? " where " : ", ", index.name, index.extent);
    }
    return out;
  }

  std::string statement_tail() {
    indices_.resize(last_spatial_.size());
    std::string product = read("C") + " * " + read("A");
    return product + domains();
  }

  std::string expression(int depth) {
    if (depth == 0) {
      return pick(6) == 0 ? std::to_string(1 + pick(3))
                          : read(tensors_[static_cast<std::size_t>(pick(static_cast<int>(tensors_.size())))]);
    }
    switch (pick(9)) {
      case 0: return "(" + expression(depth - 1) + " + " + expression(depth - 1) + ")";
      case 1: return "(" + expression(depth - 1) + " - " + expression(depth - 1) + ")";
      case 2: return "(" + expression(depth - 1) + " / 3)";
      case 3: return "select(" + condition() + ", " + expression(depth - 1) + ", " + expression(depth - 1) + ")";
      case 4: return guarded_read();
      case 5: return "-" + expression(depth - 1);
      default: return "(" + expression(depth - 1) + " * " + expression(0) + ")";
    }
  }

  std::string condition() {
    Subscript a = linear();
    return fmt::format("{} {} {}", a.text, pick(2) == 0 ? "<" : pick(2) == 0 ? "==" : ">=", pick(5));
  }

  // Reads below 0 are kept away by a condition.
  std::string guarded_read() {
    std::string name = tensors_[static_cast<std::size_t>(pick(static_cast<int>(tensors_.size())))];
    if (shapes_.contains(name) && defined_ && name == "T") {
      return read(name);
    }
    Subscript s = linear();
    std::vector<Subscript> all(rank(name), Subscript{"0", [](const auto&) { return 0; }});
    all[0] = {fmt::format("{} - 2", s.text), [s](const auto& at) { return std::max<std::int64_t>(0, s.value(at) - 2); }};
    grow(name, all);
    must_read_ = name == must_read_ ? "" : must_read_;
    std::vector<std::string> texts;
    for (const Subscript& subscript : all) {
      texts.push_back(subscript.text);
    }
    return fmt::format("select({} >= 2, @{}@[{}], 1)", s.text, name, joined(texts));
  }

  std::size_t rank(const std::string& name) {
    if (!shapes_.contains(name)) {
      shapes_[name].assign(1 + static_cast<std::size_t>(pick(3)), 1);
    }
    return shapes_[name].size();
  }

  Subscript linear() {
    std::vector<std::int64_t> coefficients(indices_.size(), 0);
    std::string text;
    std::int64_t low = 0;
    for (std::size_t k = 0; k < indices_.size(); ++k) {
      static constexpr std::int64_t kChoices[] = {0, 0, 1, 1, 1, 2, 3, 5, -1, -2};
      coefficients[k] = kChoices[pick(10)];
      low += std::min<std::int64_t>(0, coefficients[k] * (indices_[k].extent - 1));
      if (coefficients[k] != 0) {
        text += fmt::format("{}{} * {}", text.empty() ? "" : " + ", coefficients[k], indices_[k].name);
      }
    }
    std::int64_t shift = -low + (pick(4) == 0 ? 1 : 0);
    text += text.empty() ? std::to_string(shift) : shift == 0 ? "" : fmt::format(" + {}", shift);
    return {text, [coefficients, shift](const std::vector<std::int64_t>& at) {
              std::int64_t sum = shift;
              for (std::size_t k = 0; k < coefficients.size(); ++k) {
                sum += coefficients[k] * at[k];
              }
              return sum;
            }};
  }

  Subscript subscript() {
    if (pick(2) == 0) {
      std::size_t k = static_cast<std::size_t>(pick(static_cast<int>(indices_.size())));
      return {indices_[k].name, [k](const std::vector<std::int64_t>& at) { return at[k]; }};
    }
    Subscript s = linear();
    int folds = pick(3) == 0 ? 1 + pick(2) : 0;
    for (int f = 0; f < folds; ++f) {
      std::int64_t by = 2 + pick(3);
      bool quotient = pick(2) == 0;
      Value inner = s.value;
      s = {fmt::format("({}) {} {}", s.text, quotient ? "//" : "%", by),
           [inner, by, quotient](const std::vector<std::int64_t>& at) { return quotient ? inner(at) / by : inner(at) % by; }};
    }
    return s;
  }

  std::string read(std::string name) {
    must_read_ = name == must_read_ ? "" : must_read_;
    std::vector<std::string> texts;
    if (name == "T") {  // its shape is what it was defined with
      for (std::int64_t extent : shapes_["T"]) {
        texts.push_back(fmt::format("({}) % {}", linear().text, extent));
      }
    } else {
      std::vector<Subscript> all;
      for (std::size_t a = 0; a < rank(name); ++a) {
        all.push_back(subscript());
        texts.push_back(all.back().text);
      }
      grow(name, all);
    }
    return fmt::format("@{}@[{}]", name, joined(texts));
  }

  // Makes room for what the subscripts reach.
  void grow(const std::string& name, const std::vector<Subscript>& subscripts) {
    std::vector<std::int64_t> at(indices_.size(), 0);
    for (;;) {
      for (std::size_t a = 0; a < subscripts.size(); ++a) {
        shapes_[name][a] = std::max(shapes_[name][a], subscripts[a].value(at) + 1);
      }
      std::size_t k = 0;
      while (k < at.size() && ++at[k] == indices_[k].extent) {
        at[k++] = 0;
      }
      if (k == at.size()) {
        return;
      }
    }
  }

  std::string with_shapes(const std::string& text) {
    std::string out;
    for (std::size_t p = 0; p < text.size(); ++p) {
      if (text[p] != '@') {
        out += text[p];
        continue;
      }
      std::size_t end = text.find('@', p + 1);
      std::string name = text.substr(p + 1, end - p - 1);
      std::vector<std::string> extents;
      for (std::int64_t extent : shapes_[name]) {
        extents.push_back(std::to_string(extent));
      }
      out += name + "<" + joined(extents) + ">";
      p = end;
    }
    return out;
  }

  std::mt19937 random_;
  std::vector<Index> indices_;
  std::vector<std::string> last_spatial_;
  std::vector<std::string> tensors_;
  std::string must_read_;
  bool defined_ = false;
  std::map<std::string, std::vector<std::int64_t>> shapes_;
};

}  // namespace vouch::testing
