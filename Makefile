# Forwards to CMake, so that `make`, `make test` and `make verify` do what they say.
.PHONY: all test verify
all:
	cmake --preset release > /dev/null
	cmake --build --preset release
test:
	tools/test
verify: all
	cmake --build --preset release --target verify
