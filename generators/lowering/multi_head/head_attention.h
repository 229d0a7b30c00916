// The attention of a multi-head attention, between its projections: the scores of each head, their
// softmax, and the sums of the values by it.
#pragma once

#include <cstdint>
#include <string>

#include "generators/lowering/attention/attention_tile.h"
#include "generators/lowering/contractions/contraction_tile.h"
#include "generators/lowering/multi_head/head_projections.h"

namespace kernelmill {

class HeadAttention {
 public:
  // `projections` have the queries, keys and values.
  HeadAttention(MultiHeadScope* scope, const HeadProjections& projections, bool tiled);

  // Writes the kernels that compute the tensor `context`.
  void Write();
  // Writes the kernel that computes the weights that are returned.
  void WriteMeanOfHeads();

 private:
  // The sizes of a product that is computed for every head.
  struct ProductSizes {
    std::string rows, columns, summed;
  };

  AttentionSpec Spec() const;
  LaunchParameter Part(int part) const;
  LaunchParameter Scores(bool written) const;
  LaunchParameter Context() const;
  std::string StoreOfHead(const std::string& result) const;
  std::string DepthInHost() const;
  void Run(KernelSequence::Kernel kernel, const std::string& grid, int threads);
  void RunProduct(KernelSequence::Kernel kernel, const ContractionSpec& spec,
                  const ProductSizes& sizes, const std::string& store);
  void WriteInTiles();

  MultiHeadScope& scope_;
  CallPlan& plan_;
  const HeadProjections& projections_;
  bool tiled_;
  AttentionSpec spec_;
};

}  // namespace kernelmill
