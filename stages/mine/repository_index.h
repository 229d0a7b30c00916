// An index of the Python files of one repository at one commit: it resolves names across files, and
// knows which classes derive from nn.Module. IndexCache builds it from the outputs of "read";
// "index" lists its modules, and CutSlice() (slicer.h) follows names through it. A `file` is a
// position in files().
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/python_file.h"
#include "stages/publishable/licence_map.h"

namespace kernelmill {

// One parsed file: an output of the step "read".
struct ParsedPythonFile {
  std::string path;
  std::string blob;
  std::string licence;  // The SPDX expression in its header; empty when there is none.
  std::vector<std::string> copyright;  // CopyrightOfHead().
  PythonFile python;

  Json ToJson() const;
  static Result<ParsedPythonFile> FromJson(const Json& json);
};

// What a name in a file means.
struct NameTarget {
  enum class Kind {
    kUnknown,       // The file does not bind the name.
    kDefinition,    // `name` is bound by statements of `file`.
    kPythonModule,  // `file` itself, as a module of Python.
    kExternal,      // Imported from outside the repository: `import module` or `from module import
                    // name`.
    kTyping,        // Imported under `if TYPE_CHECKING` only.
  };
  Kind kind = Kind::kUnknown;
  int file = -1;
  std::string name;
  std::string module;        // Set for kExternal.
  std::size_t consumed = 0;  // How many bytes of the dotted name refer to the target.
};

class RepositoryIndex {
 public:
  explicit RepositoryIndex(std::vector<ParsedPythonFile> files,
                           const std::vector<LicenceFile>& licences = {});

  const std::vector<ParsedPythonFile>& files() const { return files_; }
  const PythonFile& python(int file) const { return files_[file].python; }
  LicenceEvidence LicenceOf(int file) const {
    LicenceEvidence found =
        licences_.Of(files_[file].path, files_[file].blob, files_[file].licence);
    found.copyright = files_[file].copyright;
    return found;
  }
  // The index of the file at `path`; -1 when there is none.
  int FileAt(std::string_view path) const;

  // What the dotted name `chain` ("layers.Attention.forward") means at the top level of `file`.
  NameTarget Resolve(int file, std::string_view chain) const;
  // What an import statement inside of a definition of `file` imports.
  NameTarget ResolveImport(int file, const PythonImport& import) const {
    return FollowImport(file, import, 0);
  }

  // The statements of `file` that bind `name`, in source order. Import statements are listed only
  // when no other statement binds it.
  std::vector<int> StatementsOf(int file, std::string_view name) const;

  // The calls, in any file, of the definition that `name` means in `file`, if they have at least
  // one literal argument; ordered by path and position.
  const std::vector<const PythonCall*>& CallsOf(int file, std::string_view name) const;

  // Whether the class derives from torch.nn.Module.
  bool IsModule(int file, std::string_view class_name) const;
  // Whether the class or one of its bases defines the method; bases in torch.nn define forward.
  bool HasMethod(int file, std::string_view class_name, std::string_view method) const;

 private:
  using Pending = std::pair<int, std::string>;
  // `hops` counts the re-exports followed so far: imports can be circular.
  NameTarget ResolveName(int file, std::string_view name, int hops) const;
  NameTarget FollowImport(int file, const PythonImport& import, int hops) const;
  std::optional<int> ModuleFile(int file, std::string_view module, std::int64_t level) const;
  template <typename Found>
  bool SearchBases(int file, std::string_view class_name, Found found) const;

  std::vector<ParsedPythonFile> files_;
  LicenceMap licences_;
  std::map<std::string, int, std::less<>> by_path_;
  // For each file: name → statements that bind it.
  std::vector<std::map<std::string, std::vector<int>, std::less<>>> bound_;
  // For each file: name → calls of it.
  std::vector<std::map<std::string, std::vector<const PythonCall*>, std::less<>>> calls_;
};

}  // namespace kernelmill
