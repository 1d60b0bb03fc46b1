#include "io/onnx_newer.h"

#include <google/protobuf/unknown_field_set.h>

#include "support/fault.h"

namespace vouch {
namespace {

const google::protobuf::UnknownFieldSet& unknown_fields(const google::protobuf::Message& message) {
  return message.GetReflection()->GetUnknownFields(message);
}

// The bytes of each occurrence of the field, a text or a message.
std::vector<std::string> occurrences(const google::protobuf::Message& message, int number) {
  std::vector<std::string> out;
  const auto& fields = unknown_fields(message);
  for (int k = 0; k < fields.field_count(); ++k) {
    const auto& field = fields.field(k);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      out.push_back(field.length_delimited());
    }
  }
  return out;
}

std::string last_text(const google::protobuf::Message& message, int number) {
  std::vector<std::string> all = occurrences(message, number);
  return all.empty() ? std::string() : all.back();
}

}  // namespace

std::string overload_of(const onnx::NodeProto& call) {
  constexpr int kOverload = 8;
  return last_text(call, kOverload);
}

std::string overload_of(const onnx::FunctionProto& function) {
  constexpr int kOverload = 13;
  return last_text(function, kOverload);
}

std::optional<std::vector<onnx::AttributeProto>> default_attributes(const onnx::FunctionProto& function) {
  constexpr int kAttributeProto = 11;
  std::vector<onnx::AttributeProto> out;
  for (const std::string& bytes : occurrences(function, kAttributeProto)) {
    Diagnostics none;
    if (!parse_message(bytes, out.emplace_back(), {}, none)) {
      return std::nullopt;
    }
  }
  return out;
}

std::string newer_fields(const google::protobuf::Message& message) {
  std::string out;
  const auto& fields = unknown_fields(message);
  ensure(fields.empty() || fields.SerializeToString(&out), "fields that were read can be written");
  return out;
}

void add_newer_fields(const std::string& fields, google::protobuf::Message& message) {
  google::protobuf::UnknownFieldSet read;
  ensure(fields.empty() || read.ParseFromString(fields), "fields are as they were read");
  message.GetReflection()->MutableUnknownFields(&message)->MergeFrom(read);
}

}  // namespace vouch
