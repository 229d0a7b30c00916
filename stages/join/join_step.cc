#include "stages/join/join_step.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "corpora/shards/zstd_codec.h"
#include "manifests/json_bytes.h"
#include "parsers/samples/sample_numbers.h"
#include "stages/publishable/excluded_source.h"
#include "stages/samples/joined_sample.h"

namespace kernelmill {
namespace {

// The most of a rejected line that is kept. Six bytes of JSON can stand for each, and a value of a
// shard has at most kMaxFrameBytes.
constexpr std::size_t kMostRejectedBytes = kMaxFrameBytes / 8;
// The largest JoinedSample. Values of later steps hold its record once more as a text of JSON,
// which can be twice as long each time.
constexpr std::size_t kMostJoinedBytes = kMaxFrameBytes / 4;

// For the detail of a rejected line: what of it is kept.
std::string KeptOf(const SampleLine& line, const Digest& bytes) {
  if (line.bytes.size() <= kMostRejectedBytes) return "";
  return " (the line has " + std::to_string(line.bytes.size()) + " bytes with the SHA-256 " +
         bytes.Hex() + ", of which the first " + std::to_string(kMostRejectedBytes) + " are kept)";
}

// A sample of a file, without its text.
struct ListedSample {
  std::size_t source = 0;
  std::int64_t line = 0;
  std::size_t position = 0;
  Digest content, bytes;  // The content_id of its record, and the hash of its line.
  ModelSample named;      // Only what SampleNumbers reads.
};

struct Decision {
  std::int64_t attempt = 0;
  std::int64_t copy = 0;  // Counts equal samples of equal lines from 0.
  std::optional<SampleProblem> problem;
};
// By source, line and position.
using Place = std::tuple<std::size_t, std::int64_t, std::size_t>;
using Decisions = std::map<Place, Decision>;

// Numbers the samples of each file in the order of their content, those that name their attempt
// first. Attempts of a task in the second file follow those in the first.
Decisions Decide(std::vector<ListedSample> samples, std::size_t sources) {
  std::sort(samples.begin(), samples.end(), [](const ListedSample& a, const ListedSample& b) {
    const auto rank = [](const ListedSample& one) {
      return std::make_tuple(one.source, !one.named.attempt.has_value(), one.content, one.bytes,
                             one.position, one.line);
    };
    return rank(a) < rank(b);
  });
  Decisions decisions;
  std::map<std::tuple<Digest, Digest, std::size_t>, std::int64_t> copies;
  std::map<std::tuple<std::string, const KernelBackend*, std::string>, std::int64_t> ends, first;
  auto sample = samples.begin();
  for (std::size_t source = 0; source < sources; ++source) {
    SampleNumbers numbers;
    for (; sample != samples.end() && sample->source == source; ++sample) {
      Decision& decision = decisions[{source, sample->line, sample->position}];
      decision.copy = copies[{sample->content, sample->bytes, sample->position}]++;
      decision.problem = numbers.Add(&sample->named);
      if (decision.problem) continue;
      const auto group =
          std::make_tuple(sample->named.task, sample->named.backend, sample->named.retry);
      decision.attempt = first[group] + *sample->named.attempt;
      std::int64_t& end = ends[group];
      end = std::max(end, decision.attempt + 1);
    }
    first = ends;
  }
  return decisions;
}

}  // namespace

bool LeftOutTasks::Has(const std::string& name) const {
  const Result<Digest> id = Digest::FromHex(name);
  return (id.ok() && excluded.Has(*id)) || names.Find(name).ok();
}

Result<bool> LeftOutTasks::HasSample(const Json& joined) const {
  if (excluded.empty()) return false;
  KM_ASSIGN(const JoinedSample sample, JoinedSample::FromJson(joined));
  return excluded.Leaves(sample.record);
}

Result<LeftOutTasks> LeftOutTasksOf(const Run& run, const Config& config) {
  LeftOutTasks left_out;
  KM_ASSIGN(left_out.excluded, ExcludedRecords::Of(config.Strings(kExcludeRecordsKey)));
  const std::vector<std::string> sources = config.Strings("exclude_sources");
  if (left_out.excluded.empty() && sources.empty()) return left_out;
  KM_RETURN_IF_ERROR(
      run.ForEachInput("recall", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Json json, Json::Parse(body));
        KM_ASSIGN(const Record task, Record::Decode(json.TextAt("record")));
        if (left_out.excluded.Leaves(task) || AreExcluded(task.origins, sources)) {
          left_out.names.Add(task);
        }
        return Status::Ok();
      }));
  return left_out;
}

Json JoinStep::Parameters() const {
  Json::Object parameters{{"backend", backend_}};
  if (previous_) parameters["previous"] = previous_->digest.Hex();
  return parameters;
}

const RepairRequest* JoinStep::RequestOf(const ModelSample& sample, const Digest& task) const {
  if (sample.retry.empty() || !previous_) return nullptr;
  if (sample.retry != RetryName(previous_->file.digest)) return nullptr;
  return previous_->RequestFor(
      {task, sample.backend != nullptr ? std::string(sample.backend->name) : backend_});
}

std::optional<SampleProblem> JoinStep::ProblemOf(const ModelSample& sample,
                                                 const Digest& task) const {
  if (sample.retry.empty() || RequestOf(sample, task) != nullptr) return std::nullopt;
  const std::string drawn = previous_ ? RetryName(previous_->file.digest) : "";
  const std::string detail = !previous_ ? "this is round 1, which has no retry buffer"
                             : drawn != sample.retry
                                 ? "round " + std::to_string(previous_->file.generation.round + 1) +
                                       " goes on with the retry buffer " + drawn
                                 : "no repair of task " + task.Hex() + " was asked";
  return SampleProblem{.reason = "another_round",
                       .detail = "it answers a repair prompt of the retry buffer " + sample.retry +
                                 ", and " + detail};
}

Record JoinStep::RecordOf(const ModelSample& sample, const Digest& task,
                          const SampleSource& source) const {
  const Record& about = tasks_.records.at(task);
  Sample made = SampleOf(sample, task, backend_, source.model);
  std::vector<Digest> inputs = {task};
  const Record* repaired = nullptr;
  if (const RepairRequest* const request = RequestOf(sample, task)) {
    made.turn = kRepairTurn;
    made.repairs = request->sample;
    if (made.prompt.empty()) made.prompt = request->messages;
    inputs.push_back(request->sample);
    repaired = &previous_->records.at(request->sample);
  }
  Record record;
  record.kind = RecordKind::kSample;
  record.payload = made.ToJson();
  record.origins = about.origins;
  Unite(&record.origins, {made.SampledOrigin()});
  record.licences = about.licences;
  // The hash of the file would differ between formats.
  Unite(&record.licences, {{source.licence, LicenceLevel::kDeclared, "sample of " + made.model,
                            record.ContentId().Hex()}});
  if (repaired != nullptr) {
    Unite(&record.origins, repaired->origins);
    Unite(&record.licences, repaired->licences);
  }
  record.lineage = {{.step = std::string(Name()),
                     .version = Version(),
                     .parameters = DigestOf(Parameters().Dump()),
                     .inputs = std::move(inputs)}};
  return record;
}

Run::Propose JoinStep::Inputs(const std::vector<SampleSource>& sources,
                              const OriginFilter& wanted) const {
  return [this, &sources, wanted](const Run::Emit& emit) -> Status {
    std::vector<ListedSample> listed;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      KM_RETURN_IF_ERROR(ForEachSampleLine(sources[i], [&](const SampleLine& line) {
        for (std::size_t k = 0; k < line.parsed.samples.size(); ++k) {
          const ModelSample& sample = line.parsed.samples[k];
          const Result<Digest> task = tasks_.names.Find(sample.task);
          if (!task.ok() || ProblemOf(sample, *task)) continue;
          ListedSample& one = listed.emplace_back();
          one.source = i;
          one.line = line.number;
          one.position = k;
          one.content = RecordOf(sample, *task, sources[i]).ContentId();
          one.bytes = DigestOf(line.bytes);
          one.named.task = task->Hex();
          one.named.id = sample.id;
          one.named.attempt = sample.attempt;
          one.named.turn = sample.turn;
          one.named.retry = sample.retry;
          one.named.backend =
              sample.backend != nullptr ? sample.backend : FindKernelBackend(backend_);
        }
        return Status::Ok();
      }));
    }
    const Decisions decisions = Decide(std::move(listed), sources.size());
    // Rejects have keys behind all samples.
    const auto reject = [&](const SampleLine& line, std::size_t position, const Digest& bytes,
                            const SampleProblem& problem) {
      if (wanted) return Status::Ok();
      return emit(
          "rejected/" + bytes.Hex() + "/" + line.name + "/" + std::to_string(position),
          Json(Json::Object{
                   {"reason", problem.reason},
                   {"detail", line.name + ": " + problem.detail + KeptOf(line, bytes)},
                   {"bytes",
                    JsonOfBytes(std::string_view(line.bytes).substr(0, kMostRejectedBytes))}})
              .Dump());
    };
    const auto leave_out = [&](const Digest& bytes, std::size_t position) {
      if (wanted) return Status::Ok();
      return emit("rejected/" + bytes.Hex() + "/left_out/" + std::to_string(position),
                  Json(Json::Object{{"reason", kRecordExcluded}}).Dump());
    };
    for (std::size_t i = 0; i < sources.size(); ++i) {
      KM_RETURN_IF_ERROR(ForEachSampleLine(sources[i], [&](const SampleLine& line) -> Status {
        const Digest bytes = DigestOf(line.bytes);
        std::size_t position = 0;
        for (; position < line.parsed.samples.size(); ++position) {
          const ModelSample& sample = line.parsed.samples[position];
          const Result<Digest> task = tasks_.names.Find(sample.task);
          if (!task.ok() && left_out_.Has(sample.task)) {
            KM_RETURN_IF_ERROR(leave_out(bytes, position));
            continue;
          }
          if (!task.ok()) {
            KM_RETURN_IF_ERROR(
                reject(line, position, bytes,
                       {.reason = "unknown_task", .detail = task.status().message()}));
            continue;
          }
          if (const auto problem = ProblemOf(sample, *task)) {
            KM_RETURN_IF_ERROR(reject(line, position, bytes, *problem));
            continue;
          }
          const Decision& decision = decisions.at({i, line.number, position});
          if (decision.problem) {
            KM_RETURN_IF_ERROR(reject(line, position, bytes, *decision.problem));
            continue;
          }
          JoinedSample joined;
          joined.record = RecordOf(sample, *task, sources[i]);
          if (const RepairRequest* const request = RequestOf(sample, *task)) {
            for (const Record* record : previous_->ShownWith(request->sample)) {
              joined.repaired.push_back(record->Encode());
            }
          }
          joined.id = sample.id;
          joined.prompt_left_out = !sample.earlier.empty() && !AsksQuestion(sample.earlier);
          joined.attempt = decision.attempt;
          joined.place = {sources[i].name, line.number, static_cast<std::int64_t>(position),
                          bytes.Hex()};
          joined.key = task->Hex() + "/" + joined.record.ContentId().Hex() + "/" + bytes.Hex() +
                       "/" + std::to_string(position) + "/" + std::to_string(decision.copy);
          const std::string body = joined.ToJson().Dump();
          if (body.size() > kMostJoinedBytes) {
            KM_RETURN_IF_ERROR(reject(line, position, bytes,
                                      {.reason = "too_large",
                                       .detail = "the sample takes " + std::to_string(body.size()) +
                                                 " bytes as a record, of which there may be " +
                                                 std::to_string(kMostJoinedBytes)}));
            continue;
          }
          std::string key = joined.key;
          KM_RETURN_IF_ERROR(emit(std::move(key), body));
        }
        for (const SampleProblem& problem : line.parsed.problems) {
          KM_RETURN_IF_ERROR(reject(line, position++, bytes, problem));
        }
        return Status::Ok();
      }));
    }
    return Status::Ok();
  };
}

Result<Outcome> JoinStep::Process(const Input& input, Lane&) {
  KM_ASSIGN(const Json json, Json::Parse(input.body));
  if (json.Find("reason") == nullptr) {
    KM_ASSIGN(const bool excluded, left_out_.HasSample(json));
    if (excluded) return Outcome::Drop(std::string(kRecordExcluded));
    Outcome kept = Outcome::Keep({{input.key, input.body}});
    if (const Json* left_out = json.Find("prompt_left_out"); left_out->as_bool()) {
      kept.counters.emplace_back(kUnusablePrompts, 1);
    }
    return kept;
  }
  if (json.TextAt("reason") == kRecordExcluded) {
    return Outcome::Drop(std::string(kRecordExcluded));
  }
  KM_ASSIGN(std::string bytes, BytesOfJson(*json.Find("bytes")));
  return Outcome::Reject(json.TextAt("reason"), json.TextAt("detail"), std::move(bytes));
}

}  // namespace kernelmill
