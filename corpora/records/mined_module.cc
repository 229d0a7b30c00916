#include "corpora/records/mined_module.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
constexpr Evidence kAll[] = {Evidence::kObserved,   Evidence::kCallSite, Evidence::kDefault,
                             Evidence::kLayer,      Evidence::kUnpack,   Evidence::kAnnotation,
                             Evidence::kConstraint, Evidence::kRepair,   Evidence::kName};

template <typename T>
Json::Array ToArray(const std::vector<T>& items) {
  Json::Array array;
  for (const T& item : items) array.push_back(item.ToJson());
  return array;
}

Result<Evidence> EvidenceFromJson(const Json& json) {
  if (!json.is_string()) return Status(ErrorCode::kCorrupt, "evidence must be a string");
  return EvidenceFromName(json.as_string());
}

// get_inputs() uses the name "torch", which a slice with only `from torch import nn` does not
// define. A __future__ import must stay first.
std::string WithTorchImported(const std::string& code) {
  if (code.starts_with("import torch\n") || code.find("\nimport torch\n") != std::string::npos) {
    return code;
  }
  std::size_t at = 0;
  while (code.compare(at, 16, "from __future__ ") == 0) {
    at = code.find('\n', at) + 1;
    if (at == 0) return code + "\nimport torch\n";
    while (at < code.size() && code[at] == '\n') ++at;
  }
  return code.substr(0, at) + "import torch\n" + code.substr(at);
}

}  // namespace

std::string_view EvidenceName(Evidence evidence) {
  switch (evidence) {
    case Evidence::kObserved:
      return "observed";
    case Evidence::kCallSite:
      return "call_site";
    case Evidence::kDefault:
      return "default";
    case Evidence::kLayer:
      return "layer";
    case Evidence::kUnpack:
      return "unpack";
    case Evidence::kAnnotation:
      return "annotation";
    case Evidence::kConstraint:
      return "constraint";
    case Evidence::kRepair:
      return "repair";
    case Evidence::kName:
      return "name";
  }
  return "name";
}

Result<Evidence> EvidenceFromName(std::string_view name) {
  for (Evidence evidence : kAll) {
    if (EvidenceName(evidence) == name) return evidence;
  }
  return Status(ErrorCode::kCorrupt, "unknown evidence '" + std::string(name) + "'");
}

Json InitArgument::ToJson() const {
  return Json::Object{
      {"name", name}, {"expression", expression}, {"evidence", EvidenceName(evidence)}};
}

Result<InitArgument> InitArgument::FromJson(const Json& json) {
  InitArgument argument;
  std::string evidence;
  JsonFields fields(json, "init argument");
  fields.Read("name", &argument.name);
  fields.Read("expression", &argument.expression);
  fields.Read("evidence", &evidence);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(argument.evidence, EvidenceFromName(evidence));
  return argument;
}

Json InputGuess::ToJson() const {
  Json::Array names;
  for (Evidence size : sizes) names.emplace_back(EvidenceName(size));
  return Json::Object{{"spec", spec.ToJson()}, {"rank", EvidenceName(rank)}, {"sizes", names}};
}

Result<InputGuess> InputGuess::FromJson(const Json& json) {
  InputGuess guess;
  Json spec;
  std::string rank;
  JsonFields fields(json, "input guess");
  fields.Read("spec", &spec);
  fields.Read("rank", &rank);
  fields.ReadArray("sizes", &guess.sizes, EvidenceFromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(guess.spec, InputSpec::FromJson(spec));
  KM_ASSIGN(guess.rank, EvidenceFromName(rank));
  if (guess.sizes.size() != guess.spec.shape.size()) {
    return Status(ErrorCode::kCorrupt, "input guess: one evidence for each size is expected");
  }
  return guess;
}

Json ArgumentSet::ToJson() const {
  return Json::Object{{"init", ToArray(init)}, {"inputs", ToArray(inputs)}};
}

Result<ArgumentSet> ArgumentSet::FromJson(const Json& json) {
  ArgumentSet set;
  JsonFields fields(json, "arguments");
  fields.ReadArray("init", &set.init, InitArgument::FromJson);
  fields.ReadArray("inputs", &set.inputs, InputGuess::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return set;
}

Json MinedModule::ToJson() const {
  return Json::Object{{"v", kVersion},
                      {"name", name},
                      {"code", code},
                      {"arguments", ToArray(arguments)},
                      {"origins", ToArray(origins)},
                      {"licences", ToArray(licences)}};
}

Result<MinedModule> MinedModule::FromJson(const Json& json) {
  MinedModule module;
  JsonFields fields(json, "mined module");
  fields.Version(kVersion);
  fields.Read("name", &module.name);
  fields.Read("code", &module.code);
  fields.ReadArray("arguments", &module.arguments, ArgumentSet::FromJson);
  fields.ReadArray("origins", &module.origins, Origin::FromJson);
  fields.ReadArray("licences", &module.licences, LicenceEvidence::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return module;
}

void MinedModule::Merge(const MinedModule& twin) {
  Unite(&origins, twin.origins);
  Unite(&licences, twin.licences);
}

Task MinedModule::ToTask(const ArgumentSet& set) const {
  Task task;
  task.code = WithTorchImported(code);
  task.code += "\n\ndef get_inputs():\n    return [";
  for (std::size_t i = 0; i < set.inputs.size(); ++i) {
    if (i > 0) task.code += ", ";
    task.code += set.inputs[i].spec.Expression();
    task.inputs.push_back(set.inputs[i].spec);
  }
  task.code += "]\n\n\ndef get_init_inputs():\n    return [";
  for (std::size_t i = 0; i < set.init.size(); ++i) {
    if (i > 0) task.code += ", ";
    task.code += set.init[i].expression;
  }
  task.code += "]\n";
  return task;
}

}  // namespace kernelmill
