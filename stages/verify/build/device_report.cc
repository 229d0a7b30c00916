#include "stages/verify/build/device_report.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "parsers/cuda_rewrite.h"
#include "parsers/kernel_slices/kernel_slicer.h"
#include "parsers/text_lines.h"
#include "stages/verify/build/demangled.h"
#include "stages/verify/legality/allowed_symbols.h"

namespace kernelmill {
namespace {

// At most this many kernels of a candidate are checked.
constexpr std::size_t kMostKernels = 64;
constexpr std::size_t kMostErrors = 5;

// One kernel, cut out of its file with the code that it needs.
struct Slice {
  KernelSource kernel;
  std::string file;                  // The file's name in diagnostics.
  std::int64_t first_line = 0;       // The kernel's first line in that file.
  std::set<std::string> host_names;  // Functions and variables of that file that are the host's.
  DeviceSource source;
};

// Replaces "scalar_t", AT_DISPATCH's name for the type that it has chosen, by "float".
std::string WithDispatchedType(std::string text) {
  constexpr std::string_view kType = "scalar_t";
  for (std::size_t at = text.find(kType); at != text.npos; at = text.find(kType, at)) {
    text.replace(at, kType.size(), "float");
  }
  return text;
}

// The namespaces of an item, such as "ours::detail::".
std::string QualifierOf(const CudaFile& file, const CudaItem& item) {
  std::string qualifier;
  for (std::int64_t at = item.scope; at >= 0; at = file.scopes[at].parent) {
    if (!file.scopes[at].name.empty()) qualifier = file.scopes[at].name + "::" + qualifier;
  }
  return qualifier;
}

std::set<std::string> HostNamesOf(const CudaFile& file) {
  std::set<std::string> names;
  for (const CudaItem& item : file.items) {
    if (item.device) continue;
    if (item.kind == CudaItemKind::kFunction) names.insert(item.name);
    if (item.kind == CudaItemKind::kVariable) {
      names.insert(item.defines.begin(), item.defines.end());
    }
  }
  return names;
}

std::vector<std::string> InstantiationsOf(const KernelSource& kernel,
                                          const std::string& qualifier) {
  std::set<std::string> names;
  for (const KernelLaunch& launch : kernel.launches) {
    if (launch.template_arguments.empty()) continue;
    names.insert(qualifier + kernel.name + "<" + WithDispatchedType(launch.template_arguments) +
                 ">");
  }
  return {names.begin(), names.end()};
}

// The code without the lines that include torch's headers, which only nvcc can compile:
// device_prelude.h declares what kernels use of them most. Lines keep their numbers.
std::string WithoutTorchHeaders(std::string code) {
  constexpr std::string_view kInclude = "#include <";
  for (std::size_t at = code.find(kInclude); at != code.npos; at = code.find(kInclude, at + 1)) {
    const std::string_view header = std::string_view(code).substr(at + kInclude.size());
    if (header.starts_with("torch/") || header.starts_with("ATen/") || header.starts_with("c10/")) {
      code.erase(at, std::min(code.find('\n', at), code.size()) - at);
    }
  }
  return code;
}

std::vector<Slice> SlicesOf(const ExtensionSources& sources) {
  const KernelBackend& backend = *sources.backend;
  const auto text = [&](const std::string& source) {
    return backend.HasCudaNames() ? source : RewriteDeviceNames(source, backend);
  };
  std::vector<NativeFile> files;
  const auto add = [&](const std::string& path, const std::string& source) {
    files.push_back({path, "", "", {}, CudaFile::Parse(text(source))});
  };
  for (std::size_t i = 0; i < sources.cuda_sources.size(); ++i) {
    add(std::to_string(i) + ".cu", sources.cuda_sources[i]);
  }
  for (const auto& [name, source] : sources.headers) add(name, source);
  const auto index = std::make_shared<const NativeIndex>(std::move(files));
  TranslationUnits units(index);
  std::string macros = DefinitionText(sources.defines);
  if (!macros.empty()) macros += "#line 1\n";  // Diagnostics count the kernel's lines.
  const std::string asked =
      AsksForLanguage(sources.defines) ? LanguageOf(sources.defines) : "c++20";
  const std::string language = std::max<std::string>("c++17", asked);
  std::vector<std::string> without_operators;
  for (const auto& [name, value] : sources.defines) {
    if (name.starts_with("__CUDA_NO_")) without_operators.push_back("-D" + name);
  }
  std::vector<Slice> slices;
  for (std::size_t source = 0; source < sources.cuda_sources.size(); ++source) {
    // The index sorts its files by path.
    const auto file = static_cast<std::size_t>(index->FileAt(std::to_string(source) + ".cu"));
    const CudaFile& parsed = index->files()[file].cuda;
    const std::vector<CudaItem>& items = parsed.items;
    const std::set<std::string> host_names = HostNamesOf(parsed);
    for (std::size_t item = 0; item < items.size() && slices.size() < kMostKernels; ++item) {
      if (!items[item].kernel || !items[item].body) continue;
      Slice slice;
      KernelCut cut = CutKernel(&units, static_cast<int>(file), static_cast<int>(item), {});
      slice.kernel = std::move(cut.kernel);
      slice.file = CudaFileName(backend, source);
      slice.first_line = items[item].first_line;
      slice.host_names = host_names;
      slice.source = {macros + WithoutTorchHeaders(slice.kernel.code),
                      InstantiationsOf(slice.kernel, QualifierOf(parsed, items[item])), language,
                      without_operators};
      slices.push_back(std::move(slice));
    }
  }
  return slices;
}

// What an error says about the candidate. The same kernel has been compiled for the CPU, so a name
// that is unknown here is declared by a header of torch or of the C++ library, or is the host's.
enum class Cause {
  kKernel,   // The kernel's own fault, if all of its names are known: errors follow from others.
  kCertain,  // It names what device code lacks for good, whatever else is unknown.
  kUnknown,  // A header that is missing here may declare the name.
};

struct DeviceError {
  std::int64_t line = 0;  // Line of the slice; 0 for an error in a header or of the assembler.
  std::string message;
  Cause cause = Cause::kKernel;
};

// Whether device code lacks a name for good: it is a function or variable of the candidate's host
// code, or a function of the C library that the compiler does not know.
bool IsOfHost(const Slice& slice, const std::string& name) {
  return slice.host_names.contains(name) ||
         (!name.starts_with("__") && IsAllowedImport({name, "", ""}));
}

// "half_of" of `identifier "half_of" is undefined`.
std::string QuotedIn(std::string_view message) {
  const std::size_t first = message.find('"');
  if (first == message.npos) return {};
  message.remove_prefix(first + 1);
  return std::string(message.substr(0, message.find('"')));
}

bool Mentions(std::string_view message, std::initializer_list<std::string_view> texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](std::string_view text) { return message.find(text) != message.npos; });
}

Cause CauseOf(const Slice& slice, const DeviceError& error) {
  using enum Cause;
  if (Mentions(error.message, {"could not open", "cannot open", "name followed by \"::\"",
                               "not a class or namespace", "must be a namespace"})) {
    return kUnknown;
  }
  const std::string name = QuotedIn(error.message);
  if (error.message.starts_with("namespace \"") && Mentions(error.message, {"has no member"})) {
    return name == "std" || name.starts_with("std::") || name.starts_with("cuda::") ? kCertain
                                                                                    : kUnknown;
  }
  if (error.message.starts_with("identifier \"") && Mentions(error.message, {"is undefined"})) {
    return IsOfHost(slice, name) ? kCertain : kUnknown;
  }
  return error.line == 0 ? kUnknown : kKernel;
}

// Parses an error of ptxas, the assembler, which names no line: "ptxas fatal   : Unresolved extern
// function '_Z1ff'". It judges what the compiler has accepted, so what it says is certain.
std::optional<DeviceError> AssemblerErrorIn(std::string_view line) {
  if (!line.starts_with("ptxas error ") && !line.starts_with("ptxas fatal ")) return std::nullopt;
  const std::size_t colon = line.find(": ");
  if (colon == line.npos) return std::nullopt;
  const std::string message(line.substr(colon + 2));
  // Another architecture has it, or the machine ran out of memory.
  const bool ours = Mentions(message, {"requires .target", "emory allocation"});
  return DeviceError{0, message, ours ? Cause::kUnknown : Cause::kCertain};
}

// Parses the errors of a log: "device(12): error: …".
std::vector<DeviceError> ErrorsIn(const Slice& slice, std::string_view log) {
  constexpr std::string_view kFile = "device(", kError = "error";
  std::vector<DeviceError> errors;
  for (std::string_view line : LinesOf(log)) {
    if (std::optional<DeviceError> found = AssemblerErrorIn(line)) {
      errors.push_back(*std::move(found));
      continue;
    }
    const std::size_t found = line.find("): ");
    if (found == line.npos || line.find(kError, found) == line.npos) continue;
    const std::size_t colon = line.find(": ", found + 3);
    if (colon == line.npos || line.substr(found, colon - found).find(kError) == line.npos) continue;
    DeviceError error;
    error.message = line.substr(colon + 2);
    if (line.starts_with(kFile)) {
      std::from_chars(line.data() + kFile.size(), line.data() + found, error.line);
    }
    error.cause = CauseOf(slice, error);
    errors.push_back(std::move(error));
  }
  return errors;
}

bool HasCertain(const std::vector<DeviceError>& errors) {
  return std::any_of(errors.begin(), errors.end(),
                     [](const DeviceError& error) { return error.cause == Cause::kCertain; });
}

// Whether the errors are a judgement about the kernel: one of them names what only the host has, or
// none of them can be due to a name that headers declare which are missing here.
bool IsCertain(const Slice& slice, const std::vector<DeviceError>& errors) {
  if (HasCertain(errors)) return true;
  const std::vector<std::string>& missing = slice.kernel.missing;
  return !errors.empty() &&
         std::all_of(missing.begin(), missing.end(),
                     [&](const std::string& name) { return IsOfHost(slice, name); }) &&
         std::none_of(errors.begin(), errors.end(),
                      [](const DeviceError& error) { return error.cause == Cause::kUnknown; });
}

std::string RefusalOf(const Slice& slice, const std::vector<DeviceError>& errors) {
  std::string text;
  bool of_std = false;
  for (std::size_t i = 0; i < std::min(errors.size(), kMostErrors); ++i) {
    const std::int64_t line = errors[i].line < slice.kernel.line
                                  ? 0
                                  : slice.first_line + errors[i].line - slice.kernel.line;
    text += slice.file + (line > 0 ? ":" + std::to_string(line) : "") +
            ": error: " + errors[i].message + "\n";
    of_std = of_std || errors[i].message.starts_with("namespace \"std");
  }
  for (const std::string& name : slice.kernel.missing) {
    if (!IsOfHost(slice, name)) continue;
    text +=
        slice.file + ": note: " + name +
        " is the host's: device code may use what has __device__ or __constant__, and the values "
        "of constexpr scalars\n";
  }
  if (of_std) {
    text += slice.file + ": note: device code has of namespace std what CUDA's cuda::std has\n";
  }
  return text;
}

// "scale<float, 4>" of "void scale<float, 4>(float*, int)", mangled.
std::string KernelName(const std::string& mangled) {
  std::string name = Demangled(mangled);
  if (const std::size_t parameters = name.rfind(")"); parameters != name.npos) {
    int depth = 0;
    std::size_t at = parameters;
    do depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
    while (depth > 0 && at-- > 0);
    name.resize(std::min(at, name.size()));
  }
  return name.starts_with("void ") ? name.substr(5) : name;
}

// The number before `unit` on a line: "8" of "Used 8 registers".
std::int64_t NumberBefore(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == line.npos) return 0;
  std::size_t first = at;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
  std::int64_t number = 0;
  std::from_chars(line.data() + first, line.data() + at, number);
  return number;
}

// Parses the output of ptxas: one line names the kernel, one has its stack and spills, one its
// registers and memory.
void AddFacts(std::string_view log, std::vector<VerdictDeviceKernel>* kernels) {
  constexpr std::string_view kEntry = "Compiling entry function '";
  VerdictDeviceKernel* kernel = nullptr;
  for (std::string_view line : LinesOf(log)) {
    if (const std::size_t entry = line.find(kEntry); entry != line.npos) {
      const std::string_view rest = line.substr(entry + kEntry.size());
      kernels->push_back({KernelName(std::string(rest.substr(0, rest.find('\''))))});
      kernel = &kernels->back();
    }
    if (kernel == nullptr) continue;
    if (line.find("bytes stack frame") != line.npos) {
      kernel->stack = NumberBefore(line, " bytes stack frame");
      kernel->spills =
          NumberBefore(line, " bytes spill stores") + NumberBefore(line, " bytes spill loads");
    }
    if (line.find(" registers") != line.npos) {
      kernel->registers = NumberBefore(line, " registers");
      kernel->shared = NumberBefore(line, " bytes smem");
    }
  }
}

// Parses the lines that device_front_end/compile_device.cc adds: "@@bound _Z5scalePf 256 1 1".
void AddBounds(std::string_view log, std::vector<LaunchBound>* bounds) {
  constexpr std::string_view kMark = "@@bound ";
  for (std::string_view line : LinesOf(log)) {
    if (!line.starts_with(kMark)) continue;
    line.remove_prefix(kMark.size());
    const std::size_t space = line.find(' ');
    if (space == line.npos) continue;
    LaunchBound bound{KernelName(std::string(line.substr(0, space))), 1};
    for (std::string_view rest = line.substr(space); !rest.empty();) {
      rest.remove_prefix(1);
      std::int64_t size = 1;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
      if (error != std::errc()) break;
      bound.threads *= size;
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    bounds->push_back(std::move(bound));
  }
}

// The assembler refuses a kernel with too much static shared memory and only says how much it has.
void AddSharedMemoryError(std::string_view log, std::vector<DeviceError>* errors) {
  constexpr std::int64_t kMost = 48 << 10;
  if (!errors->empty()) return;
  std::vector<VerdictDeviceKernel> kernels;
  AddFacts(log, &kernels);
  for (const VerdictDeviceKernel& kernel : kernels) {
    if (kernel.shared <= kMost) continue;
    errors->push_back({0,
                       kernel.kernel + " has " + std::to_string(kernel.shared) +
                           " bytes of static shared memory; " + std::to_string(kMost) +
                           " are allowed",
                       Cause::kCertain});
  }
}

std::string WhyUnchecked(const Slice& slice, const std::vector<DeviceError>& errors) {
  std::string why = slice.kernel.name + ": ";
  for (const std::string& name : slice.kernel.missing) {
    if (!IsOfHost(slice, name)) return why + "it takes " + name;
  }
  return why + (errors.empty() ? "the compiler came to no end" : errors.front().message);
}

class Check {
 public:
  Check(const DeviceCompiler& compiler, std::vector<Slice> slices)
      : compiler_(compiler), slices_(std::move(slices)) {}

  // Tries several ways to compile. Each is slower or reports less than the one before, and gets
  // only the slices that failed so far.
  Status Run() {
    open_.resize(slices_.size());
    for (std::size_t i = 0; i < open_.size(); ++i) open_[i] = i;
    errors_.resize(slices_.size());
    KM_RETURN_IF_ERROR(Try(false, true));
    KM_RETURN_IF_ERROR(Try(true, true));
    // A body that depends on template arguments may compile as long as nobody gives them.
    std::erase_if(open_, [&](std::size_t i) {
      const bool refused = HasCertain(errors_[i]);
      if (refused) Refuse(i);
      return refused;
    });
    return Try(true, false);
  }

  DeviceReport Finish() {
    for (std::size_t i : open_) {
      if (IsCertain(slices_[i], errors_[i])) {
        Refuse(i);
      } else {
        check_.facts.unchecked.push_back(WhyUnchecked(slices_[i], errors_[i]));
      }
    }
    return std::move(check_);
  }

 private:
  void Refuse(std::size_t i) {
    if (check_.refused.empty()) check_.refused = RefusalOf(slices_[i], errors_[i]);
  }

  Status Try(bool whole_library, bool instantiate) {
    std::vector<std::size_t> asked;
    std::vector<DeviceSource> sources;
    for (std::size_t i : open_) {
      const bool templates = !slices_[i].source.instantiations.empty();
      if (!instantiate && !templates) continue;
      asked.push_back(i);
      DeviceSource source = slices_[i].source;
      if (!instantiate) source.instantiations.clear();
      sources.push_back(std::move(source));
    }
    if (asked.empty()) return Status::Ok();
    KM_ASSIGN(const auto results, compiler_.Compile(sources, whole_library));
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].ok) {
        AddFacts(results[i].log, &check_.facts.kernels);
        AddBounds(results[i].log, &check_.bounds);
        std::erase(open_, asked[i]);
      } else {
        errors_[asked[i]] = ErrorsIn(slices_[asked[i]], results[i].log);
        AddSharedMemoryError(results[i].log, &errors_[asked[i]]);
      }
    }
    return Status::Ok();
  }

  const DeviceCompiler& compiler_;
  const std::vector<Slice> slices_;
  std::vector<std::size_t> open_;  // Slices that have not compiled yet.
  std::vector<std::vector<DeviceError>> errors_;
  DeviceReport check_;
};

}  // namespace

Result<DeviceReport> CompileForDevice(const ExtensionSources& sources,
                                      const DeviceCompiler& compiler) {
  Check check(compiler, SlicesOf(sources));
  KM_RETURN_IF_ERROR(check.Run());
  DeviceReport result = check.Finish();
  result.facts.compiler = compiler.version();
  result.facts.architecture = DeviceCompiler::kArchitecture;
  result.facts.renamed = !sources.backend->HasCudaNames();
  return result;
}

}  // namespace kernelmill
