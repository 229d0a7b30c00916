#include "generators/lowering/rows/row_writer.h"

#include "generators/lowering/element_writer.h"
#include "manifests/is_one_of.h"

namespace kernelmill {

DeviceDefinition WarpMerge() {
  return {"warp_merge", FillHoles(R"(
// Merges what the lanes of a warp hold; every lane gets the result.
template <typename State>
__device__ State warp_merge(State state) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) state.merge(shuffled(state, offset));
  return state;
}
)",
                                  {})};
}

DeviceDefinition BlockMerge() {
  return {"block_merge", FillHoles(R"(
// Merges what the threads of a block hold, warp by warp; every thread gets the result. `scratch`:
// one state per warp, in shared memory.
template <typename State>
__device__ State block_merge(State state, State* scratch) {
  state = warp_merge(state);
  // Wait until the previous reads of the scratch have finished.
  __syncthreads();
  if (threadIdx.x % warpSize == 0) scratch[threadIdx.x / warpSize] = state;
  __syncthreads();
  state = scratch[0];
  for (int warp = 1; warp < static_cast<int>(blockDim.x) / warpSize; ++warp) {
    state.merge(scratch[warp]);
  }
  return state;
}
)",
                                   {})};
}

void RowWriter::AddStates(DeviceDefinitions* definitions, bool merged) const {
  for (const RowPass& pass : spec_.passes) {
    const DeviceDefinition state{pass.state.name, pass.state.Definition(scope_.index(), merged)};
    if (!IsOneOf(state, *definitions)) definitions->push_back(state);
  }
}

void RowWriter::AddShuffledStates(DeviceDefinitions* definitions) const {
  AddStates(definitions, true);
  for (const RowPass& pass : spec_.passes) {
    const DeviceDefinition shuffle{pass.state.name + " shuffled", pass.state.Shuffle()};
    if (!IsOneOf(shuffle, *definitions)) definitions->push_back(shuffle);
  }
}

std::int64_t RowWriter::StateBytes() const {
  std::int64_t bytes = 0;
  for (const RowPass& pass : spec_.passes) {
    for (const RowAccumulator::Field& field : pass.state.fields)
      bytes += field.type == "int64_t" ? 8 : 4;
  }
  return bytes;
}

std::string RowWriter::Load() {
  const std::string place = Place();
  const Coordinates at = scope_.At(scope_.Sizes(spec_.input), place);
  ElementWriter writer(&scope_);
  std::string value;
  if (spec_.loss) {
    std::vector<std::string> elements;
    for (const ValueId id : scope_.graph().operands(scope_.head())) {
      elements.push_back(writer.Element(id, at));
    }
    writer.Line("const float value = " + writer.Expression(scope_.head(), elements) + ";");
    value = "value";
  } else {
    value = writer.Element(spec_.input, at);
  }
  std::string text = WithAxes(scope_, at, writer);
  // The last statement declares the element; rename its variable to `value`.
  const std::size_t name = text.rfind(' ' + value + " = ");
  if (name != text.npos && value != "value") text.replace(name + 1, value.size(), "value");
  if (place != "at") return text;
  return "const " + scope_.index() + " at = " + spec_.geometry.Position() + ";\n" + text;
}

std::string RowWriter::Place() const { return spec_.geometry.Position() == "k" ? "k" : "at"; }

// Two passes with the same kind of state use two variables.
std::string RowWriter::Add(const RowPass& pass) {
  return pass.variable + ".add(" + pass.added + (pass.state.indexed ? ", k" : "") + ");\n";
}

std::string RowWriter::Results(std::vector<std::string>* names) {
  std::string text = spec_.prepare;
  const Node& head = scope_.head();
  for (std::size_t r = 0; r < spec_.results.size(); ++r) {
    const ValueId id = head.first_result + static_cast<ValueId>(r);
    const std::string name = r == 0 ? "result" : "index";
    text += "const " + scope_.Scalar(id).compute + ' ' + name + " = " + spec_.results[r] + ";\n";
    names->push_back(name);
  }
  return text;
}

std::string RowWriter::Store(const std::string& linear) {
  std::vector<std::string> names;
  std::string text = Results(&names);
  const Coordinates at = scope_.At(scope_.Sizes(scope_.group().outputs[0]), linear);
  ElementWriter writer(&scope_);
  const Node& head = scope_.head();
  if (!spec_.one_result_per_row) writer.Define(spec_.input, at, "value");
  for (std::size_t r = 0; r < names.size(); ++r) {
    writer.DefineResult(head.first_result + static_cast<ValueId>(r), at, names[r]);
  }
  for (const ValueId id : scope_.group().outputs) writer.Store(id, at);
  const std::string stored = WithAxes(scope_, at, writer);
  // Results that are not stored are not computed.
  std::string kept;
  std::size_t begin = 0;
  for (const std::string& name : names) {
    const std::size_t end = text.find(";\n", text.find(' ' + name + " = ", begin)) + 2;
    if (UsesName(stored, name)) kept += text.substr(begin, end - begin);
    begin = end;
  }
  return kept + stored;
}

void RowWriter::AddReasons(CallPlan* plan) const {
  for (const RowPass& pass : spec_.passes) {
    if (pass.state.name == "Moments") {
      plan->reasons.push_back({"Welford's moments",
                               "it computes mean and variance while it reads the row once, "
                               "without the cancellation of a difference of sums"});
    }
    if (pass.state.name == "OnlineExponentials") {
      plan->reasons.push_back({"an online sum of exponentials",
                               "it computes the maximum and the sum while it reads "
                               "the row once"});
    }
  }
}

}  // namespace kernelmill
