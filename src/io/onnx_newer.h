// Fields of ONNX's messages that are newer than the library that parses them (onnx.proto3 of IR versions 8 to 10): what was read
// of them lies in a message as bytes of unknown fields.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/onnx_proto.h"

namespace vouch {

// Which of the functions of one name and domain is meant, or is this one.
std::string overload_of(const onnx::NodeProto& call);
std::string overload_of(const onnx::FunctionProto& function);
// What attributes of a call are where it does not give them; nothing if that cannot be read.
std::optional<std::vector<onnx::AttributeProto>> default_attributes(const onnx::FunctionProto& function);

// All such fields, and the same put into another message of the type; empty for most messages.
std::string newer_fields(const google::protobuf::Message& message);
void add_newer_fields(const std::string& fields, google::protobuf::Message& message);

}  // namespace vouch
