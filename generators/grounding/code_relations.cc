// Relations of kernels, loops, guards and launches: they hold when the syntax tree of the program,
// or the plan that it was written by, says the same of the same kernel.
#include <algorithm>

#include "generators/grounding/launch_relations.h"
#include "generators/grounding/relation_forms.h"
#include "generators/reasoning/alternatives_step.h"
#include "generators/reasoning/copying_functions.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/reduced_rows.h"
#include "generators/reasoning/result_tiles.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

// A number as prose writes it, without separators.
std::string Digits(const std::string& text) {
  std::string digits = text;
  std::erase(digits, ',');
  return digits;
}

template <typename Test>
bool AnyKernel(const RelationContext& context, const std::string& name, Test test) {
  return std::any_of(context.program.Code().kernels.begin(), context.program.Code().kernels.end(),
                     [&](const AnswerKernel& kernel) {
                       return (name.empty() ? context.IsAbout(kernel) : kernel.name == name) &&
                              test(kernel);
                     });
}

bool HasGuard(const RelationContext& context, const Slots& slots, bool leaves) {
  return AnyKernel(context, slots.at("kernel"), [&](const AnswerKernel& kernel) {
    return std::any_of(kernel.facts.guards.begin(), kernel.facts.guards.end(),
                       [&](const KernelGuard& guard) {
                         return guard.leaves == leaves && guard.condition == slots.at("condition");
                       });
  });
}

bool HasLoopCondition(const RelationContext& context, const Slots& slots) {
  return AnyKernel(context, slots.at("kernel"), [&](const AnswerKernel& kernel) {
    return std::any_of(
        kernel.facts.loops.begin(), kernel.facts.loops.end(),
        [&](const KernelLoop& loop) { return loop.condition == slots.at("condition"); });
  });
}

bool HasLoop(const RelationContext& context, const Slots& slots) {
  return AnyKernel(context, "", [&](const AnswerKernel& kernel) {
    return std::any_of(
        kernel.facts.loops.begin(), kernel.facts.loops.end(), [&](const KernelLoop& loop) {
          return loop.variable == slots.at("variable") && loop.start == slots.at("start") &&
                 loop.update == slots.at("update") && loop.condition == slots.at("condition");
        });
  });
}

bool HasIndex(const RelationContext& context, const Slots& slots) {
  return AnyKernel(context, "", [&](const AnswerKernel& kernel) {
    return std::any_of(
        kernel.facts.indices.begin(), kernel.facts.indices.end(), [&](const ThreadIndex& index) {
          return index.name == slots.at("name") && index.expression == slots.at("expression");
        });
  });
}

bool HasLaunch(const RelationContext& context, const Slots& slots) {
  const auto plans = context.Plans();
  return std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel* plan) {
    const auto said = slots.find("grid");
    return plan->grid == (said == slots.end() ? "1" : said->second) &&
           std::to_string(plan->threads) == slots.at("threads");
  });
}

// "For 300 elements that is 2 blocks; in the last one 44 threads have an element."
bool CountsBlocks(const RelationContext& context, const Slots& slots) {
  const auto& outputs = context.known.facts.outputs;
  const auto plans = context.Plans();
  if (outputs.size() != 1) return false;
  const std::int64_t elements = ElementsIn(outputs[0].shape);
  return std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel* plan) {
    if (plan->threads <= 0) return false;
    const std::int64_t rest = elements % plan->threads;
    const std::int64_t blocks = (elements + plan->threads - 1) / plan->threads;
    const auto said = slots.find("rest");
    if (plan->strategy == "grid_stride") {
      return Digits(slots.at("elements")) == std::to_string(elements) &&
             Digits(slots.at("blocks")) == std::to_string(blocks);
    }
    return Digits(slots.at("elements")) == std::to_string(elements) &&
           Digits(slots.at("blocks")) == std::to_string(blocks) &&
           (said == slots.end() ? rest == 0 : Digits(said->second) == std::to_string(rest));
  });
}

bool HasMapping(const RelationContext& context, const Slots& slots) {
  // A list of kernels has commas too.
  const std::string text = slots.at("kernels") + ", " + slots.at("mapping");
  const std::vector<DesignedKernel>& plans = context.candidate.kernels;
  return std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel& said) {
    const std::string mapping = MappingInWords(context.candidate, context.program.Code(), said);
    if (mapping.empty() || !text.ends_with(", " + mapping)) return false;
    const std::vector<std::string> names =
        NamesInList(text.substr(0, text.size() - mapping.size() - 2));
    return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel& plan) {
        return plan.mapping == said.mapping &&
               std::find(plan.kernels.begin(), plan.kernels.end(), name) != plan.kernels.end();
      });
    });
  });
}

bool HasHelper(const RelationContext& context, const Slots& slots) {
  const std::vector<std::string> names = NamesInList(slots.at("collectives"));
  return AnyKernel(context, slots.at("kernel"), [&](const AnswerKernel& kernel) {
    return std::any_of(kernel.facts.helpers.begin(), kernel.facts.helpers.end(),
                       [&](const KernelHelper& helper) {
                         return helper.name == slots.at("helper") &&
                                std::includes(helper.collectives.begin(), helper.collectives.end(),
                                              names.begin(), names.end()) &&
                                !names.empty();
                       });
  });
}

bool IsShared(const RelationContext& context, const Slots& slots) {
  return AnyKernel(context, "", [&](const AnswerKernel& kernel) {
    return std::any_of(kernel.facts.shared.begin(), kernel.facts.shared.end(),
                       [&](const SharedArray& array) {
                         return array.text == slots.at("array") || array.name == slots.at("array");
                       });
  });
}

template <bool in_loop>
bool HasBarrier(const RelationContext& context, const Slots& slots) {
  return AnyKernel(context, "", [&](const AnswerKernel& kernel) {
    return std::any_of(kernel.facts.barriers.begin(), kernel.facts.barriers.end(),
                       [&](const KernelCall& call) {
                         return call.name == slots.at("barrier") && (call.in_loops > 0) == in_loop;
                       });
  });
}

// "`forward` makes 2 calls: `f` computes `a`; `g` and `h` compute `b` and `c`."
bool MakesCalls(const RelationContext& context, const Slots& slots) {
  const std::vector<DesignedKernel>& plans = context.candidate.kernels;
  if (slots.at("calls") != std::to_string(plans.size())) return false;
  std::string_view rest = slots.at("groups");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find("; "), rest.size());
    const std::string_view group = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 2, rest.size()));
    std::size_t verb = group.find(" computes ");
    const std::size_t size = verb == group.npos ? 9 : 10;
    if (verb == group.npos) verb = group.find(" compute ");
    if (verb == group.npos) return false;
    const std::vector<std::string> functions = NamesInList(group.substr(0, verb));
    const std::vector<std::string> operators = NamesInList(group.substr(verb + size));
    const auto computes = [&](const std::string& function) {
      return std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel& plan) {
        return plan.function == function &&
               std::all_of(operators.begin(), operators.end(), [&](const std::string& name) {
                 return std::find(plan.operators.begin(), plan.operators.end(), name) !=
                        plan.operators.end();
               });
      });
    };
    if (functions.empty() || operators.empty() ||
        !std::all_of(functions.begin(), functions.end(), computes)) {
      return false;
    }
  }
  return true;
}

bool ComputesTogether(const RelationContext& context, const Slots& slots) {
  const std::vector<DesignedKernel>& plans = context.candidate.kernels;
  if (plans.size() != 1 || plans[0].kernels != NamesInList(slots.at("kernels"))) return false;
  std::vector<std::string> distinct;
  for (const std::string& name : plans[0].operators) {
    if (std::find(distinct.begin(), distinct.end(), name) == distinct.end()) {
      distinct.push_back(name);
    }
  }
  const std::vector<std::string> said = NamesInList(slots.at("operators"));
  return !said.empty() && said.size() <= distinct.size() &&
         std::equal(said.begin(), said.end(), distinct.begin());
}

bool IsStrided(const RelationContext& context, const Slots& slots) {
  return AnyKernel(context, "", [&](const AnswerKernel& kernel) {
    return std::any_of(
        kernel.facts.loads.begin(), kernel.facts.loads.end(), [&](const MemoryAccess& load) {
          return load.array == slots.at("array") && load.text.find("_stride") != std::string::npos;
        });
  });
}

bool HasFewBlocks(const RelationContext& context, const Slots& slots) {
  const std::int64_t all = context.device.multiprocessors;
  const auto plans = context.Plans();
  return SaysCount(slots.at("multiprocessors"), all) &&
         std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel* plan) {
           const auto tiles = ResultTilesOf(context.known.task, context.known.facts, *plan);
           const std::int64_t reduced = BlocksOfReduction(context.known.facts, *plan);
           const std::int64_t blocks = reduced == 0 && tiles ? tiles->Count() : reduced;
           return blocks > 0 && blocks < all && SaysCount(slots.at("blocks"), blocks);
         });
}

bool HasTiles(const RelationContext& context, const Slots& slots) {
  const auto plans = context.Plans();
  return std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel* plan) {
    const auto tiles = ResultTilesOf(context.known.task, context.known.facts, *plan);
    return tiles && SaysNumber(slots, "tiles", tiles->Count()) &&
           SaysNumber(slots, "percent", tiles->PercentOutside()) &&
           SaysNumber(slots, "rows", tiles->rows) && SaysNumber(slots, "columns", tiles->columns) &&
           SaysNumber(slots, "left", tiles->ColumnsOfTiles()) &&
           SaysNumber(slots, "right", tiles->RowsOfTiles());
  });
}

bool HasRowOfWarp(const RelationContext& context, const Slots& slots) {
  constexpr std::int64_t kLanes = 32, kBlock = 256;
  const auto plans = context.Plans();
  return std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel* plan) {
    const auto rows = ReducedRowsOf(context.known.task, context.known.facts, *plan);
    return rows && plan->head == slots.at("operator") && plan->strategy.starts_with("warp_a_row") &&
           SaysNumber(slots, "length", rows->length) &&
           SaysNumber(slots, "most", (rows->length + kLanes - 1) / kLanes) &&
           SaysNumber(slots, "none", kBlock - rows->length);
  });
}

bool HasRow(const RelationContext& context, const Slots& slots) {
  const auto plans = context.Plans();
  return std::any_of(plans.begin(), plans.end(), [&](const DesignedKernel* plan) {
    const auto rows = ReducedRowsOf(context.known.task, context.known.facts, *plan);
    if (!rows || plan->head != slots.at("operator") || plan->threads <= 0) return false;
    const auto most = slots.find("most");
    return SaysCount(slots.at("length"), rows->length) &&
           SaysCount(slots.at("threads"), plan->threads) &&
           (most == slots.end()
                ? rows->length < plan->threads
                : SaysCount(most->second, (rows->length + plan->threads - 1) / plan->threads));
  });
}

bool SavesLaunches(const RelationContext& context, const Slots& slots) {
  const std::int64_t eager = EagerLaunches(context.known.facts);
  const std::int64_t own =
      LaunchesWithCopies(context.candidate, context.known.task, context.known.facts);
  return own < eager && SaysCount(slots.at("eager"), eager) && SaysCount(slots.at("own"), own);
}

bool HasAnyGuard(const RelationContext& context, const Slots& slots) {
  return std::any_of(context.program.Code().kernels.begin(), context.program.Code().kernels.end(),
                     [&](const AnswerKernel& kernel) {
                       return std::any_of(kernel.facts.guards.begin(), kernel.facts.guards.end(),
                                          [&](const KernelGuard& guard) {
                                            return guard.leaves &&
                                                   guard.condition == slots.at("condition");
                                          });
                     });
}

}  // namespace

bool RelationContext::IsAbout(const AnswerKernel& kernel) const {
  return kernels.empty() || std::find(kernels.begin(), kernels.end(), kernel.name) != kernels.end();
}

std::vector<const DesignedKernel*> RelationContext::Plans() const {
  std::vector<const DesignedKernel*> plans;
  for (const DesignedKernel& plan : candidate.kernels) {
    const bool named = kernels.empty() ||
                       std::any_of(plan.kernels.begin(), plan.kernels.end(), [&](const auto& name) {
                         return std::find(kernels.begin(), kernels.end(), name) != kernels.end();
                       });
    if (named) plans.push_back(&plan);
  }
  return plans;
}

void AddCodeRelations(std::vector<RelationForm>* forms) {
  const auto add = [&](std::vector<std::string_view> trigger, std::string pattern, auto holds) {
    forms->push_back({std::move(trigger), std::move(pattern), holds});
  };
  const std::vector<std::string_view> in = {"In `"};
  add(in, "In `{kernel}`, threads with `{condition}` return before they access memory.",
      [](const RelationContext& context, const Slots& slots) {
        return HasGuard(context, slots, true);
      });
  add(in, "In `{kernel}`, only threads with `{condition}` store.",
      [](const RelationContext& context, const Slots& slots) {
        return HasGuard(context, slots, false);
      });
  add(in,
      "In `{kernel}`, the loop condition `{condition}` bounds the accesses; a thread whose first "
      "index is beyond the end does no iteration.",
      HasLoopCondition);
  add(in,
      "In `{kernel}`, `{helper}` combines the partial results of the threads with {collectives}.",
      HasHelper);
  add(in, "In {kernels}, {mapping}.", HasMapping);
  add({"starts its loop"},
      "Each thread starts its loop over `{variable}` at `{start}` and continues with `{update}` "
      "while `{condition}`.",
      HasLoop);
  add({"In the code the index"}, "In the code the index is `{name} = {expression}`.", HasIndex);
  const std::vector<std::string_view> launch = {"The launch has"}, grid = {"The grid is"};
  add(launch, "The launch has `{grid}` blocks of {threads} threads.", HasLaunch);
  add(launch, "The launch has one block of {threads} threads.", HasLaunch);
  add(grid, "The grid is `{grid}`, with {threads} threads per block.", HasLaunch);
  const std::vector<std::string_view> blocks = {" elements that is "};
  add(blocks, "For {elements} elements that is {blocks} blocks, all of them full.", CountsBlocks);
  add(blocks, "For {elements} elements that is {blocks} block, all of them full.", CountsBlocks);
  add(blocks,
      "For {elements} elements that is {blocks} block, in which {rest} threads have an "
      "element.",
      CountsBlocks);
  add(blocks,
      "For {elements} elements that is {blocks} blocks; in the last one {rest} threads have an "
      "element.",
      CountsBlocks);
  add({" share `"}, "The threads of a block share `{array}`.", IsShared);
  const std::vector<std::string_view> barrier = {"separates the"};
  add(barrier, "`{barrier}` separates the writes to it from the reads of other threads.",
      HasBarrier<false>);
  add(barrier,
      "`{barrier}` in the loop separates the writes to it from the reads of other threads, in "
      "every iteration; all threads of the block run equally many iterations.",
      HasBarrier<true>);
  const std::vector<std::string_view> makes = {"`forward` makes"};
  add(makes, "`forward` makes {calls} calls: {groups}.", MakesCalls);
  const std::vector<std::string_view> together = {"between them stay in"};
  add(together,
      "{kernels} computes {operators} together, so the values between them stay in registers and "
      "do not pass through global memory.",
      ComputesTogether);
  add(together,
      "{kernels} compute {operators} together, so the values between them stay in registers and "
      "do not pass through global memory.",
      ComputesTogether);
  add({"a missing or wrong"},
      "At these sizes every block is full, so a missing or wrong `{condition}` would go unnoticed: "
      "it has to be tested with a size that is no multiple of the block.",
      HasAnyGuard);
  add({"is addressed by its strides"},
      "`{array}` is addressed by its strides, so that a view needs no copy; its loads are "
      "coalesced only where neighbouring results take neighbouring elements of it.",
      IsStrided);
  const std::vector<std::string_view> rounds = {" elements here need "};
  for (const std::string_view block : {"block", "blocks"}) {
    add(rounds,
        "The {elements} elements here need {blocks} " + std::string(block) +
            ", so no thread goes through its loop a second time; the loop is there for larger "
            "tensors.",
        CountsBlocks);
  }
  for (const std::string_view block : {"block", "blocks"}) {
    add({"At these sizes that is"},
        "At these sizes that is {blocks} " + std::string(block) +
            " for the {multiprocessors} multiprocessors of an {device}, so a part of the device is "
            "idle.",
        HasFewBlocks);
  }
  add({"and wasted"},
      "Of the multiply-adds of the {tiles} tiles, {percent} % are outside of the {rows} x "
      "{columns} "
      "result and wasted.",
      HasTiles);
  for (const std::string_view left : {" block", " blocks"}) {
    for (const std::string_view right : {" block", " blocks"}) {
      add({"instead of once for each of the"},
          "Each element of the left factor is read by {left}" + std::string(left) +
              " and each of the right one by {right}" + std::string(right) +
              ", instead of once for each of the {columns} columns and {rows} rows of the result.",
          HasTiles);
    }
  }
  const std::vector<std::string_view> row = {"A row of `"};
  add(row,
      "A row of `{operator}` has {length} elements, at most one for each of the 32 lanes, so a "
      "block per row would have nearly all of its threads idle.",
      HasRowOfWarp);
  add(row,
      "A row of `{operator}` has {length} elements, at most {most} for each of the 32 lanes; in a "
      "block of 256 threads per row, {none} would have none.",
      HasRowOfWarp);
  add(row,
      "A row of `{operator}` has {length} elements, at most {most} for each of the 32 lanes; a "
      "block of 256 threads would take fewer steps per row, but needs a merge through shared "
      "memory.",
      HasRowOfWarp);
  add(row,
      "A row of `{operator}` has {length} elements for the {threads} threads of a block, so each "
      "thread combines at most {most} of them before the merge.",
      HasRow);
  add(row,
      "A row of `{operator}` has {length} elements for the {threads} threads of a block, so most "
      "of "
      "the time goes into the merge and not into the loads, and a warp per row would do with "
      "shuffles alone.",
      HasRow);
  add({"Eager PyTorch launches"},
      "Eager PyTorch launches at least {eager} kernels for them, this program {own}.",
      SavesLaunches);
}

}  // namespace kernelmill
