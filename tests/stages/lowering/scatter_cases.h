// Cases of scatters with repeated indices: sums, extremes and products of the colliding elements,
// and for copies the last one.
#pragma once

#include "tests/stages/lowering/lowering_case.h"

namespace kernelmill {

namespace scatter_cases {

// `index` holds positions among 20 rows of 18 columns.
template <DType kType>
ValueId Scattered(GraphBuilder* b, std::string_view op, const NamedAttributes& attributes) {
  const auto rows = b->Size("rows", 20), columns = b->Size("columns", 18),
             sources = b->Size("sources", 57);
  const ValueId x = b->Input({rows, columns}, kType);
  const ValueId index = b->Indices({sources, columns}, 20);
  return b->Apply(op, {x, index, b->Input({sources, columns}, kType)}, attributes);
}

template <int kReduction, bool kSelf, DType kType = DType::kFloat32>
void Reduced(GraphBuilder* b) {
  b->Outputs({Scattered<kType>(b, "scatter_reduce",
                               {{"dim", Int(0)},
                                {"reduce", Attribute::Choice(kReduction)},
                                {"include_self", Attribute::Flag(kSelf)}})});
}

}  // namespace scatter_cases

inline std::vector<LoweringCase> ScatterCases() {
  using namespace scatter_cases;
  return {
      {"the last of those that come to one place",
       [](GraphBuilder* b) {
         b->Outputs({Scattered<DType::kFloat32>(b, "scatter", {{"dim", Int(0)}})});
       }},
      {"a number where an index of part of the columns says",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 3), b->Size("rows", 14), b->Size("columns", 9)},
                      DType::kInt32);
         const ValueId index =
             b->Indices({b->Size("some", 2), b->Size("sources", 11), b->Size("few", 5)}, 14);
         b->Outputs({b->Apply("scatter_value", {x, index},
                              {{"dim", Int(1)}, {"value", Attribute::Integer(1)}})});
       }},
      {"rows in the place of others, then relu",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 4), rows = b->Size("rows", 13),
                    columns = b->Size("columns", 10), sources = b->Size("sources", 17);
         const ValueId x = b->Input({batch, rows, columns}, DType::kFloat16);
         const ValueId y = b->Input({batch, sources, columns}, DType::kFloat16);
         b->Outputs({b->Apply(
             "relu", {b->Apply("index_copy", {x, b->Indices({sources}, 13), y},
                               {{"dim", Int(1)}})})});
       }},
      {"a number in the place of columns of what lies transposed",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("rows", 21), b->Size("columns", 16)},
                                    DType::kFloat32, InputLayout::kTransposed);
         b->Outputs({b->Apply("index_fill", {x, b->Indices({b->Size("sources", 6)}, 16)},
                              {{"dim", Int(1)}, {"value", Attribute::Number(0.5)}})});
       }},
      {"sums of rows in bfloat16, twice used",
       [](GraphBuilder* b) {
         const auto rows = b->Size("rows", 12), columns = b->Size("columns", 33),
                    sources = b->Size("sources", 41);
         const ValueId x = b->Input({rows, columns}, DType::kBFloat16);
         const ValueId y = b->Input({sources, columns}, DType::kBFloat16);
         const ValueId sum =
             b->Apply("index_add", {x, b->Indices({sources}, 12), y}, {{"dim", Int(0)}});
         b->Outputs({sum, b->Apply("tanh", {sum})});
       }},
      {"sums of small whole numbers",
       [](GraphBuilder* b) {
         b->Outputs({Scattered<DType::kInt8>(b, "scatter_add", {{"dim", Int(0)}})});
       }},
      {"sums of wide whole numbers",
       [](GraphBuilder* b) {
         b->Outputs({Scattered<DType::kInt64>(b, "scatter_add", {{"dim", Int(0)}})});
       }},
      {"sums of what comes, without what was there", Reduced<0, false>},
      {"products of what comes",
       [](GraphBuilder* b) {
         const auto rows = b->Size("rows", 15), columns = b->Size("columns", 12),
                    sources = b->Size("sources", 30);
         const ValueId x = b->Within({rows, columns}, 0.5, 1);
         const ValueId y = b->Within({sources, columns}, 0.5, 1);
         b->Outputs({b->Apply("scatter_reduce", {x, b->Indices({sources, columns}, 15), y},
                              {{"dim", Int(0)}, {"reduce", Attribute::Choice(1)}})});
       }},
      {"products of whole numbers", Reduced<1, true, DType::kInt32>},
      {"means of what comes", Reduced<2, true>},
      {"means of halves that come, without what was there", Reduced<2, false, DType::kFloat16>},
      {"largest of what comes", Reduced<3, true>},
      {"largest of whole numbers that come", Reduced<3, true, DType::kInt32>},
      {"least of what comes, without what was there", Reduced<4, false>},
      {"least of what comes and may be NaN",
       [](GraphBuilder* b) {
         const auto rows = b->Size("rows", 15), columns = b->Size("columns", 12),
                    sources = b->Size("sources", 30);
         const ValueId x = b->Within({rows, columns}, -1, 1);
         const ValueId y = b->Apply("acos", {b->Within({sources, columns}, -1, 1)});
         b->Outputs({b->Apply("scatter_reduce", {x, b->Indices({sources, columns}, 15), y},
                              {{"dim", Int(0)}, {"reduce", Attribute::Choice(4)}})});
       }},
  };
}

}  // namespace kernelmill
