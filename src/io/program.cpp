#include "io/program.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>

#include "io/file.h"
#include "support/hash.h"

namespace vouch {
namespace {

// What is looked for among the objects of this process, and what was found.
struct Search {
  ElfW(Addr) here = 0;
  std::string id;
};

std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

// The build id among the notes, in hexadecimal digits.
std::string build_id(const char* notes, std::size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof(note));
    std::size_t name = sizeof(note);
    std::size_t contents = name + padded(note.n_namesz);
    std::size_t whole = contents + padded(note.n_descsz);
    if (whole > size) {
      break;
    }
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0) {
      std::string out;
      for (std::size_t k = 0; k < note.n_descsz; ++k) {
        out += fmt::format("{:02x}", static_cast<unsigned char>(notes[contents + k]));
      }
      return out;
    }
    notes += whole;
    size -= whole;
  }
  return "";
}

int look_into(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool is_here = false;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const auto& part = object->dlpi_phdr[k];
    ElfW(Addr) start = object->dlpi_addr + part.p_vaddr;
    is_here = is_here || (part.p_type == PT_LOAD && start <= search.here && search.here < start + part.p_memsz);
  }
  for (int k = 0; is_here && k < object->dlpi_phnum && search.id.empty(); ++k) {
    const auto& part = object->dlpi_phdr[k];
    if (part.p_type == PT_NOTE) {
      search.id = build_id(reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr), part.p_memsz);
    }
  }
  return is_here ? 1 : 0;
}

}  // namespace

std::string program_identity() {
  Search search;
  search.here = reinterpret_cast<ElfW(Addr)>(&program_identity);
  dl_iterate_phdr(look_into, &search);
  if (!search.id.empty()) {
    return search.id;
  }
  Diagnostics unread;
  auto bytes = read_file("/proc/self/exe", unread);
  return bytes ? content_hash(*bytes) : std::string();
}

}  // namespace vouch
