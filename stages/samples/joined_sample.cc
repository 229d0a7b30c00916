#include "stages/samples/joined_sample.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

template <typename T>
void Put(const char* name, const std::optional<T>& value, Json* json) {
  if (value) (*json)[name] = *value;
}

}  // namespace

Json SamplePlace::ToJson() const {
  return Json::Object{{"file", file}, {"line", line}, {"position", position}, {"sha256", sha256}};
}

Result<SamplePlace> SamplePlace::FromJson(const Json& json) {
  SamplePlace place;
  JsonFields fields(json, "place of a sample");
  fields.Read("file", &place.file);
  fields.Read("line", &place.line);
  fields.Read("position", &place.position);
  fields.Read("sha256", &place.sha256);
  KM_RETURN_IF_ERROR(fields.Finish());
  return place;
}

Json JoinedSample::ToJson() const {
  return Json::Object{{"key", key},
                      {"id", id},
                      {"attempt", attempt},
                      {"place", place.ToJson()},
                      {"prompt_left_out", prompt_left_out},
                      {"record", record.Encode()},
                      {"repaired", kernelmill::ToJson(repaired)}};
}

Result<JoinedSample> JoinedSample::FromJson(const Json& json) {
  JoinedSample sample;
  std::string record;
  JsonFields fields(json, "joined sample");
  fields.Read("key", &sample.key);
  fields.Read("id", &sample.id);
  fields.Read("attempt", &sample.attempt);
  fields.ReadValue("place", &sample.place, SamplePlace::FromJson);
  fields.Read("prompt_left_out", &sample.prompt_left_out);
  fields.Read("record", &record);
  fields.Read("repaired", &sample.repaired);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(sample.record, Record::Decode(record));
  return sample;
}

bool AsksQuestion(const std::vector<Message>& prompt) {
  std::size_t at = !prompt.empty() && prompt.front().role == "system" ? 1 : 0;
  if (at == prompt.size()) return false;
  for (bool user = true; at < prompt.size(); ++at, user = !user) {
    if (prompt[at].role != (user ? "user" : "assistant")) return false;
  }
  const Message& last = prompt.back();
  return last.role == "user" && last.content.find_first_not_of(" \t\r\n") != std::string::npos;
}

Sample SampleOf(const ModelSample& sample, const Digest& task, const std::string& backend,
                const std::string& model) {
  Sample made;
  made.task = task;
  made.backend = sample.backend != nullptr ? std::string(sample.backend->name) : backend;
  made.model = !sample.model.empty() ? sample.model : !model.empty() ? model : kUnknownModel;
  Put("temperature", sample.sampling.temperature, &made.sampling);
  Put("top_p", sample.sampling.top_p, &made.sampling);
  Put("top_k", sample.sampling.top_k, &made.sampling);
  Put("max_tokens", sample.sampling.max_tokens, &made.sampling);
  Put("seed", sample.sampling.seed, &made.sampling);
  made.turn = sample.turn;
  if (AsksQuestion(sample.earlier)) made.prompt = sample.earlier;
  made.message = sample.message;
  made.code_only = sample.code_only;
  made.reasoning = sample.reasoning;
  made.cut = sample.Cut();
  return made;
}

}  // namespace kernelmill
