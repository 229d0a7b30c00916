// The projections of a multi-head attention: products of the inputs with parts of the input weight,
// and of the attended values with the output weight.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/lowering/multi_head/multi_head_scope.h"

namespace kernelmill {

class HeadProjections {
 public:
  // `tiled`: by tiles in shared memory instead of one thread per element.
  HeadProjections(MultiHeadScope* scope, bool tiled);

  // Writes the projections of queries, keys and values, each of which allocates its result.
  void WriteInputs();
  // Writes the projection of the tensor `context`.
  void WriteOutput();
  // The number of parts (query, key and value) that are projected together with part `part` and so
  // alternate in the rows of its result.
  int PartsWith(int part) const { return ProjectionOf(part).parts; }
  // The launch argument that points to the first projected element of part `part`.
  std::string PartPointer(int part) const;

 private:
  // A product with a part of the input weight, or with the output weight.
  struct Projection {
    // The parts (of query, key and value) that it computes; those with the same input go together.
    int first = 0, parts = 1;
    bool is_output = false;
    std::string rows;                              // The host's name for the number of rows.
    std::int64_t row_count = 1, column_count = 1;  // At the task's sizes.
  };

  const Projection& ProjectionOf(int part) const;
  static std::string NameOf(const Projection& projection);
  std::vector<LaunchParameter> ParametersOf(const Projection& projection);
  std::string StoreOfProjection() const;
  void Write(const Projection& projection);
  void WriteByThreads(const Projection& projection);
  void WriteByTiles(const Projection& projection);

  MultiHeadScope& scope_;
  CallPlan& plan_;
  bool tiled_;
  std::vector<Projection> projections_;
};

}  // namespace kernelmill
