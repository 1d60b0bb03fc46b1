// What a C compiler is told, so that a text does what its certificate says. Texts that name a flag take it from here.
#pragma once

#include <string_view>

namespace vouch {

inline constexpr std::string_view kCDialect = "-std=c99";
// Without it a compiler may round a product and the sum that it is added to as one.
inline constexpr std::string_view kRoundedOneByOne = "-ffp-contract=off";
inline constexpr std::string_view kOpenMp = "-fopenmp";  // threads and lanes
inline constexpr std::string_view kOpenMpLanes = "-fopenmp-simd";
inline constexpr std::string_view kFmaInstruction = "-mfma";  // on x86
inline constexpr std::string_view kThisProcessor = "-march=native";

}  // namespace vouch
