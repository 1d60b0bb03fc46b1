// `vouch equiv --report R.html`: one page for a browser that asks for nothing from elsewhere.
#pragma once

#include <optional>
#include <string>

#include "driver/equiv_command.h"
#include "equiv/equiv.h"

namespace vouch {

// The verdict; both models in one picture, tensors that are equal in one colour, open regions and where the models part marked;
// what each equality rests on. Models of many nodes have no picture, and the page says so. Nothing, and an error: no picture can
// be drawn.
std::optional<std::string> equiv_page(const EquivCommand& command, const EquivResult& result, Diagnostics& diagnostics);

}  // namespace vouch
