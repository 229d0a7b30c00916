#include "stages/fetch/source_spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>

#include "manifests/digest.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

constexpr std::string_view kHost = "https://github.com/";
constexpr std::size_t kLongestOwner = 39, kLongestName = 100;
constexpr std::string_view kSchemes[] = {"https://", "http://", "ssh://", "git://", "file://"};

bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string_view SchemeOf(std::string_view url) {
  for (const std::string_view scheme : kSchemes) {
    if (url.starts_with(scheme)) return scheme;
  }
  return "";
}

// Whether `git fetch` would take it for one name (git-check-ref-format(1)), and nothing else.
bool IsOneReference(std::string_view revision) {
  return revision.find("..") == std::string_view::npos &&
         revision.find("@{") == std::string_view::npos &&
         std::none_of(revision.begin(), revision.end(), [](char c) {
           return static_cast<unsigned char>(c) <= ' ' || c == 0x7f ||
                  std::string_view("~^:?*[\\").find(c) != std::string_view::npos;
         });
}

}  // namespace

std::string SourceSpec::Name() const { return written.empty() ? WithoutCredentials(git) : written; }

std::string SourceSpec::Describe() const {
  return "source '" + PrintableLine(Name()) + "'" +
         (place.empty() ? "" : " (" + PrintableLine(place) + ")");
}

std::string SourceSpec::CacheName(std::int64_t omit_from) const {
  return Sha256()
             .Field(git)
             .Field(revision)
             .Field(std::to_string(omit_from))
             .Finish()
             .Hex()
             .substr(0, 32) +
         ".git";
}

Status CheckSourceSpec(const SourceSpec& spec) {
  if (spec.git.empty() || spec.git.starts_with('-') || spec.revision.starts_with('-')) {
    return Status(ErrorCode::kConfig,
                  "a repository or revision may not be empty or start with '-'");
  }
  if (!IsUrl(spec.git) && spec.git.find("::") != std::string::npos) {
    return Status(ErrorCode::kConfig, "remote helpers (name::address) are refused");
  }
  if (IsDay(spec.revision) && !EndOfDay(spec.revision)) {
    return Status(ErrorCode::kConfig, "revision: there is no day " + spec.revision);
  }
  if (IsUrl(spec.git) && !IsOneReference(spec.revision)) {
    return Status(ErrorCode::kConfig, "revision: '" + PrintableLine(spec.revision) +
                                          "' cannot be fetched; name a branch, a tag, a commit by "
                                          "all its 40 digits, or a day such as 2026-01-31");
  }
  return Status::Ok();
}

bool IsUrl(std::string_view git) {
  if (!SchemeOf(git).empty()) return true;
  const auto colon = git.find(':');
  return colon != std::string_view::npos && git.find('@') < colon &&
         git.substr(0, colon).find('/') == std::string_view::npos;
}

std::optional<std::string> HostedUrl(std::string_view git) {
  const auto slash = git.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view owner = git.substr(0, slash), name = git.substr(slash + 1);
  const bool is_owner =
      !owner.empty() && owner.size() <= kLongestOwner && IsAlphanumeric(owner.front()) &&
      std::all_of(owner.begin(), owner.end(), [](char c) { return IsAlphanumeric(c) || c == '-'; });
  const bool is_name = !name.empty() && name.size() <= kLongestName && name != "." &&
                       name != ".." && !name.ends_with(".git") &&
                       std::all_of(name.begin(), name.end(), [](char c) {
                         return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.';
                       });
  if (!is_owner || !is_name) return std::nullopt;
  return std::string(kHost) + std::string(git);
}

std::size_t PathOfUrl(std::string_view url) {
  const std::string_view scheme = SchemeOf(url);
  if (scheme.empty()) return url.find(':') + 1;
  const auto slash = url.find('/', scheme.size());
  return slash == std::string_view::npos ? url.size() : slash + 1;
}

std::string WithoutCredentials(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const auto start = scheme + 3;
  const auto at = url.substr(0, url.find('/', start)).rfind('@');
  if (at == std::string_view::npos || at < start) return std::string(url);
  return std::string(url.substr(0, start)) + std::string(url.substr(at + 1));
}

bool IsDay(std::string_view revision) {
  if (revision.size() != 10) return false;
  for (std::size_t i = 0; i < revision.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? revision[i] != '-' : std::isdigit(static_cast<unsigned char>(revision[i])) == 0) {
      return false;
    }
  }
  return true;
}

std::optional<std::int64_t> EndOfDay(std::string_view revision) {
  if (!IsDay(revision)) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) {
    unsigned value = 0;
    std::from_chars(revision.data() + at, revision.data() + at + digits, value);
    return value;
  };
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(number(0, 4))),
                                        std::chrono::month(number(5, 2)),
                                        std::chrono::day(number(8, 2)));
  if (!day.ok()) return std::nullopt;
  const std::chrono::sys_seconds end = std::chrono::sys_days(day) + std::chrono::days(1);
  return end.time_since_epoch().count();
}

bool IsCommitId(std::string_view revision) {
  return revision.size() == 40 &&
         revision.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace kernelmill
