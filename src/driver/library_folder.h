// A library's folder: written so that what is there is whole, and checked against what its sources give.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "driver/folder_check.h"
#include "driver/library_recipe.h"

namespace vouch {

// What makes the folder a library (its manifest, its build file) is taken away first and written last; files that already have
// their bytes stay; those of an earlier library that this one has not are removed.
bool write_library(const std::string& folder, const BuiltLibrary& built, Diagnostics& diagnostics);

// Whether the folder's manifest says that it is a library.
bool is_library(const std::string& folder);
// What the folder's sources give.
std::optional<BuiltLibrary> library_anew(const std::string& folder, Diagnostics& diagnostics, const LibraryWatch& watch = {});
struct LibraryCheck {
  std::string folder;
  BuiltLibrary built;                // made anew
  std::vector<KernelCheck> kernels;  // each is to be asked about, in the order of the library's
};
// Makes everything anew from the folder's sources. Every file that differs, but those of kernels, is an error; nothing where it
// cannot be made.
std::optional<LibraryCheck> check_library(const std::string& folder, std::set<std::string>& covered, Diagnostics& diagnostics);

}  // namespace vouch
