// The headers of a kernel in index notation: its name, element type, inputs, outputs and targets.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/diagnostic.h"
#include "tensor/dtype.h"

namespace vouch {

struct TkName {
  std::string text;
  SourceRef source;  // where it was given
  Span span;
};

struct TkHeader {
  std::string name;
  std::string otherwise = "kernel";  // the name of a kernel whose text gives none
  std::string dtype;
  std::vector<std::pair<std::string, std::vector<TkName>>> stored;  // types, each with names that it is given to
  std::vector<TkName> inputs;
  std::vector<TkName> outputs;
  std::vector<TkName> grad_to;
  bool left_may_be_part = false;  // a smaller extent on the left says how much of an axis is read, as the JSON form has it
};

class TkReader;
struct TkToken;

// The header that begins with `word`, up to its semicolon. Errors: an unknown header, one that the kernel has already, a name
// given twice, an unknown element type.
void read_header(TkReader& reader, const TkToken& word, const SourceRef& source, TkHeader& header);

// `float`, `double`, `int`, `int64`, and, of tensors alone, `bool`.
std::optional<DType> element_type(std::string_view name);
std::string_view element_type_name(DType dtype);
// One that a kernel may compute in.
bool is_element_type(std::string_view name);

// The first name that stands in the list before; null if none does.
const TkName* given_twice(const std::vector<TkName>& names);

}  // namespace vouch
