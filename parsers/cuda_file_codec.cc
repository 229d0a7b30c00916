#include <algorithm>
#include <array>

#include "manifests/json_fields.h"
#include "parsers/cuda_file.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
constexpr std::array<std::string_view, 11> kItemKinds = {
    "include", "macro",    "undef",           "function", "record",    "enum",
    "alias",   "variable", "namespace_alias", "using",    "invocation"};
constexpr std::array<std::string_view, 3> kScopeKinds = {"namespace", "linkage", "condition"};
// The flags of an item, as bits of one number.
constexpr std::int64_t kError = 1, kKernel = 2, kDevice = 4, kBody = 8, kQuoted = 16;

template <typename Enum, std::size_t N>
Status ReadKind(const std::array<std::string_view, N>& names, const std::string& name, Enum* kind) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return Status(ErrorCode::kCorrupt, "CUDA file: unknown kind '" + name + "'");
  }
  *kind = static_cast<Enum>(found - names.begin());
  return Status::Ok();
}

Json ScopeToJson(const CudaScope& scope) {
  return Json::Object{{"kind", kScopeKinds[static_cast<std::size_t>(scope.kind)]},
                      {"parent", scope.parent},
                      {"after", scope.after},
                      {"open", scope.open},
                      {"name", scope.name},
                      {"uses", kernelmill::ToJson(scope.uses)}};
}

Result<CudaScope> ScopeFromJson(const Json& json) {
  CudaScope scope;
  std::string kind;
  JsonFields fields(json, "scope");
  fields.Read("kind", &kind);
  fields.Read("parent", &scope.parent);
  fields.Read("after", &scope.after);
  fields.Read("open", &scope.open);
  fields.Read("name", &scope.name);
  fields.Read("uses", &scope.uses);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(ReadKind(kScopeKinds, kind, &scope.kind));
  return scope;
}

Json ItemToJson(const CudaItem& item) {
  std::vector<std::int64_t> host;
  for (const CudaSpan& part : item.host_parts) {
    host.push_back(part.first);
    host.push_back(part.last);
  }
  Json::Array launches;
  for (const CudaLaunch& launch : item.launches) {
    launches.push_back(Json::Object{
        {"kernel", launch.kernel}, {"line", launch.line}, {"launch", launch.launch.ToJson()}});
  }
  const std::int64_t flags = (item.has_error ? kError : 0) | (item.kernel ? kKernel : 0) |
                             (item.device ? kDevice : 0) | (item.body ? kBody : 0) |
                             (item.quoted ? kQuoted : 0);
  return Json::Object{
      {"kind", kItemKinds[static_cast<std::size_t>(item.kind)]},
      {"span", kernelmill::ToJson(std::vector<std::int64_t>{item.lead, item.first, item.last,
                                                            item.first_line, item.last_line})},
      {"scope", item.scope},
      {"flags", flags},
      {"name", item.name},
      {"owner", item.owner},
      {"defines", kernelmill::ToJson(item.defines)},
      {"members", kernelmill::ToJson(item.members)},
      {"uses", kernelmill::ToJson(item.uses)},
      {"conditions", kernelmill::ToJson(item.conditions)},
      {"operators", kernelmill::ToJson(item.operators)},
      {"types", kernelmill::ToJson(item.types)},
      {"specifiers", kernelmill::ToJson(item.specifiers)},
      {"host", kernelmill::ToJson(host)},
      {"launches", std::move(launches)}};
}

Result<CudaLaunch> LaunchFromJson(const Json& json) {
  CudaLaunch launch;
  JsonFields fields(json, "launch");
  fields.Read("kernel", &launch.kernel);
  fields.Read("line", &launch.line);
  fields.ReadValue("launch", &launch.launch, KernelLaunch::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return launch;
}

Result<CudaItem> ItemFromJson(const Json& json) {
  CudaItem item;
  std::string kind;
  std::vector<std::int64_t> span, host;
  std::int64_t flags = 0;
  JsonFields fields(json, "item");
  fields.Read("kind", &kind);
  fields.Read("span", &span);
  fields.Read("scope", &item.scope);
  fields.Read("flags", &flags);
  fields.Read("name", &item.name);
  fields.Read("owner", &item.owner);
  fields.Read("defines", &item.defines);
  fields.Read("members", &item.members);
  fields.Read("uses", &item.uses);
  fields.Read("conditions", &item.conditions);
  fields.Read("operators", &item.operators);
  fields.Read("types", &item.types);
  fields.Read("specifiers", &item.specifiers);
  fields.Read("host", &host);
  fields.ReadArray("launches", &item.launches, LaunchFromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(ReadKind(kItemKinds, kind, &item.kind));
  if (span.size() != 5 || host.size() % 2 != 0) {
    return Status(ErrorCode::kCorrupt, "CUDA file: an item without its span");
  }
  item.lead = span[0], item.first = span[1], item.last = span[2];
  item.first_line = span[3], item.last_line = span[4];
  for (std::size_t i = 0; i < host.size(); i += 2)
    item.host_parts.push_back({host[i], host[i + 1]});
  item.has_error = flags & kError;
  item.kernel = flags & kKernel;
  item.device = flags & kDevice;
  item.body = flags & kBody;
  item.quoted = flags & kQuoted;
  return item;
}

Result<CudaBinding> BindingFromJson(const Json& json) {
  CudaBinding binding;
  JsonFields fields(json, "binding");
  fields.Read("name", &binding.name);
  fields.Read("function", &binding.function);
  KM_RETURN_IF_ERROR(fields.Finish());
  return binding;
}

// Checks offsets and scopes, so that later code may use them without checks.
Status Check(const CudaFile& file) {
  const auto size = static_cast<std::int64_t>(file.source.size());
  const auto within = [](std::int64_t low, std::int64_t a, std::int64_t b, std::int64_t high) {
    return low <= a && a <= b && b <= high;
  };
  const auto scopes = static_cast<std::int64_t>(file.scopes.size());
  bool good = true;
  for (std::int64_t i = 0; i < scopes; ++i) {
    const CudaScope& scope = file.scopes[static_cast<std::size_t>(i)];
    good = good && scope.parent >= -1 && scope.parent < i && scope.after >= -1 && scope.after < i;
  }
  for (const CudaItem& item : file.items) {
    good = good && within(0, item.lead, item.first, size) &&
           within(item.first, item.first, item.last, size) && item.scope >= -1 &&
           item.scope < scopes;
    std::int64_t at = item.first;
    for (const CudaSpan& part : item.host_parts) {
      good = good && within(at, part.first, part.last, item.last);
      at = part.last;
    }
  }
  return good ? Status::Ok()
              : Status(ErrorCode::kCorrupt, "CUDA file: a span or scope lies outside of the file");
}

}  // namespace

Json CudaFile::ToJson() const {
  Json::Array scope_list, item_list, binding_list;
  for (const CudaScope& scope : scopes) scope_list.push_back(ScopeToJson(scope));
  for (const CudaItem& item : items) item_list.push_back(ItemToJson(item));
  for (const CudaBinding& binding : bindings) {
    binding_list.push_back(Json::Object{{"name", binding.name}, {"function", binding.function}});
  }
  return Json::Object{{"v", kVersion},
                      {"source", source},
                      {"scopes", std::move(scope_list)},
                      {"items", std::move(item_list)},
                      {"bindings", std::move(binding_list)}};
}

Result<CudaFile> CudaFile::FromJson(const Json& json) {
  CudaFile file;
  JsonFields fields(json, "CUDA file");
  fields.Version(kVersion);
  fields.Read("source", &file.source);
  fields.ReadArray("scopes", &file.scopes, ScopeFromJson);
  fields.ReadArray("items", &file.items, ItemFromJson);
  fields.ReadArray("bindings", &file.bindings, BindingFromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(Check(file));
  return file;
}

}  // namespace kernelmill
