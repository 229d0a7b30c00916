#include "manifests/origin.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

std::string Escape(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    if (c == ';') {
      escaped += "%3B";
    } else if (c == '%') {
      escaped += "%25";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string Origin::Swhid() const {
  return "swh:1:cnt:" + blob + ";origin=" + Escape(url) + ";anchor=swh:1:rev:" + commit +
         ";path=/" + Escape(path) + ";lines=" + std::to_string(first_line) + "-" +
         std::to_string(last_line);
}

std::string Origin::Identifier() const {
  if (mined()) return Swhid();
  if (supplied()) {
    return "kernelmill:supplied;origin=" + Escape(url) + ";path=/" + Escape(path) +
           ";sha256=" + sha256 + ";row=" + std::to_string(row);
  }
  if (sampled()) {
    return "kernelmill:sampled;model=" + Escape(model) + ";sampling=" + Escape(sampling) +
           ";prompt=" + prompt;
  }
  return "kernelmill:generated;version=" + std::to_string(generator) +
         ";seed=" + std::to_string(seed) + ";index=" + std::to_string(index);
}

std::pair<std::string, std::string> Origin::Source() const {
  if (mined()) return {url, commit};
  if (supplied()) return {url, row > 0 ? "sha256:" + sha256 : "a folder of files"};
  if (sampled()) return {"kernelmill:sampled;model=" + Escape(model), "samples"};
  return {"kernelmill:generated;version=" + std::to_string(generator),
          "seed " + std::to_string(seed)};
}

Json Origin::ToJson() const {
  if (generated()) {
    return Json::Object{{"generator", generator}, {"seed", seed}, {"index", index}};
  }
  if (supplied()) {
    return Json::Object{{"url", url}, {"path", path}, {"sha256", sha256}, {"row", row}};
  }
  if (sampled()) {
    return Json::Object{{"model", model}, {"sampling", sampling}, {"prompt", prompt}};
  }
  return Json::Object{
      {"url", url},       {"commit", commit},         {"blob", blob},          {"path", path},
      {"symbol", symbol}, {"first_line", first_line}, {"last_line", last_line}};
}

Result<Origin> Origin::FromJson(const Json& json) {
  Origin origin;
  JsonFields fields(json, "origin");
  if (fields.Has("generator")) {
    fields.Read("generator", &origin.generator);
    fields.Read("seed", &origin.seed);
    fields.Read("index", &origin.index);
    KM_RETURN_IF_ERROR(fields.Finish());
    if (!origin.generated())
      return Status(ErrorCode::kCorrupt, "origin: no version of a generator");
    return origin;
  }
  if (fields.Has("model")) {
    fields.Read("model", &origin.model);
    fields.Read("sampling", &origin.sampling);
    fields.Read("prompt", &origin.prompt);
    KM_RETURN_IF_ERROR(fields.Finish());
    if (!origin.sampled()) return Status(ErrorCode::kCorrupt, "origin: no name of a model");
    return origin;
  }
  fields.Read("url", &origin.url);
  if (fields.Has("sha256")) {
    fields.Read("path", &origin.path);
    fields.Read("sha256", &origin.sha256);
    fields.Read("row", &origin.row);
    KM_RETURN_IF_ERROR(fields.Finish());
    if (!Digest::FromHex(origin.sha256).ok() || origin.row < 0) {
      return Status(ErrorCode::kCorrupt, "origin: no hash of a file, or no row of it");
    }
    return origin;
  }
  fields.Read("commit", &origin.commit);
  fields.Read("blob", &origin.blob);
  fields.Read("path", &origin.path);
  fields.Read("symbol", &origin.symbol);
  fields.Read("first_line", &origin.first_line);
  fields.Read("last_line", &origin.last_line);
  KM_RETURN_IF_ERROR(fields.Finish());
  return origin;
}

}  // namespace kernelmill
