// Which licence a text is: SPDX identifiers from licence files, file headers and package metadata.
// Conservative: what is not surely one of the well-known texts is "NOASSERTION".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernelmill {

inline constexpr std::string_view kNoAssertion = "NOASSERTION";

// The SPDX expression of a whole licence file, or NOASSERTION.
std::string RecognizeLicence(std::string_view text);

// What the first comment of a source file says about the file's own licence; nothing when it says
// nothing, or only points to another file.
std::optional<std::string> RecognizeHeader(std::string_view source);

// What a package's metadata says: METADATA or PKG-INFO (core metadata), pyproject.toml or setup.cfg,
// told apart by the name of the file. Nothing when it names no licence.
std::optional<std::string> RecognizeMetadata(std::string_view file_name, std::string_view text);

}  // namespace kernelmill
