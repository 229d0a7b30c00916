#include <algorithm>
#include <set>

#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/strategy_words.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// The first kernel of the plan that could be parsed, or null.
const AnswerKernel* KernelOf(const ReasoningSubject& subject, const DesignedKernel& plan) {
  for (const AnswerKernel& kernel : subject.code.kernels) {
    if (kernel.plan == &plan) return &kernel;
  }
  return nullptr;
}

std::string LoopSentence(const KernelLoop& loop, SentenceWriter* writer) {
  return writer->Say(
      {"The loop [runs|goes on|continues] while `{condition}`[ and [advances|steps|moves on] by "
       "`{update}`|].",
       "`{variable}` [begins at|starts from|is first] `{start}`[ and [advances|moves on] by "
       "`{update}`|, `{update}` follows,] [as long as|while] `{condition}`.",
       "[In code|Written out|As a loop]: `{update}` [until `{condition}` fails|while "
       "`{condition}`].",
       "[Start|First value]: `{start}`[; step: `{update}`|]; [end|limit]: `{condition}`."},
      {{"variable", loop.variable},
       {"start", loop.start},
       {"condition", loop.condition},
       {"update", loop.update}});
}

// A sentence that quotes the code of the plan's kernels: a loop or an index.
std::string CodeSentence(const ReasoningSubject& subject, const DesignedKernel& plan,
                         SentenceWriter* writer) {
  for (const AnswerKernel& kernel : subject.code.kernels) {
    if (kernel.plan != &plan) continue;
    for (const KernelLoop& loop : kernel.facts.loops) {
      if (loop.kind == KernelLoop::Kind::kThreadStart) continue;
      if (loop.start.empty() || loop.condition.empty() || loop.update.empty()) continue;
      return LoopSentence(loop, writer);
    }
    // Most kernels compute the global thread index in the same way; other indices tell more.
    std::vector<const ThreadIndex*> telling;
    for (const ThreadIndex& index : kernel.facts.indices) {
      const bool everywhere = index.kind == ThreadIndex::Kind::kGlobal ||
                              index.expression.find("blockIdx.x) * blockDim.x") != std::string::npos;
      const bool known = everywhere && !writer->OneIn(6);
      // Leave out plain copies: "`i` is `first`".
      const bool plain = index.expression.find(' ') == std::string::npos;
      if (!index.name.empty() && !plain && !known) telling.push_back(&index);
    }
    if (telling.empty()) continue;
    const ThreadIndex& index = *telling[writer->Index(telling.size())];
    return writer->Say(
        {"[In code|In the code|There], `{name}` is `{expression}`.",
         "[The|A|Each] thread [finds|has|works out|computes] `{name} = {expression}`.",
         "`{name}` [stands for|is|means|holds|comes from] `{expression}`.",
         "`{expression}` is [called `{name}`|kept as `{name}`|what `{name}` holds].",
         "[With|From|Given] `{name} = {expression}` [the place is known|a thread knows where it is|"
         "the rest follows]."},
        {{"name", index.name}, {"expression", index.expression}});
  }
  return "";
}

// Whether thread t of block b computes element b * threads + t of the only result.
bool OneElementEach(const ReasoningSubject& subject, const DesignedKernel& plan) {
  const bool one_each =
      plan.strategy == "one_thread_an_element" || plan.strategy == "gather_an_element";
  const Annotation& facts = subject.known.facts;
  if (!one_each || plan.threads <= 0 || subject.answer.kernels.size() > 1 ||
      facts.outputs.size() != 1) {
    return false;
  }
  // A view of the kernel's result may drop some of its elements.
  return std::none_of(facts.operators.begin(), facts.operators.end(),
                      [](const OperatorCall& call) { return ComputesNothing(call.name); });
}

// A sentence on how many blocks the output needs with one element per thread, and how full the last
// is.
std::string BlockCountSentence(const ReasoningSubject& subject, const DesignedKernel& plan,
                               SentenceWriter* writer) {
  if (!OneElementEach(subject, plan)) return "";
  const std::int64_t elements = ElementsIn(subject.known.facts.outputs[0].shape);
  const std::int64_t full = elements / plan.threads, rest = elements % plan.threads;
  const SentenceValues values = {
      {"elements", subject.Style().Count(elements)},
      {"blocks", CountText((elements + plan.threads - 1) / plan.threads)},
      {"rest", std::to_string(rest)},
      {"threads", std::to_string(plan.threads)}};
  if (rest == 0) {
    return writer->Say({"{elements} elements [fill|make|need] {blocks} blocks [exactly|to the last "
                        "thread|without a rest].",
                        "[Here|In this case] every one of the {blocks} blocks is full.",
                        "{blocks} blocks of {threads} threads [are|make] {elements} "
                        "[elements|results][ exactly|]."},
                       values);
  }
  if (full == 0) {
    return writer->Say({"One block [is enough|suffices|does it] here, and {rest} of its threads "
                        "have work.",
                        "{rest} threads of the only block [find|have|own] an element.",
                        "[There is|It takes] one block[ only|], with {rest} threads [at work|that "
                        "find something to do]."},
                       values);
  }
  return writer->Say(
      {"That [is|makes|takes] {blocks} blocks[ here|], the last with work for {rest} [of its "
       "|]threads.",
       "{elements} elements [make|need|take] {blocks} blocks; in the last [only |]{rest} threads "
       "have work.",
       "Of {blocks} blocks [all but one|all but the last] are full, and [that one|this] has work "
       "for {rest} threads.",
       "Of the {blocks} blocks the last [has|finds] work for {rest} threads.",
       "{rest} threads [are busy|have an element] in the last of {blocks} blocks."},
      values);
}

// A worked example: one thread and the element that it computes.
std::string ThreadExample(const ReasoningSubject& subject, const DesignedKernel& plan,
                          SentenceWriter* writer) {
  if (!OneElementEach(subject, plan)) return "";
  const std::vector<std::int64_t>& shape = subject.known.facts.outputs[0].shape;
  const std::int64_t elements = ElementsIn(shape);
  if (shape.size() < 2 || elements < 2 || elements == INT64_MAX) return "";
  const auto position =
      static_cast<std::int64_t>(writer->Index(static_cast<std::size_t>(elements)));
  std::vector<std::int64_t> coordinates;
  const std::vector<std::int64_t> strides = RowMajorStrides(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    coordinates.push_back(position / strides[i] % shape[i]);
  }
  return writer->Say(
      {"[So|Thus|For example|To take one], thread {thread} of block {block} [has|gets|computes|"
       "owns] element {position}[, [which is|that is|at] {at}|].",
       "Thread {thread} of block {block}: [element |position |]{block} * {threads} + {thread} = "
       "{position}[, {at} in the result|].",
       "{at} [is|falls to|is computed by|belongs to] thread {thread} of block {block}, [its "
       "position being {position}|{position} = {block} * {threads} + {thread}|as number "
       "{position}].",
       "[Element|Position] {position}[, {at},|] [belongs to|is the work of|is done by] thread "
       "{thread} of block {block}.",
       "[Take|Say|Test it with] thread {thread} of block {block}: [it has|its element is|the "
       "result "
       "is number] {position}[ = {at}|]."},
      {{"thread", std::to_string(position % plan.threads)},
       {"block", std::to_string(position / plan.threads)},
       {"threads", std::to_string(plan.threads)},
       {"position", std::to_string(position)},
       {"at", ShapeText(coordinates)}});
}

std::string LaunchSentence(const DesignedKernel& plan, SentenceWriter* writer) {
  return writer->Say(
      {"[A|Each|One] block [has|counts|is] {threads} threads[ and the grid|; the grid is] "
       "`{grid}`[ blocks|].",
       "It is [launched|started|called] with `{grid}` blocks of {threads} threads[ each|].",
       "[Launch|Grid|Configuration|Start]: `{grid}`[ blocks of| blocks by| by|,] {threads} "
       "threads[ "
       "each|].",
       "With {threads} threads [a|per|in a] block the grid [is|comes to|becomes] `{grid}`.",
       "The host [starts|launches|asks for|computes] `{grid}` blocks of {threads} threads.",
       "{threads} threads [a|per] block, `{grid}` blocks[ in the grid|].",
       "`{grid}` blocks [cover it|are launched|will do], {threads} threads [each|in one]."},
      {{"threads", std::to_string(plan.threads)}, {"grid", plan.grid}});
}

// The names of the kernel's inputs as code: the first one, or the first few.
std::string InputsOf(const AnswerKernel* kernel, bool first) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  if (kernel == nullptr) return "";
  for (const KernelParameter& parameter : kernel->facts.parameters) {
    if (parameter.pointer && parameter.constant && (names.empty() || !first)) {
      names.push_back(parameter.name);
    }
  }
  return CodeList(names, kMost);
}

std::string MappingClause(const ReasoningSubject& subject, const DesignedKernel& plan,
                          SentenceWriter* writer) {
  const SentenceVariants& words = MappingVariants(plan.strategy);
  const AnswerKernel* const kernel = KernelOf(subject, plan);
  const std::string inputs = InputsOf(kernel, false);
  // The plan's own sentence, which all plans of the strategy share, serves when there are no
  // variants, and sometimes otherwise. Its main clause alone is enough.
  constexpr std::size_t kOwnOneIn = 16;
  if (words.empty() || inputs.empty() || writer->OneIn(kOwnOneIn)) {
    return writer->OneIn(3) ? plan.mapping : plan.mapping.substr(0, plan.mapping.find(';'));
  }
  return writer->Say(words, {{"threads", std::to_string(plan.threads)},
                             {"inputs", inputs},
                             {"first", InputsOf(kernel, true)}});
}

std::string ReasonSentence(const DesignedKernel& plan, SentenceWriter* writer) {
  const DesignReason& reason = plan.reasons[writer->Index(plan.reasons.size())];
  return writer->Say(
      {"Why {choice}[:|?] {why}.", "I [choose|take|prefer] {choice}: {why}.",
       "The [reason|argument|case] for {choice}: {why}.", "[On|About] {choice}: {why}.",
       "{Choice}: {why}."},
      {{"choice", reason.choice}, {"Choice", Capital(reason.choice)}, {"why", reason.why}});
}

std::string MappingParagraph(const ReasoningSubject& subject, const DesignedKernel& plan,
                             SentenceWriter* writer) {
  const std::string way = MappingClause(subject, plan, writer);
  std::vector<std::string> sentences;
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) sentences.push_back(sentence);
  };
  if (writer->Index(4) > 0) add(CodeSentence(subject, plan, writer));
  if (writer->Index(4) > 0) add(LaunchSentence(plan, writer));
  add(writer->OneIn(2) ? BlockCountSentence(subject, plan, writer)
                       : ThreadExample(subject, plan, writer));
  if (!plan.reasons.empty() && writer->OneIn(10)) add(ReasonSentence(plan, writer));
  if (!plan.index_type.empty() && writer->OneIn(6)) {
    add(writer->Say({"Positions [are|fit into|are kept as|stay within] `{type}`.",
                     "`{type}` is [wide enough|enough] for positions.",
                     "[Index|Address] arithmetic is [in|done in] `{type}`.",
                     "[Counting|Numbering] is done in `{type}`.",
                     "`{type}` [can hold|holds] every position.", "No position leaves `{type}`."},
                    {{"type", plan.index_type}}));
  }
  if (writer->OneIn(3)) writer->Shuffle(&sentences);
  std::string text = writer->Say(
      {"{kernels}: {way}.", "[For|As to|In|With|About|Inside] {kernels}: {way}.",
       "[In|Inside] {kernels}, {way}.", "{kernels} — {way}.",
       "[Threads|Work|Division of work|Who does what|Plan|Layout] [in|of|for] {kernels}: "
       "{way}.",
       "{Way}[; that is the way of|: so in|; see|, in|: this is] {kernels}.", "{Way}.",
       "{Way} ({kernels}).", "[Look at|Take|Now] {kernels}: {way}."},
      {{"kernels", plan.kernels.size() == 1 ? KernelReference(subject.code, plan.kernels[0], writer)
                                            : CodeList(plan.kernels)},
       {"way", way},
       {"Way", Capital(way)}});
  for (const std::string& sentence : sentences) text += " " + sentence;
  return text;
}

}  // namespace

std::string MappingStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "mapping");
  std::string text;
  std::set<std::string> told;
  for (const DesignedKernel& plan : subject.answer.kernels) {
    if (told.size() >= subject.most_items) break;
    if (!told.insert(plan.strategy).second) continue;
    text += (text.empty() ? "" : "\n\n") + MappingParagraph(subject, plan, &writer);
  }
  return text;
}

}  // namespace kernelmill
