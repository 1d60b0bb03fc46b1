#include "certify/index_schedule_size.h"

#include <algorithm>
#include <cctype>

namespace vouch {
namespace {

using array::Size;
using array::SizePart;

constexpr std::size_t kMostDivisorDigits = 9;  // of a divisor

class SizeReader {
 public:
  SizeReader(const std::string& text, const std::vector<std::string>& names) : text_(text), names_(names) {}

  std::optional<std::vector<Size>> summands() {
    std::vector<Size> out;
    do {
      auto one = product();
      if (!one) {
        return std::nullopt;
      }
      out.push_back(*one);
    } while (accept('+'));
    return ended() ? std::optional(out) : std::nullopt;
  }

 private:
  std::optional<Size> product() {
    auto out = factor();
    while (out && accept('*')) {
      auto right = factor();
      out = right ? std::optional(size_mul(*out, *right)) : std::nullopt;
    }
    return out;
  }

  std::optional<Size> factor() {
    if (auto value = number()) {
      return array::size_const(*value);
    }
    if (accept('(')) {
      return in_parentheses();
    }
    auto name = variable();
    return name ? part(*name) : std::nullopt;
  }

  // After `(`: what is left of a block that is begun, or a part.
  std::optional<Size> in_parentheses() {
    bool twice = accept('(');
    auto name = variable();
    if (!name) {
      return std::nullopt;
    }
    if (accept('%')) {
      auto out = started(*name);
      return out && (!twice || accept(')')) ? out : std::nullopt;
    }
    auto out = twice ? std::nullopt : part(*name);
    return out && accept(')') ? out : std::nullopt;
  }

  // After a name.
  std::optional<Size> part(unsigned name) {
    bool quotient = accept('/');
    if (!quotient && !accept('%')) {
      return array::size_var(name);
    }
    auto by = divisor();
    if (!by) {
      return std::nullopt;
    }
    if (!quotient || !accept('%')) {
      return size_part(quotient ? SizePart::Quotient : SizePart::Remainder, name, *by);
    }
    auto base = divisor();
    return base ? std::optional(size_part(SizePart::Digit, name, *by, *base)) : std::nullopt;
  }

  // After `(n %`: of `(n % 64 + 63) / 64`, or of `(n % 64)`.
  std::optional<Size> started(unsigned name) {
    auto by = divisor();
    if (by && accept(')')) {
      return size_part(SizePart::Remainder, name, *by);
    }
    bool good = by && accept('+') && number() == Integer(*by - 1) && accept(')') && accept('/') && divisor() == by;
    return good ? std::optional(size_part(SizePart::Started, name, *by)) : std::nullopt;
  }

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }

  bool accept(char c) {
    skip();
    bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }

  bool ended() {
    skip();
    return at_ == text_.size();
  }

  template <class Of>
  std::string word(Of of) {
    skip();
    std::size_t begin = at_;
    while (at_ < text_.size() && of(static_cast<unsigned char>(text_[at_]))) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  std::optional<Integer> number() {
    std::string digits = word([](unsigned char c) { return std::isdigit(c) != 0; });
    return digits.empty() || digits.size() > kMostDivisorDigits ? std::nullopt : std::optional(Integer(digits));
  }

  std::optional<Integer> divisor() {
    auto value = number();
    return value && *value > 0 ? value : std::nullopt;
  }

  std::optional<unsigned> variable() {
    std::string name = word([](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? std::nullopt : std::optional(static_cast<unsigned>(found - names_.begin()));
  }

  const std::string& text_;
  const std::vector<std::string>& names_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<Size>> schedule_sizes(const std::string& text, const std::vector<std::string>& names) {
  return SizeReader(text, names).summands();
}

}  // namespace vouch
