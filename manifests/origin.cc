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
  if (!generated()) return Swhid();
  return "kernelmill:generated;version=" + std::to_string(generator) +
         ";seed=" + std::to_string(seed) + ";index=" + std::to_string(index);
}

std::pair<std::string, std::string> Origin::Source() const {
  if (!generated()) return {url, commit};
  return {"kernelmill:generated;version=" + std::to_string(generator),
          "seed " + std::to_string(seed)};
}

Json Origin::ToJson() const {
  if (generated()) {
    return Json::Object{{"generator", generator}, {"seed", seed}, {"index", index}};
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
  fields.Read("url", &origin.url);
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
