# Forwards to CMake, so that `make`, `make test`, `make verify` and `make verify-library` do what they say.
.PHONY: all test verify verify-library
all:
	cmake --preset release > /dev/null
	cmake --build --preset release
test:
	tools/test
verify: all
	cmake --build --preset release --target verify
verify-library:
	cmake --preset release > /dev/null
	cmake --build --preset release --target coq_library
