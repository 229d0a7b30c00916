#include "stages/mine/repository_index.h"

#include <algorithm>
#include <set>

#include "manifests/json_fields.h"
#include "stages/mine/import_policy.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 2;
// The longest chain of re-exports that is followed.
constexpr int kMostHops = 32;
// The most ancestors of a class that are examined. Real classes have far fewer; a file of 20,000
// classes, each the base of the next, would take minutes.
constexpr std::size_t kMostAncestors = 128;

std::string FolderOf(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

std::string Join(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : name.empty() ? folder : folder + "/" + name;
}

bool IsTypeCheckingBlock(const PythonFile& file, const PythonStatement& statement) {
  if (statement.kind != PythonStatementKind::kCompound) return false;
  const std::string_view text = std::string_view(file.source).substr(statement.first, 40);
  return text.starts_with("if TYPE_CHECKING:") || text.starts_with("if typing.TYPE_CHECKING:");
}

}  // namespace

Json ParsedPythonFile::ToJson() const {
  return Json::Object{{"v", kVersion},
                      {"path", path},
                      {"blob", blob},
                      {"licence", licence},
                      {"copyright", kernelmill::ToJson(copyright)},
                      {"python", python.ToJson()}};
}

Result<ParsedPythonFile> ParsedPythonFile::FromJson(const Json& json) {
  ParsedPythonFile file;
  JsonFields fields(json, "source file");
  fields.Version(kVersion);
  fields.Read("path", &file.path);
  fields.Read("blob", &file.blob);
  fields.Read("licence", &file.licence);
  fields.Read("copyright", &file.copyright);
  fields.ReadValue("python", &file.python, PythonFile::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return file;
}

RepositoryIndex::RepositoryIndex(std::vector<ParsedPythonFile> files,
                                 const std::vector<LicenceFile>& licences)
    : files_(std::move(files)), licences_(licences) {
  std::sort(files_.begin(), files_.end(),
            [](const ParsedPythonFile& a, const ParsedPythonFile& b) { return a.path < b.path; });
  bound_.resize(files_.size());
  for (std::size_t i = 0; i < files_.size(); ++i) {
    by_path_.emplace(files_[i].path, static_cast<int>(i));
    const auto& statements = files_[i].python.statements;
    for (std::size_t s = 0; s < statements.size(); ++s) {
      for (const PythonBinding& binding : statements[s].bindings) {
        bound_[i][binding.name].push_back(static_cast<int>(s));
      }
    }
  }
  calls_.resize(files_.size());
  for (std::size_t i = 0; i < files_.size(); ++i) {
    for (const PythonCall& call : files_[i].python.calls) {
      const NameTarget target = Resolve(static_cast<int>(i), call.callee);
      if (target.kind != NameTarget::Kind::kDefinition) continue;
      if (target.consumed == call.callee.size()) calls_[target.file][target.name].push_back(&call);
    }
  }
}

const std::vector<const PythonCall*>& RepositoryIndex::CallsOf(int file,
                                                               std::string_view name) const {
  static const std::vector<const PythonCall*> none;
  const auto found = calls_[file].find(name);
  return found == calls_[file].end() ? none : found->second;
}

int RepositoryIndex::FileAt(std::string_view path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? -1 : found->second;
}

std::vector<int> RepositoryIndex::StatementsOf(int file, std::string_view name) const {
  const auto found = bound_[file].find(name);
  if (found == bound_[file].end()) return {};
  std::vector<int> definitions;
  for (int s : found->second) {
    if (python(file).statements[s].kind != PythonStatementKind::kImport) definitions.push_back(s);
  }
  return definitions.empty() ? found->second : definitions;
}

std::optional<int> RepositoryIndex::ModuleFile(int file, std::string_view module,
                                               std::int64_t level) const {
  std::string relative(module);
  std::replace(relative.begin(), relative.end(), '.', '/');
  std::vector<std::string> roots;
  std::string folder = FolderOf(files_[file].path);
  if (level > 0) {
    for (std::int64_t up = 1; up < level; ++up) {
      if (folder.empty()) return std::nullopt;
      folder = FolderOf(folder);
    }
    roots.push_back(folder);
  } else {
    // The package of an absolute import lies at the root, under src/, or in a folder above the
    // file.
    roots = {"", "src"};
    for (; !folder.empty(); folder = FolderOf(folder)) roots.push_back(folder);
  }
  for (const std::string& root : roots) {
    const std::string base = Join(root, relative);
    for (const std::string& path : {base + ".py", Join(base, "__init__.py")}) {
      const int found = FileAt(path);
      if (found >= 0) return found;
    }
  }
  return std::nullopt;
}

NameTarget RepositoryIndex::FollowImport(int file, const PythonImport& import, int hops) const {
  NameTarget target;
  if (hops > kMostHops) return target;
  const bool external = import.level == 0 && IsKnownModule(import.module);
  const std::optional<int> module =
      external ? std::nullopt : ModuleFile(file, import.module, import.level);
  if (import.name.empty()) {
    // "import a.b" binds a; the rest of the chain finds b.
    const bool aliased = import.alias != import.module.substr(0, import.module.find('.'));
    const std::string bound = aliased ? import.module : import.alias;
    const std::optional<int> package = external ? std::nullopt : ModuleFile(file, bound, 0);
    if (package) {
      target.kind = NameTarget::Kind::kPythonModule;
      target.file = *package;
    } else {
      target.kind = NameTarget::Kind::kExternal;
      target.module = aliased ? import.module : bound;
    }
    return target;
  }
  if (module && *module != file) {
    // A name in the package's __init__ hides a file of the same name, as in Python.
    target = ResolveName(*module, import.name, hops + 1);
    if (target.kind != NameTarget::Kind::kUnknown) return target;
  }
  const std::string nested =
      import.module.empty() ? import.name : import.module + "." + import.name;
  if (!external) {
    if (const std::optional<int> submodule = ModuleFile(file, nested, import.level)) {
      target.kind = NameTarget::Kind::kPythonModule;
      target.file = *submodule;
      return target;
    }
  }
  if (module || import.level > 0) return target;
  target.kind = NameTarget::Kind::kExternal;
  target.module = import.module;
  target.name = import.name;
  return target;
}

NameTarget RepositoryIndex::ResolveName(int file, std::string_view name, int hops) const {
  std::string current(name);
  std::set<Pending> seen;
  for (int hop = 0; hop < kMostHops && seen.insert({file, current}).second; ++hop) {
    const std::vector<int> statements = StatementsOf(file, current);
    const PythonFile& python_file = python(file);
    if (!statements.empty()) {
      const PythonStatement& last = python_file.statements[statements.back()];
      if (IsTypeCheckingBlock(python_file, last)) {
        NameTarget target;
        target.kind = NameTarget::Kind::kTyping;
        return target;
      }
      if (last.kind != PythonStatementKind::kImport) {
        NameTarget target;
        target.kind = NameTarget::Kind::kDefinition;
        target.file = file;
        target.name = current;
        return target;
      }
      for (const PythonImport& import : last.imports) {
        if (import.alias == current) return FollowImport(file, import, hops);
      }
      return {};
    }
    // Star imports, last one first: later bindings win in Python.
    NameTarget star;
    for (auto it = python_file.statements.rbegin();
         star.kind == NameTarget::Kind::kUnknown && it != python_file.statements.rend(); ++it) {
      for (const PythonImport& import : it->imports) {
        if (import.name != "*") continue;
        const bool external = import.level == 0 && IsKnownModule(import.module);
        const auto module = external ? std::nullopt : ModuleFile(file, import.module, import.level);
        if (module && !current.starts_with("_") && !seen.contains({*module, current})) {
          seen.insert({*module, current});
          const std::vector<int> there = StatementsOf(*module, current);
          if (there.empty()) continue;
          star.kind = NameTarget::Kind::kPythonModule;
          star.file = *module;
          break;
        }
      }
    }
    if (star.kind == NameTarget::Kind::kUnknown) return {};
    seen.erase({star.file, current});
    file = star.file;
  }
  return {};
}

NameTarget RepositoryIndex::Resolve(int file, std::string_view chain) const {
  std::size_t end = std::min(chain.find('.'), chain.size());
  NameTarget target = ResolveName(file, chain.substr(0, end), 0);
  target.consumed = end;
  for (int hop = 0; target.kind == NameTarget::Kind::kPythonModule && end < chain.size(); ++hop) {
    if (hop == kMostHops) return {};
    const std::size_t next = std::min(chain.find('.', end + 1), chain.size());
    const std::string part(chain.substr(end + 1, next - end - 1));
    NameTarget inner = ResolveName(target.file, part, 0);
    if (inner.kind == NameTarget::Kind::kUnknown) {
      const std::string& path = files_[target.file].path;
      PythonImport submodule;
      submodule.level = 1;
      submodule.name = part;
      if (!path.ends_with("__init__.py")) return {};
      inner = ResolveImport(target.file, submodule);
      if (inner.kind == NameTarget::Kind::kUnknown) return {};
    }
    target = inner;
    end = next;
    target.consumed = end;
  }
  return target;
}

template <typename Found>
bool RepositoryIndex::SearchBases(int file, std::string_view class_name, Found found) const {
  std::vector<Pending> pending = {{file, std::string(class_name)}};
  std::set<Pending> seen;
  while (!pending.empty()) {
    const auto [where, name] = pending.back();
    pending.pop_back();
    if (!seen.insert({where, name}).second) continue;
    if (seen.size() > kMostAncestors) return false;
    for (int s : StatementsOf(where, name)) {
      const PythonStatement& statement = python(where).statements[s];
      if (statement.kind != PythonStatementKind::kClass) continue;
      if (found(statement, std::string())) return true;
      for (auto base = statement.bases.rbegin(); base != statement.bases.rend(); ++base) {
        if (base->empty()) continue;
        const NameTarget target = Resolve(where, *base);
        if (target.kind == NameTarget::Kind::kDefinition && target.consumed == base->size()) {
          pending.push_back({target.file, target.name});
        } else if (target.kind == NameTarget::Kind::kExternal) {
          std::string full = target.module;
          if (!target.name.empty()) full += "." + target.name;
          full += base->substr(target.consumed);
          if (found(PythonStatement(), full)) return true;
        }
      }
    }
  }
  return false;
}

bool RepositoryIndex::IsModule(int file, std::string_view class_name) const {
  return SearchBases(file, class_name, [](const PythonStatement&, const std::string& external) {
    return IsTorchModuleClass(external);
  });
}

bool RepositoryIndex::HasMethod(int file, std::string_view class_name,
                                std::string_view method) const {
  return SearchBases(
      file, class_name, [&](const PythonStatement& statement, const std::string& external) {
        return std::find(statement.methods.begin(), statement.methods.end(), method) !=
                   statement.methods.end() ||
               (IsTorchModuleClass(external) && !external.ends_with(".Module"));
      });
}

}  // namespace kernelmill
