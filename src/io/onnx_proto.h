// ONNX's protobuf classes as Debian's libonnx-dev ships them, and the one way to parse bytes into them.
#pragma once

#define ONNX_ML 1
#define ONNX_NAMESPACE onnx
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

#include <memory>
#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace vouch {

// Messages nested deeper are refused while parsing.
inline constexpr int kDeepestMessage = 100;

// Fills `message`; reports bytes that are no such message (truncated, mistyped, too deep, above 2 GiB) at `place`.
bool parse_message(std::string_view bytes, google::protobuf::Message& message, const std::string& place,
                   Diagnostics& diagnostics);

// The bytes of a message, the same for equal messages in every run. Models are large: what is to be written is not zeroed first.
class MessageBytes {
 public:
  explicit MessageBytes(const google::protobuf::Message& message);
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};
std::string message_bytes(const google::protobuf::Message& message);

}  // namespace vouch
