// The value of a kernel at one cell, as a Coq text over scalars, and the same as a `statement` of coq/certify/Statement.v.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "array/program.h"
#include "certify/cell_path.h"
#include "certify/reading_words.h"

namespace vouch::array {

// What `mem` stores has a name in the text, or is read through like any other term.
enum class StoredValues : std::uint8_t { Named, ReadThrough };

// A term is read from outside inwards, at a path: maps and layouts disappear into indices, reductions of arrays become
// reductions of the scalar at that path.
class ValueReader {
 public:
  // `inputs`: the names of functions from indices to the cells of the inputs.
  ValueReader(const Program& program, const std::vector<std::string>& inputs, ReadingWords& words,
              StoredValues stored = StoredValues::Named);

  // At index variables 0, 1 ... of which there are so many.
  Written read(const CellPath& path, std::size_t indices);
  // Whether all that was read could be; if not, the texts are of no use.
  bool readable() const { return readable_; }

 private:
  // How tightly a text binds.
  enum class Level : std::uint8_t { Word, Application, Product, Sum, Whole };
  struct Text {
    std::string text;
    Level level = Level::Word;
    std::string data;
  };
  using Value = std::function<Text(const CellPath&)>;
  struct Scope {
    void bind(Value value) { data.push_back(std::make_shared<const Value>(std::move(value))); }

    std::vector<std::shared_ptr<const Value>> data;  // innermost last; shared, since values hold the scopes around them
    std::vector<Term> positions;                     // index variables, likewise
  };

  Text read(const Exp& e, const Scope& scope, const CellPath& path);
  Text read_op(const Exp& e, const Scope& scope);
  Text read_pad(const Exp& e, const Scope& scope, const CellPath& path);
  Text read_if(const Exp& e, const Scope& scope, const CellPath& path);
  Text read_map(const Exp& e, const Scope& scope, const CellPath& path);
  Text read_reduce(const Exp& e, const Scope& scope, const CellPath& path);
  Text read_let(const Exp& e, const Scope& scope, const CellPath& path);
  Text read_cat(const Exp& e, const Scope& scope, const CellPath& path);

  Text failed();
  // A name applied to indices; its data is to be given.
  Text named(const std::string& name, const CellPath& path);
  Text input(unsigned number, const std::string& name, const CellPath& path);
  // `unfolded`: how large its definition is, as `unfolded_` counts.
  Text stored_value(std::size_t level, const std::string& name, std::size_t unfolded, const CellPath& path);
  Text choice(const Written& condition, const Text& then, const Text& otherwise) const;
  // The definition of a name for what is stored in memory; its data is the number of indices and the value.
  Written definition(const std::string& name, const Exp& stored, const Scope& scope);
  CellPath through(const Layout& layout, const Scope& scope, CellPath path);
  Term index(const Index& index, const Scope& scope) const;
  Written guard(const Guard& guard, const Scope& scope) const;
  // Both sides without what they have in common, so that a comparison that is written otherwise reads the same.
  std::pair<Written, Written> sides(const Guard& comparison, const Scope& scope) const;
  Text constant(const Const& constant, const CellPath& path);
  static std::string at_most(const Text& text, Level level);

  const Program& program_;
  ReadingWords& words_;
  StoredValues stored_;
  Scope inputs_;
  std::size_t depth_ = 0;     // the number of the next index variable, accumulator or name
  std::size_t written_ = 0;   // terms that were read, to stop where a text explodes
  std::size_t unfolded_ = 0;  // the same with each name replaced by its definition, as Coq compares
  bool readable_ = true;
};

}  // namespace vouch::array
