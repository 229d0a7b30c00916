#include "stages/mine/mined_items.h"

#include "manifests/digest.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr std::size_t kLongestKey = 400;  // The engine allows 511 bytes; suffixes need some.

Json::Object EncodePlace(const MinedPlace& place) {
  return {{"source", place.repository_key},
          {"url", place.url},
          {"commit", place.commit},
          {"path", place.path}};
}

void ReadPlace(JsonFields* fields, MinedPlace* place) {
  fields->Read("source", &place->repository_key);
  fields->Read("url", &place->url);
  fields->Read("commit", &place->commit);
  fields->Read("path", &place->path);
}

}  // namespace

std::string KeyUnder(const std::string& repository_key, const std::string& name) {
  const bool fits = repository_key.size() + 1 + name.size() <= kLongestKey;
  return repository_key + "/" + (fits ? name : DigestOf(name).Hex());
}

Json MinedRepository::ToJson() const {
  return Json::Object{{"url", url}, {"commit", commit}, {"trouble", trouble}};
}

Result<MinedRepository> MinedRepository::FromText(std::string_view text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  MinedRepository entry;
  JsonFields fields(json, "mined repository");
  fields.Read("url", &entry.url);
  fields.Read("commit", &entry.commit);
  fields.Read("trouble", &entry.trouble);
  KM_RETURN_IF_ERROR(fields.Finish());
  return entry;
}

std::string ListedFile::Key() const { return KeyUnder(repository_key, path); }

Origin ListedFile::ToOrigin() const {
  Origin origin;
  origin.url = url;
  origin.commit = commit;
  origin.blob = blob;
  origin.path = path;
  return origin;
}

Json ListedFile::ToJson() const {
  Json::Object json = EncodePlace(*this);
  json["blob"] = blob;
  json["size"] = size;
  return json;
}

Result<ListedFile> ListedFile::FromText(std::string_view text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  ListedFile entry;
  JsonFields fields(json, "mined file");
  ReadPlace(&fields, &entry);
  fields.Read("blob", &entry.blob);
  fields.Read("size", &entry.size);
  KM_RETURN_IF_ERROR(fields.Finish());
  return entry;
}

std::string MinedClass::Key() const { return KeyUnder(repository_key, path + ":" + symbol); }

Json MinedClass::ToJson() const {
  Json::Object json = EncodePlace(*this);
  json["symbol"] = symbol;
  return json;
}

Result<MinedClass> MinedClass::FromText(std::string_view text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  MinedClass entry;
  JsonFields fields(json, "mined class");
  ReadPlace(&fields, &entry);
  fields.Read("symbol", &entry.symbol);
  KM_RETURN_IF_ERROR(fields.Finish());
  return entry;
}

std::string MinedKernel::Key() const {
  return KeyUnder(repository_key, path + ":" + symbol + ":" + std::to_string(item));
}

Json MinedKernel::ToJson() const {
  Json::Object json = EncodePlace(*this);
  json["symbol"] = symbol;
  json["item"] = item;
  return json;
}

Result<MinedKernel> MinedKernel::FromText(std::string_view text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  MinedKernel entry;
  JsonFields fields(json, "mined kernel");
  ReadPlace(&fields, &entry);
  fields.Read("symbol", &entry.symbol);
  fields.Read("item", &entry.item);
  KM_RETURN_IF_ERROR(fields.Finish());
  return entry;
}

Json MinedPort::ToJson() const {
  Json::Object json = MinedKernel::ToJson().as_object();
  json["port_path"] = port_path;
  json["port_item"] = port_item;
  json["port_backend"] = port_backend;
  return json;
}

Result<MinedPort> MinedPort::FromText(std::string_view text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  MinedPort entry;
  JsonFields fields(json, "mined port");
  ReadPlace(&fields, &entry);
  fields.Read("symbol", &entry.symbol);
  fields.Read("item", &entry.item);
  fields.Read("port_path", &entry.port_path);
  fields.Read("port_item", &entry.port_item);
  fields.Read("port_backend", &entry.port_backend);
  KM_RETURN_IF_ERROR(fields.Finish());
  return entry;
}

RepositoryFolders FoldersOf(const std::vector<ResolvedSource>& sources) {
  RepositoryFolders folders;
  for (const ResolvedSource& source : sources) folders.emplace(source.Key(), source.git_dir);
  return folders;
}

std::vector<Input> RepositoryInputs(const std::vector<ResolvedSource>& sources) {
  std::vector<Input> inputs;
  for (const ResolvedSource& source : sources) {
    inputs.push_back(
        {source.Key(), MinedRepository{source.url, source.commit, source.trouble}.ToJson().Dump()});
  }
  return inputs;
}

}  // namespace kernelmill
