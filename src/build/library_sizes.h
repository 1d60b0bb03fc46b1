// A library that is told sizes when it is called: a plan for each choice of them, weights and kernels in common.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "build/library_names.h"

namespace vouch {

// Of each size of the model's inputs, the numbers that it may be; those of several are told to the library.
using SizeChoices = std::map<std::string, std::vector<std::int64_t>>;

inline constexpr std::size_t kMostPlans = 64;
// At most one more than that.
std::size_t how_many_plans(const SizeChoices& choices);

std::vector<LibrarySize> library_sizes(const std::string& library, const SizeChoices& choices);
// Every choice, in order: the last size varies fastest; one, of nothing, where there are no sizes.
std::vector<std::vector<std::int64_t>> choices_of(const std::vector<LibrarySize>& sizes);
// `batch_1_tokens_8`: what tells a plan's names from those of the others.
std::string choice_name(const std::vector<LibrarySize>& sizes, const std::vector<std::int64_t>& at);
// `batch=1, tokens=8`.
std::string choice_text(const std::vector<LibrarySize>& sizes, const std::vector<std::int64_t>& at);

// `plans` are in the order of `choices_of`, `kernels` all of theirs. Equal weights of several plans lie in one place; the arena
// is that of the plan that needs the most.
Library join_plans(const std::string& name, std::vector<CallPlan> plans, std::vector<PlanKernel> kernels,
                   std::vector<LibrarySize> sizes, const LibraryOptions& options);

// The plans, of a library without sizes itself.
std::vector<const Library*> plans_of(const Library& library);

}  // namespace vouch
