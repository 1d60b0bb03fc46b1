// A library's texts in C: its header, its functions, the calls of its kernels, its weights.
#pragma once

#include <string>

#include "build/library_names.h"

namespace vouch {

std::string library_header(const Library& library);   // NAME.h
std::string library_source(const Library& library);   // NAME.c: tests of what it is given, SHA-256, memory
std::string library_calls(const Library& library);    // NAME_plan.c: prototypes of the kernels, and NAME_plan
std::string library_weights(const Library& library);  // NAME_weights.c, where weights are embedded

// `x + 0`: where a value lies, as an argument of a call.
std::string place_text(const Library& library, ValueId value);
// Of the model's node that a call comes from, for a comment.
std::string call_note(const PlanCall& call);
// `const float *x, float *y` of the function that runs the model: inputs, then outputs.
std::string tensor_parameters(const Library& library);

}  // namespace vouch
