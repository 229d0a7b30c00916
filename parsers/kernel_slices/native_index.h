// An index of the C++ and CUDA files of one repository: which files include each other, which host
// functions use which names, and which functions Python can call. The kernel slicer works on it.
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
  std::string licence;  // The SPDX expression in its header; empty when there is none.
  CudaFile cuda;

  Json ToJson() const;
  static Result<NativeFile> FromJson(const Json& json);
};

// Where a function of host code is defined.
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

  // The file that `#include "target"` in `file` means: the one beside it, else the one whose path
  // ends with the target and has the most folders in common with `file`. -1 when there is none.
  int Resolve(int file, std::string_view target) const;
  // The files that include `file`, directly or through others, in path order.
  std::vector<int> IncludersOf(int file) const;
  // `file` and what it includes, directly or through others.
  std::vector<int> IncludedBy(int file) const;

  // Whether a call by this name can only mean one function of the repository: it is not a
  // constructor, and no two classes, and no class and a namespace, have a function of that name.
  bool IsUnambiguous(std::string_view function) const;
  // Host functions that name `function` in their bodies.
  const std::vector<FunctionPlace>& UsersOf(std::string_view function) const;
  // The bindings of the repository: C++ function → names that Python sees.
  const std::multimap<std::string, std::string, std::less<>>& bindings() const { return bindings_; }

 private:
  std::vector<int> Reach(int file, const std::vector<std::vector<int>>& edges) const;

  std::vector<NativeFile> files_;
  std::map<std::string, int, std::less<>> by_path_;
  std::multimap<std::string, int, std::less<>> by_name_;  // Key: the last part of the path.
  std::vector<std::vector<int>> includes_;
  std::vector<std::vector<int>> includers_;
  std::map<std::string, std::vector<FunctionPlace>, std::less<>> users_;
  std::map<std::string, std::set<std::string>, std::less<>> owners_;  // Of functions, by their name.
  std::multimap<std::string, std::string, std::less<>> bindings_;
};

}  // namespace kernelmill
