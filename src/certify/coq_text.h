// Programs as Coq terms, as coq/array/Syntax.v and coq/certify/Certificate.v declare them.
#pragma once

#include <string>
#include <string_view>

#include "array/program.h"

namespace vouch::array {

std::string coq_size(const Size& size);
std::string coq_type(const Type& type);
std::string coq_const(const Const& constant);
std::string coq_element(Element element);
std::string coq_index(const Index& index);
std::string_view coq_loop(LoopKind kind);
std::string coq_guard(const Guard& guard);
std::string coq_layout(const Layout& layout);
std::string coq_exp(const Exp& exp);
// The constructor of a term with its arguments that are no terms.
std::string coq_head(const Exp& exp);
// A string literal.
std::string coq_string(std::string_view text);
// A long one, by certify/Text.v: of parts at ends of lines, since Coq reads a literal as deep as it is long.
std::string coq_text(std::string_view text);
// The record `source`.
std::string coq_source(const Program& program);

}  // namespace vouch::array
