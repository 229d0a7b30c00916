#include "corpora/git/source_lock.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "manifests/json_fields.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kCommitDigits = 40;

Result<LockedSource> ReadSource(const Json& json) {
  LockedSource source;
  JsonFields fields(json, "source");
  fields.Read("git", &source.git);
  fields.Read("revision", &source.revision);
  fields.Read("url", &source.url);
  if (fields.Has("commit")) {
    fields.Read("commit", &source.commit);
  } else {
    fields.Read("trouble", &source.trouble);
  }
  KM_RETURN_IF_ERROR(fields.Finish());
  const bool is_commit = source.commit.size() == kCommitDigits &&
                         source.commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (source.trouble.empty() && !is_commit) {
    return Status(ErrorCode::kCorrupt,
                  "'" + PrintableLine(source.git) + "': its commit is not 40 hexadecimal digits");
  }
  return source;
}

}  // namespace

const LockedSource* SourceLock::Find(std::string_view git, std::string_view revision) const {
  const auto found = std::find_if(sources.begin(), sources.end(), [&](const LockedSource& source) {
    return source.git == git && source.revision == revision;
  });
  return found == sources.end() ? nullptr : &*found;
}

std::string SourceLock::Encode() const {
  Json::Array entries;
  for (const LockedSource& source : sources) {
    Json entry =
        Json::Object{{"git", source.git}, {"revision", source.revision}, {"url", source.url}};
    const bool usable = !source.commit.empty();
    entry[usable ? "commit" : "trouble"] = usable ? source.commit : source.trouble;
    entries.push_back(std::move(entry));
  }
  return Json(Json::Object{{"v", kVersion}, {"sources", std::move(entries)}}).Pretty();
}

Result<SourceLock> SourceLock::Decode(std::string_view text, const std::string& name) {
  const Result<Json> json = Json::Parse(text);
  if (!json.ok()) return json.status().Within(name);
  SourceLock lock;
  JsonFields fields(*json, name);
  fields.Version(kVersion);
  fields.ReadArray("sources", &lock.sources, ReadSource);
  KM_RETURN_IF_ERROR(fields.Finish());
  std::sort(lock.sources.begin(), lock.sources.end());
  const auto twin = std::adjacent_find(
      lock.sources.begin(), lock.sources.end(), [](const LockedSource& a, const LockedSource& b) {
        return std::tie(a.git, a.revision) == std::tie(b.git, b.revision);
      });
  if (twin == lock.sources.end()) return lock;
  return Status(ErrorCode::kCorrupt,
                name + ": names '" + PrintableLine(twin->git) + "' at the same revision twice");
}

}  // namespace kernelmill
