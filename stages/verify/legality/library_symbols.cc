#include "stages/verify/legality/library_symbols.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

namespace kernelmill {
namespace {

// The struct at `offset` of the file, or zeros if the file is too short.
template <typename T>
T At(std::string_view bytes, std::uint64_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof(T)) {
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
  }
  return value;
}

std::string_view Text(std::string_view bytes, const Elf64_Shdr& strings, std::uint64_t offset) {
  if (offset >= strings.sh_size || strings.sh_offset > bytes.size() ||
      strings.sh_size > bytes.size() - strings.sh_offset) {
    return {};
  }
  const std::string_view text = bytes.substr(strings.sh_offset + offset, strings.sh_size - offset);
  return text.substr(0, text.find('\0'));
}

class ElfFile {
 public:
  explicit ElfFile(std::string_view bytes) : bytes_(bytes), header_(At<Elf64_Ehdr>(bytes, 0)) {}

  bool IsForThisProcessor() const {
    return std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
           header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_machine == EM_X86_64;
  }

  LibraryImports Imports() const {
    LibraryImports imports;
    const std::map<unsigned, Version> versions = Versions();
    std::uint64_t version_table = 0;
    ForEachSection(SHT_GNU_versym, [&](const Elf64_Shdr& section, const Elf64_Shdr&) {
      version_table = section.sh_offset;
    });
    ForEachSection(SHT_DYNSYM, [&](const Elf64_Shdr& section, const Elf64_Shdr& strings) {
      for (std::uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Sym); ++k) {
        const auto symbol = At<Elf64_Sym>(bytes_, section.sh_offset + k * sizeof(Elf64_Sym));
        if (symbol.st_shndx != SHN_UNDEF || symbol.st_name == 0) continue;
        ImportedSymbol imported{std::string(Text(bytes_, strings, symbol.st_name)), "", ""};
        const auto number = At<Elf64_Half>(bytes_, version_table + k * sizeof(Elf64_Half));
        if (const auto found = versions.find(number);
            version_table != 0 && found != versions.end()) {
          imported.version = found->second.name;
          imported.library = found->second.library;
        }
        imports.symbols.push_back(std::move(imported));
      }
    });
    ForEachSection(SHT_SYMTAB, [&](const Elf64_Shdr& section, const Elf64_Shdr& strings) {
      for (std::uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Sym); ++k) {
        const auto symbol = At<Elf64_Sym>(bytes_, section.sh_offset + k * sizeof(Elf64_Sym));
        const std::string_view name = Text(bytes_, strings, symbol.st_name);
        if (symbol.st_shndx != SHN_UNDEF && name.starts_with("_ZTI")) {
          imports.types.emplace_back(name);
        }
      }
    });
    ForEachSection(SHT_DYNAMIC, [&](const Elf64_Shdr& section, const Elf64_Shdr& strings) {
      for (std::uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Dyn); ++k) {
        const auto entry = At<Elf64_Dyn>(bytes_, section.sh_offset + k * sizeof(Elf64_Dyn));
        if (entry.d_tag == DT_NEEDED) {
          imports.libraries.emplace_back(Text(bytes_, strings, entry.d_un.d_val));
        }
        for (const Elf64_Sxword tag :
             {Elf64_Sxword{DT_RPATH}, Elf64_Sxword{DT_RUNPATH}, Elf64_Sxword{DT_AUDIT},
              Elf64_Sxword{DT_DEPAUDIT}, Elf64_Sxword{DT_AUXILIARY}, Elf64_Sxword{DT_FILTER}}) {
          imports.changes_loading = imports.changes_loading || entry.d_tag == tag;
        }
      }
    });
    imports.executes_data = ExecutesData();
    return imports;
  }

 private:
  struct Version {
    std::string name, library;
  };

  bool ExecutesData() const {
    for (int i = 0; i < header_.e_phnum; ++i) {
      const auto segment = At<Elf64_Phdr>(bytes_, header_.e_phoff + i * sizeof(Elf64_Phdr));
      const bool memory = segment.p_type == PT_LOAD || segment.p_type == PT_GNU_STACK;
      if (memory && (segment.p_flags & PF_X) != 0 && (segment.p_flags & PF_W) != 0) return true;
    }
    bool found = false;
    ForEachSection(SHT_SYMTAB, [&](const Elf64_Shdr& section, const Elf64_Shdr&) {
      for (std::uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Sym); ++k) {
        const auto symbol = At<Elf64_Sym>(bytes_, section.sh_offset + k * sizeof(Elf64_Sym));
        if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx >= header_.e_shnum) {
          continue;
        }
        found = found || (Section(symbol.st_shndx).sh_flags & SHF_EXECINSTR) != 0;
      }
    });
    return found;
  }

  // Calls `visit` with each section of the type and the section with its strings.
  template <typename Visit>
  void ForEachSection(Elf64_Word type, Visit visit) const {
    for (int i = 0; i < header_.e_shnum; ++i) {
      const Elf64_Shdr section = Section(i);
      if (section.sh_type != type || section.sh_link >= header_.e_shnum) continue;
      visit(section, Section(section.sh_link));
    }
  }
  Elf64_Shdr Section(std::uint64_t number) const {
    return At<Elf64_Shdr>(bytes_, header_.e_shoff + number * sizeof(Elf64_Shdr));
  }

  // The versions that are needed of other libraries, by the number that symbols refer to.
  std::map<unsigned, Version> Versions() const {
    std::map<unsigned, Version> versions;
    ForEachSection(SHT_GNU_verneed, [&](const Elf64_Shdr& section, const Elf64_Shdr& strings) {
      std::uint64_t at = section.sh_offset;
      for (Elf64_Word i = 0; i < section.sh_info; ++i) {
        const auto file = At<Elf64_Verneed>(bytes_, at);
        std::uint64_t inner = at + file.vn_aux;
        for (int k = 0; k < file.vn_cnt; ++k) {
          const auto version = At<Elf64_Vernaux>(bytes_, inner);
          versions[version.vna_other] = {std::string(Text(bytes_, strings, version.vna_name)),
                                         std::string(Text(bytes_, strings, file.vn_file))};
          if (version.vna_next == 0) break;
          inner += version.vna_next;
        }
        if (file.vn_next == 0) break;
        at += file.vn_next;
      }
    });
    return versions;
  }

  std::string_view bytes_;
  Elf64_Ehdr header_;
};

}  // namespace

Result<LibraryImports> ImportsOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status(ErrorCode::kNotFound, path + " cannot be read");
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const ElfFile elf(bytes);
  if (!elf.IsForThisProcessor()) {
    return Status(ErrorCode::kCorrupt, path + " is no library for x86-64");
  }
  return elf.Imports();
}

std::string OperatorOfSymbol(std::string_view symbol) {
  // _ZN2at4_ops<length><name>4call…, …10redispatch…
  constexpr std::string_view kPrefix = "_ZN2at4_ops";
  if (!symbol.starts_with(kPrefix)) return "";
  symbol.remove_prefix(kPrefix.size());
  std::size_t length = 0;
  while (!symbol.empty() && symbol.front() >= '0' && symbol.front() <= '9' && length < 1000) {
    length = length * 10 + static_cast<std::size_t>(symbol.front() - '0');
    symbol.remove_prefix(1);
  }
  if (length == 0 || length > symbol.size()) return "";
  return "aten::" + std::string(symbol.substr(0, length));
}

}  // namespace kernelmill
