#include "generators/graphs/generated_task.h"

#include <cmath>

#include "generators/pytorch/input_draw.h"

namespace kernelmill {
namespace {

// The search ends after so many consecutive indices without a task.
constexpr int kMostMisses = 2000;

std::string_view LayoutName(InputLayout layout) {
  switch (layout) {
    case InputLayout::kContiguous:
      return "contiguous";
    case InputLayout::kTransposed:
      return "transposed";
    case InputLayout::kChannelsLast:
      return "channels_last";
    case InputLayout::kSliced:
      return "sliced";
  }
  return "";
}

Json::Object TypeToJson(const TensorType& type) {
  Json::Array shape;
  for (const std::int64_t size : type.shape) shape.push_back(size);
  return {{"dtype", DTypeName(type.dtype)}, {"shape", std::move(shape)}};
}

}  // namespace

TaskGenerator::TaskGenerator(SamplerOptions options)
    : seed_(options.seed), sampler_(std::move(options)) {}

bool TaskGenerator::Go(std::uint64_t index) {
  index_ = index;
  if (!sampler_.Sample(index)) return false;
  hash_ = hasher_.Hash(sampler_.large());
  return true;
}

bool TaskGenerator::Next() {
  for (int misses = 0; misses < kMostMisses; ++misses) {
    if (!Go(next_++)) continue;
    // 64 bits of the hash suffice: a collision among a million graphs occurs once in 10^7 runs.
    if (seen_.insert(hash_.Prefix64()).second) return true;
  }
  return false;
}

std::string TaskGenerator::Id() const {
  return "s" + std::to_string(seed_) + "-" + std::to_string(index_) + "-" +
         hash_.Hex().substr(0, 12);
}

void TaskGenerator::AppendSource(SourceSizes sizes, std::string* text) {
  source_.Append(sampler_.large(), sampler_.small(), sampler_.names(), sampler_.text_seed(), sizes,
                 text);
}

Json::Object TaskGenerator::AtSizes(SourceSizes sizes) {
  const OperatorGraph& graph = sizes == SourceSizes::kLarge ? sampler_.large() : sampler_.small();
  std::string text;
  AppendSource(sizes, &text);
  Json::Array inputs, outputs;
  for (const Value& value : graph.values()) {
    if (value.role != ValueRole::kInput) continue;
    Json::Object input = TypeToJson(value.type);
    input.emplace("layout", LayoutName(value.layout));
    if (!IsFloating(value.type.dtype)) {
      input.emplace("low", static_cast<std::int64_t>(value.range.low));
      input.emplace("high", static_cast<std::int64_t>(value.range.high) + 1);
    }
    Json::Array names;
    for (int i = 0; i < value.type.shape.rank(); ++i) {
      const std::int16_t variable = value.variables[i];
      const bool symbolic = variable != kNoVariable && graph.sizes()[variable].symbolic;
      names.push_back(symbolic ? Json(graph.sizes()[variable].name) : Json());
    }
    if (sampler_.any_shape()) input.emplace("symbolic", std::move(names));
    inputs.push_back(std::move(input));
  }
  for (const ValueId id : graph.outputs()) outputs.push_back(TypeToJson(graph.value(id).type));
  return {{"reference", std::move(text)},
          {"inputs", std::move(inputs)},
          {"outputs", std::move(outputs)}};
}

Json TaskGenerator::ToJson() {
  Json::Object task = AtSizes(SourceSizes::kLarge);
  Json::Array operators;
  for (const Node& node : sampler_.large().nodes()) operators.push_back(node.op->name);
  task.emplace("id", Id());
  task.emplace("level", sampler_.level());
  task.emplace("operators", std::move(operators));
  task.emplace("flops", sampler_.cost().flops);
  task.emplace("bytes", sampler_.cost().bytes);
  task.emplace("shape_contract", sampler_.any_shape() ? "any_shape" : "fixed_shapes");
  task.emplace("check", AtSizes(SourceSizes::kSmall));
  return task;
}

InputSpec TaskGenerator::SpecOf(ValueId id) const {
  const Value& value = sampler_.large().value(id);
  const SourceName& name = source_.plan().value(id).first_name;
  InputSpec spec;
  spec.name = name.Text();
  spec.dtype = DTypeName(value.type.dtype);
  for (const std::int64_t size : value.type.shape) spec.shape.push_back(size);
  switch (DrawKindOf(value)) {
    case InputDraw::Kind::kNormal:
      spec.draw = "randn";
      break;
    case InputDraw::Kind::kUniform:
      spec.draw = "rand";
      break;
    case InputDraw::Kind::kIntegers:
      spec.draw = "randint";
      spec.low = static_cast<std::int64_t>(std::ceil(value.range.low));
      spec.high = static_cast<std::int64_t>(std::floor(value.range.high)) + 1;
      break;
    case InputDraw::Kind::kBools:
      spec.draw = "bool";
      break;
    case InputDraw::Kind::kConstant:
      spec.draw = value.range.low == 0 ? "zeros" : "ones";
      break;
  }
  return spec;
}

Origin TaskGenerator::ToOrigin() const {
  Origin origin;
  origin.generator = kGeneratorVersion;
  origin.seed = static_cast<std::int64_t>(seed_);
  origin.index = static_cast<std::int64_t>(index_);
  return origin;
}

Record TaskGenerator::ToRecord() {
  Task task;
  std::string small_text;
  AppendSource(SourceSizes::kSmall, &small_text);
  AppendSource(SourceSizes::kLarge, &task.code);
  for (const ValueId id : source_.plan().inputs()) task.inputs.push_back(SpecOf(id));
  task.shape_contract = sampler_.any_shape() ? "any_shape" : "fixed_shapes";
  Record record;
  record.kind = RecordKind::kTask;
  record.payload = task.ToJson();
  record.attributes = {{"name", Id()},
                       {kSmallTextAttribute, std::move(small_text)},
                       {"level", sampler_.level()},
                       {"graph", hash_.Hex()},
                       {kPatternAttribute, hasher_.Hash(sampler_.large(), /*shapes=*/false).Hex()}};
  record.origins = {ToOrigin()};
  record.licences = {{"MIT", LicenceLevel::kGenerator, "LICENSE", std::string(kOwnLicenceBlob)}};
  return record;
}

}  // namespace kernelmill
