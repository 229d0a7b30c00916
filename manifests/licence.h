// The evidence for the licence of a record: the licence, and the file whose text states it. The
// steps that take tasks from repositories, from the generator or from the user fill it in; every
// record carries it (corpora/records/record.h).
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

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
  // Of an expression with OR, the licences that the content is used under: of "MIT OR
  // GPL-2.0-only", "MIT". Empty when the expression offers no choice.
  std::string chosen = {};
  // The licence file that holds the text of the licence, where `path` is a file that only names it.
  // Empty when the source holds no such file.
  std::string text_path = {}, text_blob = {};
  // What the head of the file that the licence was found for says of copyright, line by line.
  std::vector<std::string> copyright = {};

  // The id of the licence file whose text the source holds; empty when there is none.
  std::string TextBlob() const;

  // Members that are empty are left out, but for the first four.
  Json ToJson() const;
  static Result<LicenceEvidence> FromJson(const Json& json);

  friend auto operator<=>(const LicenceEvidence&, const LicenceEvidence&) = default;
};

}  // namespace kernelmill
