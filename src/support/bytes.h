// Numbers and texts as bytes: numbers in groups of seven bits, the lowest first, texts behind their length.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vouch {

class ByteWriter {
 public:
  void number(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) {
      out_ += static_cast<char>((value & 0x7fU) | 0x80U);
    }
    out_ += static_cast<char>(value);
  }
  void text(std::string_view value) {
    number(value.size());
    out_ += value;
  }
  void raw(std::string_view bytes) { out_ += bytes; }
  const std::string& bytes() const { return out_; }

 private:
  std::string out_;
};

struct BadBytes : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws BadBytes where what is asked for is not there.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      auto byte = static_cast<unsigned char>(take(1).front());
      out |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0) {
        return out;
      }
    }
    throw BadBytes("a number without end");
  }
  // How many items follow, each of a byte at least.
  std::size_t count() {
    std::uint64_t out = number();
    if (out > rest_.size()) {
      throw BadBytes("more than there is");
    }
    return out;
  }
  std::string_view text() { return take(count()); }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) {
      throw BadBytes("ends early");
    }
    std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }

  std::string_view rest_;
};

}  // namespace vouch
