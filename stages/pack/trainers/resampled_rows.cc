#include "stages/pack/trainers/resampled_rows.h"

namespace kernelmill {
namespace {

Json::Object WholeRow(const TrainedTurn& turn) {
  Json::Object row = turn.row->ToJson().as_object();
  row["drawn_weight"] = turn.row->attributes.weight;
  return row;
}

constexpr char kGuide[] =
    R"(The rows have the columns of the dataset's own data/<split>.jsonl. `drawn_weight` is the weight that a
row was drawn by; its `weight` is 1, and `copy` counts its copies from 0.
)";

}  // namespace

TrainerFormat ResampledFormat() {
  return {.name = "resampled",
          .explanation = "data/<split>.jsonl with rows drawn by their weight, for any trainer",
          .row_of_turn = WholeRow,
          .always_resamples = true,
          .guide = kGuide};
}

}  // namespace kernelmill
