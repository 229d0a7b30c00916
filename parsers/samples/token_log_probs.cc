#include "parsers/samples/token_log_probs.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace kernelmill {
namespace {

// OpenAI's API and vLLM write this for minus infinity, which JSON does not have.
constexpr double kMinusInfinity = -9999.0;
constexpr std::string_view kTokenIdPrefix = "token_id:";

void Fail(std::string_view problem, ModelSample* sample) {
  if (sample->log_prob_problem.empty()) sample->log_prob_problem = problem;
}

// Reads `value`; what is not finite becomes NaN.
void SetLogProb(const Json* value, TokenLogProb* token, ModelSample* sample) {
  token->log_prob = std::numeric_limits<double>::quiet_NaN();
  const bool number = value != nullptr && (value->is_int() || value->is_double());
  if (value != nullptr && !number && !value->is_null()) return Fail(kLogProbsMalformed, sample);
  if (!number || value->as_double() <= kMinusInfinity) return Fail(kLogProbsNotFinite, sample);
  token->log_prob = value->as_double();
}

void SetToken(const std::string& text, TokenLogProb* token) {
  std::int64_t id = 0;
  if (text.starts_with(kTokenIdPrefix)) {
    const char* const begin = text.data() + kTokenIdPrefix.size();
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), id);
    if (error == std::errc() && end != begin && *end == '\0') {
      token->id = id;
      return;
    }
  }
  token->token = text;
}

bool IsNothing(const Json* list) {
  return list == nullptr || list->is_null() || (list->is_array() && list->as_array().empty());
}

void Discard(std::string_view problem, ModelSample* sample) {
  sample->log_probs.clear();
  sample->log_prob_problem = problem;
}

}  // namespace

void ReadLogProbContent(const Json* content, const Json* ids, ModelSample* sample) {
  if (IsNothing(content)) return Discard(kLogProbsAbsent, sample);
  if (!content->is_array()) return Discard(kLogProbsMalformed, sample);
  sample->log_probs.reserve(content->as_array().size());
  for (const Json& item : content->as_array()) {
    const Json* const text = item.Find("token");
    if (!item.is_object() || (text != nullptr && !text->is_string())) {
      return Discard(kLogProbsMalformed, sample);
    }
    TokenLogProb token;
    if (text != nullptr) SetToken(text->as_string(), &token);
    if (const Json* id = item.Find("token_id"); id != nullptr && id->is_int()) {
      token.id = id->as_int();
    }
    SetLogProb(item.Find("logprob"), &token, sample);
    sample->log_probs.push_back(std::move(token));
  }
  if (ids == nullptr || !ids->is_array() || ids->as_array().size() != sample->log_probs.size()) {
    return;
  }
  for (std::size_t at = 0; at < sample->log_probs.size(); ++at) {
    if (ids->as_array()[at].is_int()) sample->log_probs[at].id = ids->as_array()[at].as_int();
  }
}

void ReadLogProbTriples(const Json* triples, ModelSample* sample) {
  if (IsNothing(triples)) return Discard(kLogProbsAbsent, sample);
  if (!triples->is_array()) return Discard(kLogProbsMalformed, sample);
  sample->log_probs.reserve(triples->as_array().size());
  for (const Json& item : triples->as_array()) {
    if (!item.is_array() || item.as_array().size() < 2 || !item.as_array()[1].is_int()) {
      return Discard(kLogProbsMalformed, sample);
    }
    const Json::Array& triple = item.as_array();
    TokenLogProb token;
    token.id = triple[1].as_int();
    if (triple.size() > 2 && triple[2].is_string()) token.token = triple[2].as_string();
    SetLogProb(&triple[0], &token, sample);
    sample->log_probs.push_back(std::move(token));
  }
}

void CheckLogProbLength(ModelSample* sample) {
  if (sample->log_prob_problem == kLogProbsAbsent ||
      sample->log_prob_problem == kLogProbsMalformed) {
    return;
  }
  const auto length = static_cast<std::int64_t>(sample->log_probs.size());
  if (!sample->completion_tokens) {
    sample->completion_tokens = length;
  } else if (*sample->completion_tokens != length) {
    sample->log_prob_problem = kLogProbsLength;
  }
}

}  // namespace kernelmill
