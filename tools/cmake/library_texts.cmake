# Writes FILE, a C++ source: the name and the SHA-256 of every text that _CoqProject lists in the folder SOURCE.
cmake_minimum_required(VERSION 3.25)
file(STRINGS ${SOURCE}/_CoqProject names REGEX "\\.v$")
set(entries "")
foreach(name ${names})
  file(SHA256 ${SOURCE}/${name} hash)
  string(APPEND entries "      {\"${name}\", \"${hash}\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${FILE} CONTENT "#include \"driver/library_texts.h\"

namespace vouch {

std::span<const LibraryText> library_texts() {
  static constexpr LibraryText kTexts[] = {
@entries@  };
  return kTexts;
}

}  // namespace vouch
" @ONLY)
