#include "stages/verify/legality/library_symbols.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

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

// exit() and abort() are allowed, because checks of CUDA calls use them.
const std::set<std::string_view>& ForbiddenNames() {
  static const std::set<std::string_view> kNames = {
      "dlopen",
      "dlsym",
      "dlvsym",
      "dlmopen",
      "dladdr",
      "dl_iterate_phdr",
      "system",
      "popen",
      "fork",
      "vfork",
      "execve",
      "execv",
      "execvp",
      "execl",
      "posix_spawn",
      "ptrace",
      "mprotect",
      "pkey_mprotect",
      "mmap",
      "pthread_create",
      "clone",
      "kill",
      "signal",
      "sigaction",
      "socket",
      "connect",
      "_exit",
      "quick_exit",
      "syscall",
      "thrd_create",
      "process_vm_readv",
      "process_vm_writev",
      "setenv",
      "putenv",
      "unlink",
      "backtrace",
      "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
  };
  return kNames;
}

// Python is forbidden too: bindings use the executor's table of functions.
constexpr std::array<std::string_view, 14> kPrefixes = {
    "Py",    "_Py",    "cublas", "cudnn",    "cusolver", "cusparse", "cufft",
    "nvrtc", "mublas", "mudnn",  "musolver", "musparse", "mufft",    "cblas_"};

// Implementations of torch's operators whose calls are not recorded: at::cpu, at::native, at::meta.
constexpr std::array<std::string_view, 5> kUndispatched = {
    "_ZN2at3cpu", "_ZN2at6native", "_ZN2at4meta", "_ZN2at25compositeexplicitautograd",
    "_ZN2at25compositeimplicitautograd"};

// Functions that stop the recording of operators, or run code outside of it.
constexpr std::array<std::string_view, 13> kObserver = {"_ZN2at20enableRecordFunction",
                                                        "_ZN2at14clearCallbacks",
                                                        "_ZN2at20clearGlobalCallbacks",
                                                        "_ZN2at25clearThreadLocalCallbacks",
                                                        "_ZN2at14removeCallback",
                                                        "_ZN2at15disableCallback",
                                                        "_ZN2at17addGlobalCallback",
                                                        "_ZN2at24set_record_function_tls_",
                                                        "_ZN5torch8autograd8profiler",
                                                        "_ZN5torch8profiler",
                                                        "_ZN2at6launch",
                                                        "_ZN2at14intraop_launch",
                                                        "_ZN3c1010ThreadPool"};

// BLAS routines such as sgemm_, which torch's own libraries export.
bool IsBlas(std::string_view symbol) {
  static const std::set<std::string_view> kRoutines = {
      "gemm", "gemv", "ger",  "dot",  "axpy", "scal", "asum", "nrm2", "copy",
      "swap", "symm", "symv", "syrk", "trmm", "trsm", "trmv", "trsv", "axpby"};
  if (symbol.ends_with('_')) symbol.remove_suffix(1);
  return symbol.size() > 1 && std::string_view("sdcz").find(symbol.front()) != symbol.npos &&
         kRoutines.contains(symbol.substr(1));
}

}  // namespace

Result<std::vector<std::string>> UndefinedSymbols(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status(ErrorCode::kNotFound, path + " cannot be read");
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto header = At<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != EM_X86_64) {
    return Status(ErrorCode::kCorrupt, path + " is no library for x86-64");
  }
  std::vector<std::string> found;
  for (int i = 0; i < header.e_shnum; ++i) {
    const auto section = At<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= header.e_shnum) continue;
    const auto strings =
        At<Elf64_Shdr>(bytes, header.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
    for (std::uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Sym); ++k) {
      const auto symbol = At<Elf64_Sym>(bytes, section.sh_offset + k * sizeof(Elf64_Sym));
      if (symbol.st_shndx != SHN_UNDEF || symbol.st_name == 0) continue;
      found.emplace_back(Text(bytes, strings, symbol.st_name));
    }
  }
  return found;
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

bool IsForbiddenSymbol(std::string_view symbol) {
  if (ForbiddenNames().contains(symbol)) return true;
  const auto begins = [&](std::string_view prefix) { return symbol.starts_with(prefix); };
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), begins) ||
         std::any_of(kUndispatched.begin(), kUndispatched.end(), begins) ||
         std::any_of(kObserver.begin(), kObserver.end(), begins) || IsBlas(symbol);
}

}  // namespace kernelmill
