#include "io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

namespace vouch {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  bool close() {
    int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

std::string why() { return std::strerror(errno); }

// Opens for reading; folders are refused here, since reading them fails only later.
std::optional<int> open_to_read(const std::string& path, Diagnostics& diagnostics) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    diagnostics.error_at(path, fmt::format("the file cannot be read: {}", why()));
    return std::nullopt;
  }
  if (S_ISDIR(status.st_mode)) {
    ::close(fd);
    diagnostics.error_at(path, "expected a file, found a folder");
    return std::nullopt;
  }
  return fd;
}

// Appends until the end of the file or `limit` bytes; false on a read error.
bool read_up_to(int fd, std::uint64_t limit, std::string& out) {
  constexpr std::size_t kLeast = std::size_t{1} << 16;
  while (out.size() < limit) {
    std::size_t have = out.size();
    std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(kLeast, have), limit - have));
    out.resize(have + want);
    ssize_t got = ::read(fd, out.data() + have, want);
    out.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) {
      return true;
    }
    if (got < 0 && errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

// So that the rename itself survives a crash; a file system that refuses it still has renamed.
void flush_folder(const std::filesystem::path& folder) {
  Descriptor fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.is_open()) {
    ::fsync(fd.get());
  }
}

// Files are made as a plain `open` would make them, not with the private mode of mkstemp.
mode_t plain_mode() {
  mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path, Diagnostics& diagnostics, std::uint64_t limit) {
  auto opened = open_to_read(path, diagnostics);
  if (!opened) {
    return std::nullopt;
  }
  Descriptor fd(*opened);
  std::string bytes;
  if (!read_up_to(fd.get(), limit + 1, bytes)) {
    diagnostics.error_at(path, fmt::format("the file cannot be read: {}", why()));
    return std::nullopt;
  }
  if (bytes.size() > limit) {
    diagnostics.error_at(path, fmt::format("the file has more than {} bytes", limit));
    return std::nullopt;
  }
  return bytes;
}

std::optional<std::string> read_file_part(const std::string& path, std::uint64_t offset, std::uint64_t count,
                                          Diagnostics& diagnostics) {
  auto opened = open_to_read(path, diagnostics);
  if (!opened) {
    return std::nullopt;
  }
  Descriptor fd(*opened);
  std::string bytes;
  if (offset > static_cast<std::uint64_t>(INT64_MAX) || ::lseek(fd.get(), static_cast<off_t>(offset), SEEK_SET) < 0 ||
      !read_up_to(fd.get(), count, bytes)) {
    diagnostics.error_at(path, fmt::format("the file cannot be read from byte {} on", offset));
    return std::nullopt;
  }
  if (bytes.size() != count) {
    diagnostics.error_at(path, fmt::format("expected {} bytes from byte {} on, found {}", count, offset, bytes.size()));
    return std::nullopt;
  }
  return bytes;
}

bool is_plain_target(const std::string& path) {
  struct stat status {};
  bool is_named_stream = path.starts_with("/dev/") || path.starts_with("/proc/");  // which a redirection may lead to a file
  return !is_named_stream && (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode));
}

namespace {

bool write_all(int fd, const std::vector<std::string_view>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(), [&](std::string_view bytes) { return write_all(fd, bytes); });
}

bool cannot_write(const std::string& path, Diagnostics& diagnostics) {
  diagnostics.error_at(path, fmt::format("the file cannot be written: {}", why()));
  return false;
}

// Where a link leads, so that renaming replaces what is there and not the link.
std::filesystem::path behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux follows them
  std::filesystem::path target(path);
  std::error_code failure;
  for (int k = 0; k < kMostLinks && std::filesystem::is_symlink(target, failure); ++k) {
    target = target.parent_path() / std::filesystem::read_symlink(target, failure);
  }
  return target.empty() ? std::filesystem::path(path) : target;
}

// No reader must end the process.
bool write_stream(const std::string& path, const std::vector<std::string_view>& pieces, Diagnostics& diagnostics) {
  ::signal(SIGPIPE, SIG_IGN);
  // Opened anew, a redirected output would begin at its first byte again.
  Descriptor fd(path == "/dev/stdout" ? ::dup(STDOUT_FILENO) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return (fd.is_open() && write_all(fd.get(), pieces) && fd.close()) || cannot_write(path, diagnostics);
}

}  // namespace

bool write_pieces(const std::string& path, const std::vector<std::string_view>& pieces, Diagnostics& diagnostics,
                  Survives survives) {
  if (!is_plain_target(path)) {
    return write_stream(path, pieces, diagnostics);
  }
  std::filesystem::path target = behind_links(path);
  std::string temporary = (target.parent_path() / fmt::format(".{}.XXXXXX", target.filename().string())).string();
  Descriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.is_open()) {
    return cannot_write(path, diagnostics);
  }
  bool flush = survives == Survives::PowerCut;
  bool done = write_all(fd.get(), pieces) && ::fchmod(fd.get(), plain_mode()) == 0 && (!flush || ::fsync(fd.get()) == 0) &&
              fd.close() && ::rename(temporary.c_str(), target.c_str()) == 0;
  if (!done) {
    cannot_write(path, diagnostics);
    ::unlink(temporary.c_str());
    return false;
  }
  if (flush) {
    flush_folder(target.parent_path());
  }
  return true;
}

bool write_file(const std::string& path, std::string_view bytes, Diagnostics& diagnostics, Survives survives) {
  return write_pieces(path, {bytes}, diagnostics, survives);
}

}  // namespace vouch
