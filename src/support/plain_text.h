// Texts of people that read as they look: what an editor or a terminal hides, turns round, or takes for another line's end has
// no place in them, not even in comments, since a reader would not see what the parser reads.
#pragma once

#include "support/diagnostic.h"
#include "support/source.h"

namespace vouch {

// UTF-8 without control characters (tabs and ends of lines, LF or CR LF, aside), without characters of no width and without those
// that change the direction of writing. The first that is none of this is an error with its place.
bool reads_as_it_looks(const SourceRef& source, Diagnostics& diagnostics);

}  // namespace vouch
