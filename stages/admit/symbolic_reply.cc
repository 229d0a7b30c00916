#include "stages/admit/symbolic_reply.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

// The line and variable at which a run had a shape.
struct Place {
  int line = 0;
  std::string name;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Reported {
  std::vector<Place> values;
  std::vector<Place> operators;
};

// Moves "line" and "name" out of the entries; the rest is what SymbolicShapes reads.
Result<std::vector<Place>> TakePlaces(Json* entries, std::string_view rest) {
  std::vector<Place> places;
  Json::Array stripped;
  for (const Json& entry : entries->as_array()) {
    Place place;
    Json shape;
    JsonFields fields(entry, "entry");
    fields.Read("line", &place.line);
    fields.Read("name", &place.name);
    fields.Read(rest, &shape);
    KM_RETURN_IF_ERROR(fields.Finish());
    places.push_back(std::move(place));
    stripped.push_back(std::move(shape));
  }
  *entries = std::move(stripped);
  return places;
}

Result<SymbolicShapes> ReadReply(Json json, Reported* reported) {
  for (const char* key : {"values", "operators"}) {
    const Json* entries = json.Find(key);
    if (entries == nullptr || !entries->is_array()) {
      return Status(ErrorCode::kCorrupt, std::string("no '") + key + "'");
    }
  }
  KM_ASSIGN(reported->values, TakePlaces(&json["values"], "shape"));
  KM_ASSIGN(reported->operators, TakePlaces(&json["operators"], "outputs"));
  json["state"] = "followed";
  Json::Object object;
  for (const auto& [key, value] : json.as_object()) {
    if (key != "end") object[key] = value;
  }
  return SymbolicShapes::FromJson(Json(std::move(object)));
}

bool IsSamePath(const Reported& reported, const SymbolicShapes& shapes,
                const Annotation& annotation) {
  if (reported.values.size() != annotation.values.size() ||
      reported.operators.size() != annotation.operators.size() ||
      shapes.outputs.size() != annotation.outputs.size()) {
    return false;
  }
  for (std::size_t i = 0; i < reported.values.size(); ++i) {
    if (reported.values[i] != Place{annotation.values[i].line, annotation.values[i].name}) {
      return false;
    }
  }
  for (std::size_t i = 0; i < reported.operators.size(); ++i) {
    const OperatorCall& call = annotation.operators[i];
    if (reported.operators[i] != Place{call.line, call.name} ||
        shapes.operators[i].size() != call.outputs.size()) {
      return false;
    }
  }
  return true;
}

std::string TextOf(const SymbolicShape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + shape[i];
  return text + ")";
}

// Describes the first shape that disagrees; empty when all agree.
std::string Disagreement(const SymbolicShapes& shapes, const Task& task,
                         const Annotation& annotation) {
  const SymbolValues values = shapes.Values();
  if (shapes.inputs.size() != task.inputs.size()) return "the number of inputs";
  for (std::size_t i = 0; i < task.inputs.size(); ++i) {
    if (!Agrees(shapes.inputs[i], task.inputs[i].shape, values)) return "inputs";
  }
  for (std::size_t i = 0; i < annotation.values.size(); ++i) {
    if (!Agrees(shapes.values[i], annotation.values[i].tensor.shape, values)) {
      return annotation.values[i].name + " is not " + TextOf(shapes.values[i]);
    }
  }
  for (std::size_t i = 0; i < annotation.operators.size(); ++i) {
    const OperatorCall& call = annotation.operators[i];
    for (std::size_t j = 0; j < call.outputs.size(); ++j) {
      if (!Agrees(shapes.operators[i][j], call.outputs[j].shape, values)) {
        return call.name + " does not give " + TextOf(shapes.operators[i][j]);
      }
    }
  }
  for (std::size_t i = 0; i < annotation.outputs.size(); ++i) {
    if (!Agrees(shapes.outputs[i], annotation.outputs[i].shape, values)) {
      return "the result is not " + TextOf(shapes.outputs[i]);
    }
  }
  for (const std::string& constraint : shapes.constraints) {
    const Result<std::int64_t> rest = EvaluateSize(constraint, values);
    if (!rest.ok() || *rest != 0) return constraint + " is not zero";
  }
  return "";
}

}  // namespace

Result<SymbolicVerdict> JudgeSymbolicReply(const Json& reply, const Task& task,
                                           const Annotation& annotation) {
  SymbolicVerdict verdict;
  verdict.shapes.state = "not_followed";
  if (reply.Find("end")->as_string() != "ran") return verdict;
  Reported reported;
  Result<SymbolicShapes> shapes = ReadReply(reply, &reported);
  if (!shapes.ok()) {
    return Status(ErrorCode::kWorker, shapes.status().message())
        .Within("the torch worker's symbolic reply");
  }
  if (!IsSamePath(reported, *shapes, annotation)) {
    verdict.shapes.state = "other_path";
    return verdict;
  }
  verdict.disagreement = Disagreement(*shapes, task, annotation);
  if (verdict.disagreement.empty()) verdict.shapes = std::move(shapes).value();
  return verdict;
}

}  // namespace kernelmill
