// What a statement leaves out where a subscript would leave its axis: the reader is told, since nothing in the text says so.
#pragma once

#include "notation/tk_domain.h"

namespace vouch {

// Warns of each index whose inferred domain is smaller than the axis it stands for: that of the target, or of what a reduced
// index alone subscripts. `given` are the domains that the text says and what is known of the sizes; `kept` says that what is
// left out of the target is as it was before, not 0.
void warn_of_left_out(const TkAccess& target, const std::vector<TkAccess>& reads, const std::vector<TkDomain>& domains,
                      const Box& given, bool kept, const SourceRef& source, Diagnostics& diagnostics);

}  // namespace vouch
