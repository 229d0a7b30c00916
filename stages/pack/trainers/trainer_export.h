// Exports a published dataset for one trainer into another folder, for the command `export`: the
// rows below data/, the files that the trainer needs beside them, and a README.md that says what
// the export holds and how the trainer opens it. Training rows of weight 0 are left out.
#pragma once

#include <string>

#include "stages/pack/export_dataset.h"
#include "stages/pack/trainers/trainer_format.h"

namespace kernelmill {

// Errors: those of ExportDataset(). Options that are not for the format have no effect. Equal
// datasets and options give equal bytes.
Result<ExportedRows> ExportForTrainer(const std::string& dataset, const TrainerFormat& format,
                                      const TrainerOptions& options, const std::string& output);

}  // namespace kernelmill
