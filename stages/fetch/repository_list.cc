#include "stages/fetch/repository_list.h"

#include <optional>

#include "manifests/printable.h"
#include "parsers/byte_order_mark.h"
#include "parsers/text_lines.h"

namespace kernelmill {
namespace {

constexpr std::string_view kSpace = " \t\r";

std::string_view WithoutComment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || kSpace.find(line[at - 1]) != std::string_view::npos) return line.substr(0, at);
  }
  return line;
}

std::string_view WithoutSpace(std::string_view text) {
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// The '@' of "https://user@host/path" and of "git@host:path" begins no revision; one in the path
// does, because revisions may hold it too ("package@1.0").
Result<SourceSpec> ReadEntry(std::string_view entry, const std::string& revision) {
  if (entry.find_first_of(kSpace) != std::string_view::npos) {
    return Status(ErrorCode::kConfig,
                  "a line names one repository, without white space: "
                  "owner/name or a URL, then @REVISION or nothing");
  }
  const std::size_t path = IsUrl(entry) ? PathOfUrl(entry) : 0;
  const auto at = entry.find('@', path);
  const std::string_view repository = entry.substr(0, at);
  SourceSpec spec;
  spec.revision = revision;
  if (at != std::string_view::npos) {
    spec.revision = entry.substr(at + 1);
    if (spec.revision.empty()) {
      return Status(ErrorCode::kConfig, "a revision must follow the '@'");
    }
    if (spec.revision == "HEAD") spec.revision.clear();
  }
  if (IsUrl(repository) && path < repository.size()) {
    spec.git = repository;
  } else if (std::optional<std::string> hosted = HostedUrl(repository)) {
    spec.git = *std::move(hosted);
  } else {
    return Status(ErrorCode::kConfig, "'" + PrintableLine(WithoutCredentials(repository)) +
                                          "' is neither owner/name of GitHub nor the URL of a "
                                          "repository");
  }
  KM_RETURN_IF_ERROR(CheckSourceSpec(spec));
  return spec;
}

}  // namespace

Result<std::vector<SourceSpec>> ReadRepositoryList(std::string_view text, const std::string& name,
                                                   const std::string& revision) {
  std::vector<SourceSpec> specs;
  int number = 0;
  for (const std::string_view line : LinesOf(WithoutByteOrderMark(text))) {
    const std::string place = name + ":" + std::to_string(++number);
    const std::string_view entry = WithoutSpace(WithoutComment(line));
    if (entry.empty()) continue;
    Result<SourceSpec> spec = ReadEntry(entry, revision);
    if (!spec.ok()) return spec.status().Within(PrintableLine(place));
    spec->place = place;
    specs.push_back(*std::move(spec));
  }
  return specs;
}

}  // namespace kernelmill
