// Where answers are kept from one run to the next.
#pragma once

#include <string>

namespace vouch {

// $VOUCH_CACHE, or `vouch` in the user's folder for such files; empty if there is none.
std::string cache_folder();

// Likewise the user's folder for what has to stay.
std::string state_folder();

}  // namespace vouch
