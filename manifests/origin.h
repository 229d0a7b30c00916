// The origin of a record: where its content comes from. It is of one of four kinds, and every
// record carries at least one (corpora/records/record.h). A mined origin is a SWHID with qualifiers
// (ISO/IEC 18670), which names the exact bytes in any archive and never holds a path of the machine
// that mined it. A generated origin is the version of the generator, a seed and an index. A
// supplied origin is a file of the user, or a row of one, with the hash of the file. A sampled
// origin is a model, and what it was sampled with.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "manifests/json.h"

namespace kernelmill {

// Origin::model of a sample that names no model.
inline constexpr char kUnknownModel[] = "unknown";

struct Origin {
  // The repository or package that holds the file: https://…, or a package URL such as
  // pkg:pypi/timm@1.0.31.
  std::string url;
  std::string commit;           // 40 hexadecimal digits.
  std::string blob;             // 40 hexadecimal digits: the Git object id of the file.
  std::string path;             // Inside the repository, '/'-separated, UTF-8.
  std::string symbol;           // The class or kernel inside the file.
  std::int64_t first_line = 0;  // 1-based, inclusive.
  std::int64_t last_line = 0;

  // Of a generated origin, whose other fields are empty.
  std::int64_t generator = 0;  // The generator's version, from 1; 0: not generated.
  std::int64_t seed = 0, index = 0;

  // Of a supplied origin, which also has a url and a path.
  std::string sha256;    // Of the file, 64 hexadecimal digits.
  std::int64_t row = 0;  // In the file, from 1; 0 when the file is one task.

  // Of a sampled origin, whose other fields are empty.
  std::string model;     // Its name, or kUnknownModel.
  std::string sampling;  // The known sampling parameters as canonical JSON: {"temperature":0.8}.
  std::string prompt;    // The SHA-256 of the prompt, in hex; empty if the prompt is not known.

  bool generated() const { return generator > 0; }
  bool supplied() const { return !sha256.empty(); }
  bool sampled() const { return !model.empty(); }
  bool mined() const { return !generated() && !supplied() && !sampled(); }

  // "swh:1:cnt:<blob>;origin=<url>;anchor=swh:1:rev:<commit>;path=/<path>;lines=<first>-<last>",
  // with ';' and '%' in the url and path percent-encoded as the standard asks. Requires mined().
  std::string Swhid() const;
  // The SWHID, or "kernelmill:generated;version=<generator>;seed=<seed>;index=<index>", or
  // "kernelmill:supplied;origin=<url>;path=/<path>;sha256=<sha256>;row=<row>", or
  // "kernelmill:sampled;model=<model>;sampling=<sampling>;prompt=<prompt>".
  std::string Identifier() const;
  // The part that origins of one source share: the repository and its commit, the generator and its
  // seed, the supplied file and its hash (all files of a supplied folder share one source), or the
  // model.
  std::pair<std::string, std::string> Source() const;

  // A generated origin has the members "generator", "seed" and "index" and no others, a supplied
  // one "url", "path", "sha256" and "row", a sampled one "model", "sampling" and "prompt".
  Json ToJson() const;
  static Result<Origin> FromJson(const Json& json);

  friend auto operator<=>(const Origin&, const Origin&) = default;
};

// A predicate over the origins of a record.
using OriginFilter = std::function<bool(const std::vector<Origin>&)>;

}  // namespace kernelmill
