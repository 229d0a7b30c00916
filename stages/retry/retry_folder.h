// The folder retry/ of an RFT dataset: the retry buffer after the round that made the dataset, and
// what the next round needs to go on with it.
//
//   round.json     {"kind": "kernelmill_retry_round", "v", "round", "previous", "slots", "requests",
//                  "entries", "parked", "items", "files"}. "files" has the SHA-256 of each other
//                  file, so that the one of this file names the round; "previous" is that of the
//                  round before; "items" counts what became of the items (CountsOf()).
//   buffer.jsonl   the generation (retry_file.h)
//   records.jsonl  Record::Encode(), by content_id: tasks of the entries with their annotations,
//                  samples that the entries show, and those that these were to repair
//   prompts.jsonl  RepairRequest, by slot
//   items.jsonl    RetryItem, by key
//
// Equal rounds have equal bytes. All functions may be called from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "stages/retry/repair_request.h"
#include "stages/retry/retry_file.h"
#include "stages/retry/retry_item.h"

namespace kernelmill {

inline constexpr std::string_view kRetryFolderName = "retry";
inline constexpr std::string_view kRetryRoundName = "round.json";

struct RetryFolder {
  RetryFile file;                    // The generation.
  std::optional<Digest> previous;    // RetryFolder::digest of the round before.
  std::map<Digest, Record> records;  // By content_id.
  std::vector<RepairRequest> requests;
  std::vector<RetryItem> items;
  std::int64_t slots = 0;  // That the requests were drawn for.
  Digest digest;           // The SHA-256 of round.json.

  // The annotation of a task; null without one.
  const Record* AnnotationOf(const Digest& task) const;
  // The sample and those that it was to repair, oldest first.
  std::vector<const Record*> ShownWith(const Digest& sample) const;
  // The repair prompt that was asked about a task; null when there was none.
  const RepairRequest* RequestFor(const RetryKey& key) const;
  // What round.json says, without "files". For the card and the summary.
  Json Summary() const;
};

// The names of the folder's files.
const std::vector<std::string_view>& RetryFolderFiles();

// The retry buffer as one line for people: "3 tasks wait, 1 is parked; 3 repair prompts for round
// 2". `summary` is RetryFolder::Summary().
std::string RetryText(const Json& summary);

// Writes the folder, which must not exist or be what a killed run left. Sets `retry->digest`.
Status WriteRetryFolder(const std::string& folder, RetryFolder* retry);
// Reads a folder. kNotFound when there is none; kCorrupt, with the file, for one that was changed
// after it was written, or whose parts do not belong together.
Result<RetryFolder> ReadRetryFolder(const std::string& folder);

}  // namespace kernelmill
