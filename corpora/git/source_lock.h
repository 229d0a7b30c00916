// A lock of sources ("sources.lock"): the commit of each repository that a configuration names, so
// that a run on another day or machine takes the same ones. A run writes one of its own
// (HoldSources(), stages/recipes/configured_sources.h), and the command `lock` writes one for a
// configuration; PinSources() (stages/fetch/source_pins.h) compares it with the configuration.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

struct LockedSource {
  std::string git;       // As the configuration names it: a URL without credentials, or a path.
  std::string revision;  // As the configuration asks for it: "HEAD", "main", "2026-01-31" …
  std::string url;       // ResolvedSource::url.
  std::string commit;    // 40 hexadecimal digits; "" for a repository that could not be used.
  std::string trouble;   // ResolvedSource::trouble: why it could not.

  friend auto operator<=>(const LockedSource&, const LockedSource&) = default;
};

struct SourceLock {
  std::vector<LockedSource> sources;  // Sorted; no two have the same `git` and `revision`.

  // The entry, or null.
  const LockedSource* Find(std::string_view git, std::string_view revision) const;

  // JSON that is the same for equal locks. Decode() takes any JSON with these fields; `name` is the
  // file's, for messages. kCorrupt when it is not a lock.
  std::string Encode() const;
  static Result<SourceLock> Decode(std::string_view text, const std::string& name);
};

}  // namespace kernelmill
