#include "stages/recipes/sft_pipeline.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "corpora/quarantine.h"
#include "manifests/commit_file.h"
#include "stages/admit/admit_keys.h"
#include "stages/admit/admit_step.h"
#include "stages/admit/decontamination.h"
#include "stages/answer/answer_step.h"
#include "stages/check/check_step.h"
#include "stages/engine/progress.h"
#include "stages/engine/tool_identity.h"
#include "stages/fetch/commit_operation.h"
#include "stages/fetch/source.h"
#include "stages/generate/generate_step.h"
#include "stages/measure/measure_step.h"
#include "stages/mine/mine.h"
#include "stages/mine/mine_keys.h"
#include "stages/mix/mix_rows.h"
#include "stages/pack/dataset_writer.h"
#include "stages/pack/describe.h"
#include "stages/pack/publish.h"
#include "stages/perturb/perturb_step.h"
#include "stages/render/render_step.h"
#include "stages/sample/sample_step.h"
#include "stages/supply/supply_step.h"

namespace kernelmill {
namespace {

std::vector<ConfigKey> EngineKeys() {
  return {
      {"seed", ConfigType::kInteger, 7, "",
       "Decides every choice that is left open: samples, wordings, random inputs."},
      {"sources",
       ConfigType::kItems,
       Json::Array(),
       "",
       "The repositories to mine, and files of tasks. There may be none where tasks are generated.",
       {},
       {{"git", ConfigType::kString, "", "", "A local repository, or the URL of one."},
        {"tasks", ConfigType::kString, "", "",
         "Instead of git: references of your own in KernelBench's convention, a .jsonl or .parquet "
         "file or a folder of .py files."},
        {"revision", ConfigType::kString, "HEAD", "",
         "The branch, tag or commit to read; of tasks the SHA-256 that they must have."},
        {"url", ConfigType::kString, "", "",
         "The origin to record for a local path; by default the remote named origin of a "
         "repository, urn:local:NAME of tasks."},
        {"name", ConfigType::kString, "", "",
         "Of tasks: what origins call the file, where it is not called so here."},
        {"column", ConfigType::kString, "", "",
         "Of tasks: the column of the references; by default reference, code, pytorch_code or "
         "another usual name."},
        {"licence", ConfigType::kString, "", "",
         "Of tasks: the SPDX expression for rows that name none in a column license, licence, "
         "licenses or spdx."}}},
      {"partitions", ConfigType::kInteger, 16, "",
       "Pieces in which a step is committed. More lose less work when a run is killed; the dataset "
       "is the same.",
       {1, kMostPartitions}},
  };
}

// A finished dataset from this very configuration, or nothing when there is none yet.
Result<std::optional<DatasetManifest>> FindFinished(const std::string& output,
                                                    const std::string& configuration) {
  Result<std::string> bytes = ReadFile(output + "/" + std::string(kManifestName));
  if (bytes.status().code() == ErrorCode::kNotFound) return std::optional<DatasetManifest>();
  if (!bytes.ok()) return bytes.status();
  const Result<std::string> before = ReadFile(output + "/" + std::string(kConfigurationName));
  if (!before.ok() || *before != configuration) {
    return Status(ErrorCode::kExists, output +
                                          " holds a finished dataset made from another "
                                          "configuration or sources; give --output another folder");
  }
  KM_ASSIGN(DatasetManifest manifest, DatasetManifest::Decode(*bytes));
  return std::optional<DatasetManifest>(std::move(manifest));
}

// Encoded records of equal content become one.
Result<std::string> MergeRecords(std::string_view a, std::string_view b) {
  KM_ASSIGN(Record record, Record::Decode(a));
  KM_ASSIGN(const Record twin, Record::Decode(b));
  record.Merge(twin);
  return record.Encode();
}

Run::Propose OutputsOf(const Run& run, const std::vector<std::string>& steps) {
  return [&run, steps](const Run::Emit& emit) -> Status {
    for (const std::string& step : steps) KM_RETURN_IF_ERROR(run.OutputsOf(step)(emit));
    return Status::Ok();
  };
}

Status WriteQuarantine(const Run& run, const std::string& folder) {
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  for (const auto& [plan, counts] : run.finished()) {
    if (counts.Rejected() == 0 && counts.rejected_parts.empty()) continue;
    const std::string path = folder + "/" + plan.step + ".mdb";
    // From a run that was killed before it published.
    if (unlink(path.c_str()) != 0 && errno != ENOENT) {
      return Status::FromErrno("cannot remove", path);
    }
    KM_ASSIGN(QuarantineWriter writer, QuarantineWriter::Create(path));
    KM_RETURN_IF_ERROR(
        run.ForEachReject(plan.step, [&](std::string_view, std::string_view bytes) -> Status {
          KM_ASSIGN(const Reject reject, Reject::Decode(bytes));
          return writer.Add(reject);
        }));
    KM_RETURN_IF_ERROR(writer.Finish());
  }
  return Status::Ok();
}

// Tokenizer::name() of the configured one; empty without one.
Result<std::string> TokenizerName(const Config& config) {
  const std::string& path = config.String(kTokenizerKey);
  if (path.empty()) return std::string();
  const Result<Digest> digest = DigestOfFile(path);
  if (!digest.ok()) return digest.status().Within(kTokenizerKey);
  return "sha256:" + digest->Hex();
}

// Where this machine has what the dataset was made from, for an audit here; no part of the dataset.
Status RememberFolders(const Run& run, const Config& config, const ResolvedSources& sources) {
  Json folders = Json::Object();
  for (const ResolvedSource& source : sources.repositories) folders[source.url] = source.git_dir;
  for (const TaskSource& source : sources.tasks) folders["sha256:" + source.sha256] = source.path;
  KM_ASSIGN(const auto tables, BenchmarkFiles(config));
  for (const auto& [path, digest] : tables) {
    std::error_code error;
    folders["sha256:" + digest.Hex()] = std::filesystem::absolute(path, error).string();
  }
  KM_ASSIGN(const std::string tokenizer, TokenizerName(config));
  if (!tokenizer.empty()) {
    std::error_code error;
    folders[tokenizer] = std::filesystem::absolute(config.String(kTokenizerKey), error).string();
  }
  return ReplaceFile(run.StatePath(std::string(kFoldersName)), folders.Pretty());
}

// As the configuration that is published names it.
Json ConfigurationOf(const TaskSource& source) {
  return Json::Object{{"tasks", source.url},     {"revision", source.sha256},
                      {"url", source.url},       {"name", source.name},
                      {"column", source.column}, {"licence", source.licence}};
}

// A run goes on with the sources that it began with: the first steps never ask again.
Status HoldSources(const Run& run, const ResolvedSources& sources) {
  Json::Array named;
  for (const ResolvedSource& source : sources.repositories) {
    named.push_back(Json::Object{{"url", source.url}, {"commit", source.commit}});
  }
  for (const TaskSource& source : sources.tasks) {
    named.push_back(ConfigurationOf(source));
  }
  const std::string text = Json(std::move(named)).Pretty();
  const std::string path = run.StatePath("steps/sources.json");
  KM_RETURN_IF_ERROR(MakeFolders(FolderOf(path)));
  const Result<std::string> before = ReadFile(path);
  if (before.status().code() == ErrorCode::kNotFound) return CommitFile(path, text);
  if (!before.ok()) return before.status();
  if (*before == text) return Status::Ok();
  return Status(ErrorCode::kPlanChanged,
                run.options().output +
                    ": the run that is there cannot go on, because its sources, their commits, "
                    "files, columns or licences changed (" +
                    path +
                    " lists those it began with); undo that, give --output "
                    "another folder, or --restart to begin anew");
}

}  // namespace

std::vector<ConfigKey> SftKeys() {
  std::vector<ConfigKey> keys = EngineKeys();
  for (const auto& more :
       {SampleKeys(), MineKeys(), GenerateKeys(), AdmitKeys(), DecontaminateKeys(), AnswerKeys(),
        PerturbKeys(), CheckKeys(), RenderKeys(), MeasureKeys(), MixKeys(), PackKeys()}) {
    keys.insert(keys.end(), more.begin(), more.end());
  }
  return keys;
}

std::vector<SourceSpec> SourceSpecs(const Config& config) {
  std::vector<SourceSpec> specs;
  for (const Json& item : config.Value("sources").as_array()) {
    if (item.Find("git")->as_string().empty()) continue;
    const std::string& revision = item.Find("revision")->as_string();
    specs.push_back({.git = item.Find("git")->as_string(),
                     .revision = revision == "HEAD" ? "" : revision,
                     .url = item.Find("url")->as_string()});
  }
  return specs;
}

Result<std::vector<TaskSource>> ResolveTaskSources(const Config& config) {
  std::vector<TaskSource> sources;
  std::map<std::string, std::string> keys;  // TaskSource::Key() → the configuration's.
  const Json::Array& items = config.Value("sources").as_array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto text = [&](const char* key) { return items[i].Find(key)->as_string(); };
    if (text("tasks").empty()) continue;
    const std::string key = "sources[" + std::to_string(i) + "].tasks";
    KM_ASSIGN(TaskSource source,
              ResolveTasks({.tasks = text("tasks"),
                            .sha256 = text("revision") == "HEAD" ? "" : text("revision"),
                            .url = text("url"),
                            .name = text("name"),
                            .column = text("column"),
                            .licence = text("licence")},
                           key));
    const auto [twin, first] = keys.emplace(source.Key(), key);
    if (!first) {
      return Status(ErrorCode::kConfig,
                    key + ": the column of the same file as in " + twin->second + "; name it once");
    }
    sources.push_back(std::move(source));
  }
  std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) {
    return std::tie(a.url, a.sha256, a.column) < std::tie(b.url, b.sha256, b.column);
  });
  return sources;
}

Status CheckSettings(const Config& config) {
  for (const Status& status :
       {CheckSources(config), Decontamination::Of(config).status(), AnswerStep::Of(config).status(),
        PerturbOptions::Of(config).status(), CheckOptions::Of(config).status(),
        MeasureOptions::Of(config).status(), MixOptions::Of(config).status(),
        PackOptions::Of(config).status()}) {
    KM_RETURN_IF_ERROR(status);
  }
  return Status::Ok();
}

Status CheckSources(const Config& config) {
  KM_ASSIGN(const GenerateOptions generate, GenerateOptions::Of(config));
  const Json::Array& items = config.Value("sources").as_array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool git = !items[i].Find("git")->as_string().empty();
    if (git != items[i].Find("tasks")->as_string().empty()) {
      return Status(ErrorCode::kConfig, "sources[" + std::to_string(i) +
                                            "]: name a repository, git: REPOSITORY, or " +
                                            "else tasks: FILE");
    }
  }
  if (generate.count > 0 || !items.empty()) return Status::Ok();
  return Status(ErrorCode::kConfig, "sources: name at least one repository, or set generate.count");
}

Result<ResolvedSources> ResolveSources(const Config& config, const std::string& cache) {
  KM_RETURN_IF_ERROR(CheckSources(config));
  ResolvedSources resolved;
  KM_ASSIGN(resolved.tasks, ResolveTaskSources(config));
  UntrustedChild child(MiningOptionsOf(config).child_program);
  std::vector<ResolvedSource>& sources = resolved.repositories;
  for (const SourceSpec& spec : SourceSpecs(config)) {
    KM_ASSIGN(ResolvedSource source, Resolve(spec, cache, ReadCommitsIn(child)));
    Say("fetch: " + source.url +
        (source.trouble.empty() ? " at " + source.commit.substr(0, 12) : ": " + source.trouble));
    sources.push_back(std::move(source));
  }
  std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) {
    return std::tie(a.url, a.commit) < std::tie(b.url, b.commit);
  });
  return resolved;
}

Result<std::string> ConfigurationText(const Config& config, const ResolvedSources& sources) {
  Json json = config.ToJson();
  Json::Array resolved;
  for (const ResolvedSource& source : sources.repositories) {
    resolved.push_back(
        Json::Object{{"git", source.url}, {"revision", source.commit}, {"url", source.url}});
  }
  for (const TaskSource& source : sources.tasks) {
    resolved.push_back(ConfigurationOf(source));
  }
  json["sources"] = std::move(resolved);
  KM_ASSIGN(json[kTokenizerKey], TokenizerName(config));
  KM_ASSIGN(const auto tables, BenchmarkFiles(config));
  for (const auto& [path, digest] : tables) {
    for (Json& table : json[kBenchmarkTablesKey].as_array()) {
      if (table.as_string() == path) table = "sha256:" + digest.Hex();
    }
  }
  return json.Pretty();
}

Status DeriveRecords(Run& run, const Config& config, const ResolvedSources& sources,
                     const OriginFilter& wanted) {
  KM_ASSIGN(const MeasureOptions measures, MeasureOptions::Of(config));
  KM_ASSIGN(const GenerateOptions generated, GenerateOptions::Of(config));
  KM_ASSIGN(Decontamination benchmarks, Decontamination::Of(config));
  std::vector<std::string> to_admit, subjects = {"admit", "answer"};
  const MiningOptions mining = MiningOptionsOf(config);
  if (!sources.repositories.empty()) {
    KM_RETURN_IF_ERROR(Mine(run, sources.repositories, mining));
    SampleStep sample(config, "slice");
    KM_RETURN_IF_ERROR(run.Do(sample, sample.Inputs(run, wanted)).status());
    to_admit.emplace_back("sample");
    if (mining.kernels) subjects.emplace_back("slice_kernels");
  }
  if (generated.count > 0) {
    GenerateStep generate(generated);
    KM_RETURN_IF_ERROR(run.Do(generate, generate.Inputs(wanted)).status());
    to_admit.emplace_back("generate");
  }
  if (!sources.tasks.empty()) {
    SupplyStep supply({.largest = mining.largest_file,
                       .licences = mining.licences,
                       .child_program = mining.child_program});
    KM_RETURN_IF_ERROR(run.Do(supply, supply.Inputs(sources.tasks, wanted)).status());
    to_admit.emplace_back("supply");
  }
  AdmitOptions admission = AdmitOptionsOf(config, MinedBy(run, kModuleSteps));
  admission.benchmarks = std::move(benchmarks);
  AdmitStep admit(std::move(admission));
  KM_RETURN_IF_ERROR(run.Do(admit, OutputsOf(run, to_admit), MergeRecords).status());
  const VerdictCache cache = wanted ? VerdictCache::kIgnore : VerdictCache::kUse;
  KM_ASSIGN(AnswerStep answer, AnswerStep::Of(config, cache));
  KM_RETURN_IF_ERROR(run.Do(answer, answer.Inputs(run, "admit", wanted)).status());
  KM_ASSIGN(const PerturbOptions perturbing, PerturbOptions::Of(config));
  if (perturbing.mutants > 0) {
    PerturbStep perturb(perturbing, cache);
    KM_RETURN_IF_ERROR(
        run.Do(perturb, RenderStep::Inputs(run, {"admit", "answer"}, wanted), RenderStep::Merge)
            .status());
    subjects.emplace_back("perturb");
    KM_ASSIGN(const CheckOptions checking, CheckOptions::Of(config));
    if (checking.tries > 0) {
      CheckStep check(checking, cache);
      KM_RETURN_IF_ERROR(run.Do(check,
                                RenderStep::Inputs(run, {"admit", "answer", "perturb"}, wanted),
                                RenderStep::Merge)
                             .status());
      subjects.emplace_back("check");
    }
  }
  RenderStep render(config);
  KM_RETURN_IF_ERROR(
      run.Do(render, RenderStep::Inputs(run, subjects, wanted), RenderStep::Merge).status());
  MeasureStep measure(measures);
  return run.Do(measure, MeasureStep::Inputs(run, "render"), MergeRecords).status();
}

Result<Mixture> MixtureOf(const Run& run, const Config& config) {
  KM_ASSIGN(const MixOptions options, MixOptions::Of(config));
  KM_ASSIGN(const RowMixer mixer, RowMixer::Of(run, "render"));
  return mixer.Solve(run, "measure", options);
}

Status ForEachRecord(const Run& run, const Mixture& mixture, const ShardReader::Visit& visit) {
  KM_ASSIGN(const RowMixer mixer, RowMixer::Of(run, "render"));
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(run.StatePath("steps"), MergeRecords));
  const auto put = [&](std::string_view key, std::string_view body) {
    return sorter.Put(key, body);
  };
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("render", [&](std::string_view key, std::string_view body) -> Status {
        KM_ASSIGN(const Record record, Record::Decode(body));
        // Rows come measured, or not at all.
        return record.kind == RecordKind::kTraining ? Status::Ok() : put(key, body);
      }));
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("measure", [&](std::string_view key, std::string_view body) -> Status {
        KM_ASSIGN(Record record, Record::Decode(body));
        KM_RETURN_IF_ERROR(mixer.Weigh(mixture, &record));
        return put(key, record.Encode());
      }));
  return sorter.ForEach(visit);
}

Result<DatasetManifest> BuildSftDataset(const Config& config, const SftOptions& options) {
  KM_RETURN_IF_ERROR(CheckSettings(config));
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(const PackOptions pack_options, PackOptions::Of(config));
  KM_ASSIGN(const ResolvedSources sources, ResolveSources(config, options.cache));
  KM_ASSIGN(const std::string configuration, ConfigurationText(config, sources));
  KM_ASSIGN(const std::optional<DatasetManifest> finished,
            FindFinished(options.output, configuration));
  if (finished) {
    Say(options.output + ": complete already, nothing to do");
    return *finished;
  }
  KM_ASSIGN(Run run, Run::Open({.output = options.output,
                                .jobs = options.jobs,
                                .partitions = config.Integer("partitions"),
                                .tool = tool.digest,
                                .shuffle = options.shuffle,
                                .shuffle_seed = options.shuffle_seed}));
  if (options.restart) KM_RETURN_IF_ERROR(run.Forget());
  KM_RETURN_IF_ERROR(HoldSources(run, sources));
  KM_RETURN_IF_ERROR(DeriveRecords(run, config, sources));

  KM_ASSIGN(DatasetWriter writer, DatasetWriter::Create(options.output, pack_options));
  DatasetStatistics statistics;
  KM_ASSIGN(const Mixture mixture, MixtureOf(run, config));
  KM_RETURN_IF_ERROR(
      ForEachRecord(run, mixture, [&](std::string_view, std::string_view body, bool*) -> Status {
        KM_ASSIGN(const Record record, Record::Decode(body));
        KM_RETURN_IF_ERROR(statistics.Add(record));
        return writer.Add(body);
      }));
  KM_ASSIGN(const PackedRecords packed, writer.Finish());
  KM_RETURN_IF_ERROR(WriteQuarantine(run, options.output + "/quarantine"));
  KM_RETURN_IF_ERROR(
      ReplaceFile(options.output + "/" + std::string(kConfigurationName), configuration));
  KM_RETURN_IF_ERROR(
      ReplaceFile(options.output + "/" + std::string(kMixtureName), mixture.ToJson().Pretty()));
  KM_RETURN_IF_ERROR(RememberFolders(run, config, sources));
  DatasetFacts facts;
  for (const auto& [plan, counts] : run.finished()) {
    facts.plan.push_back({plan.step, plan.Identity()});
    facts.counts[plan.step] = counts;
  }
  for (const auto& [name, version] : tool.versions.as_object()) {
    facts.versions[name] = version.as_string();
  }
  KM_RETURN_IF_ERROR(
      DescribeDataset(options.output, packed, facts, std::move(statistics), mixture.report()));
  KM_ASSIGN(DatasetManifest manifest, Publish(options.output, packed, facts));
  KM_RETURN_IF_ERROR(run.Forget());
  return manifest;
}

}  // namespace kernelmill
