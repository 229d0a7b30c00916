#include "stages/verify/build/executor_sources.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "manifests/commit_file.h"
#include "parsers/text_lines.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// The file of the executor that a line includes. Files elsewhere know nothing of its macros.
Result<std::optional<fs::path>> IncludedBy(std::string_view line, const fs::path& executor) {
  constexpr std::string_view kInclude = "include", kFolder = "stages/cuda_executor/";
  const auto skip = [&](std::string_view more) {
    const std::size_t first = line.find_first_not_of(more);
    line.remove_prefix(std::min(first, line.size()));
  };
  skip(" \t");
  if (!line.starts_with('#')) return std::optional<fs::path>();
  skip("# \t");
  if (!line.starts_with(kInclude)) return std::optional<fs::path>();
  line.remove_prefix(kInclude.size());
  skip(" \t");
  // #include_next and macros name no file of the executor.
  if (!line.starts_with('"') && !line.starts_with('<')) return std::optional<fs::path>();
  const std::size_t end = line.find_first_of("\">", 1);
  if (end == line.npos) return std::optional<fs::path>();
  const std::string_view name = line.substr(1, end - 1);
  const fs::path path = name.starts_with(kFolder) ? executor / name.substr(kFolder.size())
                                                  : executor / "include" / name;
  std::error_code error;
  if (fs::exists(path, error)) return std::optional(path);
  if (line.front() == '<') return std::optional<fs::path>();
  return Status(ErrorCode::kInternal, "the executor includes " + std::string(name) +
                                          ", whose path does not begin at the checkout");
}

}  // namespace

const char* MacroOfKind(BuildKind kind) {
  switch (kind) {
    case BuildKind::kPlain: return "";
    case BuildKind::kMemory: return "KERNELMILL_CHECK_MEMORY";
    case BuildKind::kRaces: return "KERNELMILL_CHECK_RACES";
    case BuildKind::kCounts: return "KERNELMILL_COUNT_ACCESSES";
  }
  return "";
}

Result<std::vector<fs::path>> FilesBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_regular_file(error)) files.push_back(fs::relative(at->path(), folder, error));
  }
  if (error) {
    return Status(ErrorCode::kIo, "list " + folder.string() + ": " + error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<std::string>> ExecutorSources(const fs::path& executor) {
  KM_ASSIGN(const auto files, FilesBelow(executor / "runtime"));
  std::vector<std::string> sources;
  std::set<fs::path> names;
  for (const fs::path& file : files) {
    if (file.extension() != ".cc") continue;
    if (!names.insert(file.filename()).second) {
      return Status(ErrorCode::kInternal, "the executor has two files " + file.filename().string());
    }
    sources.push_back("runtime/" + file.string());
  }
  return sources;
}

Result<bool> DependsOnKind(const fs::path& executor, const std::string& source, BuildKind kind) {
  const std::string_view macro = MacroOfKind(kind);
  if (macro.empty()) return false;
  std::vector<fs::path> unread = {executor / source};
  std::set<fs::path> known = {unread.front()};
  while (!unread.empty()) {
    KM_ASSIGN(const std::string text, ReadFile(unread.back()));
    unread.pop_back();
    if (text.find(macro) != text.npos) return true;
    for (std::string_view line : LinesOf(text)) {
      KM_ASSIGN(std::optional<fs::path> included, IncludedBy(line, executor));
      if (included && known.insert(*included).second) unread.push_back(*std::move(included));
    }
  }
  return false;
}

}  // namespace kernelmill
