// Values that an option hardly means: said before anything is read or written.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace vouch {

// Why a folder is hardly called this: `-o kernel.c` made a folder of that name. Empty for other names and for folders that are
// there.
std::string refusal_as_folder(const std::string& value);

// Of every subcommand. Where an option takes a value, an option that follows it is none: `--json --quiet` wrote a file called
// `--quiet`; a file of such a name is `./--quiet`. And a report is not written over a source: `--json rules/*.gsl` replaced the
// first rule file.
void refuse_unlikely_values(CLI::App& app);

}  // namespace vouch
