#include "stages/dedup/dedup_step.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "corpora/benchmark_table.h"
#include "corpora/duplicates/scratch_file.h"
#include "corpora/records/task.h"
#include "corpora/shards/shard.h"
#include "manifests/file_writer.h"
#include "manifests/json_fields.h"
#include "parsers/program_grams.h"
#include "stages/engine/subject_records.h"

namespace kernelmill {
namespace {

constexpr double kOff = 0, kDefault = 0.8;

// The text by which a subject is compared.
std::vector<std::uint64_t> GramsOf(const Record& subject) {
  const Json* const code = subject.payload.Find("code");
  const auto language = subject.kind == RecordKind::kTask ? ProgramLanguage::kPython
                                                           : ProgramLanguage::kNative;
  return code == nullptr ? std::vector<std::uint64_t>()
                         : ProgramGrams(language, code->as_string());
}

// The kind of a task is its operator graph without sizes, where that is known. A port is compared
// with ports only: a kernel that is mined alone has nearly the text of its CUDA version.
std::uint64_t KindOf(const Record& subject) {
  if (subject.kind == RecordKind::kPort) return DigestOf(RecordKindName(subject.kind)).Prefix64();
  const auto pattern = subject.attributes.find(kPatternAttribute);
  if (pattern == subject.attributes.end()) return 0;
  return DigestOf(pattern->second.as_string().substr(0, kFingerprintDigits)).Prefix64();
}

// content_ids by number, in a file.
class IdList {
 public:
  static Result<IdList> Create(const std::string& folder) {
    KM_ASSIGN(ScratchFile file, ScratchFile::Create(folder));
    return IdList(std::move(file));
  }
  Status Add(std::string_view id) {
    std::uint64_t numbers[kNumbers];
    std::copy(id.begin(), id.end(), reinterpret_cast<char*>(numbers));
    return file_.Append(numbers);
  }
  Result<Digest> At(std::uint64_t index) {
    std::uint64_t numbers[kNumbers];
    KM_RETURN_IF_ERROR(file_.Read(index * kNumbers, numbers));
    Digest id;
    std::copy_n(reinterpret_cast<const std::uint8_t*>(numbers), id.bytes.size(), id.bytes.begin());
    return id;
  }

 private:
  static constexpr std::size_t kNumbers = sizeof(Digest) / sizeof(std::uint64_t);
  explicit IdList(ScratchFile file) : file_(std::move(file)) {}
  ScratchFile file_;
};

// Emits the part of an input with the twin, for every subject that is to be dropped.
Status ProposeTwins(const Run& run, const std::vector<std::string>& steps, double similarity,
                    const Run::Emit& emit) {
  const std::string folder = run.StatePath("steps");
  KM_ASSIGN(ShardSorter subjects, ShardSorter::Create(folder, MergeRecords));
  for (const std::string& step : steps) {
    KM_RETURN_IF_ERROR(
        run.ForEachOutput(step, [&](std::string_view, std::string_view body) -> Status {
          KM_ASSIGN(const Record record, Record::Decode(body));
          if (!IsSubject(record.kind)) return Status::Ok();
          return subjects.Put(record.ContentId().AsKey(), body);
        }));
  }
  KM_ASSIGN(NearDuplicates search, NearDuplicates::Create(folder, similarity));
  KM_ASSIGN(IdList ids, IdList::Create(folder));
  KM_RETURN_IF_ERROR(
      subjects.ForEach([&](std::string_view id, std::string_view body, bool*) -> Status {
        KM_ASSIGN(const Record subject, Record::Decode(body));
        KM_RETURN_IF_ERROR(ids.Add(id));
        return search.Add(GramsOf(subject), KindOf(subject));
      }));
  return search
      .Find([&](const NearDuplicate& duplicate) -> Status {
        KM_ASSIGN(const Digest removed, ids.At(duplicate.removed));
        DedupInput part;
        part.twin.emplace();
        part.twin->similarity = duplicate.similarity;
        KM_ASSIGN(part.twin->kept, ids.At(duplicate.kept));
        return emit(std::string(removed.AsKey()), part.Encode());
      })
      .status();
}

std::string ListLine(const Record& subject, const NearTwin& twin) {
  Json::Array origins;
  for (const Origin& origin : subject.origins) origins.push_back(origin.ToJson());
  return Json(Json::Object{{"removed", subject.ContentId().Hex()},
                           {"kept", twin.kept.Hex()},
                           {"kind", RecordKindName(subject.kind)},
                           {"similarity", SimilarityText(twin.similarity.Value())},
                           {"shared", static_cast<std::int64_t>(twin.similarity.shared)},
                           {"all", static_cast<std::int64_t>(twin.similarity.all)},
                           {"origins", std::move(origins)}})
             .Dump() +
         "\n";
}

}  // namespace

std::vector<ConfigKey> DedupKeys() {
  return {{std::string(kSimilarityKey), ConfigType::kNumber, kDefault, "",
           "How much text two tasks or two kernels may share: of a pair that shares more, one is "
           "dropped. Tasks whose operator graphs are known and differ are both kept. Measured as the share of equal runs of five tokens among all runs of both, "
           "without comments and formatting. Between 0.5 and 1, where 1 drops only those of equal "
           "tokens; 0 drops none.",
           kFraction}};
}

Status CheckDedupKeys(const Config& config) {
  const double similarity = config.Number(kSimilarityKey);
  if (similarity == kOff || similarity >= kLeastSimilarity) return Status::Ok();
  return Status(ErrorCode::kConfig, std::string(kSimilarityKey) + ": must be 0 or lie between " +
                                        SimilarityText(kLeastSimilarity) + " and 1, not be " +
                                        SimilarityText(similarity));
}

std::string SimilarityText(double similarity) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", similarity);
  return text;
}

const Record* DedupInput::Subject() const {
  const auto subject = std::find_if(records.begin(), records.end(),
                                    [](const Record& one) { return IsSubject(one.kind); });
  return subject == records.end() ? nullptr : &*subject;
}

std::string DedupInput::Encode() const {
  Json::Array encoded;
  for (const Record& record : records) encoded.emplace_back(record.Encode());
  Json::Object json{{"records", std::move(encoded)}};
  if (twin) {
    json["kept"] = twin->kept.Hex();
    json["shared"] = static_cast<std::int64_t>(twin->similarity.shared);
    json["all"] = static_cast<std::int64_t>(twin->similarity.all);
  }
  return Json(std::move(json)).Dump();
}

Result<DedupInput> DedupInput::Decode(std::string_view body) {
  KM_ASSIGN(const Json json, Json::Parse(body));
  DedupInput input;
  const Json* const records = json.Find("records");
  if (records == nullptr || !records->is_array()) {
    return Status(ErrorCode::kCorrupt, "an input of dedup holds no records");
  }
  KM_ASSIGN(input.records, ReadSubjectRecords(records->Dump()));
  if (json.Find("kept") == nullptr) return input;
  Json ignored;
  std::string kept;
  std::int64_t shared = 0, all = 0;
  JsonFields fields(json, "dedup input");
  fields.Read("records", &ignored);
  fields.Read("kept", &kept);
  fields.Read("shared", &shared);
  fields.Read("all", &all);
  KM_RETURN_IF_ERROR(fields.Finish());
  input.twin.emplace();
  KM_ASSIGN(input.twin->kept, Digest::FromHex(kept));
  input.twin->similarity = {static_cast<std::uint64_t>(shared), static_cast<std::uint64_t>(all)};
  return input;
}

Result<std::string> MergeDedupInputs(std::string_view a, std::string_view b) {
  KM_ASSIGN(DedupInput merged, DedupInput::Decode(a));
  KM_ASSIGN(DedupInput other, DedupInput::Decode(b));
  const auto array = [](const DedupInput& input) {
    Json::Array encoded;
    for (const Record& record : input.records) encoded.emplace_back(record.Encode());
    return Json(std::move(encoded)).Dump();
  };
  KM_ASSIGN(const std::string records, MergeSubjectRecords(array(merged), array(other)));
  KM_ASSIGN(merged.records, ReadSubjectRecords(records));
  if (!merged.twin) merged.twin = other.twin;
  return merged.Encode();
}

Json DedupStep::Parameters() const { return Json::Object{{"similarity", similarity_}}; }

Run::Propose DedupStep::Inputs(const Run& run, std::vector<std::string> steps,
                               const OriginFilter& wanted) const {
  return [this, &run, steps = std::move(steps), wanted](const Run::Emit& emit) -> Status {
    if (!wanted && similarity_ != kOff) {
      KM_RETURN_IF_ERROR(ProposeTwins(run, steps, similarity_, emit));
    }
    return SubjectRecords(run, steps, wanted)([&](std::string key, std::string body) -> Status {
      DedupInput part;
      KM_ASSIGN(part.records, ReadSubjectRecords(body));
      return emit(std::move(key), part.Encode());
    });
  };
}

Result<Outcome> DedupStep::Process(const Input& input, Lane&) {
  KM_ASSIGN(const DedupInput decoded, DedupInput::Decode(input.body));
  const Record* const subject = decoded.Subject();
  if (subject == nullptr) return Status(ErrorCode::kInternal, "records about no task or kernel");
  if (decoded.twin) {
    Outcome outcome =
        Outcome::Drop("near_duplicate", SimilarityText(decoded.twin->similarity.Value()) +
                                            " of its text is that of " +
                                            decoded.twin->kept.Hex());
    outcome.origins = subject->origins;
    return outcome;
  }
  Outcome outcome = Outcome::Keep({});
  for (const Record& record : decoded.records) {
    outcome.outputs.push_back({std::string(record.ContentId().AsKey()), record.Encode()});
  }
  outcome.counters.emplace_back(std::string(RecordKindName(subject->kind)) + "s", 1);
  return outcome;
}

Status WriteDuplicateList(const Run& run, const std::string& folder) {
  const std::string path = folder + "/" + std::string(kDuplicateListName);
  // The file is left from a run that was killed before it published.
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return Status::FromErrno("cannot remove", path);
  }
  KM_ASSIGN(FileWriter list, FileWriter::Create(path));
  KM_RETURN_IF_ERROR(
      run.ForEachInput("dedup", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const DedupInput input, DedupInput::Decode(body));
        const Record* const subject = input.Subject();
        if (!input.twin || subject == nullptr) return Status::Ok();
        return list.Append(ListLine(*subject, *input.twin));
      }));
  return list.Finish();
}

}  // namespace kernelmill
