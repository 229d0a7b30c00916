// Every C++ and CUDA file of one repository at one commit, and how they include each other.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/cuda_file.h"
#include "stages/publishable/licence_map.h"

namespace kernelmill {

// One parsed file: what the read step keeps.
struct NativeFile {
  std::string path;
  std::string blob;
  std::string licence;  // What its header says, an SPDX expression; empty when it says nothing.
  CudaFile cuda;

  Json ToJson() const;
  static Result<NativeFile> FromJson(const Json& json);
};

// A function of host code, and where it is.
struct HostFunction {
  int file = 0;
  int item = 0;
};

class NativeIndex {
 public:
  explicit NativeIndex(std::vector<NativeFile> files,
                       const std::vector<LicenceFile>& licences = {});

  const std::vector<NativeFile>& files() const { return files_; }
  const CudaItem& item(int file, int item) const { return files_[file].cuda.items[item]; }
  LicenceEvidence LicenceOf(int file) const {
    return licences_.Of(files_[file].path, files_[file].blob, files_[file].licence);
  }
  // -1 when there is no such file.
  int FileAt(std::string_view path) const;

  // The file that `#include "target"` in `file` means: beside it, else the one whose path ends with
  // the target and has the most folders in common with `file`. -1 when the repository has none.
  int Resolve(int file, std::string_view target) const;
  // The files that include `file`, directly or through others, in path order.
  std::vector<int> IncludersOf(int file) const;
  // `file` and what it includes, directly or through others.
  std::vector<int> IncludedBy(int file) const;

  // Whether a call by this name can only mean one function of the repository: no two classes, and no
  // class and a namespace, have one of that name, and it is no constructor.
  bool IsUnambiguous(std::string_view function) const;
  // Host functions that name `function` in their bodies.
  const std::vector<HostFunction>& UsersOf(std::string_view function) const;
  // The bindings of the repository: C++ function → names that Python sees.
  const std::multimap<std::string, std::string, std::less<>>& bindings() const { return bindings_; }

 private:
  std::vector<int> Reach(int file, const std::vector<std::vector<int>>& edges) const;

  std::vector<NativeFile> files_;
  LicenceMap licences_;
  std::map<std::string, int, std::less<>> by_path_;
  std::multimap<std::string, int, std::less<>> by_name_;  // By the path's last part.
  std::vector<std::vector<int>> includes_;
  std::vector<std::vector<int>> includers_;
  std::map<std::string, std::vector<HostFunction>, std::less<>> users_;
  std::map<std::string, std::set<std::string>, std::less<>> owners_;  // Of functions, by their name.
  std::multimap<std::string, std::string, std::less<>> bindings_;
};

}  // namespace kernelmill
