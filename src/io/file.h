// Whole files: reading with a limit, and atomic writing. Errors go to Diagnostics at the file's path. `-` is standard input,
// or standard output.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/raw_bytes.h"
#include "support/diagnostic.h"

namespace vouch {

// More than any model in one protobuf file may have.
inline constexpr std::uint64_t kMostFileBytes = std::uint64_t{2} << 30;

// More than what is kept of one finding has.
inline constexpr std::uint64_t kMostKeptBytes = std::uint64_t{64} << 20;

// The bytes of a regular file (or pipe) of at most `limit` bytes. Memory follows what is read, not what is claimed.
std::optional<std::string> read_file(const std::string& path, Diagnostics& diagnostics, std::uint64_t limit = kMostFileBytes);

// The same, where zeroing the memory first would take as long as reading: of models and weights.
std::optional<RawBytes> read_large_file(const std::string& path, Diagnostics& diagnostics);

// The bytes of a regular file that is no link and has at most `limit` bytes; else why they cannot be had. What was opened is what
// is asked: whoever puts a link, a pipe or a device there meanwhile is told as well, and nothing is waited for.
struct FileBytes {
  std::optional<std::string> bytes;
  std::string why;
};
FileBytes read_regular(const std::string& path, std::uint64_t limit);

// `count` bytes from `offset` on; an error if the file is shorter.
std::optional<std::string> read_file_part(const std::string& path, std::uint64_t offset, std::uint64_t count,
                                          Diagnostics& diagnostics);

// What a file survives: the end of the process, at any point, or a power cut too, which costs a flush of the disk: the old bytes
// are there then, or the new ones.
enum class Survives { ProcessEnd, PowerCut };

// While one lives, the files that its thread writes appear together, when `commit` is called, or not at all; no two of them may
// be the same file.
class FilesTogether {
 public:
  FilesTogether();
  ~FilesTogether();
  FilesTogether(const FilesTogether&) = delete;
  FilesTogether& operator=(const FilesTogether&) = delete;
  bool commit(Diagnostics& diagnostics);

 private:
  friend bool write_pieces(const std::string& path, const std::vector<std::string_view>& pieces, Diagnostics& diagnostics,
                           Survives survives);
  friend bool replace_file(const std::string& path, std::string_view bytes, Diagnostics& diagnostics);
  struct Staged;
  std::vector<std::unique_ptr<Staged>> staged_;
};

// Whether a file of its own stands, or would come to stand, at `path`: no device, pipe or terminal. Links are followed.
bool is_plain_target(const std::string& path);

// All or nothing: writes a temporary file in the same folder and renames it. Whatever fails, `path` holds either its old
// bytes or all of the new ones, and the temporary is removed. A link stays a link: what it leads to is written. Into devices
// and pipes the bytes are written as they come.
bool write_file(const std::string& path, std::string_view bytes, Diagnostics& diagnostics,
                Survives survives = Survives::PowerCut);
// The same of bytes that lie in several places, one after another.
bool write_pieces(const std::string& path, const std::vector<std::string_view>& pieces, Diagnostics& diagnostics,
                  Survives survives = Survives::PowerCut);

// The same for a folder that others may write to: whatever has the name, a link or a pipe, is not written into but replaced.
// Never one of `FilesTogether`.
bool replace_file(const std::string& path, std::string_view bytes, Diagnostics& diagnostics);

// Removes what writers that were killed left in the folder: regular files of the temporaries' names. For folders that one writer
// has at a time.
void remove_temporaries(const std::string& folder);

}  // namespace vouch
