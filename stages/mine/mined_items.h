// The inputs and outputs that the mining steps "walk" to "slice_ports" hand to each other: a
// repository, its files, its classes and its kernels. The engine keeps them as JSON under Key().
// Keys begin with the repository's key, so that key order keeps a repository's files together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "corpora/git/resolved_source.h"
#include "manifests/json.h"
#include "manifests/origin.h"
#include "manifests/status.h"
#include "stages/engine/step.h"

namespace kernelmill {

// One repository at one commit: the input of "walk", "index", "index_kernels" and "index_ports".
struct MinedRepository {
  std::string url;
  std::string commit;
  std::string trouble;  // ResolvedSource::trouble.

  Json ToJson() const;
  static Result<MinedRepository> FromText(std::string_view text);
};

// A file of a repository at one commit.
struct MinedPlace {
  std::string repository_key;  // ResolvedSource::Key().
  std::string url;
  std::string commit;
  std::string path;
};

// One file: the output of "walk", the input of "read".
struct ListedFile : MinedPlace {
  std::string blob;
  std::int64_t size = 0;

  std::string Key() const;
  Origin ToOrigin() const;
  Json ToJson() const;
  static Result<ListedFile> FromText(std::string_view text);
};

// One class that derives from nn.Module: the output of "index", the input of "slice".
struct MinedClass : MinedPlace {
  std::string symbol;

  std::string Key() const;
  Json ToJson() const;
  static Result<MinedClass> FromText(std::string_view text);
};

// One __global__ function: the output of "index_kernels", the input of "slice_kernels".
struct MinedKernel : MinedPlace {
  std::string symbol;
  std::int64_t item = 0;  // Index of the file's definition: overloads share a symbol.

  std::string Key() const;
  Json ToJson() const;
  static Result<MinedKernel> FromText(std::string_view text);
};

// A CUDA kernel and its version for another platform: the output of "index_ports", the input of
// "slice_ports". `path`, `symbol` and `item` are those of the CUDA kernel.
struct MinedPort : MinedKernel {
  std::string port_path;
  std::int64_t port_item = 0;
  std::string port_backend;

  Json ToJson() const;
  static Result<MinedPort> FromText(std::string_view text);
};

// Where each repository lies on this machine, by ResolvedSource::Key(). The steps "walk" and "read"
// know it; it is never part of an input or output.
using RepositoryFolders = std::map<std::string, std::string>;
RepositoryFolders FoldersOf(const std::vector<ResolvedSource>& sources);

// The inputs of "walk".
std::vector<Input> RepositoryInputs(const std::vector<ResolvedSource>& sources);

// "<repository_key>/<name>". A name that is too long for a key is replaced by its hash.
std::string KeyUnder(const std::string& repository_key, const std::string& name);

}  // namespace kernelmill
