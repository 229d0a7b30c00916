#include "stages/recipes/licence_files.h"

#include <cerrno>
#include <filesystem>

#include "corpora/dataset/dataset_layout.h"
#include "generators/graphs/generated_task.h"
#include "manifests/commit_file.h"
#include "manifests/git_id.h"
#include "stages/pack/licence_operation.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

Result<std::string> ReadOwnLicence() {
  const std::string path = CheckoutRoot() / "LICENSE";
  KM_ASSIGN(std::string text, ReadFile(path));
  if (GitBlobId(text) == kOwnLicenceBlob) return text;
  return Status(ErrorCode::kCorrupt, path +
                                         ": it is not the licence that drawn tasks name; restore "
                                         "the file of this checkout");
}

// The folders of datasets that tasks were taken from.
std::vector<std::string> DatasetsOf(const ResolvedSources& sources) {
  std::vector<std::string> folders;
  for (const TaskDataset& dataset : sources.datasets) folders.push_back(dataset.folder);
  // DATASET/retry/round.json.
  if (sources.previous) folders.push_back(FolderOf(FolderOf(sources.previous_path)));
  return folders;
}

Result<std::string> FindText(const std::string& blob, const std::set<Attribution::Source>& from,
                             const ResolvedSources& sources, UntrustedChild& child) {
  if (blob == kOwnLicenceBlob) return ReadOwnLicence();
  for (const ResolvedSource& repository : sources.repositories) {
    if (!from.contains({repository.url, repository.commit})) continue;
    Result<std::string> text = ReadLicenceText(child, repository.git_dir, blob);
    if (text.ok()) return text;
    if (text.status().code() != ErrorCode::kNotFound) return text.status().Within(repository.url);
  }
  for (const std::string& folder : DatasetsOf(sources)) {
    Result<std::string> text = PublishedLicenceText(folder, blob);
    if (text.ok() || text.status().code() != ErrorCode::kNotFound) return text;
  }
  std::string names;
  for (const auto& [url, revision] : from) names += (names.empty() ? "" : ", ") + url;
  return Status(ErrorCode::kNotFound,
                "the text " + blob + " of a licence of " + names +
                    " is in no repository or dataset of this run; a dataset of tasks must have "
                    "been written with " +
                    std::string(kLicenceFolder) + "/: build it again");
}

Status RemoveOtherTexts(const std::map<std::string, std::string>& texts,
                        const std::string& output) {
  const std::string folder = output + "/" + std::string(kLicenceFolder);
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (!entry->is_regular_file(error) || entry->path().extension() != ".txt" ||
        texts.contains(entry->path().stem().string())) {
      continue;
    }
    fs::remove(entry->path(), error);
  }
  if (!error || error == std::errc::no_such_file_or_directory) return Status::Ok();
  errno = error.value();
  return Status::FromErrno("cannot clear", folder);
}

}  // namespace

Status WriteLicenceFiles(const Attribution& attribution,
                         const std::map<std::string, std::string>& texts,
                         const std::string& output) {
  KM_RETURN_IF_ERROR(RemoveOtherTexts(texts, output));
  if (!texts.empty()) {
    KM_RETURN_IF_ERROR(MakeFolders(output + "/" + std::string(kLicenceFolder)));
  }
  for (const auto& [blob, text] : texts) {
    KM_RETURN_IF_ERROR(ReplaceFile(output + "/" + LicenceTextPath(blob), text));
  }
  return ReplaceFile(output + "/" + std::string(kNoticeName), attribution.Notice(texts));
}

Status WriteLicenceFiles(const Attribution& attribution, const ResolvedSources& sources,
                         const std::string& output) {
  std::map<std::string, std::string> texts;
  UntrustedChild child;
  for (const auto& [blob, from] : attribution.texts()) {
    KM_ASSIGN(texts[blob], FindText(blob, from, sources, child));
  }
  return WriteLicenceFiles(attribution, texts, output);
}

Result<std::string> PublishedLicenceText(const std::string& folder, const std::string& blob) {
  const std::string path = folder + "/" + LicenceTextPath(blob);
  KM_ASSIGN(std::string text, ReadFile(path));
  if (GitBlobId(text) == blob) return text;
  return Status(ErrorCode::kCorrupt,
                path + ": its bytes do not have the Git id that it is named by");
}

}  // namespace kernelmill
