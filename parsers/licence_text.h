// Recognizes licences as SPDX identifiers in licence files, in the first comments of source files
// and in package metadata. Called for the files of every mined repository, to find the licence of
// each file (stages/publishable/licence_map.h). It is conservative: a text that is not certainly a
// well-known licence is "NOASSERTION".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernelmill {

inline constexpr std::string_view kNoAssertion = "NOASSERTION";

// The SPDX expression of a complete licence file, or kNoAssertion.
std::string RecognizeLicence(std::string_view text);

// The licence that the first comment of a source file states for the file; std::nullopt when it
// states none or only refers to another file.
std::optional<std::string> RecognizeHeader(std::string_view source);

// The licence in a package's metadata: METADATA or PKG-INFO (core metadata), pyproject.toml or
// setup.cfg, according to the file name. std::nullopt when it names none.
std::optional<std::string> RecognizeMetadata(std::string_view file_name, std::string_view text);

}  // namespace kernelmill
