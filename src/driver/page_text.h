// The page of report.html: its style and its program, around the data that it shows.
#pragma once

#include <string>

namespace vouch {

// `data`: JSON in which no `<` stands (driver/library_page.cpp). The page writes texts as texts, whatever they hold.
std::string page_text(const std::string& data);

}  // namespace vouch
