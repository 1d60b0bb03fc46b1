// Pictures in pages: scrolled and zoomed, searched by any text of a node. Without scripts they are plain pictures.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace vouch {

// Style and script, once in a page, after all of its pictures.
std::string picture_script();
// A box with the picture, closed or open.
std::string picture_box(std::string_view title, const std::string& svg, bool open);
// The bytes of a picture file, by the ending of its name (.svg, .html, .png, .pdf, .dot, .gv); `-` is standard output, in SVG.
std::optional<std::string> picture_bytes(const std::string& dot, const std::string& title, const std::string& out,
                                         Diagnostics& diagnostics);
// A page with one picture.
std::string picture_page(std::string_view title, const std::string& svg);

}  // namespace vouch
