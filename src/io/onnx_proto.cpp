#include "io/onnx_proto.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "support/fault.h"

namespace vouch {

bool parse_message(std::string_view bytes, google::protobuf::Message& message, const std::string& place,
                   Diagnostics& diagnostics) {
  google::protobuf::SetLogHandler(nullptr);  // we report; it would print
  if (bytes.size() > INT32_MAX) {
    diagnostics.error_at(place, "a protobuf message of more than 2 GiB");
    return false;
  }
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kDeepestMessage);
  if (bytes.empty() || !message.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    diagnostics.error_at(place, fmt::format("expected an ONNX {} in protobuf form, found {}", message.GetTypeName(),
                                            bytes.empty() ? std::string("an empty file")
                                                          : fmt::format("bytes that are truncated, of another "
                                                                        "format, or nested more than {} levels deep",
                                                                        kDeepestMessage)));
    return false;
  }
  return true;
}

MessageBytes::MessageBytes(const google::protobuf::Message& message) : size_(message.ByteSizeLong()) {
  ensure(size_ <= INT32_MAX, "a message of our making has at most 2 GiB");
  bytes_ = std::make_unique_for_overwrite<char[]>(size_);
  google::protobuf::io::ArrayOutputStream sink(bytes_.get(), static_cast<int>(size_));
  google::protobuf::io::CodedOutputStream stream(&sink);
  stream.SetSerializationDeterministic(true);
  ensure(message.SerializePartialToCodedStream(&stream), "a message of our making can be serialised");
  stream.Trim();
  ensure(!stream.HadError() && sink.ByteCount() == static_cast<std::int64_t>(size_), "a message has the size that it says");
}

std::string message_bytes(const google::protobuf::Message& message) { return std::string(MessageBytes(message).view()); }

}  // namespace vouch
