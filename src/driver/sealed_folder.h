// A folder of findings that many processes share, a file for each, named by all that it depends on.
//
// A file is believed only if it is about this very subject, was found by this very program, and is sealed with the key of this
// user (optimize/seal.h): what was edited, copied or written by somebody else is as good as none, and does not stand in the way.
// Files are written whole or not at all, so any number of processes, on any number of machines, may use one folder.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "support/diagnostic.h"

namespace vouch {

class SealedFolder {
 public:
  // `ending`: of its files. Without a name for the folder nothing is kept. An error if there is one that cannot be used: it
  // cannot be made, or this user has no key.
  SealedFolder(const std::string& folder, std::string ending, Diagnostics& diagnostics);

  bool is_open() const { return !folder_.empty(); }
  // The file about a subject, in the folder. Those of other users have other names.
  std::string path(const std::string& subject) const;
  std::optional<nlohmann::ordered_json> find(const std::string& subject) const;
  bool keep(const std::string& subject, nlohmann::ordered_json finding, Diagnostics& diagnostics) const;

 private:
  std::string whole(const std::string& subject) const;

  std::string folder_;
  std::string ending_;
  std::string key_;
  std::string program_;  // its hash
};

}  // namespace vouch
