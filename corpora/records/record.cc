#include "corpora/records/record.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
constexpr RecordKind kKinds[] = {RecordKind::kTask,   RecordKind::kAnnotation, RecordKind::kKernel,
                                 RecordKind::kPort,   RecordKind::kCandidate,  RecordKind::kCheck,
                                 RecordKind::kSample, RecordKind::kTraining};

Json ToJson(const Derivation& derivation) {
  Json::Array inputs;
  for (const Digest& input : derivation.inputs) inputs.emplace_back(input.Hex());
  return Json::Object{{"step", derivation.step},
                      {"version", derivation.version},
                      {"parameters", derivation.parameters.Hex()},
                      {"inputs", std::move(inputs)}};
}

Result<Derivation> DerivationFromJson(const Json& json) {
  Derivation derivation;
  JsonFields fields(json, "lineage");
  fields.Read("step", &derivation.step);
  fields.Read("version", &derivation.version);
  fields.Read("parameters", &derivation.parameters);
  fields.ReadArray("inputs", &derivation.inputs, [](const Json& item) -> Result<Digest> {
    if (!item.is_string()) return Status(ErrorCode::kCorrupt, "an input must be a digest");
    return Digest::FromHex(item.as_string());
  });
  KM_RETURN_IF_ERROR(fields.Finish());
  return derivation;
}

template <typename T>
Json::Array ToArray(const std::vector<T>& items) {
  Json::Array array;
  for (const T& item : items) array.push_back(item.ToJson());
  return array;
}

Json LineageJson(const std::vector<Derivation>& lineage) {
  Json::Array array;
  for (const Derivation& derivation : lineage) array.push_back(ToJson(derivation));
  return array;
}

}  // namespace

std::string_view RecordKindName(RecordKind kind) {
  switch (kind) {
    case RecordKind::kTask:
      return "task";
    case RecordKind::kAnnotation:
      return "annotation";
    case RecordKind::kKernel:
      return "kernel";
    case RecordKind::kPort:
      return "port";
    case RecordKind::kCandidate:
      return "candidate";
    case RecordKind::kCheck:
      return "check";
    case RecordKind::kSample:
      return "sample";
    case RecordKind::kTraining:
      return "training";
  }
  return "task";
}

Result<RecordKind> RecordKindFromName(std::string_view name) {
  for (RecordKind kind : kKinds) {
    if (RecordKindName(kind) == name) return kind;
  }
  return Status(ErrorCode::kCorrupt, "unknown record kind '" + std::string(name) + "'");
}

Digest Record::ContentId() const {
  return Sha256().Field(RecordKindName(kind)).Field(payload.Dump()).Finish();
}

Digest Record::RecordDigest() const { return DigestOf(Encode()); }

std::string Record::Encode() const {
  return Json(Json::Object{{"v", kVersion},
                           {"kind", RecordKindName(kind)},
                           {"payload", payload},
                           {"attributes", attributes},
                           {"origins", ToArray(origins)},
                           {"licences", ToArray(licences)},
                           {"lineage", LineageJson(lineage)}})
      .Dump();
}

Result<Record> Record::Decode(std::string_view bytes) {
  KM_ASSIGN(const Json json, Json::Parse(bytes));
  Record record;
  std::string kind;
  Json attributes;
  JsonFields fields(json, "record");
  fields.Version(kVersion);
  fields.Read("kind", &kind);
  fields.Read("payload", &record.payload);
  fields.Read("attributes", &attributes);
  fields.ReadArray("origins", &record.origins, Origin::FromJson);
  fields.ReadArray("licences", &record.licences, LicenceEvidence::FromJson);
  fields.ReadArray("lineage", &record.lineage, DerivationFromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(record.kind, RecordKindFromName(kind));
  if (!attributes.is_object()) {
    return Status(ErrorCode::kCorrupt, "record: 'attributes' must be an object");
  }
  record.attributes = std::move(attributes.as_object());
  return record;
}

void Record::Merge(const Record& twin) {
  Unite(&origins, twin.origins);
  Unite(&licences, twin.licences);
  if (Json(twin.attributes).Dump() < Json(attributes).Dump()) attributes = twin.attributes;
  if (LineageJson(twin.lineage).Dump() < LineageJson(lineage).Dump()) lineage = twin.lineage;
}

}  // namespace kernelmill
