#include "stages/verify/build/extension.h"

#include <algorithm>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

std::string NumberedName(std::string_view stem, std::size_t i, std::string_view extension) {
  return std::string(stem) + (i == 0 ? "" : "_" + std::to_string(i)) + std::string(extension);
}

// The names under which compiler_flags.py lists these flags. They are no identifiers, so
// that no text can ask for them: nvcc defines no macro that tells of them.
constexpr std::string_view kFlushes = "-ftz", kDoesNotContract = "-fmad", kLanguage = "-std";

bool Defines(const ExtensionSources& sources, std::string_view macro) {
  return std::any_of(sources.defines.begin(), sources.defines.end(),
                     [macro](const auto& define) { return define.first == macro; });
}

}  // namespace

std::string CppFileName(std::size_t i) { return NumberedName("main", i, ".cpp"); }

std::string CudaFileName(const KernelBackend& backend, std::size_t i) {
  return NumberedName("cuda", i, backend.source_suffix);
}

bool HasFastMath(const ExtensionSources& sources) { return Defines(sources, "__USE_FAST_MATH__"); }

bool Flushes(const ExtensionSources& sources) {
  return HasFastMath(sources) || Defines(sources, kFlushes);
}

bool Contracts(const ExtensionSources& sources) { return !Defines(sources, kDoesNotContract); }

std::string LanguageOf(const FlagMacros& macros) {
  std::string language = "c++17";
  for (const auto& [name, value] : macros) {
    if (name == kLanguage) language = value;
  }
  return language;
}

bool AsksForLanguage(const FlagMacros& macros) {
  return std::any_of(macros.begin(), macros.end(),
                     [](const auto& macro) { return macro.first == kLanguage; });
}

std::string DefinitionText(const FlagMacros& macros) {
  std::string text;
  for (const auto& [name, value] : macros) {
    if (!IsIdentifier(name) || value.find('\n') != std::string::npos) continue;
    text += "#undef " + name + "\n#define " + name + " " + value + "\n";
  }
  return text;
}

}  // namespace kernelmill
