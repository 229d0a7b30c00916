#include "stages/audit/trace.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "corpora/records/training_record.h"
#include "generators/record_text/provenance_text.h"
#include "manifests/printable.h"
#include "stages/recipes/rft_pipeline.h"

namespace kernelmill {
namespace {

constexpr int kIndent = 4;
constexpr std::size_t kShortDigits = 12;  // Digits of a hash that is shortened in the text; --json
                                          // prints the whole hash.

// The inputs of all derivations, in order and without duplicates.
std::vector<Digest> InputsOf(const Record& record) {
  std::vector<Digest> inputs;
  for (const Derivation& derivation : record.lineage) {
    for (const Digest& input : derivation.inputs) {
      if (std::find(inputs.begin(), inputs.end(), input) == inputs.end()) inputs.push_back(input);
    }
  }
  return inputs;
}

// Describes a record for readers, in addition to its id.
std::string Label(const Record& record) {
  std::string label(RecordKindName(record.kind));
  for (const char* key : {"name", "split"}) {
    const auto attribute = record.attributes.find(key);
    if (attribute != record.attributes.end() && attribute->second.is_string()) {
      label += ", " + PrintableLine(attribute->second.as_string());
    }
  }
  if (const Json* family = record.payload.Find("family"); family && family->is_string()) {
    label += ", " + PrintableLine(family->as_string());
  }
  return label;
}

std::string DerivationText(const Derivation& derivation) {
  std::string text = PrintableLine(derivation.step) + " v" + std::to_string(derivation.version) +
                     ", parameters " + derivation.parameters.Hex().substr(0, kShortDigits);
  for (const Digest& input : derivation.inputs) {
    text += (&input == &derivation.inputs.front() ? ", from " : ", ") +
            input.Hex().substr(0, kShortDigits);
  }
  return text;
}

// `first`: the record that is traced, whose origins and licences are shown in full.
std::string AncestorText(const Ancestor& ancestor, const Record& first) {
  const std::string margin(static_cast<std::size_t>(ancestor.depth * kIndent), ' ');
  std::string text = margin + ancestor.content_id.Hex();
  if (!ancestor.record) return text + "  not kept: an intermediate result of the step above\n";
  text += "  " + Label(*ancestor.record);
  if (ancestor.seen) return text + " (see above)\n";
  text += "\n";
  const auto line = [&](const std::string& label, const std::string& what) {
    text += margin + "  " + label + what + "\n";
  };
  for (const Derivation& derivation : ancestor.record->lineage) {
    line("made by  ", DerivationText(derivation));
  }
  for (const SamplePlace& place : ancestor.places) {
    line("read from ",
         PrintableLine(place.file) + ":" + std::to_string(place.line) +
             (place.position > 0 ? ", sample " + std::to_string(place.position + 1) : "") +
             " (sha256 of the line " + place.sha256.substr(0, kShortDigits) + ")");
  }
  const bool is_first = ancestor.depth == 0;
  if (!is_first && ancestor.record->origins == first.origins &&
      ancestor.record->licences == first.licences) {
    line("origin   ", "as above, and the licence");
    return text;
  }
  for (const Origin& origin : ancestor.record->origins) {
    line("origin   ", OriginText(origin));
    line("         ", PrintableLine(origin.Identifier(), 1000));
  }
  if (!ancestor.record->origins.empty() && ancestor.record->licences.empty()) {
    line("licence  ", "none found");
  }
  for (const LicenceEvidence& evidence : ancestor.record->licences) {
    line("licence  ", LicenceText(evidence) + ", blob " + PrintableLine(evidence.blob));
  }
  return text;
}

Json RecordJson(const Ancestor& ancestor) {
  const Record& record = *ancestor.record;
  // The stored envelope without the payload, which `inspect` shows.
  Json json = Json::Parse(record.Encode()).value();
  json.as_object().erase("payload");
  json.as_object().erase("v");
  json["content_id"] = ancestor.content_id.Hex();
  json["record_digest"] = record.RecordDigest().Hex();
  json["depth"] = ancestor.depth;
  Json::Array swhids;
  for (const Origin& origin : record.origins) {
    if (origin.mined()) swhids.emplace_back(origin.Swhid());
  }
  json["swhids"] = std::move(swhids);
  if (!ancestor.places.empty()) {
    Json::Array places;
    for (const SamplePlace& place : ancestor.places) places.push_back(place.ToJson());
    json["places"] = std::move(places);
  }
  return json;
}

}  // namespace

Result<Ancestry> Trace(DatasetReader* dataset, const Digest& content_id) {
  Ancestry ancestry;
  std::set<Digest> seen;
  // Depth first. Lineage is not part of a content_id, so a forged dataset can contain a cycle.
  std::vector<Ancestor> pending = {{.content_id = content_id}};
  while (!pending.empty()) {
    Ancestor next = std::move(pending.back());
    pending.pop_back();
    KM_ASSIGN(next.record, dataset->Find(next.content_id));
    if (!next.record && next.depth == 0) {
      return Status(ErrorCode::kNotFound, "the dataset has no record " + next.content_id.Hex());
    }
    next.seen = !seen.insert(next.content_id).second;
    if (next.record && !next.seen) {
      std::vector<Digest> inputs = InputsOf(*next.record);
      for (auto input = inputs.rbegin(); input != inputs.rend(); ++input) {
        pending.push_back({.content_id = *input, .depth = next.depth + 1});
      }
    }
    ancestry.ancestors.push_back(std::move(next));
  }
  return ancestry;
}

Status FindPlaces(const std::string& folder, Ancestry* ancestry) {
  std::map<std::string, Ancestor*> samples;
  for (Ancestor& ancestor : ancestry->ancestors) {
    const bool is_sample = ancestor.record && ancestor.record->kind == RecordKind::kSample;
    if (is_sample && !ancestor.seen) samples[ancestor.content_id.Hex()] = &ancestor;
  }
  if (samples.empty()) return Status::Ok();
  const std::string path = folder + "/" + std::string(kVerdictsName);
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  for (std::string text; std::getline(file, text);) {
    KM_ASSIGN(const Json line, Json::Parse(text));
    const auto found = samples.find(line.TextAt("sample"));
    const Json* const place = line.Find("place");
    if (found == samples.end() || place == nullptr) continue;
    KM_ASSIGN(SamplePlace read, SamplePlace::FromJson(*place));
    found->second->places.push_back(std::move(read));
  }
  return Status::Ok();
}

std::string Ancestry::Text() const {
  std::string text;
  for (const Ancestor& ancestor : ancestors) {
    text += AncestorText(ancestor, *ancestors.front().record);
  }
  return text;
}

Json Ancestry::ToJson() const {
  Json::Array records, absent;
  for (const Ancestor& ancestor : ancestors) {
    if (ancestor.seen) continue;
    if (ancestor.record) {
      records.push_back(RecordJson(ancestor));
    } else {
      absent.emplace_back(ancestor.content_id.Hex());
    }
  }
  return Json::Object{{"content_id", ancestors.front().content_id.Hex()},
                      {"records", std::move(records)},
                      {"absent", std::move(absent)}};
}

}  // namespace kernelmill
