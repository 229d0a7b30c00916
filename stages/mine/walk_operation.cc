#include "stages/mine/walk_operation.h"

#include <map>

#include "stages/mine/file_filter.h"

namespace kernelmill {
namespace {

// The files to read, and how many entries are skipped for which reason.
struct Listing {
  Json::Array entries;
  std::map<std::string, std::int64_t> skipped;
  bool has_device_source = false;

  void Skip(std::string_view reason) { ++skipped[std::string(reason)]; }
  void Add(const TreeEntry& entry, std::int64_t size) {
    has_device_source = has_device_source || IsDeviceSource(entry.path);
    entries.push_back(Json::Object{{"path", entry.path}, {"blob", entry.id}, {"size", size}});
  }
  // Without device code there are no kernels, and native sources are of no use.
  void SkipHostOnlySources() {
    if (has_device_source) return;
    const std::size_t native = std::erase_if(
        entries, [](const Json& entry) { return IsNativeSource(entry.Find("path")->as_string()); });
    if (native > 0) skipped["not_source"] += static_cast<std::int64_t>(native);
  }
  Json ToJson() && {
    Json::Object counters;
    for (const auto& [reason, count] : skipped) counters.emplace(reason, count);
    return Json::Object{{"entries", std::move(entries)}, {"counters", std::move(counters)}};
  }
};

UntrustedReply Walk(const Json& request, OpenRepository& repositories) {
  const Result<GitRepository*> repository = repositories.At(request.TextAt("git_dir"));
  if (!repository.ok()) {
    return UntrustedReply::Reject(ReasonNotOpened(repository.status()),
                                  repository.status().message(), "");
  }
  WalkLimits limits;
  limits.entries = request.IntegerAt("most_entries");
  const std::int64_t largest = request.IntegerAt("largest_file");
  const bool kernels = request.Find("kernels")->as_bool();
  Listing listing;
  const auto visit = [&](const TreeEntry& entry, const Status& trouble) -> Status {
    if (trouble.code() == ErrorCode::kWorker) return trouble;
    if (!trouble.ok()) {
      listing.Skip(trouble.code() == ErrorCode::kBudget ? "bad_path" : ReasonOf(trouble));
      return Status::Ok();
    }
    if (const std::string_view reason = WhySkipped(entry, kernels); !reason.empty()) {
      listing.Skip(reason);
      return Status::Ok();
    }
    const Result<std::int64_t> size = (*repository)->BlobSize(entry.id);
    if (size.status().code() == ErrorCode::kWorker) return size.status();
    // What a fetch has left out for its size counts as what would have been left out here.
    const bool omitted =
        size.status().code() == ErrorCode::kNotFound && (*repository)->OmitsFrom() > largest;
    if (omitted || (size.ok() && *size > largest)) {
      listing.Skip("too_large");
    } else if (!size.ok()) {
      listing.Skip(ReasonOf(size.status()));
    } else {
      listing.Add(entry, *size);
    }
    return Status::Ok();
  };
  const Status status = (*repository)->Walk(request.TextAt("commit"), limits, visit);
  if (!status.ok()) {
    return UntrustedReply::Reject(
        status.code() == ErrorCode::kBudget ? "object_budget" : ReasonOf(status), status.message(),
        "");
  }
  listing.SkipHostOnlySources();
  return UntrustedReply::Keep(std::move(listing).ToJson().Dump());
}

}  // namespace

const UntrustedOperation kWalkOperation = {"walk", Walk};

Result<UntrustedReply> WalkRepository(UntrustedChild& child, const std::string& git_dir,
                                      const std::string& commit, const MiningOptions& options) {
  return child.Ask(kWalkOperation, {{"git_dir", git_dir},
                                    {"commit", commit},
                                    {"most_entries", options.most_entries},
                                    {"largest_file", options.largest_file},
                                    {"kernels", options.kernels}});
}

}  // namespace kernelmill
