// Where a record comes from. A mined origin is a SWHID with qualifiers (ISO/IEC 18670), so that it
// names the exact bytes in any archive; it never holds a path of the machine that mined it.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manifests/json.h"

namespace kernelmill {

struct Origin {
  std::string url;     // The repository: https://…, or a package URL such as pkg:pypi/timm@1.0.31.
  std::string commit;  // 40 hexadecimal digits.
  std::string blob;    // 40 hexadecimal digits: the Git object id of the file.
  std::string path;    // Inside the repository, '/'-separated, UTF-8.
  std::string symbol;  // The class or kernel inside the file.
  std::int64_t first_line = 0;  // 1-based, inclusive.
  std::int64_t last_line = 0;

  // "swh:1:cnt:<blob>;origin=<url>;anchor=swh:1:rev:<commit>;path=/<path>;lines=<first>-<last>",
  // with ';' and '%' in the url and path percent-encoded as the standard asks.
  std::string Swhid() const;

  Json ToJson() const;
  static Result<Origin> FromJson(const Json& json);

  friend auto operator<=>(const Origin&, const Origin&) = default;
};

// Says whether something of these origins is wanted.
using OriginFilter = std::function<bool(const std::vector<Origin>&)>;

}  // namespace kernelmill
