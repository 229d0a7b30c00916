// The text of checks for generated tasks.
#include "generators/checks/check_text.h"

#include <gmock/gmock.h>

#include <set>

#include "corpora/operators/aten_names.h"
#include "parsers/syntax_tree.h"
#include "tests/generators/task_rows/generated_known_task.h"

namespace kernelmill {
namespace {

// Makes every size of the inputs symbolic and independent of the others.
void MakeSizesSymbolic(KnownTask* known) {
  known->task.shape_contract = "any_shape";
  SymbolicShapes& shapes = known->facts.symbolic;
  shapes = {.state = "followed"};
  for (const InputSpec& input : known->task.inputs) {
    SymbolicShape shape;
    for (const std::int64_t size : input.shape) {
      shapes.symbols.push_back({"s" + std::to_string(shapes.symbols.size()), size});
      shape.push_back(shapes.symbols.back().name);
    }
    shapes.inputs.push_back(shape);
  }
}

TEST(CheckText, IsPythonWhateverIsChosen) {
  TaskGenerator generator({.seed = 9, .levels = {1, 2}});
  std::set<std::string> forms, aspects;
  for (int i = 0; i < 60 && generator.Next(); ++i) {
    KnownTask known = KnownTaskOf(&generator, 1);
    if (i % 2 == 0) MakeSizesSymbolic(&known);
    for (int attempt = 0; attempt < 4; ++attempt) {
      const Wording wording(known.id, attempt);
      const CheckPlan plan = PlanCheck(known, attempt % 2 == 0 ? "cuda" : "musa", wording);
      const CheckText check = WriteCheck(plan, wording);
      forms.insert(check.construction);
      for (const CheckAspect& aspect : plan.Aspects(wording)) {
        aspects.insert(aspect.name);
        EXPECT_FALSE(aspect.what.empty());
        EXPECT_FALSE(aspect.why.empty());
      }
      EXPECT_FALSE(SyntaxTree::Parse(Grammar::kPython, check.code).Root().HasError()) << check.code;
      // Every hole is filled, and the text names no device but the requested one.
      EXPECT_EQ(check.code.find('@'), std::string::npos) << check.code;
      EXPECT_EQ(check.code.find(attempt % 2 == 0 ? "musa" : "cuda"), std::string::npos);
      EXPECT_THAT(check.code, testing::HasSubstr("\ndef check(ModelNew):\n"));
      EXPECT_EQ(check.code.find("\n\n\n\n"), std::string::npos) << check.code;
      EXPECT_EQ(WriteCheck(plan, wording).code, check.code);
    }
  }
  // There are five ways to iterate over cases, and several to compare each kind of result.
  EXPECT_GE(forms.size(), 20u);
  for (const char* const name : {"fresh_values", "tails", "single", "layout", "offset", "signs",
                                 "large_values", "last_term", "inputs_kept", "second_call"}) {
    EXPECT_TRUE(aspects.contains(name)) << name;
  }
}

// A size cannot be reduced when another size or a divisor depends on it.
TEST(CheckPlan, LeavesSizesAloneThatOthersFollow) {
  KnownTask known;
  known.task.inputs = {{.name = "x", .dtype = "float32", .shape = {8, 6}, .draw = "randn"},
                       {.name = "y", .dtype = "float32", .shape = {16}, .draw = "randn"}};
  known.task.shape_contract = "any_shape";
  known.facts.outputs = {{{8, 6}, "float32", {6, 1}}};
  known.facts.symbolic = {.state = "followed",
                          .symbols = {{"s0", 8}, {"s1", 6}},
                          .inputs = {{"s0", "s1"}, {"2*s0"}},
                          .constraints = {"s1 % 2"}};
  for (int seed = 0; seed < 50; ++seed) {
    for (const CheckCase& item :
         PlanCheck(known, "cuda", Wording(DigestOf("task"), seed)).cases) {
      EXPECT_NE(item.aspect.name, "tails");
      EXPECT_NE(item.aspect.name, "single");
    }
  }
}

// A task with one float32 input of this shape, whose only operator is `name`.
KnownTask TaskOf(const std::string& name, const std::string& dtype = "float32") {
  KnownTask known;
  known.task.inputs = {{.name = "x", .dtype = "float32", .shape = {8, 6}, .draw = "randn"}};
  const TensorFacts tensor = {{8, 6}, "float32", {6, 1}};
  known.facts.operators = {{1, name, {tensor}}};
  if (dtype != "float32") known.facts.operators[0].outputs.push_back({{8}, dtype, {1}});
  known.facts.outputs = {tensor};
  known.facts.aten = {{"aten." + name, 1}};
  return known;
}

std::set<std::string> ValueAspects(const KnownTask& known) {
  std::set<std::string> names;
  for (const CheckCase& item : ValueCases(known, {"x"}, Wording(DigestOf("task"), 1))) {
    names.insert(item.aspect.name);
  }
  return names;
}

// Values are only chosen for what the operators can get wrong with them.
TEST(CheckPlan, GivesAnInputAnotherLayoutThanItsOwn) {
  KnownTask known;
  known.id = DigestOf("task");
  known.task.inputs = {{.name = "x", .dtype = "float32", .shape = {6, 8}, .draw = "own"}};
  known.facts.outputs = {{{6, 8}, "float32", {8, 1}}};
  const auto layout = [&](std::vector<std::int64_t> stride) -> std::string {
    known.facts.values = {{1, "x", {{6, 8}, "float32", std::move(stride)}}};
    for (const CheckCase& one : PlanCheck(known, "cuda", Wording(known.id, 1)).cases) {
      if (one.aspect.name == "layout") return one.inputs[0];
    }
    return "";
  };
  EXPECT_EQ(layout({8, 1}), "x.transpose(-2, -1).contiguous().transpose(-2, -1)");
  EXPECT_EQ(layout({1, 6}), "x.contiguous()");
}

TEST(CheckPlan, MovesAnInputByOneElement) {
  KnownTask known;
  known.id = DigestOf("task");
  known.task.inputs = {{.name = "x", .dtype = "float32", .shape = {64, 128}, .draw = "own"}};
  known.facts.outputs = {{{64, 128}, "float32", {128, 1}}};
  int seen = 0;
  for (int seed = 0; seed < 10; ++seed) {
    for (const CheckCase& one : PlanCheck(known, "cuda", Wording(known.id, seed)).cases) {
      if (one.aspect.name != "offset") continue;
      ++seen;
      // Not by a row, which may be a multiple of 16 bytes.
      EXPECT_EQ(one.inputs[0], "torch.cat([x.flatten()[:1], x.flatten()])[1:].view(x.shape)");
    }
  }
  EXPECT_GT(seen, 0);
}

TEST(CheckPlan, MakesAllFreeSizesOddTogether) {
  KnownTask known;
  known.id = DigestOf("task");
  known.task.shape_contract = "any_shape";
  known.task.inputs = {{.name = "x", .dtype = "float32", .shape = {64, 128}, .draw = "own"}};
  known.facts.outputs = {{{64, 128}, "float32", {128, 1}}};
  known.facts.symbolic = {
      .state = "followed", .symbols = {{"s0", 64}, {"s1", 128}}, .inputs = {{"s0", "s1"}}};
  int seen = 0;
  for (int seed = 0; seed < 10; ++seed) {
    for (const CheckCase& one : PlanCheck(known, "cuda", Wording(known.id, seed)).cases) {
      if (one.aspect.name != "tails") continue;
      ++seen;
      EXPECT_EQ(one.inputs[0], "(x[:-1])[:, :-1]");
      EXPECT_THAT(one.aspect.what, testing::HasSubstr("63 and 127 instead of 64 and 128"));
    }
  }
  EXPECT_GT(seen, 0);
}

TEST(CheckText, SpreadsWeightsThatBeginAsOneConstant) {
  KnownTask known = TaskOf("prelu");
  known.facts.parameters = {{"activation.weight", {8}, "float32"}};
  const Wording wording(known.id, 1);
  const std::string code = WriteCheck(PlanCheck(known, "cuda", wording), wording).code;
  EXPECT_THAT(code, testing::HasSubstr("reference = spread(Model("));
  EXPECT_THAT(code, testing::HasSubstr("candidate = spread(ModelNew("));
  known.facts.parameters = {{"proj.weight", {8, 8}, "float32"}, {"proj.bias", {8}, "float32"}};
  EXPECT_THAT(WriteCheck(PlanCheck(known, "cuda", wording), wording).code,
              testing::Not(testing::HasSubstr("spread")));
}

TEST(CheckPlan, TriesTheValuesThatTheOperatorsCanGetWrong) {
  using Names = std::set<std::string>;
  EXPECT_EQ(ValueAspects(TaskOf("div")), Names{});
  EXPECT_EQ(ValueAspects(TaskOf("mul")), Names{});
  EXPECT_EQ(ValueAspects(TaskOf("amax")), Names{"signs"});
  EXPECT_EQ(ValueAspects(TaskOf("max", "int64")), (Names{"signs", "ties"}));
  EXPECT_EQ(ValueAspects(TaskOf("sum")), Names{});
  EXPECT_EQ(ValueAspects(TaskOf("softmax")), Names{"large_values"});
  EXPECT_EQ(ValueAspects(TaskOf("layer_norm")), (Names{"small_values", "zeros"}));
  EXPECT_EQ(ValueAspects(TaskOf("batch_norm")), Names{});
  EXPECT_EQ(ValueAspects(TaskOf("sort")), Names{"ties"});
  EXPECT_EQ(ValueAspects(TaskOf("relu")), Names{"signs"});
  EXPECT_EQ(ValueAspects(TaskOf("matmul")), Names{"last_term"});
  // The inputs no longer reach a maximum behind a product as they are.
  KnownTask known = TaskOf("matmul");
  known.facts.operators.push_back({2, "amax", {{{8}, "float32", {1}}}});
  EXPECT_EQ(ValueAspects(known), Names{"last_term"});
}

// Only allocations, views and copies may run, however the candidate spells what it calls.
TEST(CheckPlan, RefusesEveryOperatorThatComputes) {
  for (const std::string_view name : LayoutAtenNames()) {
    EXPECT_TRUE(IsAtenBookkeeping(name) || IsAtenView(name) || IsAtenCopy(name) || IsAtenJoin(name))
        << name;
  }
  int seen = 0;
  for (int seed = 0; seed < 40; ++seed) {
    const Wording wording(DigestOf("task"), seed);
    KnownTask known = TaskOf("matmul");
    const CheckPlan plan = PlanCheck(known, "cuda", wording);
    const std::string code = WriteCheck(plan, wording).code;
    if (plan.calls_again) EXPECT_THAT(code, testing::HasSubstr("first = got.clone()"));
    if (plan.allowed_operators.empty()) continue;
    ++seen;
    EXPECT_THAT(plan.allowed_operators, testing::Contains("cat"));
    EXPECT_THAT(plan.allowed_operators, testing::Not(testing::Contains("mm")));
    EXPECT_THAT(code, testing::HasSubstr("refused = operators.names - ALLOWED"));
    known.facts.aten.push_back({"aten.cat", 1});
    EXPECT_THAT(PlanCheck(known, "cuda", wording).allowed_operators,
                testing::Not(testing::Contains("cat")));
  }
  EXPECT_GT(seen, 5);
}

}  // namespace
}  // namespace kernelmill
