#include "generators/standard_documents/spdx_document.h"

#include "generators/standard_documents/dataset_statements.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr char kCreation[] = "_:creation";

Json HashOf(const std::string& sha256) {
  return Json::Object{{"type", "Hash"}, {"algorithm", "sha256"}, {"hashValue", sha256}};
}

std::string TimeOf(const std::string& day) { return day + "T00:00:00Z"; }

// Collects the elements of a document.
class Elements {
 public:
  explicit Elements(std::string base) : base_(std::move(base)) {}

  // Adds an element and returns its identifier.
  std::string Add(const char* type, const std::string& name, Json properties) {
    const std::string id = base_ + name;
    properties["type"] = type;
    properties["spdxId"] = id;
    properties["creationInfo"] = kCreation;
    ids_.emplace_back(id);
    graph_.push_back(std::move(properties));
    return id;
  }
  void Relate(const std::string& from, const char* kind, Json::Array to) {
    if (to.empty()) return;
    Add("Relationship", "/relationship/" + std::to_string(relations_++),
        Json::Object{{"from", from}, {"relationshipType", kind}, {"to", std::move(to)}});
  }
  // The identifier of a licence expression, which is added if it is new.
  std::string Licence(const std::string& spdx) {
    if (!IsKnownLicence(spdx)) return "expandedlicensing_NoAssertionLicense";
    std::string& id = licences_[spdx];
    if (id.empty()) {
      id = Add("simplelicensing_LicenseExpression", "/licence/" + std::to_string(licences_.size()),
               Json::Object{{"simplelicensing_licenseExpression", spdx}});
    }
    return id;
  }

  const std::string& base() const { return base_; }
  const Json::Array& ids() const { return ids_; }
  Json::Array TakeGraph() { return std::move(graph_); }

 private:
  std::string base_;
  Json::Array graph_, ids_;
  std::map<std::string, std::string> licences_;
  int relations_ = 0;
};

const char* PurposeOf(const std::string& path) {
  if (path == kManifestName) return "manifest";
  if (path == "configuration.json") return "configuration";
  const bool is_page = path.ends_with(".md") || path.ends_with(".html") || path.ends_with(".txt") ||
                       path == "NOTICE";
  return is_page ? "documentation" : "data";
}

// The properties of a source as a package.
Json PackageOf(const std::string& name, const std::string& version, const Origin& origin) {
  Json package = Json::Object{{"name", name}, {"software_packageVersion", version}};
  if (origin.sampled()) {
    package["software_primaryPurpose"] = "model";
    package["name"] = origin.model;
  } else if (origin.supplied()) {
    package["software_primaryPurpose"] = "data";
    if (origin.row > 0) package["verifiedUsing"] = Json::Array{HashOf(origin.sha256)};
  } else {
    package["software_primaryPurpose"] = "source";
  }
  if (!origin.mined()) return package;
  if (origin.url.starts_with("pkg:")) {
    package["software_packageUrl"] = AsUri(origin.url);
  } else if (origin.url.starts_with("https://") || origin.url.starts_with("http://")) {
    package["software_downloadLocation"] = AsUri("git+" + origin.url + "@" + origin.commit);
  }
  package["externalIdentifier"] =
      Json::Array{Json::Object{{"type", "ExternalIdentifier"},
                               {"externalIdentifierType", "swhid"},
                               {"identifier", "swh:1:rev:" + origin.commit}}};
  return package;
}

// Adds the sources with their licences, and returns their identifiers.
Json::Array AddSources(const SourceList& sources, Elements* elements) {
  Json::Array ids;
  for (const auto& [key, source] : sources.sources()) {
    const std::string id =
        elements->Add("software_Package", "/source/" + std::to_string(ids.size()),
                      PackageOf(key.first, key.second, source.origin));
    ids.emplace_back(id);
    Json::Array stated, used;
    for (const std::string& spdx : source.stated) stated.emplace_back(elements->Licence(spdx));
    for (const std::string& spdx : source.used) used.emplace_back(elements->Licence(spdx));
    elements->Relate(id, "hasDeclaredLicense", std::move(stated));
    elements->Relate(id, "hasConcludedLicense", std::move(used));
  }
  return ids;
}

Json DatasetPackage(const DocumentedDataset& dataset, const Publication& publication,
                    const std::string& publisher) {
  std::int64_t bytes = 0;
  for (const FileEntry& file : dataset.Files()) bytes += file.size;
  Json package = Json::Object{
      {"name", publication.name},
      {"summary", SummaryOf(dataset)},
      {"originatedBy", Json::Array{publisher}},
      {"suppliedBy", publisher},
      {"builtTime", TimeOf(publication.built)},
      {"releaseTime", TimeOf(publication.published)},
      {"software_packageVersion", dataset.manifest.ManifestDigest().Hex()},
      {"software_primaryPurpose", "data"},
      {"software_downloadLocation", publication.url},
      {"software_homePage", publication.url},
      {"verifiedUsing", Json::Array{HashOf(dataset.manifest_file.sha256.Hex())}},
      {"dataset_datasetType", Json::Array{"text", "structured"}},
      {"dataset_datasetSize", bytes},
      {"dataset_dataCollectionProcess", CollectionOf(dataset)},
      {"dataset_hasSensitivePersonalInformation", "noAssertion"},
      {"comment", PersonalDataOf()},
      {"dataset_datasetUpdateMechanism", MaintenanceOf()},
  };
  const auto put = [&](const char* key, const std::vector<std::string>& sentences) {
    if (!sentences.empty()) package[key] = ToJson(sentences);
  };
  put("dataset_dataPreprocessing", PreparationOf(dataset));
  put("dataset_knownBias", BiasesOf(dataset));
  std::string uses, limits;
  for (const std::string& use : UsesOf(dataset)) uses += (uses.empty() ? "" : " ") + use;
  for (const std::string& limit : LimitsOf(dataset.description)) {
    limits += (limits.empty() ? "" : " ") + limit;
  }
  package["dataset_intendedUse"] = uses;
  package["dataset_datasetNoise"] = limits;
  return package;
}

}  // namespace

Json SpdxDocument(const DocumentedDataset& dataset, const Publication& publication) {
  Elements elements(publication.url + "#" + dataset.manifest.ManifestDigest().Hex());
  const std::string publisher =
      elements.Add("Organization", "/publisher", Json::Object{{"name", publication.publisher}});
  std::string program;
  for (const std::string& tool : ToolsOf(dataset)) program += (program.empty() ? "" : ", ") + tool;
  const std::string tool = elements.Add("Tool", "/tool", Json::Object{{"name", program}});
  const std::string package = elements.Add("dataset_DatasetPackage", "/dataset",
                                           DatasetPackage(dataset, publication, publisher));
  Json::Array files;
  for (const FileEntry& file : dataset.Files()) {
    files.emplace_back(
        elements.Add("software_File", "/file/" + file.path,
                     Json::Object{{"name", file.path},
                                  {"software_primaryPurpose", PurposeOf(file.path)},
                                  {"verifiedUsing", Json::Array{HashOf(file.sha256.Hex())}}}));
  }
  elements.Relate(package, "contains", std::move(files));
  elements.Relate(package, "descendantOf", AddSources(dataset.sources, &elements));
  elements.Relate(tool, "generates", Json::Array{package});
  Json::Array licences;
  if (const std::string all = AllLicences(dataset.sources.licences()); !all.empty()) {
    licences.emplace_back(elements.Licence(all));
  }
  for (const std::string& spdx : dataset.sources.licences()) {
    if (!IsKnownLicence(spdx)) licences.emplace_back(elements.Licence(spdx));
  }
  elements.Relate(package, "hasConcludedLicense", std::move(licences));
  Json::Array members = elements.ids();
  elements.Add("SpdxDocument", "/document",
               Json::Object{{"name", publication.name},
                            {"rootElement", Json::Array{package}},
                            {"element", std::move(members)},
                            {"profileConformance",
                             Json::Array{"core", "software", "dataset", "simpleLicensing"}}});
  Json::Array graph = elements.TakeGraph();
  graph.emplace_back(Json::Object{{"type", "CreationInfo"},
                                  {"@id", kCreation},
                                  {"specVersion", "3.0.1"},
                                  {"created", TimeOf(publication.published)},
                                  {"createdBy", Json::Array{publisher}},
                                  {"createdUsing", Json::Array{tool}}});
  return Json::Object{{"@context", "https://spdx.org/rdf/3.0.1/spdx-context.jsonld"},
                      {"@graph", std::move(graph)}};
}

}  // namespace kernelmill
