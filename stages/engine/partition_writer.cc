#include "stages/engine/partition_writer.h"

#include <unistd.h>

#include <cstdio>

#include "corpora/reject.h"
#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

constexpr std::size_t kHashDigits = 16;

std::string ManifestPath(const std::string& folder, std::int64_t partition) {
  return folder + "/" + PartName(partition) + ".json";
}

// What differs between a manifest and the text of the one that was committed before.
std::string DifferenceOf(const std::string& committed, const PartitionManifest& own) {
  const Result<Json> json = Json::Parse(committed);
  if (!json.ok()) return "its manifest is damaged";
  const Result<PartitionManifest> first = PartitionManifest::FromJson(*json);
  if (!first.ok()) return "its manifest is damaged";
  if (first->plan != own.plan) return "it has another plan";
  if (first->counts != own.counts) {
    return "the counts are " + first->counts.ToJson().Dump() + " and " + own.counts.ToJson().Dump();
  }
  return first->files.size() == own.files.size() && first->files[0] != own.files[0]
             ? "the outputs differ"
             : "the rejects differ";
}

}  // namespace

std::string PartName(std::int64_t partition) {
  std::string digits = std::to_string(partition);
  return "part-" + std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

bool IsCommitted(const std::string& step_folder, std::int64_t partition) {
  return access(ManifestPath(step_folder, partition).c_str(), F_OK) == 0;
}

Result<PartitionManifest> ReadPartitionManifest(const std::string& step_folder, const Plan& plan,
                                                std::int64_t partition) {
  const std::string path = ManifestPath(step_folder, partition);
  const auto corrupt = [&](const std::string& what) {
    return Status(ErrorCode::kCorrupt, path + ": " + what + "; --restart starts again");
  };
  KM_ASSIGN(const std::string text, ReadFile(path));
  Result<Json> json = Json::Parse(text);
  if (!json.ok()) return corrupt(json.status().message());
  Result<PartitionManifest> manifest = PartitionManifest::FromJson(*json);
  if (!manifest.ok()) return corrupt(manifest.status().message());
  if (manifest->plan != plan.Identity() || manifest->partition != partition ||
      manifest->files.size() != 2) {
    return corrupt("does not belong to the plan beside it");
  }
  KM_RETURN_IF_ERROR(manifest->counts.Check(path));
  for (const FileEntry& named : manifest->files) {
    Result<FileEntry> found = FileEntry::Of(step_folder, named.path);
    if (!found.ok()) return corrupt(found.status().message());
    if (*found != named) return corrupt(named.path + " is not the file that was committed");
  }
  return manifest;
}

std::string JoinKeyAndBody(std::string_view key, std::string_view body) {
  std::string value;
  value.reserve(2 + key.size() + body.size());
  value.push_back(static_cast<char>(key.size() >> 8));
  value.push_back(static_cast<char>(key.size() & 255));
  return value.append(key).append(body);
}

Result<std::pair<std::string_view, std::string_view>> SplitKeyAndBody(std::string_view value) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(value[i]); };
  const std::size_t size = value.size() < 2 ? 0 : byte(0) << 8 | byte(1);
  if (value.size() < 2 + size) return Status(ErrorCode::kCorrupt, "a value has no key");
  return std::pair(value.substr(2, size), value.substr(2 + size));
}

Result<PartitionWriter> PartitionWriter::Create(const std::string& step_folder, const Plan& plan,
                                                std::int64_t partition) {
  // Until the commit, file names contain a unique part, so two writers of the same partition do not
  // interfere. The manifest names the files that count.
  const std::string unique = TemporaryPath("").substr(1);
  const std::string outputs_file = PartName(partition) + "." + unique + ".outputs.mdb";
  const std::string rejects_file = PartName(partition) + "." + unique + ".rejects.mdb";
  KM_ASSIGN(ShardWriter outputs,
            ShardWriter::Create(step_folder + "/" + outputs_file,
                                {.schema = "kernelmill.outputs.v1", .dictionary = "", .level = 1}));
  KM_ASSIGN(ShardWriter rejects,
            ShardWriter::Create(step_folder + "/" + rejects_file,
                                {.schema = "kernelmill.rejects.v1", .dictionary = "", .level = 1}));
  PartitionWriter writer(step_folder, std::move(outputs), std::move(rejects));
  writer.step_ = plan.step;
  writer.manifest_.plan = plan.Identity();
  writer.manifest_.partition = partition;
  writer.outputs_file_ = outputs_file;
  writer.rejects_file_ = rejects_file;
  return writer;
}

Status PartitionWriter::Add(const Input& input, const Outcome& outcome) {
  StepCounts& counts = manifest_.counts;
  ++counts.in;
  switch (outcome.fate) {
    case Fate::kKept:
      ++counts.kept;
      break;
    case Fate::kDropped:
      ++counts.dropped[outcome.reason];
      break;
    case Fate::kRejected: {
      ++counts.rejected[outcome.reason];
      KM_RETURN_IF_ERROR(AddReject(input.key, outcome.reason, outcome.detail, outcome.origins,
                                   outcome.original.empty() ? input.body : outcome.original));
      break;
    }
  }
  for (const RejectedItem& item : outcome.rejected_items) {
    ++counts.rejected_items[item.reason];
    KM_RETURN_IF_ERROR(
        AddReject(item.key, item.reason, item.detail, outcome.origins, item.original));
  }
  for (const Output& output : outcome.outputs) {
    KM_RETURN_IF_ERROR(
        outputs_.Append(IndexKey(outputs_.count()), JoinKeyAndBody(output.key, output.body)));
    ++counts.outputs;
  }
  for (const auto& [name, count] : outcome.counters) counts.counters[name] += count;
  return Status::Ok();
}

Status PartitionWriter::AddReject(const std::string& key, const std::string& reason,
                                  const std::string& detail, const std::vector<Origin>& origins,
                                  const std::string& original) {
  Reject reject;
  reject.step = step_;
  reject.key = DigestOf(key).Hex();
  reject.reason = reason;
  reject.detail = detail;
  reject.origins = origins;
  reject.original = original;
  return rejects_.Append(IndexKey(rejects_.count()), reject.Encode());
}

Status PartitionWriter::Commit() {
  KM_RETURN_IF_ERROR(manifest_.counts.Check(PartName(manifest_.partition)));
  KM_RETURN_IF_ERROR(outputs_.Finish());
  KM_RETURN_IF_ERROR(rejects_.Finish());
  for (const std::string& file : {outputs_file_, rejects_file_}) {
    KM_ASSIGN(FileEntry entry, FileEntry::Of(folder_, file));
    // The final name holds the hash, so that equal results have equal manifests, and a second file
    // of that name replaces an equal one.
    entry.path = PartName(manifest_.partition) + "." + entry.sha256.Hex().substr(0, kHashDigits) +
                 file.substr(file.find('.', file.find('.') + 1));
    const std::string from = folder_ + "/" + file, to = folder_ + "/" + entry.path;
    if (rename(from.c_str(), to.c_str()) != 0) return Status::FromErrno("cannot rename", from);
    manifest_.files.push_back(std::move(entry));
  }
  KM_RETURN_IF_ERROR(SyncFolder(folder_));
  const std::string path = ManifestPath(folder_, manifest_.partition);
  const std::string text = manifest_.ToJson().Pretty();
  const Status status = CommitFile(path, text);
  if (status.code() != ErrorCode::kExists) return status;
  KM_ASSIGN(const std::string first, ReadFile(path));
  if (first == text) return Status::Ok();
  return Status(ErrorCode::kInternal,
                path + ": another process has committed this partition with other results (" +
                    DifferenceOf(first, manifest_) +
                    "). The first results stay. A step must give the same results for the same "
                    "inputs: look for a machine that differs, or report this");
}

}  // namespace kernelmill
