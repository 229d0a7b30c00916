#include "generators/standard_documents/croissant_document.h"

#include <algorithm>

#include "generators/standard_documents/dataset_statements.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr char kRows[] = "rows", kSplits[] = "splits", kParquetFiles[] = "parquet-files";
constexpr char kParquet[] = ".parquet", kParquetPattern[] = "data/*.parquet";
constexpr char kParquetEncoding[] = "application/x-parquet";

Json Reference(const std::string& id) { return Json::Object{{"@id", id}}; }

Json Node(const char* type, const std::string& id) {
  return Json::Object{{"@type", type}, {"@id", id}, {"name", id}};
}

// The context that Croissant 1.1 gives, with PROV-O.
Json Context() {
  Json context = Json::Object{
      {"@language", "en"},
      {"@vocab", "https://schema.org/"},
      {"conformsTo", "dct:conformsTo"},
      {"cr", "http://mlcommons.org/croissant/"},
      {"data", Json::Object{{"@id", "cr:data"}, {"@type", "@json"}}},
      {"dataType", Json::Object{{"@id", "cr:dataType"}, {"@type", "@vocab"}}},
      {"dct", "http://purl.org/dc/terms/"},
      {"examples", Json::Object{{"@id", "cr:examples"}, {"@type", "@json"}}},
      {"prov", "http://www.w3.org/ns/prov#"},
      {"rai", "http://mlcommons.org/croissant/RAI/"},
      {"sc", "https://schema.org/"},
  };
  for (const char* const term : {"annotation",   "arrayShape",   "citeAs",
                                 "column",       "containedIn",  "equivalentProperty",
                                 "extract",      "field",        "fileObject",
                                 "fileProperty", "fileSet",      "format",
                                 "includes",     "isArray",      "isLiveDataset",
                                 "jsonPath",     "key",          "md5",
                                 "parentField",  "path",         "recordSet",
                                 "references",   "regex",        "repeated",
                                 "replace",      "samplingRate", "separator",
                                 "source",       "subField",     "transform"}) {
    context[term] = "cr:" + std::string(term);
  }
  return context;
}

std::string EncodingOf(const std::string& path) {
  constexpr std::pair<std::string_view, const char*> kEncodings[] = {
      {kParquet, kParquetEncoding},  {".jsonl", "application/jsonlines"},
      {".json", "application/json"}, {".zst", "application/zstd"},
      {".html", "text/html"},        {".md", "text/markdown"},
      {".txt", "text/plain"},        {"NOTICE", "text/plain"},
  };
  for (const auto& [end, encoding] : kEncodings) {
    if (path.ends_with(end)) return encoding;
  }
  return "application/octet-stream";
}

const char* DataTypeOf(DocumentedColumn::Type type) {
  switch (type) {
    case DocumentedColumn::Type::kInteger:
      return "cr:Int64";
    case DocumentedColumn::Type::kNumber:
      return "cr:Float64";
    case DocumentedColumn::Type::kFlag:
      return "sc:Boolean";
    case DocumentedColumn::Type::kText:
    case DocumentedColumn::Type::kList:
      break;
  }
  return "sc:Text";
}

Json FieldOf(const DocumentedColumn& column) {
  const std::string id = std::string(kRows) + "/" + column.name;
  const Json source = Json::Object{{"fileSet", Reference(kParquetFiles)},
                                   {"extract", Json::Object{{"column", column.name}}}};
  Json field = Node("cr:Field", id);
  field["source"] = source;
  if (column.name == "split") {
    field["references"] = Json::Object{{"field", Reference(std::string(kSplits) + "/name")}};
  }
  if (column.type != DocumentedColumn::Type::kList) {
    field["dataType"] = DataTypeOf(column.type);
    return field;
  }
  field["isArray"] = true;
  field["arrayShape"] = "-1";
  Json::Array members;
  for (const DocumentedColumn& member : column.members) {
    Json part = Node("cr:Field", id + "/" + member.name);
    part["dataType"] = DataTypeOf(member.type);
    part["source"] = source;
    part["source"]["transform"] = Json::Object{{"jsonPath", member.name}};
    members.push_back(std::move(part));
  }
  field["subField"] = std::move(members);
  return field;
}

Json FilesAndSets(const std::vector<FileEntry>& files, bool has_parquet) {
  Json::Array distribution;
  for (const FileEntry& file : files) {
    Json item = Node("cr:FileObject", file.path);
    item["contentUrl"] = file.path;
    item["contentSize"] = std::to_string(file.size) + " B";
    item["encodingFormat"] = EncodingOf(file.path);
    item["sha256"] = file.sha256.Hex();
    distribution.push_back(std::move(item));
  }
  if (has_parquet) {
    Json set = Node("cr:FileSet", kParquetFiles);
    set["includes"] = kParquetPattern;
    set["encodingFormat"] = kParquetEncoding;
    distribution.push_back(std::move(set));
  }
  return distribution;
}

Json RecordSets(const DocumentedDataset& dataset) {
  Json splits = Node("cr:RecordSet", kSplits);
  const std::string name = std::string(kSplits) + "/name";
  Json field = Node("cr:Field", name);
  field["dataType"] = "sc:Text";
  splits["dataType"] = "cr:Split";
  splits["key"] = Reference(name);
  splits["field"] = Json::Array{std::move(field)};
  Json::Array data;
  for (const auto& [split, rows] : dataset.manifest.rows) {
    data.emplace_back(Json::Object{{name, split}});
  }
  splits["data"] = std::move(data);

  Json rows = Node("cr:RecordSet", kRows);
  rows["key"] = Reference(std::string(kRows) + "/content_id");
  Json::Array fields;
  for (const DocumentedColumn& column : dataset.columns) fields.push_back(FieldOf(column));
  rows["field"] = std::move(fields);
  return Json::Array{std::move(splits), std::move(rows)};
}

// What the dataset was made from; PROV-O's terms, as Croissant 1.1 uses them.
Json DerivedFrom(const SourceList& sources) {
  Json::Array entities;
  for (const auto& [key, source] : sources.sources()) {
    Json entity =
        Json::Object{{"@type", "prov:Entity"}, {"name", key.first}, {"version", key.second}};
    if (!source.used.empty()) {
      Json::Array licences;
      for (const std::string& spdx : source.used) licences.emplace_back(LicenceUrl(spdx));
      entity["license"] = std::move(licences);
    }
    entities.push_back(std::move(entity));
  }
  return entities;
}

void AddResponsibility(const DocumentedDataset& dataset, Json* document) {
  const auto put = [&](const char* term, Json value) {
    const bool is_empty = value.is_array() ? value.as_array().empty() : value.as_string().empty();
    if (!is_empty) (*document)[std::string("rai:") + term] = std::move(value);
  };
  put("dataCollection", CollectionOf(dataset));
  put("dataPreprocessingProtocol", ToJson(PreparationOf(dataset)));
  put("dataImputationProtocol", InferencesOf(dataset));
  put("dataManipulationProtocol", ChangesOf(dataset));
  put("dataAnnotationProtocol", ToJson(AnnotationOf(dataset)));
  put("machineAnnotationTools", ToJson(ToolsOf(dataset)));
  put("dataBiases", ToJson(BiasesOf(dataset)));
  put("dataLimitations", ToJson(LimitsOf(dataset.description)));
  put("dataUseCases", ToJson(UsesOf(dataset)));
  put("personalSensitiveInformation", Json::Array{PersonalDataOf()});
  put("dataReleaseMaintenancePlan", MaintenanceOf());
}

}  // namespace

Json CroissantDocument(const DocumentedDataset& dataset, const Publication& publication) {
  const Json publisher =
      Json::Object{{"@type", "sc:Organization"}, {"name", publication.publisher}};
  const std::vector<FileEntry> files = dataset.Files();
  const bool has_parquet = std::any_of(files.begin(), files.end(), [](const FileEntry& file) {
    return file.path.ends_with(kParquet);
  });
  Json::Array licences;
  for (const std::string& spdx : dataset.sources.licences()) {
    if (IsKnownLicence(spdx)) licences.emplace_back(LicenceUrl(spdx));
  }
  std::set<std::string> keywords = {"kernelmill", "pytorch"};
  for (const auto& [backend, rows] : dataset.description.statistics.backends) {
    keywords.insert(backend);
  }
  Json document = Json::Object{
      {"@context", Context()},
      {"@type", "sc:Dataset"},
      {"conformsTo",
       Json::Array{"http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"}},
      {"name", publication.name},
      {"description", SummaryOf(dataset)},
      {"url", publication.url},
      {"creator", publisher},
      {"publisher", publisher},
      {"dateCreated", publication.built},
      {"datePublished", publication.published},
      // Semantic versioning ignores what is behind the plus sign in comparisons.
      {"version", "1.0.0+" + dataset.manifest.ManifestDigest().Hex()},
      {"citeAs", publication.publisher + ": " + publication.name + ", " + publication.published +
                     ", " + publication.url},
      {"inLanguage", Json::Array{"en"}},
      {"isLiveDataset", false},
      {"keywords", Json::Array(keywords.begin(), keywords.end())},
      {"license", std::move(licences)},
      {"distribution", FilesAndSets(files, has_parquet)},
      {"prov:wasDerivedFrom", DerivedFrom(dataset.sources)},
  };
  if (has_parquet) document["recordSet"] = RecordSets(dataset);
  AddResponsibility(dataset, &document);
  return document;
}

}  // namespace kernelmill
