// `vouch import-rules`: foreign rule sets as GSL text.
#pragma once

#include <string>

#include "driver/exit_code.h"

namespace vouch {

struct ImportCommand {
  std::string kind;  // `taso`
  std::string file;
  std::string out;  // a folder
};
ExitCode import_rules(const ImportCommand& command);

}  // namespace vouch
