// An index of the CUDA, MUSA, C and C++ files of one repository that the step "read" has parsed,
// built once and used for every kernel that is cut out of it: which files include which, which host
// functions name a function, and which functions Python can call. Files and definitions are
// numbered; -1 stands for none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/cuda_file.h"

namespace kernelmill {

// One parsed file.
struct NativeFile {
  std::string path;
  std::string blob;
  std::string licence;                 // The SPDX expression in its header, or "".
  std::vector<std::string> copyright;  // CopyrightOfHead().
  CudaFile cuda;

  Json ToJson() const;
  static Result<NativeFile> FromJson(const Json& json);
};

// The definition of a host function.
struct FunctionPlace {
  int file = 0;  // Index into NativeIndex::files().
  int item = 0;  // Index into the file's items.
};

class NativeIndex {
 public:
  explicit NativeIndex(std::vector<NativeFile> files);

  const std::vector<NativeFile>& files() const { return files_; }
  const CudaItem& item(int file, int item) const { return files_[file].cuda.items[item]; }
  // -1 when there is no such file.
  int FileAt(std::string_view path) const;

  // The file that `#include "target"` in `file` refers to: the one in the same folder, otherwise
  // the file whose path ends with the target and shares the most folders with `file`. -1 when there
  // is none.
  int ResolveInclude(int file, std::string_view target) const;
  // The files that include `file`, directly or indirectly, in path order.
  std::vector<int> IncludersOf(int file) const;
  // `file` and the files that it includes, directly or indirectly.
  std::vector<int> WithIncludedFiles(int file) const;

  // Whether a file of the repository defines a macro of that name.
  bool DefinesMacro(std::string_view name) const { return macros_.contains(name); }

  // Whether a call of this name can only refer to one function of the repository: it is not a
  // constructor, and neither two classes nor a class and a namespace have a function of that name.
  bool IsUnambiguous(std::string_view function) const;
  // The host functions whose bodies name `function`.
  const std::vector<FunctionPlace>& UsersOf(std::string_view function) const;
  // The bindings of the repository: C++ function → names that are visible to Python.
  const std::multimap<std::string, std::string, std::less<>>& bindings() const { return bindings_; }

 private:
  std::vector<int> Reach(int file, const std::vector<std::vector<int>>& edges) const;

  std::vector<NativeFile> files_;
  std::map<std::string, int, std::less<>> by_path_;
  std::multimap<std::string, int, std::less<>> by_name_;  // Key: the last component of the path.
  std::vector<std::vector<int>> includes_;
  std::vector<std::vector<int>> includers_;
  std::map<std::string, std::vector<FunctionPlace>, std::less<>> users_;
  // The classes and namespaces of each function, by its name.
  std::map<std::string, std::set<std::string>, std::less<>> owners_;
  std::multimap<std::string, std::string, std::less<>> bindings_;
  std::set<std::string, std::less<>> macros_;
};

}  // namespace kernelmill
