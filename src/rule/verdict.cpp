#include "rule/verdict.h"

namespace vouch {

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::SoundExact: return "sound (exact)";
    case Verdict::SoundReal: return "sound (real)";
    case Verdict::Unsound: return "unsound";
    case Verdict::IllTyped: return "ill-typed";
    case Verdict::Vacuous: return "vacuous";
    case Verdict::Unknown: return "unknown";
  }
  return "unknown";
}

std::optional<Verdict> find_verdict(std::string_view name) {
  for (Verdict verdict :
       {Verdict::SoundExact, Verdict::SoundReal, Verdict::Unsound, Verdict::IllTyped, Verdict::Vacuous, Verdict::Unknown}) {
    if (verdict_name(verdict) == name) {
      return verdict;
    }
  }
  return std::nullopt;
}

bool is_sound(Verdict verdict) { return verdict == Verdict::SoundExact || verdict == Verdict::SoundReal; }

}  // namespace vouch
