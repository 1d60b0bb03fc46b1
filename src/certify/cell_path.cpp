#include "certify/cell_path.h"

#include "support/fault.h"

namespace vouch::array {

CellStep element_step(Term index) { return {CellStep::Kind::Element, index}; }

CellPath behind(CellStep step, CellPath path) {
  path.insert(path.begin(), step);
  return path;
}

CellPath rest_of(const CellPath& path) { return {path.begin() + 1, path.end()}; }

bool begins_with_element(const CellPath& path) { return !path.empty() && path[0].kind == CellStep::Kind::Element; }

namespace {

CellPath indices(const std::vector<Term>& first, const CellPath& path, std::size_t dropped) {
  CellPath result;
  for (Term index : first) {
    result.push_back(element_step(index));
  }
  result.insert(result.end(), path.begin() + static_cast<std::ptrdiff_t>(dropped), path.end());
  return result;
}

// How many indices the layout looks at, from the front.
std::size_t indices_of(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::Split:
    case LayoutKind::Trans:
    case LayoutKind::Slide: return 2;
    case LayoutKind::Join:
    case LayoutKind::Rev:
    case LayoutKind::Slice:
    case LayoutKind::Repeat: return 1;
    default: return 0;
  }
}

}  // namespace

std::optional<CellPath> layout_path(const Layout& of, CellPath path, const PathTerms& terms) {
  auto size = [&](std::size_t i) { return terms.size(of->sizes[i]); };
  for (std::size_t i = 0; i < indices_of(of->kind); ++i) {
    if (i >= path.size() || path[i].kind != CellStep::Kind::Element) {
      return std::nullopt;
    }
  }
  auto at = [&](std::size_t i) { return path[i].index; };
  switch (of->kind) {
    case LayoutKind::Fst: return behind({CellStep::Kind::First, 0}, path);
    case LayoutKind::Snd: return behind({CellStep::Kind::Second, 0}, path);
    case LayoutKind::At: return behind(element_step(terms.index(of->index)), path);
    case LayoutKind::Zip:
    case LayoutKind::Unzip:
      if (path.size() < 2) {
        return std::nullopt;
      }
      std::swap(path[0], path[1]);
      return path;
    case LayoutKind::Split: return indices({at(0) * size(0) + at(1)}, path, 2);
    case LayoutKind::Join: {
      Term quotient = floor_div(at(0), size(0));
      return indices({quotient, at(0) - quotient * size(0)}, path, 1);
    }
    case LayoutKind::Trans: return indices({at(1), at(0)}, path, 2);
    case LayoutKind::Rev: return indices({size(0) - at(0) - 1}, path, 1);
    case LayoutKind::Slide: return indices({at(0) * size(2) + at(1) * size(3)}, path, 2);
    case LayoutKind::Slice: return indices({size(0) + at(0)}, path, 1);
    case LayoutKind::Repeat: return rest_of(path);
    case LayoutKind::Each: {
      auto inner = path.empty() ? std::nullopt : layout_path(of->inner, rest_of(path), terms);
      return inner ? std::optional(behind(path[0], std::move(*inner))) : std::nullopt;
    }
  }
  fault("no such layout");
}

const std::vector<CellPath>& argument_paths(int arity) {
  const CellStep first{CellStep::Kind::First};
  const CellStep second{CellStep::Kind::Second};
  static const std::vector<std::vector<CellPath>> paths = {
      {{}}, {{first}, {second}}, {{first}, {second, first}, {second, second}}};
  return paths.at(static_cast<std::size_t>(arity) - 1);
}

}  // namespace vouch::array
