// A module found in a repository, cut out with everything it needs, and our guesses at the
// arguments that make it run. What the mining stage hands to admission.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/task.h"

namespace kernelmill {

// What a value was taken from, most trustworthy first. The names go into records.
enum class Evidence {
  kObserved,    // Seen at run time, in a larger module of the repository that calls this one.
  kCallSite,    // A literal where the repository constructs or calls the module.
  kDefault,     // The parameter's own default.
  kLayer,       // A layer or operator that the value meets: Conv2d(in_channels=…), F.conv1d.
  kUnpack,      // `b, c, h, w = x.shape`: the rank, and sizes that follow from it.
  kAnnotation,  // The parameter's type annotation, or an assert on ndim.
  kConstraint,  // Follows from other arguments: heads | dim, groups | channels.
  kRepair,      // Told by an error of the worker.
  kName,        // The parameter's name alone: `dim`, `heads`, `in_channels`.
};
std::string_view EvidenceName(Evidence evidence);
Result<Evidence> EvidenceFromName(std::string_view name);

// One argument of the constructor.
struct InitArgument {
  std::string name;
  std::string expression;  // Python source: a literal, or a construction of names in the slice.
  Evidence evidence = Evidence::kName;

  Json ToJson() const;
  static Result<InitArgument> FromJson(const Json& json);
  friend bool operator==(const InitArgument&, const InitArgument&) = default;
};

// One tensor argument of forward().
struct InputGuess {
  InputSpec spec;
  Evidence rank = Evidence::kName;  // Of the number of dimensions.
  std::vector<Evidence> sizes;      // Of each size; as long as spec.shape.

  Json ToJson() const;
  static Result<InputGuess> FromJson(const Json& json);
  friend bool operator==(const InputGuess&, const InputGuess&) = default;
};

// One complete way to build and call the module.
struct ArgumentSet {
  std::vector<InitArgument> init;  // Positional, in the constructor's order.
  std::vector<InputGuess> inputs;  // Positional, in forward's order.

  Json ToJson() const;
  static Result<ArgumentSet> FromJson(const Json& json);
  friend bool operator==(const ArgumentSet&, const ArgumentSet&) = default;
};

struct ModuleCandidate {
  std::string name;  // The class, as its repository calls it.
  // Python text: one import block, the slice's definitions in dependency order, the entry renamed
  // to Model. Neither get_inputs nor get_init_inputs: admission adds those.
  std::string code;
  std::vector<ArgumentSet> arguments;  // Best first, at least one.
  std::vector<Origin> origins;
  std::vector<LicenceEvidence> licences;

  Json ToJson() const;
  static Result<ModuleCandidate> FromJson(const Json& json);

  // Takes over the origins and licences of `twin`, which has the same name and code.
  void Merge(const ModuleCandidate& twin);
  // The task that these arguments make: code, get_inputs and get_init_inputs.
  Task ToTask(const ArgumentSet& arguments) const;
};

}  // namespace kernelmill
