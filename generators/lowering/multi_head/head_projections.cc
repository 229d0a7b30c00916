#include "generators/lowering/multi_head/head_projections.h"

#include "generators/lowering/contractions/contraction_tile.h"

namespace kernelmill {

HeadProjections::HeadProjections(MultiHeadScope* scope, bool tiled)
    : scope_(*scope), plan_(scope->code.plan), tiled_(tiled) {
  const auto operands = scope_.group.graph().operands(scope_.node);
  for (int part = 0; part < 3; ++part) {
    if (part > 0 && operands[part] == operands[part - 1]) {
      ++projections_.back().parts;
      projections_.back().column_count += scope_.width_count;
    } else {
      projections_.push_back(
          {.first = part,
           .rows = part == 0 ? "query_rows" : "key_rows",
           .row_count = (part == 0 ? scope_.query_count : scope_.key_count) * scope_.batch_count,
           .column_count = scope_.width_count});
    }
  }
  projections_.push_back({.is_output = true,
                          .rows = "query_rows",
                          .row_count = scope_.query_count * scope_.batch_count,
                          .column_count = scope_.width_count});
}

void HeadProjections::WriteInputs() {
  for (const Projection& projection : projections_) {
    if (!projection.is_output) Write(projection);
  }
}

void HeadProjections::WriteOutput() { Write(projections_.back()); }

void HeadProjections::Write(const Projection& projection) {
  tiled_ ? WriteByTiles(projection) : WriteByThreads(projection);
}

// The projection that computes part `part` (query, key or value).
const HeadProjections::Projection& HeadProjections::ProjectionOf(int part) const {
  std::size_t i = 0;
  while (part >= projections_[i].first + projections_[i].parts) ++i;
  return projections_[i];
}
std::string HeadProjections::NameOf(const Projection& projection) {
  constexpr std::string_view kNames[] = {"q", "k", "v"};
  std::string name;
  for (int i = 0; i < projection.parts; ++i) name += kNames[projection.first + i];
  return name;
}
std::string HeadProjections::PartPointer(int part) const {
  const Projection& projection = ProjectionOf(part);
  const int before = part - projection.first;
  return scope_.Buffer(NameOf(projection)) +
         (before == 0 ? "" : (before == 1 ? " + " : " + 2 * ") + scope_.holes.at("width"));
}

// The parameters of the product of rows of x and the transposed weight. Allocates the result,
// except for the last projection.
std::vector<LaunchParameter> HeadProjections::ParametersOf(const Projection& projection) {
  const std::string T = scope_.holes["T"], width = scope_.holes["width"];
  const std::string columns =
      (projection.parts == 1 ? "" : std::to_string(projection.parts) + " * ") + width;
  // The first row of the weight that is used.
  const std::string begin =
      projection.first == 0 ? "" : (projection.first == 1 ? "" : "2 * ") + width;
  std::string x = scope_.Buffer("context"), weight = scope_.holes["out_weight"],
              bias = scope_.holes["out_bias"], result = scope_.holes["out"];
  if (!projection.is_output) {
    const std::string buffer = NameOf(projection);
    scope_.code.after_outputs += "auto " + buffer + " = torch::empty({" + projection.rows + ", " +
                                 columns + "}, " + scope_.holes["options"] + ");\n";
    x = scope_.Pointer(scope_.group.graph().operands(scope_.node)[projection.first]);
    weight = scope_.holes["in_weight"] + (begin.empty() ? "" : " + " + begin + " * " + width);
    bias = scope_.holes["in_bias"] + (begin.empty() ? "" : " + " + begin);
    result = scope_.Buffer(buffer);
  }
  const std::string factor = "const " + T + "* __restrict__";
  std::vector<LaunchParameter> parameters = {{factor, "x", x}, {factor, "weight", weight}};
  if (scope_.bias) parameters.push_back({factor, "bias", bias});
  parameters.push_back({T + "* __restrict__", "result", result});
  parameters.push_back({"int", "rows", projection.rows});
  parameters.push_back({"int", "columns", columns});
  parameters.push_back({"int", "width", width});
  return parameters;
}
// The statements that store a projection's sum `acc`.
std::string HeadProjections::StoreOfProjection() const {
  const std::string sum = scope_.bias ? "acc + " + scope_.Load("bias[n]") : "acc";
  return "result[m * columns + n] = " + ToStorageType(scope_.dtype, sum) + ";\n";
}

void HeadProjections::WriteByThreads(const Projection& projection) {
  const std::vector<LaunchParameter> parameters = ParametersOf(projection);
  if (!scope_.kernels->IsDefined("project")) {
    scope_.kernels->Define(
        {.name = "project",
         .comment = "Rows of x times the transposed weight: thread i computes element i.",
         .parameters = parameters,
         .attributes = "",
         .body = FillHoles(R"(
const int i = blockIdx.x * blockDim.x + threadIdx.x;
if (i >= rows * columns) return;
const int m = i / columns, n = i % columns;
float acc = 0.0f;
for (int k = 0; k < width; ++k) acc += @x@ * @weight@;
@store@
)",
                           {{"x", scope_.Load("x[m * width + k]")},
                            {"weight", scope_.Load("weight[n * width + k]")},
                            {"store", StoreOfProjection()}})});
    plan_.grid = "(rows * columns + 255) / 256";
  }
  const std::string columns = parameters[parameters.size() - 2].argument;
  scope_.kernels->Launch("project", parameters,
                         '(' + projection.rows + " * " + columns + " + 255) / 256", 256);
}

void HeadProjections::WriteByTiles(const Projection& projection) {
  const std::vector<LaunchParameter> parameters = ParametersOf(projection);
  ContractionSpec spec;
  spec.m.Add("m", "rows", projection.row_count);
  spec.n.Add("n", "columns", projection.column_count);
  spec.k.Add("k", "width", scope_.width_count);
  spec.a.value = scope_.Load("x[m * width + k]");
  spec.b.value = scope_.Load("weight[n * width + k]");
  spec.type = "float";
  const Tile tile = TileFor(spec, true);
  const TileNames names = {
      .M = "rows", .N = "columns", .k_begin = "0", .k_end = "width", .m_axis = "x", .n_axis = "y"};
  const std::string rows = std::to_string(tile.rows), cols = std::to_string(tile.cols);
  // Projections with equal tile sizes share one kernel.
  const std::string name = "project_" + rows + 'x' + cols;
  if (!scope_.kernels->IsDefined(name)) {
    scope_.kernels->Define(
        {.name = name,
         .comment = "Rows of x times the transposed weight: a block computes a " + rows + " x " +
                    cols + " tile of the result, each thread " +
                    std::to_string(tile.results_of_thread()) + " elements in registers.",
         .parameters = parameters,
         .attributes = TileLaunchBounds(tile),
         .body = TileBody(scope_.group, spec, tile, names, StoreOfProjection()),
         .shared_bytes = 4 * tile.shared_floats()});
  }
  if (plan_.grid.empty()) {
    plan_.grid = '(' + TileGrid(names, tile) + ')';
    plan_.threads = tile.threads();
  }
  const std::string columns = parameters[parameters.size() - 2].argument;
  scope_.kernels->Launch(
      name, parameters,
      "dim3(" + TileGrid({.M = projection.rows, .N = columns, .m_axis = "x"}, tile) + ")",
      tile.threads());
}

}  // namespace kernelmill
