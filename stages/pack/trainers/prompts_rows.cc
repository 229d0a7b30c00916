#include "stages/pack/trainers/prompts_rows.h"

namespace kernelmill {
namespace {

std::vector<Json::Object> Requests(const TaskQuestion& question, const TrainerOptions& options) {
  return RequestsOf(question, options.sampling);
}

constexpr char kGuide[] = R"(```
kernelmill sample data/train.jsonl --endpoint URL --model MODEL --output answers.jsonl
vllm run-batch -i data/train.jsonl -o answers.jsonl --model MODEL        # --requests vllm
kernelmill verify --tasks DATASET --candidates answers.jsonl --output verdicts
```

OpenAI's batch API takes at most 50,000 requests a file: `split -l 50000 data/train.jsonl`. The
lines of `--requests sglang-generate` and `sglang-chat` are bodies for /generate and for
/v1/chat/completions; write one reply a line to answers.jsonl.

The names in data/retry.jsonl (`--retries`) say which repair prompt of a retry buffer is answered. Give
answers to them, with those to other prompts, to the next round: `kernelmill rft --round N`.
)";

}  // namespace

TrainerFormat PromptsFormat() {
  return {.name = "prompts",
          .explanation =
              "data/<split>.jsonl with requests for samples, for OpenAI's batch API, "
              "vLLM and SGLang (see --requests)",
          .rows_of_question = Requests,
          .has_requests = true,
          .guide = kGuide};
}

}  // namespace kernelmill
