#include "stages/verify/build/unit_texts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "manifests/ascii.h"
#include "parsers/cuda_rewrite.h"
#include "parsers/inline_assembly.h"
#include "stages/verify/build/host_macros.h"

namespace kernelmill {
namespace {

// The code that fills the table of functions that load_inline binds. It is placed after the C++
// sources and before the CUDA sources, so that a function which the C++ sources do not declare is
// unknown, as with load_inline.
std::string BindingText(const ExtensionSources& sources) {
  if (sources.functions.empty()) return {};
  std::string text = "\n#line 1 \"functions\"\nKM_BIND_EXTENSION {";
  for (const std::string& function : sources.functions) {
    text += " km_table.Add(\"" + function + "\", +" +
            RewriteDeviceNames(function, *sources.backend) + ");";
  }
  return text + " }\n";
}

bool IsAmong(const FlagMacros& macros, const FlagMacros::value_type& macro) {
  return std::find(macros.begin(), macros.end(), macro) != macros.end();
}

// Whether one of the texts could tell the flags of one compiler from those of the other: it names a
// macro that only one of them defines, or may, by pasting names together.
bool SidesDiffer(const ExtensionSources& sources) {
  if (sources.cpp_sources.empty() || sources.cuda_sources.empty()) return false;
  const FlagMacros &device = sources.defines, &host = sources.cpp_defines;
  if (LanguageOf(device) != LanguageOf(host)) return true;
  std::vector<std::string_view> names, texts;
  for (const auto& macro : device) {
    if (!IsAmong(host, macro)) names.push_back(macro.first);
  }
  for (const auto& macro : host) {
    if (!IsAmong(device, macro)) names.push_back(macro.first);
  }
  if (names.empty()) return false;
  texts.assign(sources.cpp_sources.begin(), sources.cpp_sources.end());
  for (const auto& header : sources.headers) texts.push_back(header.second);
  // What is kept of half precision's operators differs in most builds.
  const auto has = [&](std::string_view part) {
    return std::ranges::any_of(texts, [&](auto text) { return text.find(part) != text.npos; });
  };
  if (has("half") || has("bf16") || has("bfloat")) return true;
  texts.insert(texts.end(), sources.cuda_sources.begin(), sources.cuda_sources.end());
  return std::ranges::any_of(names, [&](std::string_view name) {
    if (name.starts_with("__CUDA_NO_")) return false;
    return has("##") ||
           std::ranges::any_of(texts, [&](std::string_view text) { return HoldsWord(text, name); });
  });
}

// __cplusplus says what -std= asks for, although all units are compiled as C++20: the precompiled
// headers are, and classes of the C++ library, such as iterators, have other operators in an
// earlier language.
std::string MacroText(const ExtensionSources& sources, const FlagMacros& flags) {
  const DeviceTarget& target =
      sources.target != nullptr ? *sources.target : sources.backend->targets.front();
  const std::string language = LanguageOf(flags);
  return HostMacros(language < "c++17" ? "c++17" : language) + DefinitionText(flags) +
         std::string(target.macros) + "#include <kernelmill/flags/kept_operators.h>\n" +
         (Flushes(sources) ? "#undef KM_FLUSHES\n#define KM_FLUSHES true\n" : "");
}

// The extension's name, as the folder of its sources has it, if a text may ask for that: builds of
// equal texts are shared otherwise.
std::string ShownName(const ExtensionSources& sources) {
  bool asks = false;
  const auto look = [&](const std::string& text) {
    for (const char* part : {"FILE", "location", "##"}) asks = asks || text.find(part) != text.npos;
  };
  for (const std::string& text : sources.cpp_sources) look(text);
  for (const std::string& text : sources.cuda_sources) look(text);
  for (const auto& header : sources.headers) look(header.second);
  const bool plain = !sources.name.empty() &&
                     std::ranges::all_of(sources.name, [](char c) { return IsNamePart(c); });
  return asks && plain ? sources.name : "extension";
}

// The macros of both sides, and whether they could tell.
void AddSides(const ExtensionSources& sources, Rewritten* result) {
  result->macros = MacroText(sources, sources.defines);
  result->cpp_macros = MacroText(sources, sources.cpp_defines);
  if (sources.cuda_sources.empty()) result->macros = result->cpp_macros;
  result->extension = ShownName(sources);
  result->sides_differ = SidesDiffer(sources);
}

// The plain build, in which every candidate runs, checks alignment. Aligned() and Loaded() would
// hide from the other builds what they look for: the line of an access, and an index that is one
// too large. `names_volatile`: NamesVolatile().
AccessRewrite AccessesOf(BuildKind kind, bool names_volatile) {
  switch (kind) {
    case BuildKind::kPlain:
      return AccessRewrite::kAligned;
    case BuildKind::kMemory:
      return AccessRewrite::kReadsWhole;
    case BuildKind::kRaces:
      return names_volatile ? AccessRewrite::kVolatile : AccessRewrite::kNone;
    case BuildKind::kCounts:
      return AccessRewrite::kWhole;
  }
  return AccessRewrite::kNone;
}

// Whether a text may read memory in a way that the compiler must not leave out.
bool NamesVolatile(const ExtensionSources& sources) {
  const auto names = [](const std::string& text) {
    return text.find("volatile") != text.npos || text.find("__ldc") != text.npos;
  };
  return std::ranges::any_of(sources.cpp_sources, names) ||
         std::ranges::any_of(sources.cuda_sources, names) ||
         std::ranges::any_of(sources.headers,
                             [&](const auto& header) { return names(header.second); });
}

}  // namespace

Rewritten RewriteSources(const ExtensionSources& sources, BuildKind kind) {
  const KernelBackend& backend = *sources.backend;
  const bool waits = NamesVolatile(sources);
  const AccessRewrite accesses = AccessesOf(kind, waits);
  const auto rewritten = [&](const std::string& text) {
    return RewriteForCpu(text, backend, accesses,
                         waits ? WaitRewrite::kCounted : WaitRewrite::kNone)
        .text;
  };
  Rewritten result;
  for (std::size_t i = 0; i < sources.cpp_sources.size(); ++i) {
    result.cpp.push_back({CppFileName(i), rewritten(sources.cpp_sources[i])});
  }
  for (std::size_t i = 0; i < sources.cuda_sources.size(); ++i) {
    result.cuda.push_back({CudaFileName(backend, i), rewritten(sources.cuda_sources[i])});
  }
  for (const auto& [name, text] : sources.headers) {
    result.headers.push_back({name, rewritten(text)});
  }
  AddSides(sources, &result);
  if (waits && kind == BuildKind::kRaces) {
    const char* const note =
        "static const bool km_names_volatile = ::kernelmill::NoteVolatile();\n";
    result.macros += note;
    result.cpp_macros += note;
  }
  if (HasFastMath(sources)) {
    const char* const fast = "#include <kernelmill/flags/fast_math.h>\n";
    result.macros += fast;
    result.cpp_macros += fast;
  }
  result.binding = BindingText(sources);
  result.choice = {sources.vendor_libraries, Contracts(sources)};
  return result;
}

Rewritten SourcesAsWritten(const ExtensionSources& sources, bool for_cuda) {
  const KernelBackend& backend = *sources.backend;
  Rewritten result;
  const auto add = [&](std::vector<SourceFile>* files, std::string name, const std::string& text) {
    files->push_back(
        {std::move(name), for_cuda ? RewriteAssembly(RewriteDeviceNames(text, backend)) : text});
  };
  for (std::size_t i = 0; i < sources.cpp_sources.size(); ++i) {
    add(&result.cpp, CppFileName(i), sources.cpp_sources[i]);
  }
  for (std::size_t i = 0; i < sources.cuda_sources.size(); ++i) {
    add(&result.cuda, CudaFileName(backend, i), sources.cuda_sources[i]);
  }
  for (const auto& [name, text] : sources.headers) add(&result.headers, name, text);
  AddSides(sources, &result);
  return result;
}

namespace {

std::string Line(const SourceFile& file) {
  return "\n#line 1 \"" + file.name + "\"\n" + file.text + "\n";
}

}  // namespace

std::vector<UnitText> UnitsOf(const Rewritten& rewritten, bool one_unit) {
  std::vector<UnitText> units;
  if (one_unit) {
    std::string text = rewritten.macros;
    for (const SourceFile& file : rewritten.cpp) text += Line(file);
    text += rewritten.binding;
    for (const SourceFile& file : rewritten.cuda) text += Line(file);
    return {{text, rewritten.extension}};
  }
  for (std::size_t i = 0; i < rewritten.cpp.size(); ++i) {
    const bool last = i + 1 == rewritten.cpp.size();
    units.push_back(
        {rewritten.cpp_macros + Line(rewritten.cpp[i]) + (last ? rewritten.binding : ""),
         rewritten.extension});
  }
  for (const SourceFile& file : rewritten.cuda) {
    units.push_back({rewritten.macros + Line(file), rewritten.extension});
  }
  return units;
}

}  // namespace kernelmill
