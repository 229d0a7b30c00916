#include "stages/mine/mining_service.h"

#include <map>

#include "generators/kernel_prose/kernel_knowledge.h"
#include "manifests/json_fields.h"
#include "parsers/cuda_kernel_facts.h"
#include "parsers/inline_cuda.h"
#include "parsers/licence_text.h"
#include "stages/mine/file_gate.h"
#include "stages/mine/native_index.h"
#include "stages/mine/repository_index.h"
#include "stages/publishable/forbidden_text.h"
#include "stages/publishable/licence_map.h"
#include "stages/publishable/redaction.h"

namespace kernelmill {
namespace {

MiningReply Reject(std::string reason, std::string detail, std::string original) {
  return {std::move(reason), std::move(detail), true, std::move(original)};
}

MiningReply Kept(const Json& body) { return {"", "", false, body.Dump()}; }

std::string TroubleOf(const Status& status) {
  return status.code() == ErrorCode::kNotFound ? "missing_object" : "corrupt_object";
}

bool WantsKernels(const Json& request) {
  const Json* value = request.Find("kernels");
  return value != nullptr && value->is_bool() && value->as_bool();
}

Json EncodeCalls(const std::vector<const PythonCall*>& calls) {
  PythonFile file;
  for (const PythonCall* call : calls) file.calls.push_back(*call);
  return file.ToJson();
}

}  // namespace

std::string MiningReply::EncodeHead() const {
  return Json(Json::Object{{"reason", reason}, {"detail", detail}, {"rejected", rejected}}).Dump();
}

Result<MiningReply> MiningReply::Decode(std::string_view head, std::string body) {
  KM_ASSIGN(const Json json, Json::Parse(head));
  MiningReply reply;
  JsonFields fields(json, "mining reply");
  fields.Read("reason", &reply.reason);
  fields.Read("detail", &reply.detail);
  fields.Read("rejected", &reply.rejected);
  KM_RETURN_IF_ERROR(fields.Finish());
  reply.body = std::move(body);
  return reply;
}

Json MiningService::CommitRequest(const std::string& git_dir, const std::string& revision) {
  return Json::Object{{"op", "commit"}, {"git_dir", git_dir}, {"revision", revision}};
}

Json MiningService::WalkRequest(const std::string& git_dir, const std::string& commit,
                                std::int64_t most_entries, std::int64_t largest_file,
                                bool kernels) {
  return Json::Object{{"op", "walk"},
                      {"git_dir", git_dir},
                      {"commit", commit},
                      {"most_entries", most_entries},
                      {"largest_file", largest_file},
                      {"kernels", kernels}};
}

Json MiningService::ReadRequest(const std::string& git_dir, const std::string& blob,
                                const std::string& path, bool kernels) {
  return Json::Object{
      {"op", "read"}, {"git_dir", git_dir}, {"blob", blob}, {"path", path}, {"kernels", kernels}};
}

Json MiningService::ArgumentsRequest(const std::string& code,
                                     const std::vector<const PythonCall*>& calls) {
  return Json::Object{{"op", "arguments"}, {"code", code}, {"calls", EncodeCalls(calls)}};
}

Json MiningService::TextRequest(const std::string& code) {
  return Json::Object{{"op", "text"}, {"code", code}};
}

Result<ArgumentGuess> MiningService::DecodeGuess(std::string_view body) {
  KM_ASSIGN(const Json json, Json::Parse(body));
  ArgumentGuess guess;
  JsonFields fields(json, "argument guess");
  fields.Read("code", &guess.code);
  fields.Read("detail", &guess.detail);
  fields.Read("redacted", &guess.redacted);
  fields.ReadArray("sets", &guess.sets, ArgumentSet::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return guess;
}

Json MiningService::ExplainRequest(const Digest& id, const Json& kernel, std::int64_t seed) {
  return Json::Object{{"op", "explain"}, {"id", id.Hex()}, {"kernel", kernel}, {"seed", seed}};
}

MiningReply MiningService::Handle(std::string_view text) {
  const Result<Json> request = Json::Parse(text);
  if (!request.ok()) return Reject("parser_crashed", request.status().message(), "");
  MiningReply reply = Dispatch(*request);
  // Git's messages name files of this machine; rejects are part of a dataset.
  if (const std::string folder = request->TextAt("git_dir"); !folder.empty()) {
    for (std::size_t at = 0; (at = reply.detail.find(folder)) != std::string::npos;) {
      reply.detail.erase(at, folder.size());
    }
  }
  return reply;
}

MiningReply MiningService::Dispatch(const Json& request) {
  const std::string op = request.TextAt("op");
  if (op == "commit") return Commit(request);
  if (op == "walk") return Walk(request);
  if (op == "read") return Read(request);
  if (op == "explain") return Explain(request);
  if (op == "text") return Text(request);
  return Arguments(request);
}

MiningReply MiningService::Commit(const Json& request) {
  const Result<GitRepository*> repository = Repository(request.TextAt("git_dir"));
  if (!repository.ok()) return Reject("bad_repository", repository.status().message(), "");
  Result<std::string> commit = (*repository)->ResolveCommit(request.TextAt("revision"));
  if (!commit.ok()) return Reject(TroubleOf(commit.status()), commit.status().message(), "");
  return {"", "", false, *std::move(commit)};
}

Result<GitRepository*> MiningService::Repository(const std::string& git_dir) {
  if (!repository_ || git_dir_ != git_dir) {
    repository_.reset();
    KM_ASSIGN(repository_, GitRepository::Open(git_dir));
    git_dir_ = git_dir;
  }
  return &*repository_;
}

MiningReply MiningService::Walk(const Json& request) {
  const Result<GitRepository*> repository = Repository(request.TextAt("git_dir"));
  if (!repository.ok()) return Reject("bad_repository", repository.status().message(), "");
  WalkLimits limits;
  limits.entries = request.IntegerAt("most_entries");
  const std::int64_t largest = request.IntegerAt("largest_file");
  const bool kernels = WantsKernels(request);
  bool has_device_source = false;
  Json::Array entries;
  std::map<std::string, std::int64_t> counters;
  const Status status =
      (*repository)
          ->Walk(request.TextAt("commit"), limits,
                 [&](const TreeEntry& entry, const Status& trouble) {
                   if (!trouble.ok()) {
                     ++counters[trouble.code() == ErrorCode::kBudget ? "bad_path"
                                                                     : TroubleOf(trouble)];
                     return Status::Ok();
                   }
                   std::string_view gate = GateOf(entry, kernels);
                   std::int64_t size = 0;
                   if (gate.empty()) {
                     const Result<std::int64_t> bytes = (*repository)->BlobSize(entry.id);
                     if (!bytes.ok()) {
                       ++counters[TroubleOf(bytes.status())];
                       return Status::Ok();
                     }
                     size = *bytes;
                     if (size > largest) gate = "too_large";
                   }
                   if (!gate.empty()) {
                     ++counters[std::string(gate)];
                     return Status::Ok();
                   }
                   has_device_source = has_device_source || IsDeviceSource(entry.path);
                   entries.push_back(
                       Json::Object{{"path", entry.path}, {"blob", entry.id}, {"size", size}});
                   return Status::Ok();
                 });
  if (!status.ok()) {
    return Reject(status.code() == ErrorCode::kBudget ? "object_budget" : TroubleOf(status),
                  status.message(), "");
  }
  if (!has_device_source) {
    const std::size_t native = std::erase_if(
        entries, [](const Json& entry) { return IsNativeSource(entry.Find("path")->as_string()); });
    if (native > 0) counters["not_source"] += static_cast<std::int64_t>(native);
  }
  Json::Object counts;
  for (const auto& [reason, count] : counters) counts.emplace(reason, count);
  return Kept(Json::Object{{"entries", std::move(entries)}, {"counters", std::move(counts)}});
}

MiningReply MiningService::Read(const Json& request) {
  const Result<GitRepository*> repository = Repository(request.TextAt("git_dir"));
  if (!repository.ok()) return Reject("bad_repository", repository.status().message(), "");
  const std::string blob = request.TextAt("blob");
  Result<std::string> bytes = (*repository)->ReadBlob(blob);
  if (!bytes.ok()) return Reject(TroubleOf(bytes.status()), bytes.status().message(), "");
  const std::string path = request.TextAt("path");
  if (LicenceFile::Is(path)) {
    if (!IsUtf8(*bytes)) return Reject("not_utf8", "", *std::move(bytes));
    return Kept(LicenceFile::Read(path, blob, *bytes).ToJson());
  }
  const bool package = path.ends_with("__init__.py");  // Empty ones count too.
  if (const Refusal refusal = RefuseContent(path, *bytes);
      !refusal.reason.empty() && (refusal.rejected || !package)) {
    if (!refusal.rejected) return {std::string(refusal.reason), "", false, ""};
    return Reject(std::string(refusal.reason), "", *std::move(bytes));
  }
  if (IsNativeSource(path)) {
    NativeFile file{path, blob, RecognizeHeader(*bytes).value_or(""), {}};
    file.cuda = CudaFile::Parse(*std::move(bytes));
    return Kept(file.ToJson());
  }
  SourceFile file;
  file.path = path;
  file.blob = blob;
  file.licence = RecognizeHeader(*bytes).value_or("");
  std::optional<CudaFile> inline_cuda;
  if (WantsKernels(request) && bytes->find("__global__") != std::string::npos) {
    inline_cuda = ReadInlineCuda(*bytes);
  }
  file.python = PythonFile::Parse(*std::move(bytes));
  if (!inline_cuda) return Kept(file.ToJson());
  const NativeFile native{path, blob, file.licence, *std::move(inline_cuda)};
  return Kept(Json::Object{{"module", file.ToJson()}, {"native", native.ToJson()}});
}

MiningReply MiningService::Explain(const Json& request) {
  const Json* kernel = request.Find("kernel");
  const Result<KernelSource> source = KernelSource::FromJson(kernel == nullptr ? Json() : *kernel);
  const Result<Digest> id = Digest::FromHex(request.TextAt("id"));
  if (!source.ok()) return Reject("parser_crashed", source.status().message(), "");
  if (!id.ok()) return Reject("parser_crashed", id.status().message(), "");
  Json::Array rows;
  if (const auto facts = ReadKernelFacts(source->code, source->name, source->line)) {
    for (const TrainingRecord& row :
         WriteKernelKnowledge(*id, *source, *facts, request.IntegerAt("seed"))) {
      rows.push_back(row.ToJson());
    }
  }
  return Kept(Json(std::move(rows)));
}

MiningReply MiningService::Arguments(const Json& request) {
  const Json* calls = request.Find("calls");
  Result<PythonFile> file = PythonFile::FromJson(calls == nullptr ? Json() : *calls);
  if (!file.ok()) return Reject("parser_crashed", file.status().message(), "");
  const std::string code = request.TextAt("code");
  if (const std::string_view refused = RefuseText(code); !refused.empty()) {
    return Reject(std::string(refused), "", "");
  }
  const Redacted redacted = Redact(code);
  const ArgumentGuess guess = GuessArguments(redacted.text, file->calls);
  Json::Array sets;
  for (const ArgumentSet& set : guess.sets) sets.push_back(set.ToJson());
  return Kept(Json::Object{{"code", guess.code},
                           {"detail", guess.detail},
                           {"redacted", redacted.count},
                           {"sets", sets}});
}

MiningReply MiningService::Text(const Json& request) {
  const std::string code = request.TextAt("code");
  if (const std::string_view refused = RefuseText(code); !refused.empty()) {
    return Reject(std::string(refused), "", "");
  }
  return {"", "", false, Redact(code).text};
}

}  // namespace kernelmill
