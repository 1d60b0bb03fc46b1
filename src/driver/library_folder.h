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
// Makes everything anew from the folder's sources. Each kernel is to be asked about; every other file that differs is an error.
std::vector<KernelCheck> check_library(const std::string& folder, std::set<std::string>& covered, Diagnostics& diagnostics);

}  // namespace vouch
