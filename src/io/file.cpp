#include "io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <utility>

#include "support/at_signal.h"
#include "support/fault.h"

namespace vouch {
namespace {

// Names of files while they are written; six characters follow.
constexpr std::string_view kTemporary = ".vouch-";

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
  int fd = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
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
// What a file says of its size is how much is asked for first; it may have grown or shrunk, and a stream says 0.
std::uint64_t bytes_left(int fd) {
  struct stat status {};
  off_t at = ::lseek(fd, 0, SEEK_CUR);
  bool known = at >= 0 && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > at;
  return known ? static_cast<std::uint64_t>(status.st_size - at) : 0;
}

template <class Bytes>
bool read_up_to(int fd, std::uint64_t limit, Bytes& out) {
  constexpr std::size_t kLeast = std::size_t{1} << 12;
  auto expected = static_cast<std::size_t>(std::min(bytes_left(fd), limit));
  out.reserve(std::min<std::uint64_t>(limit, expected + kLeast));
  while (out.size() < limit) {
    std::size_t have = out.size();
    std::size_t next = have < expected ? expected - have : have == expected ? kLeast : std::max(kLeast, have);
    auto want = static_cast<std::size_t>(std::min<std::uint64_t>(next, limit - have));
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

// Files are made as a plain `open` would make them, not with the private mode of mkstemp.
mode_t plain_mode() {
  mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

template <class Bytes>
std::optional<Bytes> read_whole(const std::string& path, Diagnostics& diagnostics, std::uint64_t limit) {
  auto opened = open_to_read(path, diagnostics);
  if (!opened) {
    return std::nullopt;
  }
  Descriptor fd(*opened);
  Bytes bytes;
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

}  // namespace

// Standard input gives its bytes once, and who reads a file again is to find the same.
std::optional<std::string> read_file(const std::string& path, Diagnostics& diagnostics, std::uint64_t limit) {
  if (path != "-") {
    return read_whole<std::string>(path, diagnostics, limit);
  }
  static std::mutex reading;
  static std::optional<std::string> input;
  std::lock_guard lock(reading);
  if (!input) {
    input = read_whole<std::string>(path, diagnostics, limit);
  }
  return input;
}

std::optional<RawBytes> read_large_file(const std::string& path, Diagnostics& diagnostics) {
  if (path != "-") {
    return read_whole<RawBytes>(path, diagnostics, kMostFileBytes);
  }
  auto input = read_file(path, diagnostics);
  if (!input) {
    return std::nullopt;
  }
  RawBytes bytes;
  bytes.resize(input->size());
  std::copy(input->begin(), input->end(), bytes.data());
  return bytes;
}

FileBytes read_regular(const std::string& path, std::uint64_t limit) {
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) {
    bool other = errno == ENXIO || errno == ENODEV || errno == EOPNOTSUPP;  // sockets, devices that are not there
    return {std::nullopt, errno == ENOENT  ? "the file is missing"
                          : errno == ELOOP ? "expected a file, found a link"
                          : other          ? "expected a file, found something else"
                                           : fmt::format("the file cannot be read: {}", why())};
  }
  if (!S_ISREG(status.st_mode)) {
    return {std::nullopt, "expected a file, found something else"};
  }
  if (static_cast<std::uint64_t>(status.st_size) > limit) {
    return {std::nullopt, fmt::format("expected {} bytes at most, found {}", limit, status.st_size)};
  }
  std::string bytes;
  if (!read_up_to(fd.get(), limit + 1, bytes)) {
    return {std::nullopt, fmt::format("the file cannot be read: {}", why())};
  }
  if (bytes.size() > limit) {
    return {std::nullopt, fmt::format("expected {} bytes at most, found more", limit)};
  }
  return {std::move(bytes), ""};
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

// A stream by name, which a redirection may lead to a file; other files may lie below /dev (/dev/shm) as anywhere.
static bool is_named_stream(const std::string& path) {
  return path.starts_with("/dev/std") || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

bool is_plain_target(const std::string& path) {
  struct stat status {};
  return !is_named_stream(path) && (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode));
}

namespace {

bool write_all(int fd, const std::vector<std::string_view>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(), [&](std::string_view bytes) { return write_all(fd, bytes); });
}

}  // namespace

// A file that is written under another name, and goes unless it gets its own.
struct FilesTogether::Staged {
  Staged(const std::string& path, Survives survives)
      : path_(path),
        place_(place_of(path)),
        direct_(path == "-" || !is_plain_target(path)),
        flush_(survives == Survives::PowerCut) {}
  // In the place of whatever has this name.
  explicit Staged(const std::string& path) : path_(path), place_(path), direct_(false), flush_(false) {}
  ~Staged() {
    if (goes_at_signal_) {
      ::unlink(temporary_.c_str());
    }
  }
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;

  bool write(const std::vector<std::string_view>& pieces, Diagnostics& diagnostics) {
    std::error_code ignored;
    if (place_.empty()) {
      errno = path_.empty() ? ENOENT : ELOOP;
      return refuse(diagnostics);
    }
    if (std::filesystem::is_directory(std::filesystem::symlink_status(place_, ignored))) {
      diagnostics.error_at(path_, "the file cannot be written: a folder has this name");
      return false;
    }
    if (direct_) {
      for (std::string_view piece : pieces) {
        bytes_ += piece;
      }
      return true;
    }
    // Its name is short whatever the file's: those may have 255 bytes.
    temporary_ = (place_.parent_path() / (std::string(kTemporary) + "XXXXXX")).string();
    int made = -1;
    goes_at_signal_.emplace([&] {
      made = ::mkostemp(temporary_.data(), O_CLOEXEC);
      return made < 0 ? std::string() : temporary_;
    });
    Descriptor fd(made);
    bool done = fd.is_open() && write_all(fd.get(), pieces) && ::fchmod(fd.get(), plain_mode()) == 0 &&
                (!flush_ || ::fsync(fd.get()) == 0) && fd.close();
    return done || refuse(diagnostics);
  }

  bool rename(Diagnostics& diagnostics) {
    if (direct_) {
      // Opened anew, a redirected output would begin at its first byte again.
      bool output = path_ == "-" || path_ == "/dev/stdout";
      Descriptor fd(output ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(place_.c_str(), O_WRONLY | O_CLOEXEC));
      return (fd.is_open() && write_all(fd.get(), bytes_) && fd.close()) || refuse(diagnostics);
    }
    if (::rename(temporary_.c_str(), place_.c_str()) != 0) {
      return refuse(diagnostics);
    }
    goes_at_signal_.reset();
    return true;
  }

  bool is_direct() const { return direct_; }
  bool same_as(const Staged& other) const {
    std::error_code ignored;
    return !direct_ && std::filesystem::absolute(place_, ignored).lexically_normal() ==
                           std::filesystem::absolute(other.place_, ignored).lexically_normal();
  }

 private:
  bool refuse(Diagnostics& diagnostics) const {
    diagnostics.error_at(path_, fmt::format("the file cannot be written: {}", why()));
    return false;
  }

  // Where a link leads, so that the link stays, even if nothing is there yet; `-` is standard output. Empty if links lead in
  // a circle.
  static std::filesystem::path place_of(const std::string& path) {
    constexpr int kMostLinks = 40;  // as Linux has it
    std::error_code failed;
    std::filesystem::path place = path == "-" ? "/dev/stdout" : path;
    for (int links = 0; std::filesystem::is_symlink(place, failed); ++links) {
      if (links == kMostLinks) {
        return {};
      }
      place = place.parent_path() / std::filesystem::read_symlink(place, failed);
    }
    return place;
  }

  std::string path_;  // as given
  std::filesystem::path place_;
  bool direct_;
  bool flush_;
  std::string bytes_;  // of a stream
  std::string temporary_;
  std::optional<GoesAtSignal> goes_at_signal_;  // from its creation to its renaming
};

namespace {
thread_local FilesTogether* together = nullptr;
}

FilesTogether::FilesTogether() {
  ensure(together == nullptr, "two sets of files that are written together, on one thread");
  together = this;
}

FilesTogether::~FilesTogether() { together = nullptr; }

bool FilesTogether::commit(Diagnostics& diagnostics) {
  together = nullptr;
  bool all = true;
  for (bool direct : {true, false}) {  // a pipe may refuse what comes; a name is then still as it was
    for (const auto& file : staged_) {
      all = all && (file->is_direct() != direct || file->rename(diagnostics));
    }
  }
  staged_.clear();
  return all;
}

bool write_pieces(const std::string& path, const std::vector<std::string_view>& pieces, Diagnostics& diagnostics,
                  Survives survives) {
  auto file = std::make_unique<FilesTogether::Staged>(path, survives);
  if (together != nullptr) {
    for (const auto& other : together->staged_) {
      if (other->same_as(*file)) {
        diagnostics.error_at(path, "two outputs would be written to this file");
        return false;
      }
    }
  }
  if (!file->write(pieces, diagnostics)) {
    return false;
  }
  if (together == nullptr) {
    return file->rename(diagnostics);
  }
  together->staged_.push_back(std::move(file));
  return true;
}

bool write_file(const std::string& path, std::string_view bytes, Diagnostics& diagnostics, Survives survives) {
  return write_pieces(path, {bytes}, diagnostics, survives);
}

bool replace_file(const std::string& path, std::string_view bytes, Diagnostics& diagnostics) {
  FilesTogether::Staged file(path);
  return file.write({bytes}, diagnostics) && file.rename(diagnostics);
}

void remove_temporaries(const std::string& folder) {
  std::error_code failed;
  std::vector<std::filesystem::path> left;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.starts_with(kTemporary) && name.size() == kTemporary.size() + 6 &&
        at->symlink_status(ignored).type() == std::filesystem::file_type::regular) {
      left.push_back(at->path());
    }
  }
  for (const std::filesystem::path& path : left) {
    std::filesystem::remove(path, failed);
  }
}

}  // namespace vouch
