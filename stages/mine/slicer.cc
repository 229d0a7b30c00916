#include "stages/mine/slicer.h"

#include <algorithm>
#include <map>
#include <set>

#include "stages/mine/import_block.h"
#include "stages/mine/import_policy.h"

namespace kernelmill {
namespace {

// A slice with more statements is rejected, whatever its limit of lines.
constexpr std::size_t kMostStatements = 2000;

// A statement of the repository.
struct Place {
  int file;
  int statement;
  auto operator<=>(const Place&) const = default;
};
using Definition = std::pair<int, std::string>;  // A file and a name that it defines.

struct Edit {
  std::int64_t first;
  std::int64_t length;
  std::string text;
};

class Slicer {
 public:
  Slicer(const RepositoryIndex& index, const SliceLimits& limits)
      : index_(index), limits_(limits) {}

  SliceResult Cut(int file, const std::string& class_name) {
    names_[{file, class_name}] = "Model";
    taken_ = {"Model", "get_inputs", "get_init_inputs"};
    entry_file_ = file;
    Include({file, class_name});
    // Breadth first from the entry, so that the nearest definition keeps its name in a collision.
    for (std::size_t i = 0; i < places_.size() && result_.reason.empty(); ++i) {
      if (places_.size() > kMostStatements) Fail("slice_too_long", "too many definitions");
      const Place place = places_[i];  // Visit() appends to places_.
      Visit(place);
    }
    if (!result_.reason.empty()) return std::move(result_);
    Emit();
    return std::move(result_);
  }

 private:
  struct Need {
    Place user;
    Definition target;
    bool eager;
  };

  void Fail(std::string reason, std::string detail) {
    if (!result_.reason.empty()) return;
    result_.reason = std::move(reason);
    result_.detail = std::move(detail);
  }

  const PythonStatement& At(const Place& place) const {
    return index_.python(place.file).statements[place.statement];
  }

  void Include(const Definition& definition) {
    if (!defined_.insert(definition).second) return;
    for (int s : index_.StatementsOf(definition.first, definition.second)) {
      const Place place{definition.first, s};
      if (!included_.insert(place).second) continue;
      places_.push_back(place);
      files_.insert(place.file);
      // A statement that binds several names defines them all.
      for (const PythonBinding& binding : At(place).bindings) Include({place.file, binding.name});
    }
    if (static_cast<std::int64_t>(files_.size()) > limits_.files) {
      Fail("slice_too_many_files", "more than " + std::to_string(limits_.files) + " files");
    }
  }

  void Visit(const Place& place) {
    const PythonStatement& statement = At(place);
    if (statement.has_error) Fail("parse_error", "line " + std::to_string(statement.first_line));
    if (!statement.attributes.empty()) Fail("unsafe_import", "reaches " + statement.attributes[0]);
    for (const PythonImport& import : statement.imports) NestedImport(place, import);
    for (const PythonUse& use : statement.uses) {
      if (!result_.reason.empty()) return;
      Use(place, use);
    }
  }

  void NestedImport(const Place& place, const PythonImport& import) {
    const NameTarget target = index_.ResolveImport(place.file, import);
    const std::string full =
        target.name.empty() ? target.module : target.module + "." + target.name;
    if (target.kind == NameTarget::Kind::kExternal && IsAllowedModule(full)) return;
    if (target.kind == NameTarget::Kind::kExternal) return Fail("unsafe_import", full);
    if (target.kind == NameTarget::Kind::kDefinition &&
        At(place).kind != PythonStatementKind::kCompound) {
      Include({target.file, target.name});
      needs_.push_back({place, {target.file, target.name}, false});
      local_imports_.push_back({place, import, {target.file, target.name}});
      return;
    }
    Fail("unresolved_name", "an import inside a definition: " + import.module + "." + import.name);
  }

  void Use(const Place& place, const PythonUse& use) {
    const std::string_view root = std::string_view(use.chain).substr(0, use.chain.find('.'));
    const NameTarget target = index_.Resolve(place.file, use.chain);
    switch (target.kind) {
      case NameTarget::Kind::kDefinition: {
        const Definition definition{target.file, target.name};
        Include(definition);
        needs_.push_back({place, definition, use.eager});
        uses_.push_back({place, &use, target});
        return;
      }
      case NameTarget::Kind::kExternal: {
        std::string full = target.module;
        if (!target.name.empty()) full += "." + target.name;
        const std::string whole = full + use.chain.substr(target.consumed);
        if (!IsAllowedModule(target.module) || IsRefusedChain(full) || IsRefusedChain(whole)) {
          return Fail("unsafe_import", whole);
        }
        imports_.Need(target.module, target.name, std::string(root), whole);
        uses_.push_back({place, &use, target});
        return;
      }
      case NameTarget::Kind::kTyping:
        imports_.Need("typing", "Any", "Any", "typing.Any");
        uses_.push_back({place, &use, target});
        return;
      case NameTarget::Kind::kPythonModule:
        return Fail("unresolved_name", "a module used as a value: " + use.chain);
      case NameTarget::Kind::kUnknown:
        break;
    }
    if (IsRefusedBuiltin(root)) return Fail("unsafe_import", std::string(root));
    if (IsBuiltin(root)) return;
    Fail("unresolved_name", std::string(root));
  }

  // The final name of a definition: its own unless another definition has it.
  const std::string& NameOf(const Definition& definition) {
    const auto found = names_.find(definition);
    if (found != names_.end()) return found->second;
    std::string name = definition.second;
    for (int i = 2; taken_.contains(name) || IsBuiltin(name); ++i) {
      name = definition.second + "_" + std::to_string(i);
    }
    taken_.insert(name);
    return names_[definition] = name;
  }

  std::vector<Place> Ordered() const {
    // Files after the files they need, then source order.
    std::map<int, std::set<int>> file_needs;
    for (const Need& need : needs_) {
      if (need.user.file != need.target.first) file_needs[need.user.file].insert(need.target.first);
    }
    std::map<int, int> rank;
    std::set<int> open;
    std::vector<int> stack = {entry_file_};
    while (!stack.empty()) {
      const int file = stack.back();
      open.insert(file);
      int next = -1;
      for (int needed : file_needs[file]) {
        if (!open.contains(needed)) next = needed;
      }
      if (next >= 0) {
        stack.push_back(next);
      } else {
        rank.emplace(file, static_cast<int>(rank.size()));
        stack.pop_back();
      }
    }
    const auto key = [&](const Place& place) {
      return std::pair(rank.at(place.file), place.statement);
    };
    std::vector<Place> base = places_;
    std::sort(base.begin(), base.end(),
              [&](const Place& a, const Place& b) { return key(a) < key(b); });
    // Names that a statement evaluates immediately must be defined before it. Cycles keep the base
    // order.
    std::map<Place, std::set<Place>> before;
    for (const Need& need : needs_) {
      if (!need.eager) continue;
      for (int s : index_.StatementsOf(need.target.first, need.target.second)) {
        const Place needed{need.target.first, s};
        const bool later_twin = needed.file == need.user.file &&
                                needed.statement > need.user.statement &&
                                At(need.user).Binds(need.target.second);
        if (needed != need.user && !later_twin) before[need.user].insert(needed);
      }
    }
    std::vector<Place> ordered;
    std::set<Place> done, opened;
    for (const Place& start : base) {
      std::vector<Place> path = {start};
      while (!path.empty()) {
        const Place place = path.back();
        opened.insert(place);
        const Place* next = nullptr;
        for (const Place& needed : before[place]) {
          if (!opened.contains(needed) && (next == nullptr || key(needed) < key(*next)))
            next = &needed;
        }
        if (next != nullptr) {
          path.push_back(*next);
          continue;
        }
        if (done.insert(place).second) ordered.push_back(place);
        path.pop_back();
      }
    }
    return ordered;
  }

  void Emit() {
    for (const Place& place : places_) {
      for (const PythonBinding& binding : At(place).bindings) {
        for (std::int64_t offset : binding.offsets) {
          AddEdit(place, offset, binding.name, NameOf({place.file, binding.name}));
        }
      }
    }
    imports_.Settle(&taken_);
    for (const Reference& reference : uses_) {
      const NameTarget& target = reference.target;
      std::string text;
      if (target.kind == NameTarget::Kind::kDefinition) {
        text = NameOf({target.file, target.name});
      } else if (target.kind == NameTarget::Kind::kTyping) {
        text = imports_.NameOf("typing", "Any", "Any");
      } else {
        const std::string& chain = reference.use->chain;
        text = imports_.NameOf(target.module, target.name, chain.substr(0, chain.find('.')));
      }
      for (std::int64_t offset : reference.use->offsets) {
        AddEdit(reference.place, offset, reference.use->chain.substr(0, target.consumed), text);
      }
    }
    for (const LocalImport& local : local_imports_) {
      const std::string& name = NameOf(local.target);
      const PythonImport& import = local.import;
      auto& edits = edits_[local.place];
      const std::string text =
          name == import.alias ? "global " + name : import.alias + " = " + name;
      // "from .a import b, c" yields two edits of one span, which become one line.
      const auto same = std::find_if(edits.begin(), edits.end(),
                                     [&](const Edit& edit) { return edit.first == import.first; });
      if (same != edits.end()) {
        same->text += "; " + text;
      } else {
        edits.push_back({import.first, import.last - import.first, text});
      }
    }
    result_.slice.code = imports_.Text(FutureAnnotations());
    PythonStatementKind previous = PythonStatementKind::kImport;
    for (const Place& place : Ordered()) {
      const bool together = previous == PythonStatementKind::kAssignment &&
                            At(place).kind == PythonStatementKind::kAssignment;
      result_.slice.code += together ? "\n" : "\n\n\n";
      const std::string text = Text(place);
      result_.slice.code += text;
      result_.slice.lines += std::count(text.begin(), text.end(), '\n') + 1;
      previous = At(place).kind;
    }
    result_.slice.code += "\n";
    result_.slice.files.assign(files_.begin(), files_.end());
    for (const Definition& definition : defined_) {
      result_.slice.definitions.push_back(
          {NameOf(definition), definition.first, definition.second});
    }
    if (result_.slice.lines > limits_.lines) {
      Fail("slice_too_long", std::to_string(result_.slice.lines) + " lines");
    }
  }

  bool FutureAnnotations() const {
    return std::any_of(files_.begin(), files_.end(), [&](int file) {
      const auto& statements = index_.python(file).statements;
      return std::any_of(
          statements.begin(), statements.end(), [](const PythonStatement& statement) {
            return statement.kind == PythonStatementKind::kImport && !statement.imports.empty() &&
                   statement.imports[0].module == "__future__";
          });
    });
  }

  void AddEdit(const Place& place, std::int64_t offset, std::string_view old,
               const std::string& text) {
    if (old == text) return;
    const auto length = static_cast<std::int64_t>(old.size());
    edits_[place].push_back({offset, length, text});
  }

  std::string Text(const Place& place) {
    const PythonStatement& statement = At(place);
    const std::string& source = index_.python(place.file).source;
    std::vector<Edit>& edits = edits_[place];
    std::sort(edits.begin(), edits.end(),
              [](const Edit& a, const Edit& b) { return a.first < b.first; });
    std::string text;
    std::int64_t at = statement.first;
    for (const Edit& edit : edits) {
      if (edit.first < at) continue;
      text.append(source, at, edit.first - at);
      text += edit.text;
      at = edit.first + edit.length;
    }
    text.append(source, at, statement.last - at);
    text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
  }

  struct Reference {
    Place place;
    const PythonUse* use;
    NameTarget target;
  };
  struct LocalImport {
    Place place;
    PythonImport import;
    Definition target;
  };

  const RepositoryIndex& index_;
  const SliceLimits limits_;
  SliceResult result_;
  int entry_file_ = 0;
  std::vector<Place> places_;
  std::set<Place> included_;
  std::set<Definition> defined_;
  std::set<int> files_;
  std::vector<Need> needs_;
  std::vector<Reference> uses_;
  std::vector<LocalImport> local_imports_;
  ImportBlock imports_;
  std::map<Definition, std::string> names_;
  std::set<std::string, std::less<>> taken_;
  std::map<Place, std::vector<Edit>> edits_;
};

}  // namespace

SliceResult CutSlice(const RepositoryIndex& index, int file, const std::string& class_name,
                     const SliceLimits& limits) {
  return Slicer(index, limits).Cut(file, class_name);
}

}  // namespace kernelmill
