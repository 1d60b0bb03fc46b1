// Vouch as a C++ library: load models and rules, prove rules, rewrite models by what is proven, compare models.
//
// Stable: what this header declares keeps its meaning and its binary form within one major number of the shared library; all else
// of the project is internal. C++17 and later. Objects are values, cheap to copy; different threads may use different objects,
// and the same object by const members only.
//
// Every function that reads or writes throws `Error` for bad input: its text is what the command `vouch` prints, with file, line
// and column. Nothing else is thrown but std::bad_alloc.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace vouch::api {

// The version of this header, as numbers.
inline constexpr int kMajor = 0;
inline constexpr int kMinor = 1;
// Of the library that is linked: `0.1.0`.
std::string version();

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text);
  Error(const Error&) = default;
  ~Error() override;
};

// docs/verdicts.md says what each promises. From strongest to weakest.
enum class Verdict { SoundExact, SoundReal, Unsound, IllTyped, Vacuous, Unknown };
// `sound (exact)`, `sound (real)`, `unsound`, `ill-typed`, `vacuous`, `unknown`.
std::string name(Verdict verdict);
bool is_sound(Verdict verdict);

struct Checked {
  std::string rule;
  Verdict verdict = Verdict::Unknown;
  std::string reason;          // of Unknown and Vacuous
  std::string counterexample;  // of Unsound and IllTyped: sizes, attributes, tensors, both values, as text
  double milliseconds = 0;
};

struct CheckOptions {
  unsigned jobs = 1;      // rules at a time
  unsigned max_rank = 4;  // ranks 0 to this, at most 8, for inputs that may have any
  unsigned seed = 0;      // the solver's: no verdict may depend on it
};

// Rules in the order of their files (docs/gsl.md).
class Rules {
 public:
  // The rules of `.gsl` files, and of those in folders.
  static Rules load(const std::vector<std::string>& paths);
  // Of a text; `file` names it in messages.
  static Rules parse(const std::string& text, const std::string& file = "rules");
  // The library of rules that is installed with Vouch.
  static Rules shipped();

  std::size_t size() const;
  std::vector<std::string> names() const;
  std::string text() const;

  // A verdict for each rule, for all shapes, attributes and values at the ranks of `options`.
  std::vector<Checked> check(const CheckOptions& options = {}) const;

  struct Impl;
  explicit Rules(std::shared_ptr<const Impl> impl);
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

struct Optimized;

class Model {
 public:
  // `.onnx`, or `.json` (docs/json.md).
  static Model load(const std::string& path);
  // Whole or not at all, in the form that the ending says.
  void save(const std::string& path) const;

  std::vector<std::string> inputs() const;
  std::vector<std::string> outputs() const;
  // Calls of operators.
  std::size_t calls() const;

  // Rewrites by rules to a fixpoint, folds what depends on parameters alone, merges what is equal. Only rules that are proven
  // fire, and only where what is proven of them covers the match; verdicts are kept between runs as those of `vouch optimize`.
  Optimized optimize(const Rules& rules) const;

  struct Impl;
  explicit Model(std::shared_ptr<const Impl> impl);
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

struct Optimized {
  Model model;
  std::vector<std::pair<std::string, std::size_t>> fired;  // rules that fired, and how often
  std::vector<std::string> refused;  // matches that were not proven, or that the proven scope does not cover, with the reason
};

// As `vouch equiv` judges.
enum class Equality {
  EqualExact,  // bit for bit
  EqualReal,   // over the real numbers
  Different,   // on an input that was found
  Open,        // neither was shown
  Mismatched,  // inputs or outputs do not agree
};

struct Judgement {
  Equality equality = Equality::Open;
  std::string text;  // what was found, for people
};
Judgement compare(const Model& a, const Model& b);

}  // namespace vouch::api
