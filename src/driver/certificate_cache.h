// Coq's word on texts, kept from one run to the next in the user's own folder of such files, under SHA-256 of all that it depends
// on: the texts that Coq was given, the library (every file of it), and Coq's version. Only that something holds is kept, under
// the user's seal (optimize/seal.h): what names an answer is no secret, so anybody who can write there could make one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/coq.h"

namespace vouch {

class CertificateCache {
 public:
  // Nothing is read where `again` is said, and nothing is read or kept where the folder (`store`, or if that is empty the user's
  // own) is one that others may write, or lies in one of the folders that are verified, or where the user has no seal.
  CertificateCache(const std::string& store, const std::string& library, const std::string& coq_version,
                   const std::vector<std::string>& verified, bool again);

  // What names an answer; `parts` are all texts that Coq was given.
  std::string key(const std::vector<std::string>& parts) const;
  std::optional<CoqAnswer> find(const std::string& key) const;
  void keep(const std::string& key, const CoqAnswer& answer) const;
  bool is_open() const { return !folder_.empty(); }
  std::string path(const std::string& key) const;

 private:
  std::string folder_;  // empty: nothing is kept
  std::string seal_;
  std::string common_;  // of all keys
  bool again_;
};

}  // namespace vouch
