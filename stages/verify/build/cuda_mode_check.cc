#include "stages/verify/build/cuda_mode_check.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "manifests/commit_file.h"
#include "parsers/cuda_attributes.h"
#include "parsers/text_lines.h"
#include "stages/verify/build/asked_concepts.h"
#include "stages/verify/build/executor_sources.h"
#include "stages/verify/build/host_constants.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostErrors = 5;
constexpr std::size_t kMostLog = 2000;
// A text may ask for one concept after the other.
constexpr int kConceptRounds = 4;

// Clang forgets that these are functions of the host when it reads a precompiled header.
constexpr char kRedeclared[] =
    "void* operator new(std::size_t); void* operator new[](std::size_t);"
    "void* operator new(std::size_t, std::align_val_t);"
    "void operator delete(void*) noexcept; void operator delete[](void*) noexcept;"
    "void operator delete(void*, std::size_t) noexcept;"
    "void operator delete[](void*, std::size_t) noexcept;"
    "void operator delete(void*, std::align_val_t) noexcept;\n";

bool Mentions(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != text.npos; });
}

// The language of all builds, and the one that torch's loader asks for unless flags do.
constexpr char kLanguage[] = "c++20", kEarlierLanguage[] = "c++17";

// Whether a text can ask for the language at all: by comparisons or constructors that it declares,
// by what a declaration of a function depends on, or by words that are not in both.
bool MayTellLanguage(std::string_view text) {
  for (std::size_t at = 0; (at = text.find("operator", at)) != text.npos; ++at) {
    const std::size_t sign = text.find_first_not_of(" \t\n\\", at + 8);
    if (sign != text.npos && std::string_view("=!<>#").find(text[sign]) != text.npos) return true;
  }
  return Mentions(text, {"decltype", "noexcept(", "enable_if", "void_t", "declval", "requires",
                         "delete;", "default;", "<=>", "u8\"", "u8'", "explicit", "##",
                         "is_constant_evaluated", "consteval", "constinit"});
}

// Code in LLVM's textual form without the notes of the module, which differ between languages.
std::string_view WithoutNotes(std::string_view code) {
  return code.substr(0, code.find("\n!llvm."));
}

// Blanks the #include lines of headers that do not lie in the folder.
std::string WithoutForeignIncludes(std::string_view text, const fs::path& folder) {
  std::string kept;
  for (const std::string_view line : LinesOf(text)) {
    const std::size_t sign = line.find_first_not_of(" \t");
    const std::size_t word = sign == line.npos || line[sign] != '#'
                                 ? line.npos
                                 : line.find_first_not_of(" \t", sign + 1);
    const bool includes = word != line.npos && line.substr(word).starts_with("include");
    const std::size_t open = includes ? line.find('"') : line.npos;
    const std::size_t close = open == line.npos ? line.npos : line.find('"', open + 1);
    const bool own = close != line.npos &&
                     fs::exists(folder / line.substr(open + 1, close - open - 1));
    if (!includes || own) kept += line;
    kept += '\n';
  }
  return kept;
}

// Whether a message is about the sides of functions and variables. The library has been built, so
// other errors say only that a header of ours differs from CUDA's.
bool IsAboutSides(std::string_view message) {
  return Mentions(message, {"reference to __host__", "reference to __device__",
                            "reference to __global__", "call to __host__", "call to __device__",
                            "call to __global__", "kernel call to non-global", "kernel function",
                            "not configured", "dynamic initialization is not supported",
                            "is not allowed in __device__", "is not allowed in __global__",
                            // What the executor has for the rewrite's launches alone.
                            "in namespace 'kernelmill'", "identifier 'RunLaunch'",
                            "identifier 'LaunchSpec'"});
}

// "cuda.cu:12:5: error: x" becomes "cuda.cu:12: error: x".
std::string WithoutColumn(std::string_view line) {
  const std::size_t kind = line.find(": error: ");
  const std::size_t column = line.rfind(':', kind - 1);
  if (column == line.npos) return std::string(line);
  return std::string(line.substr(0, column)) + std::string(line.substr(kind));
}

}  // namespace

std::string SideErrorsIn(std::string_view log) {
  std::string errors, open;  // `open`: an error whose notes may say that it is about sides.
  std::size_t count = 0;
  const auto add = [&](std::string_view line) {
    if (count++ < kMostErrors) errors += WithoutColumn(line) + "\n";
  };
  for (const std::string_view line : LinesOf(log)) {
    if (line.find(": error: ") != line.npos) {
      open.clear();
      // Errors in headers follow from those, or from what the headers leave out.
      if (line.starts_with('/')) continue;
      if (IsAboutSides(line)) {
        add(line);
      } else if (line.find("no matching") != line.npos) {
        open = line;
      }
    } else if (!open.empty() && line.find("note: ") != line.npos && IsAboutSides(line)) {
      const std::size_t why = line.find("not viable: ");
      add(open + (why == line.npos ? "" : std::string(line.substr(why + 10))));
      open.clear();
    }
  }
  return errors;
}

std::string StaticVariableIn(std::string_view device_code) {
  for (const std::string_view line : LinesOf(device_code)) {
    // "@_ZZ4roomvE6values = internal global [4 x float] zeroinitializer": the name lies in a
    // function. Shared memory has no initial value.
    if (!line.starts_with("@_ZZ") || line.find(" undef") != line.npos) continue;
    if (line.find(" global ") == line.npos || line.find(" external ") != line.npos) continue;
    return std::string(line.substr(1, line.find(' ') - 1));
  }
  return {};
}

namespace {

bool IsOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("$._-").find(c) != std::string_view::npos;
}

// The end of the name, quoted or not, that starts behind the sign at `at`.
std::size_t EndOfName(std::string_view line, std::size_t at) {
  std::size_t end = at + 1;
  if (end < line.size() && line[end] == '"') {
    end = line.find('"', end + 1);
    return end == line.npos ? line.size() : end + 1;
  }
  while (end < line.size() && IsOfName(line[end])) ++end;
  return end;
}

// Where the function is named that a call calls; npos if a value or a number is called.
std::size_t CalleeOf(std::string_view line, std::size_t call) {
  for (std::size_t at = call; at < line.size(); ++at) {
    if (line[at] != '@' && line[at] != '%') continue;
    const std::size_t end = EndOfName(line, at);
    if (end < line.size() && line[end] == '(') return line[at] == '@' ? at : line.npos;
    at = end - 1;
  }
  return line.npos;
}

}  // namespace

PointerCalls PointerCallsIn(std::string_view device_code) {
  PointerCalls found;
  std::set<std::string_view, std::less<>> functions, defined;
  for (const std::string_view line : LinesOf(device_code)) {
    const bool defines = line.starts_with("define ");
    if (!defines && !line.starts_with("declare ")) continue;
    const std::size_t name = CalleeOf(line, 0);
    if (name == line.npos) continue;
    const std::string_view text = line.substr(name, EndOfName(line, name) - name);
    functions.insert(text);
    if (defines) defined.insert(text);
  }
  std::string_view within;
  for (const std::string_view line : LinesOf(device_code)) {
    if (line.starts_with("declare ") || line.starts_with('!') || line.starts_with("attributes")) {
      continue;
    }
    std::size_t callee = line.npos;
    if (line.starts_with("define ")) {
      callee = CalleeOf(line, 0);
      if (callee != line.npos) within = line.substr(callee, EndOfName(line, callee) - callee);
    } else if (line.starts_with(' ')) {
      std::size_t call = line.find(" call ");
      if (call == line.npos) call = line.find(" invoke ");
      if (call != line.npos) {
        callee = CalleeOf(line, call);
        if (callee == line.npos && line.find(" asm ", call) == line.npos) {
          found.caller = std::string(within.substr(std::min<std::size_t>(1, within.size())));
        }
      }
    } else if (line.starts_with('@')) {
      callee = 0;
      found.has_virtual = found.has_virtual || line.starts_with("@_ZTV");
    }
    for (std::size_t at = line.find('@'); at != line.npos; at = line.find('@', at + 1)) {
      const std::string_view name = line.substr(at, EndOfName(line, at) - at);
      // A routine for exceptions is nothing that device code calls.
      if (at == callee || name == "@__gxx_personality_v0" || !functions.contains(name)) continue;
      if (name == "@__cxa_pure_virtual" || name == "@__cxa_deleted_virtual") continue;
      found.takes_address = true;
      if (!defined.contains(name)) found.foreign = std::string(name.substr(1));
    }
  }
  return found;
}

namespace {

// Whether a line says an error of the candidate's own text.
bool HasOwnError(std::string_view log) {
  for (const std::string_view line : LinesOf(log)) {
    if (line.find(": fatal error: ") != line.npos) return true;
    if (line.find(": error: ") != line.npos && !line.starts_with('/')) return true;
  }
  return false;
}

}  // namespace

Result<std::string> TextForHost(const std::vector<UnitText>& units, const CudaToolchain& toolchain,
                                const fs::path& folder) {
  std::string all;
  for (const UnitText& unit : units) {
    KM_RETURN_IF_ERROR(ReplaceFile(folder / "host.cpp", WithoutForeignIncludes(unit.text, folder)));
    KM_ASSIGN(const CompilerRun run,
              toolchain.ExpandForHost(folder, {"host.cpp", unit.extension}));
    // Without an output there was an error in a directive, which the library's build reports.
    if (!fs::exists(folder / "host.ii")) continue;
    KM_ASSIGN(const std::string text, ReadFile(folder / "host.ii"));
    for (const std::string_view line : LinesOf(text)) {
      if (!line.starts_with("# ")) all += std::string(line) + "\n";
    }
    std::error_code error;
    fs::remove(folder / "host.ii", error);
  }
  return all;
}

Result<CudaModeCheck> CheckInCudaMode(const std::vector<UnitText>& units,
                                      const KernelBackend& backend, const CudaToolchain& toolchain,
                                      const CudaRuntime& runtime, const fs::path& folder,
                                      const std::string& language) {
  CudaModeCheck check;
  std::vector<std::string> texts;
  for (const UnitText& unit : units) texts.push_back(unit.text);
  KM_ASSIGN(const auto headers, FilesBelow(folder));
  for (const fs::path& header : headers) {
    KM_ASSIGN(std::string text, ReadFile(folder / header));
    texts.push_back(std::move(text));
  }
  for (const UnitText& unit : units) {
    CompilerRun run;
    std::string text = kRedeclared + WithoutAlignments(unit.text, Alignments::kLate);
    for (int round = 0; round < kConceptRounds; ++round) {
      KM_RETURN_IF_ERROR(ReplaceFile(folder / "extension.cpp", text));
      KM_ASSIGN(run, toolchain.CompileInCudaMode(runtime, folder, {"extension.cpp", unit.extension},
                                                 kLanguage));
      std::string asked = WithConceptsAsked(text, run.output);
      if (run.exit_status == 0 || asked == text) break;
      text = std::move(asked);
    }
    check.refused = SideErrorsIn(run.output);
    if (!check.refused.empty()) return check;
    if (run.exit_status != 0) {
      // The library has been built, so this mode lacks something: a function of the host's headers
      // that an executor's header calls. Where it lacks more, nobody knows what device code calls.
      if (!HasOwnError(run.output)) continue;
      check.unsupported = run.output.substr(0, kMostLog);
      return check;
    }
    KM_ASSIGN(const std::string code, ReadFile(folder / "device.ll"));
    if (language < kLanguage && MayTellLanguage(unit.text)) {
      KM_ASSIGN(const CompilerRun earlier,
                toolchain.CompileInCudaMode(runtime, folder, {"extension.cpp", unit.extension},
                                            kEarlierLanguage));
      // Text that is no program in that language asks for this one in fact.
      if (earlier.exit_status == 0) {
        KM_ASSIGN(const std::string earlier_code, ReadFile(folder / "device.ll"));
        if (WithoutNotes(earlier_code) != WithoutNotes(code)) {
          check.unsupported = std::string("device code is another one in ") + kEarlierLanguage +
                              ", which its flags ask for, than in " + kLanguage +
                              ", which the executor's builds are\n";
          return check;
        }
      }
    }
    if (const std::string name = StaticVariableIn(code); !name.empty()) {
      check.unsupported = "device code has the static variable " + name +
                          " in a function; the executor has no memory of the device for it\n";
      return check;
    }
    // Only nvcc has this rule: the compilers of the other backends derive from clang.
    const std::string array = &backend == &kCudaBackend ? HostConstantIn(code, texts) : "";
    if (!array.empty()) {
      check.refused = "identifier \"" + array +
                      "\" is undefined in device code: the array is the host's; an array of the "
                      "device has __device__ or __constant__, at file scope or in a namespace\n";
      return check;
    }
    if (code.find("x86_fp80") != code.npos) {
      check.unsupported =
          "device code uses long double, which a device's compiler takes for double; here it has "
          "80 "
          "bits\n";
      return check;
    }
    const PointerCalls pointers = PointerCallsIn(code);
    if (!pointers.foreign.empty()) {
      check.refused = "device code takes the address of " + pointers.foreign +
                      ", which is no function of the device\n";
    } else if (!pointers.caller.empty() && !pointers.takes_address) {
      check.refused = "device code calls by a pointer in " + pointers.caller +
                      ", and takes no function's address: the function is the host's\n";
    } else if (!pointers.caller.empty() && !pointers.has_virtual) {
      check.unsupported = "device code calls by a pointer in " + pointers.caller +
                          "; the executor cannot tell whose function that is\n";
    }
    if (!check.refused.empty() || !check.unsupported.empty()) return check;
  }
  return check;
}

}  // namespace kernelmill
