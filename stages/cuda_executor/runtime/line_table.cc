#include "stages/cuda_executor/runtime/line_table.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {
namespace {

// Reads little-endian DWARF data. Reads past the end return zero.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool done() const { return at_ >= bytes_.size(); }
  std::size_t at() const { return at_; }
  void Seek(std::size_t at) { at_ = at; }

  template <typename T>
  T Fixed() {
    T value{};
    if (at_ + sizeof(T) <= bytes_.size()) std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::uint64_t Unsigned() {  // ULEB128
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = Fixed<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  std::int64_t Signed() {  // SLEB128
    std::uint64_t value = 0;
    int shift = 0;
    std::uint8_t byte = 0;
    do {
      byte = Fixed<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && (byte & 0x40)) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
  std::string_view Text() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) {
      at_ = bytes_.size();
      return {};
    }
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::string_view Section(std::string_view elf, std::string_view wanted) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header) return {};
  std::memcpy(&header, elf.data(), sizeof header);
  const auto section = [&](std::size_t i) {
    Elf64_Shdr entry{};
    const std::size_t at = header.e_shoff + i * sizeof entry;
    if (at + sizeof entry <= elf.size()) std::memcpy(&entry, elf.data() + at, sizeof entry);
    return entry;
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr entry = section(i);
    const std::size_t name = names.sh_offset + entry.sh_name;
    if (name >= elf.size() || entry.sh_offset + entry.sh_size > elf.size()) continue;
    if (elf.substr(name, wanted.size() + 1) == std::string(wanted) + '\0') {
      return elf.substr(entry.sh_offset, entry.sh_size);
    }
  }
  return {};
}

bool IsCandidates(std::string_view file) {
  return !file.empty() && file[0] != '/' && file.find("include/") == std::string_view::npos;
}

// Executes the line program of one compilation unit (DWARF 4, section 6.2). Opcodes are written as
// the numbers of the standard.
class LineProgram {
 public:
  LineProgram(Reader* reader, std::uint64_t wanted) : reader_(*reader), wanted_(wanted) {}

  // Returns true if the wanted address is in this unit, and sets `*found` to its line.
  bool Run(SourceLine* found) {
    const std::uint32_t length = reader_.Fixed<std::uint32_t>();
    const std::size_t end = reader_.at() + length;
    const std::uint16_t version = reader_.Fixed<std::uint16_t>();
    bool hit = false;
    if (version >= 2 && version <= 4 && length < 0xfffffff0u) {
      ReadHeader(version);
      while (reader_.at() < end && !reader_.done() && !hit) hit = Step(found);
    }
    reader_.Seek(end);
    return hit;
  }

 private:
  void ReadHeader(std::uint16_t version) {
    const std::uint32_t header_length = reader_.Fixed<std::uint32_t>();
    const std::size_t program = reader_.at() + header_length;
    minimum_length_ = reader_.Fixed<std::uint8_t>();
    if (version == 4)
      reader_.Fixed<std::uint8_t>();                  // maximum_operations_per_instruction is
                                                      // always 1.
    reader_.Fixed<std::uint8_t>();                    // default_is_stmt
    line_base_ = reader_.Fixed<std::int8_t>();
    line_range_ = reader_.Fixed<std::uint8_t>();
    if (line_range_ == 0) line_range_ = 1;
    opcode_base_ = reader_.Fixed<std::uint8_t>();
    for (int i = 1; i < opcode_base_; ++i) operands_.push_back(reader_.Fixed<std::uint8_t>());
    std::vector<std::string> folders = {""};
    for (std::string_view text = reader_.Text(); !text.empty(); text = reader_.Text()) {
      folders.push_back(std::string(text) + "/");
    }
    for (std::string_view text = reader_.Text(); !text.empty(); text = reader_.Text()) {
      const std::uint64_t folder = reader_.Unsigned();
      reader_.Unsigned();  // Time.
      reader_.Unsigned();  // Size.
      files_.push_back((folder < folders.size() ? folders[folder] : "") + std::string(text));
    }
    reader_.Seek(program);
  }

  // Ends a row of the table. The previous row covers the addresses up to this one.
  bool Emit(SourceLine* found) {
    if (has_row_ && row_address_ <= wanted_ && wanted_ < address_) {
      *found = candidate_;
      return true;
    }
    has_row_ = true;
    row_address_ = address_;
    if (file_ >= 1 && file_ <= files_.size() && IsCandidates(files_[file_ - 1]) && line_ > 0) {
      candidate_ = {files_[file_ - 1], static_cast<int>(line_)};
    }
    return false;
  }
  void EndSequence() {
    has_row_ = false;
    candidate_ = {};
    address_ = 0;
    file_ = 1;
    line_ = 1;
  }

  bool Step(SourceLine* found) {
    const std::uint8_t opcode = reader_.Fixed<std::uint8_t>();
    if (opcode >= opcode_base_) {
      const int adjusted = opcode - opcode_base_;
      address_ += static_cast<std::uint64_t>(adjusted / line_range_) * minimum_length_;
      line_ += line_base_ + adjusted % line_range_;
      return Emit(found);
    }
    switch (opcode) {
      case 0: {
        const std::uint64_t length = reader_.Unsigned();
        const std::size_t end = reader_.at() + length;
        const std::uint8_t extended = reader_.Fixed<std::uint8_t>();
        bool hit = false;
        if (extended == 1) {  // end_sequence
          hit = Emit(found);
          EndSequence();
        } else if (extended == 2) {  // set_address
          address_ = reader_.Fixed<std::uint64_t>();
        }
        reader_.Seek(end);
        return hit;
      }
      case 1:  // copy
        return Emit(found);
      case 2:  // advance_pc
        address_ += reader_.Unsigned() * minimum_length_;
        return false;
      case 3:  // advance_line
        line_ += reader_.Signed();
        return false;
      case 4:  // set_file
        file_ = reader_.Unsigned();
        return false;
      case 8:  // const_add_pc
        address_ +=
            static_cast<std::uint64_t>((255 - opcode_base_) / line_range_) * minimum_length_;
        return false;
      case 9:  // fixed_advance_pc
        address_ += reader_.Fixed<std::uint16_t>();
        return false;
      default:
        for (int i = 0; i < operands_[opcode - 1u]; ++i) reader_.Unsigned();
        return false;
    }
  }

  Reader& reader_;
  const std::uint64_t wanted_;
  unsigned minimum_length_ = 1;
  int line_base_ = 0, line_range_ = 1, opcode_base_ = 1;
  std::vector<std::uint8_t> operands_;
  std::vector<std::string> files_;
  bool has_row_ = false;
  std::uint64_t address_ = 0, row_address_ = 0, file_ = 1;
  std::int64_t line_ = 1;
  SourceLine candidate_;
};

// The line table of a library, which is read once: a check may ask for a line at every access.
std::string_view LineTableOf(const char* library) {
  static auto* const tables = new std::map<std::string, std::string>;
  const auto [known, fresh] = tables->try_emplace(library);
  if (fresh) {
    std::ostringstream elf;
    elf << std::ifstream(library, std::ios::binary).rdbuf();
    known->second = Section(elf.view(), ".debug_line");
  }
  return known->second;
}

SourceLine Found(const void* address) {
  Dl_info library{};
  if (dladdr(address, &library) == 0 || library.dli_fname == nullptr) return {};
  Reader reader(LineTableOf(library.dli_fname));
  // Libraries are linked at address 0, so DWARF addresses are relative to the load address.
  const auto wanted = static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                                 static_cast<const char*>(library.dli_fbase));
  SourceLine found;
  while (!reader.done()) {
    if (LineProgram(&reader, wanted).Run(&found)) break;
  }
  return found;
}

}  // namespace

SourceLine LineOf(const void* address) {
  // Never destroyed: code that runs at the end of the process may ask, too.
  static auto* const mutex = new std::mutex;
  static auto* const known = new std::map<const void*, SourceLine>;
  const std::lock_guard<std::mutex> lock(*mutex);
  const auto [place, fresh] = known->try_emplace(address);
  if (fresh) place->second = Found(address);
  return place->second;
}

}  // namespace kernelmill
