# What `cmake --install` installs: the command, the C++ library with its CMake package, rules, kernels, the Coq library, the Python
# package, manual and completions, documents, a model to begin with. Nothing in it knows its place: the tree can be moved.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DATADIR share)

install(TARGETS vouch RUNTIME DESTINATION bin)
install(TARGETS vouch_shared EXPORT VouchTargets LIBRARY DESTINATION lib INCLUDES DESTINATION include)
install(FILES src/api/vouch.h DESTINATION include/vouch)
install(EXPORT VouchTargets NAMESPACE Vouch:: DESTINATION lib/cmake/Vouch)
configure_package_config_file(tools/cmake/VouchConfig.cmake.in ${CMAKE_BINARY_DIR}/VouchConfig.cmake
  INSTALL_DESTINATION lib/cmake/Vouch PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/VouchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/VouchConfig.cmake ${CMAKE_BINARY_DIR}/VouchConfigVersion.cmake DESTINATION lib/cmake/Vouch)

install(DIRECTORY rules kernels DESTINATION share/vouch)
install(DIRECTORY tests/models/mnist DESTINATION share/vouch/models)
install(PROGRAMS tools/ci-check DESTINATION share/vouch)
install(DIRECTORY ${CMAKE_BINARY_DIR}/coq/ DESTINATION lib/vouch/coq FILES_MATCHING PATTERN "*.v" PATTERN "*.vo" PATTERN "_CoqProject")
if(TARGET vouch_python)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/python/vouch DESTINATION lib/vouch/python PATTERN "__pycache__" EXCLUDE)
endif()

install(DIRECTORY docs/ DESTINATION share/doc/vouch FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.yml" PATTERN "*.txt"
        PATTERN "*.cpp")
install(FILES LICENSE DESTINATION share/doc/vouch RENAME copyright)
# Printed by the command that is installed, so that they cannot be old.
set(printed share/man/man1/vouch.1 share/bash-completion/completions/vouch share/zsh/vendor-completions/_vouch
            share/fish/vendor_completions.d/vouch.fish)
set(words "man" "completions bash" "completions zsh" "completions fish")
foreach(file subcommand IN ZIP_LISTS printed words)
  separate_arguments(subcommand)
  cmake_path(GET file FILENAME name)
  cmake_path(GET file PARENT_PATH folder)
  string(REPLACE "." "_" printed_name ${file})
  string(REPLACE "/" "_" printed_name ${printed_name})
  set(made ${CMAKE_BINARY_DIR}/printed/${printed_name})
  install(CODE "file(MAKE_DIRECTORY \"${CMAKE_BINARY_DIR}/printed\")
    execute_process(COMMAND \"$<TARGET_FILE:vouch>\" ${subcommand} OUTPUT_FILE \"${made}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${made} DESTINATION ${folder} RENAME ${name})
endforeach()

# `cmake --build build/release --target deb`: build/release/vouch_VERSION_ARCHITECTURE.deb
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vouch)
set(CPACK_PACKAGE_VENDOR "Vouch")
set(CPACK_PACKAGE_CONTACT "Vouch developers <vouch@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "proven tensor-graph rewriting and certified kernels")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
# Compiled Coq files are those of one Coq built by one OCaml: Debian's package says which by this name.
execute_process(COMMAND coqc --print-version OUTPUT_VARIABLE coq_and_ocaml ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "^([0-9.]+) ([0-9.]+)" coq_and_ocaml "${coq_and_ocaml}")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "coq-${CMAKE_MATCH_1}+${CMAKE_MATCH_2}, graphviz, python3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cvc5, gcc, cmake")
include(CPack)
add_custom_target(deb COMMAND ${CMAKE_CPACK_COMMAND} -G DEB -B ${CMAKE_BINARY_DIR} WORKING_DIRECTORY ${CMAKE_BINARY_DIR} USES_TERMINAL)
add_dependencies(deb vouch vouch_shared coq_library)
if(TARGET vouch_python)
  add_dependencies(deb vouch_python)
endif()
