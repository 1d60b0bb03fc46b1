// Points of sizes at which facts hold. Some sizes are drawn, others follow from the facts' equations: where a product of sizes is
// another's, as where a tensor takes another shape, numbers that are all drawn are next to never of use.
#pragma once

#include <list>
#include <vector>

#include "facts/point.h"

namespace vouch {

class SizePoints {
 public:
  // At most `most` points at which these facts, which speak of no index, hold; the last that were of use come first. They are
  // valid until the next call.
  std::vector<Point*> at_which(const Facts& facts, std::size_t most);

 private:
  Point made(const Facts& facts);

  std::list<Point> points_;
  std::uint64_t state_ = 0;  // of what is drawn
};

}  // namespace vouch
