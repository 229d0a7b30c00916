// A PyTorch module that was found in a repository, with everything that it needs and with guesses
// of the arguments that make it run. The mining steps make it; the step "admit" tries the guesses
// in torch, repairs them, and makes a task of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/task.h"

namespace kernelmill {

// The evidence for a guessed value, most reliable first. The names become part of records.
enum class Evidence {
  kObserved,    // Observed at run time, in a larger module of the repository that calls this one.
  kCallSite,    // A literal at a place where the repository constructs or calls the module.
  kDefault,     // The default of the parameter.
  kLayer,       // A layer or operator that uses the value: Conv2d(in_channels=…), F.conv1d.
  kUnpack,      // `b, c, h, w = x.shape` gives the rank and the sizes that follow from it.
  kAnnotation,  // The parameter's type annotation, or an assert on ndim.
  kConstraint,  // Follows from other arguments: heads divides dim, groups divides channels.
  kRepair,      // An error message of the worker tells it.
  kName,        // Only the name of the parameter: `dim`, `heads`, `in_channels`.
};
std::string_view EvidenceName(Evidence evidence);
Result<Evidence> EvidenceFromName(std::string_view name);

// One argument of the constructor.
struct InitArgument {
  std::string name;
  std::string expression;  // Python source: a literal, or a call of names in the slice.
  Evidence evidence = Evidence::kName;

  Json ToJson() const;
  static Result<InitArgument> FromJson(const Json& json);
  friend bool operator==(const InitArgument&, const InitArgument&) = default;
};

// One tensor argument of forward().
struct InputGuess {
  InputSpec spec;
  Evidence rank = Evidence::kName;  // The evidence for the number of dimensions.
  std::vector<Evidence> sizes;      // The evidence for each size; as long as spec.shape.

  Json ToJson() const;
  static Result<InputGuess> FromJson(const Json& json);
  friend bool operator==(const InputGuess&, const InputGuess&) = default;
};

// One complete set of arguments to construct and call the module.
struct ArgumentSet {
  std::vector<InitArgument> init;  // Positional, in the order of the constructor's parameters.
  std::vector<InputGuess> inputs;  // Positional, in the order of forward()'s parameters.

  Json ToJson() const;
  static Result<ArgumentSet> FromJson(const Json& json);
  friend bool operator==(const ArgumentSet&, const ArgumentSet&) = default;
};

struct MinedModule {
  std::string name;  // The name of the class in its repository.
  // Python text: one import block, then the slice's definitions in dependency order. The main class
  // is renamed to Model. It does not define get_inputs or get_init_inputs; ToTask() adds them.
  std::string code;
  std::vector<ArgumentSet> arguments;  // Best first; at least one.
  std::vector<Origin> origins;
  std::vector<LicenceEvidence> licences;

  Json ToJson() const;
  static Result<MinedModule> FromJson(const Json& json);

  // Adds the origins and licences of `twin`, which must have the same name and code.
  void Merge(const MinedModule& twin);
  // The task with these arguments: code, get_inputs and get_init_inputs.
  Task ToTask(const ArgumentSet& arguments) const;
};

}  // namespace kernelmill
