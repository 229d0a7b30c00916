// The evidence for the licence of a record: the licence, and the file whose text states it. The
// steps that take tasks from repositories, from the generator or from the user fill it in; every
// record carries it (corpora/records/record.h).
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "manifests/json.h"

namespace kernelmill {

// The kind of text that states the licence, strongest first.
enum class LicenceLevel {
  kFileHeader,       // In the file itself.
  kNearestFile,      // The nearest LICENSE or COPYING upward from the file.
  kPackageMetadata,  // pyproject.toml, setup.cfg or *.dist-info of the package around the file.
  kGenerator,        // The generator that wrote the text is under this licence.
  kDeclared,         // The user who supplied the text declares it.
  kNone,
};
std::string_view LicenceLevelName(LicenceLevel level);

struct LicenceEvidence {
  std::string spdx;  // An SPDX expression; "NOASSERTION" when the text found is unknown.
  LicenceLevel level = LicenceLevel::kNone;
  std::string path;  // The file with that text: in the repository, of the generator, or supplied.
  std::string blob;  // Its Git object id; for a supplied file its SHA-256.

  Json ToJson() const;
  static Result<LicenceEvidence> FromJson(const Json& json);

  friend auto operator<=>(const LicenceEvidence&, const LicenceEvidence&) = default;
};

}  // namespace kernelmill
