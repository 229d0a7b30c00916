// Fuzzes manifests, plans, records and rejects: accepted input must be encoded to the same bytes.
#include "corpora/quarantine.h"
#include "corpora/records/record.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"
#include "corpora/shards/shard_layout.h"
#include "manifests/dataset_manifest.h"
#include "manifests/partition_manifest.h"
#include "manifests/plan.h"
#include "tests/fuzz/fuzzer.h"

namespace kernelmill {
namespace {

DatasetManifest SampleManifest() {
  DatasetManifest manifest;
  manifest.merkle_root = DigestOf("root");
  manifest.records = {{"task", 2}};
  manifest.rows = {{"train", 1}};
  StepCounts counts;
  counts.in = 3;
  counts.kept = 1;
  counts.dropped["limit"] = 1;
  counts.rejected["licence"] = 1;
  manifest.counts["walk"] = counts;
  manifest.plan = {{"walk", DigestOf("plan")}};
  manifest.versions["torch"] = "2";
  manifest.files = {{"data/a", 3, DigestOf("a")}};
  return manifest;
}

Record SampleRecord() {
  Record record;
  record.payload = Task{.code = "x = 1\n"}.ToJson();
  record.origins = {{.url = "https://example.org/a", .commit = std::string(40, 'c')}};
  record.licences = {{.spdx = "MIT", .level = LicenceLevel::kNearestFile, .path = "LICENSE"}};
  record.lineage = {{.step = "mine", .parameters = DigestOf("mine")}};
  return record;
}

// If FromJson accepts `json`, encoding and decoding it again must give the same JSON.
template <typename T>
void RoundTrip(const Json& json) {
  const Result<T> value = T::FromJson(json);
  if (!value.ok()) return;
  const Json encoded = value->ToJson();
  const Result<T> again = T::FromJson(encoded);
  KM_PROMISE(again.ok());
  KM_PROMISE(again->ToJson() == encoded);
}

}  // namespace

void Fuzz(std::string_view bytes) {
  if (const Result<DatasetManifest> manifest = DatasetManifest::Decode(bytes); manifest.ok()) {
    KM_PROMISE(manifest->Encode() == bytes);
  }
  if (const Result<Record> record = Record::Decode(bytes); record.ok()) {
    const Result<Record> again = Record::Decode(record->Encode());
    KM_PROMISE(again.ok());
    KM_PROMISE(again->RecordDigest() == record->RecordDigest());
    KM_PROMISE(again->ContentId() == record->ContentId());
  }
  if (const Result<Reject> reject = Reject::Decode(bytes); reject.ok()) {
    const Result<Reject> again = Reject::Decode(reject->Encode());
    KM_PROMISE(again.ok());
    KM_PROMISE(*again == *reject);
  }
  static_cast<void>(ShardMeta::Decode(bytes));
  const Result<Json> json = Json::Parse(bytes);
  if (!json.ok()) return;
  RoundTrip<Plan>(*json);
  RoundTrip<PartitionManifest>(*json);
  RoundTrip<Task>(*json);
}

std::vector<std::string> Seeds() {
  Plan plan;
  plan.step = "walk";
  plan.parameters = Json::Object{{"a", 1}};
  plan.inputs_file = "inputs.mdb";
  PartitionManifest part;
  part.counts.in = part.counts.kept = 2;
  part.files = {{"part-00000.outputs.mdb", 3, DigestOf("a")}};
  Reject reject;
  reject.step = "read";
  reject.reason = "binary";
  reject.original = std::string("a\0b", 3);
  return {SampleManifest().Encode(),
          SampleRecord().Encode(),
          plan.ToJson().Dump(),
          part.ToJson().Dump(),
          reject.Encode(),
          Task{.code = "x"}.ToJson().Dump(),
          ShardMeta{.schema = "s", .count = 2}.Encode()};
}

}  // namespace kernelmill
