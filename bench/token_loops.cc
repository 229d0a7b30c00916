// The loop that bench/tokens.py times:
//   token_loops TOKENIZER TEXTS   counts the tokens of each line of TEXTS, JSON strings
// Prints one JSON object: the seconds of counting alone, and the sum of the counts.
#include <chrono>
#include <cstdio>
#include <sstream>

#include "manifests/commit_file.h"
#include "parsers/tokenizer.h"

namespace kernelmill {
namespace {

Status Run(const std::string& tokenizer_path, const std::string& texts_path) {
  KM_ASSIGN(const Tokenizer tokenizer, Tokenizer::Load(tokenizer_path));
  KM_ASSIGN(const std::string bytes, ReadFile(texts_path));
  std::vector<std::string> texts;
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);) {
    KM_ASSIGN(const Json text, Json::Parse(line));
    texts.push_back(text.as_string());
  }
  const auto start = std::chrono::steady_clock::now();
  std::int64_t tokens = 0;
  for (const std::string& text : texts) {
    KM_ASSIGN(const std::int64_t count, tokenizer.Count(text));
    tokens += count;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("{\"seconds\": %.6f, \"tokens\": %lld}\n", seconds.count(),
              static_cast<long long>(tokens));
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: token_loops TOKENIZER TEXTS\n");
    return 1;
  }
  const kernelmill::Status status = kernelmill::Run(arguments[1], arguments[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return kernelmill::ExitCodeOf(status.code());
}
