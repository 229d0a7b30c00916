#include "generators/standard_documents/provenance_statement.h"

#include "generators/standard_documents/dataset_statements.h"

namespace kernelmill {
namespace {

// Raise the version when a dataset makes another statement than before: an audit makes it again.
constexpr char kBuildType[] = "urn:kernelmill:dataset:v1";

Json Sha256Set(const std::string& hex) { return Json::Object{{"sha256", hex}}; }

Json SubjectOf(const FileEntry& file) {
  return Json::Object{{"name", file.path}, {"digest", Sha256Set(file.sha256.Hex())}};
}

Json DependencyOf(const std::pair<std::string, std::string>& key, const ListedSource& source) {
  const Origin& origin = source.origin;
  Json dependency = Json::Object{{"name", key.first + " (" + key.second + ")"}};
  if (origin.mined()) {
    dependency["uri"] = AsUri(
        origin.url.starts_with("pkg:") ? origin.url : "git+" + origin.url + "@" + origin.commit);
    dependency["digest"] = Json::Object{{"gitCommit", origin.commit}};
  } else {
    dependency["uri"] = AsUri(key.first);
    if (origin.supplied() && origin.row > 0) dependency["digest"] = Sha256Set(origin.sha256);
  }
  return dependency;
}

// The programs that made the dataset, by their entry in the manifest's versions.
Json::Array Programs(const std::map<std::string, std::string>& versions) {
  const auto version = [&](const char* name) {
    const auto found = versions.find(name);
    return found == versions.end() ? "" : found->second;
  };
  Json::Array programs;
  if (const std::string program = version("program"); !program.empty()) {
    programs.emplace_back(Json::Object{{"name", "kernelmill"},
                                       {"uri", "pkg:generic/kernelmill@" + version("kernelmill")},
                                       {"digest", Sha256Set(program)}});
  }
  if (const std::string worker = version("worker"); !worker.empty()) {
    programs.emplace_back(
        Json::Object{{"name", "the worker of kernelmill"}, {"digest", Sha256Set(worker)}});
  }
  if (const std::string torch = version("torch"); !torch.empty()) {
    std::string uri = "pkg:pypi/torch@" + torch;
    if (const auto plus = uri.find('+'); plus != uri.npos) uri.replace(plus, 1, "%2B");
    Json item = Json::Object{{"name", "torch"}, {"uri", uri}};
    if (const std::string commit = version("torch_commit"); !commit.empty()) {
      item["digest"] = Json::Object{{"gitCommit", commit}};
    }
    programs.push_back(std::move(item));
  }
  return programs;
}

}  // namespace

Json ProvenanceStatement(const DocumentedDataset& dataset,
                         const std::vector<FileEntry>& documents) {
  const DatasetManifest& manifest = dataset.manifest;
  Json::Array subjects;
  for (const FileEntry& file : dataset.Files()) {
    subjects.push_back(SubjectOf(file));
    if (file.path != kManifestName) continue;
    subjects.back()["annotations"] =
        Json::Object{{std::string(kManifestDigestNote), manifest.ManifestDigest().Hex()},
                     {std::string(kMerkleRootNote), manifest.merkle_root.Hex()}};
  }
  for (const FileEntry& file : documents) subjects.push_back(SubjectOf(file));

  Json::Array dependencies;
  for (const auto& [key, source] : dataset.sources.sources()) {
    dependencies.push_back(DependencyOf(key, source));
  }
  for (Json& program : Programs(manifest.versions)) dependencies.push_back(std::move(program));

  Json::Object plans;
  for (const DatasetManifest::StepPlan& plan : manifest.plan) {
    plans[plan.step] = plan.identity.Hex();
  }
  const auto program = manifest.versions.find("program");
  Json builder =
      Json::Object{{"id", "urn:kernelmill:program:" +
                              (program == manifest.versions.end() ? "unknown" : program->second)},
                   {"version", Json::Object(manifest.versions.begin(), manifest.versions.end())}};
  return Json::Object{
      {"_type", kStatementType},
      {"subject", std::move(subjects)},
      {"predicateType", kPredicateType},
      {"predicate",
       Json::Object{{"buildDefinition",
                     Json::Object{{"buildType", kBuildType},
                                  {"externalParameters",
                                   Json::Object{{"configuration", dataset.configuration}}},
                                  {"internalParameters", Json::Object{{"plans", std::move(plans)}}},
                                  {"resolvedDependencies", std::move(dependencies)}}},
                    {"runDetails", Json::Object{{"builder", std::move(builder)}}}}}};
}

}  // namespace kernelmill
