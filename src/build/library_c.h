// A library's texts in C: its header, its functions, the calls of its kernels, its weights.
#pragma once

#include <string>

#include "build/library_names.h"

namespace vouch {

std::string library_header(const Library& library);   // NAME.h
std::string library_source(const Library& library);   // NAME.c: tests of what it is given, SHA-256, memory
std::string library_calls(const Library& library);    // NAME_plan.c: prototypes of the kernels, and NAME_plan
std::string library_weights(const Library& library);  // NAME_weights.c: those that are part of the text

// What `filled` puts into NAME.c where it tests what it is given, and calls a plan.
std::map<std::string, std::string> run_values(const Library& library);

// For the header; empty where there are none.
std::string weights_declarations(const Library& library);
// As an argument: `m_weights.numbers`, `m_weights_int64`.
std::string weights_argument(const Library& library, array::Element element);

// `x + 0`: where a value lies, as an argument of a call.
std::string place_text(const Library& library, ValueId value);
// Of the model's node that a call comes from, for a comment.
std::string call_note(const PlanCall& call);
// `const float *x`; the head of NAME_plan.
std::string parameter_text(const LibraryBuffer& buffer);
std::string plan_prototype(const Library& library);
// `size_t batch, const float *x, float *y` of the function that runs the model: sizes, inputs, outputs.
std::string run_parameters(const Library& library);
// `batch, x, y`.
std::string run_arguments(const Library& library);

}  // namespace vouch
