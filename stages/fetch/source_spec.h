// A repository as the configuration names it, before anything is known of it: what its words mean,
// and which of them are refused. Made of the key `sources` (stages/recipes/source_entries.h), and
// found or fetched by Resolve() (source.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

struct SourceSpec {
  std::string git;       // A local repository (bare, work tree or .git file), or a URL.
  std::string revision;  // A branch, tag, commit or day; "" is the default branch.
  std::string url;       // The origin to record; "" derives it, see Resolve().
  // The commit to use whatever `revision` names by now; "" for the commit of `revision`.
  std::string commit = {};
  // Whether no other commit will do. Otherwise `revision` decides when a remote no longer has it.
  bool pinned = false;
  std::string trouble = {};  // Of a pinned one without a commit: why it could not be used.
  std::string written = {};  // A local repository as the configuration writes it; "" means `git`.
  std::string place = {};    // Of a line of a list: "FILE:LINE", for messages.

  // How messages and locks name it: as it is written, without credentials.
  std::string Name() const;
  // How a lock names the revision: "HEAD" for the default branch.
  std::string RevisionName() const { return revision.empty() ? "HEAD" : revision; }
  // "source 'NAME' (PLACE)", for messages.
  std::string Describe() const;
  // Of a URL: the name of its folder among the fetched ones, another one for each URL, revision and
  // size in bytes from which on files are left out.
  std::string CacheName(std::int64_t omit_from) const;
};

// kConfig for a spec that the git program could take for an option, a remote helper or several
// references, and for a day that no calendar has.
Status CheckSourceSpec(const SourceSpec& spec);

// True for https://…, http://…, ssh://…, git://…, file://… and user@host:path.
bool IsUrl(std::string_view git);
// "https://github.com/owner/name" for "owner/name"; nothing for other texts, "./owner/name" too.
std::optional<std::string> HostedUrl(std::string_view git);
// Where the path of the URL begins: behind "scheme://host/" or "user@host:".
std::size_t PathOfUrl(std::string_view url);
// Drops "user:password@" of "scheme://user:password@host/path".
std::string WithoutCredentials(std::string_view url);

// Whether the text is written as a day, such as 2026-01-31.
bool IsDay(std::string_view revision);
// The first second after that day (UTC), in seconds since 1970; nothing when there is no such day.
std::optional<std::int64_t> EndOfDay(std::string_view revision);
// 40 lower-case hexadecimal digits.
bool IsCommitId(std::string_view revision);

}  // namespace kernelmill
