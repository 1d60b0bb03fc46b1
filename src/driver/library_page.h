// `report.html`: what `vouch build` did with a model, for a browser; one file that asks for nothing from elsewhere.
#pragma once

#include <string>

#include "driver/library_recipe.h"

namespace vouch {

// Both graphs side by side with what each rewrite changed, its rule and verdict; per node the call, the kernel, its file and
// cost; memory over time. `before` and `after` are one graph before and after its steps: nodes keep their ids.
std::string library_page(const BuiltLibrary& built, const std::vector<Graph>& before, const std::vector<Graph>& after);

}  // namespace vouch
