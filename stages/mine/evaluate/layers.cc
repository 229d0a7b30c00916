// Layers of torch.nn: their construction, and the shapes of their results.
#include <algorithm>

#include "stages/mine/evaluate/evaluator.h"
#include "stages/mine/evaluate/layer_signatures.h"

namespace kernelmill {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

KnownValue* Evaluator::MakeLayer(const std::string& full, const Arguments& arguments,
                                 const Keywords& keywords) {
  KnownValue* layer = New(ValueKind::kLayer);
  layer->text = full.substr(full.rfind('.') + 1);
  layer->attributes = keywords;
  const std::string& name = layer->text;
  if (name == "Sequential" || name == "ModuleList" || name == "ModuleDict" ||
      name == "ParameterList") {
    layer->attributes.clear();
    // Sequential(OrderedDict([("conv", Conv2d(…)), …])).
    const bool pairs =
        name == "Sequential" && arguments.size() == 1 && arguments[0]->Is(ValueKind::kSequence);
    const bool single = arguments.size() == 1 && name != "Sequential";
    layer->items = arguments;
    if (pairs) {
      layer->items.clear();
      for (const KnownValue* pair : arguments[0]->items) {
        const bool named = pair->Is(ValueKind::kSequence) && pair->items.size() == 2;
        layer->items.push_back(named ? pair->items[1] : Unknown());
      }
    }
    if (!arguments.empty() && arguments[0]->Is(ValueKind::kDictionary)) {
      layer->items.clear();
      for (const auto& [key, item] : arguments[0]->attributes) layer->items.push_back(item);
      layer->attributes = arguments[0]->attributes;
    } else if (single) {
      const auto items = Iterate(arguments[0]);
      layer->items = items.value_or(std::vector<KnownValue*>());
      if (!items) return Unknown();
    }
    return layer;
  }
  const std::span<const std::string_view> parameters = LayerParameters(name);
  for (std::size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i) {
    if (!parameters[i].empty()) layer->attributes[std::string(parameters[i])] = arguments[i];
  }
  for (const auto& [parameter, value] : layer->attributes) FillFrom(value, parameter);
  const auto integer = [&](std::string_view parameter) -> std::optional<std::int64_t> {
    const auto found = layer->attributes.find(parameter);
    return found == layer->attributes.end() ? std::nullopt : AsInteger(found->second);
  };
  // Arguments that torch rejects.
  const auto groups = integer("groups"), channels = integer("in_channels");
  if (groups && channels && *groups > 0 && *channels % *groups != 0) Conflict();
  const auto heads = integer("num_heads"), width = integer("embed_dim");
  if (heads && width && *heads > 0 && *width % *heads != 0) Conflict();
  const auto parts = integer("num_groups"), normed = integer("num_channels");
  if (parts && normed && *parts > 0 && *normed % *parts != 0) Conflict();
  return layer;
}

KnownValue* Evaluator::ApplyLayer(KnownValue* layer, const Arguments& arguments,
                                  const Keywords& keywords) {
  const std::string& name = layer->text;
  if (arguments.empty()) return Unknown();
  KnownValue* input = arguments[0];
  const auto dim = [&](std::string_view parameter) -> Dim {
    const auto found = layer->attributes.find(parameter);
    return found == layer->attributes.end() ? solver_.Fresh() : AsDim(found->second);
  };
  if (name == "Sequential") {
    KnownValue* value = input;
    for (KnownValue* item : layer->items) value = Call(item, {value}, {});
    return value;
  }
  if (name == "MultiheadAttention" || name.starts_with("Transformer")) {
    return ApplyAttention(layer, arguments, keywords);
  }
  if (!input->Is(ValueKind::kTensor)) return Unknown();
  if (name == "Linear") {
    EquateLast(input, dim("in_features"), Evidence::kLayer);
    return WithLast(input, dim("out_features"));
  }
  if (name == "LazyLinear") return WithLast(input, dim("out_features"));
  if (name == "Embedding") {
    const auto size = layer->attributes.find("num_embeddings");
    const auto high = size == layer->attributes.end() ? std::nullopt : AsInteger(size->second);
    MarkIndices(input, high.value_or(0));
    // Unless something else is known, ids have the shape (batch, sequence).
    KnownValue* ids = input->ranked ? input : Ranked(input, 2, Evidence::kLayer);
    if (ids == nullptr) return Unknown();
    std::vector<Dim> dims = ids->dims;
    dims.push_back(dim("embedding_dim"));
    return Tensor(std::move(dims));
  }
  const int spatial = SpatialDimensions(name);
  if (name.starts_with("Conv"))
    return ApplyConvolution(layer, input, spatial, Contains(name, "Transpose"));
  if (Contains(name, "Norm")) return ApplyNorm(layer, input);
  if (name == "GRU" || name == "LSTM" || name == "RNN") return ApplyRecurrent(layer, input);
  if (name == "GRUCell") {
    EquateLast(input, dim("input_size"), Evidence::kLayer);
    KnownValue* ranked = Ranked(input, 2, Evidence::kLayer);
    if (ranked == nullptr) return Unknown();
    if (arguments.size() > 1 && arguments[1]->Is(ValueKind::kTensor)) {
      EquateLast(arguments[1], dim("hidden_size"), Evidence::kLayer);
    }
    return Tensor({ranked->dims[0], dim("hidden_size")});
  }
  if (Contains(name, "Pool") && spatial > 0) return ApplyPool(layer, input, spatial);
  if ((name.starts_with("Upsample") || Contains(name, "Pad") || Contains(name, "PixelShuffle") ||
       Contains(name, "PixelUnshuffle")) &&
      !name.starts_with("Dropout")) {
    if (name.starts_with("Pixel")) {
      KnownValue* ranked = Ranked(input, 4, Evidence::kLayer);
      if (ranked == nullptr) return Unknown();
      const auto found =
          layer->attributes.find(name == "PixelShuffle" ? "upscale_factor" : "downscale_factor");
      const auto factor =
          found == layer->attributes.end() ? std::nullopt : AsInteger(found->second);
      const Dim channels = solver_.Fresh();
      std::vector<Dim> dims = {ranked->dims[0], channels};
      if (factor && name == "PixelShuffle") {
        solver_.AddProduct(ranked->dims[1], channels, solver_.Constant(*factor * *factor));
      } else if (factor) {
        solver_.AddProduct(channels, ranked->dims[1], solver_.Constant(*factor * *factor));
        solver_.AddFactor(ranked->dims[2], *factor);
        solver_.AddFactor(ranked->dims[3], *factor);
      }
      dims.push_back(solver_.Fresh());
      dims.push_back(solver_.Fresh());
      return Tensor(std::move(dims));
    }
    if (spatial > 0 && Contains(name, "Pad")) Ranked(input, spatial + 2, Evidence::kLayer);
    if (!input->ranked) return Unknown();
    std::vector<Dim> dims(
        input->dims.begin(),
        input->dims.begin() + std::min<long>(2, static_cast<long>(input->dims.size())));
    while (dims.size() < input->dims.size()) dims.push_back(solver_.Fresh());
    return Tensor(std::move(dims));
  }
  if (name == "Rearrange" || name == "Reduce") {
    const auto pattern = layer->attributes.find("pattern");
    if (pattern == layer->attributes.end()) return Unknown();
    return Rearrange(input, pattern->second->text, layer->attributes, name == "Rearrange");
  }
  if (name == "Flatten") {
    const auto first = layer->attributes.find("start_dim"),
               last = layer->attributes.find("end_dim");
    Arguments all = {input, first == layer->attributes.end() ? Integer(1) : first->second};
    if (last != layer->attributes.end()) all.push_back(last->second);
    return Operate("flatten", all, {});
  }
  if (name == "Unflatten" || name == "Fold" || name == "Unfold" || name == "Bilinear" ||
      name == "LSTMCell" || name == "ModuleList" || name == "ModuleDict" ||
      Contains(name, "Loss")) {
    if (Contains(name, "Loss") && arguments.size() > 1) return Operate(name, arguments, {});
    return Unknown();
  }
  if (name == "Dropout2d") Ranked(input, 4, Evidence::kLayer);
  // GLU halves its input; all other layers (activations, dropout, softmax, identity) keep the
  // shape.
  if (name == "GLU" && input->ranked && !input->dims.empty()) {
    const Dim half = solver_.Fresh();
    solver_.AddProduct(input->dims.back(), half, solver_.Constant(2));
    return WithLast(input, half);
  }
  KnownValue* result = New(ValueKind::kTensor);
  *result = *input;
  if (name != "Identity") result->origin = -1;
  return result;
}

// The number of positions of a window that moves over a dimension.
Dim Evaluator::Windowed(Dim size, std::optional<std::int64_t> kernel,
                        std::optional<std::int64_t> stride, std::optional<std::int64_t> padding,
                        std::optional<std::int64_t> dilation) {
  const Dim result = solver_.Fresh();
  if (!kernel || !stride || !padding || !dilation || *stride < 1) return result;
  const std::int64_t lost = *dilation * (*kernel - 1) - 2 * *padding;
  if (*stride == 1 && lost == 0) return size;
  if (*stride == 1) {
    solver_.AddSum(result, size, -lost);
  } else if (const auto known = solver_.KnownValue(size)) {
    const std::int64_t count = (*known - lost - 1) / *stride + 1;
    if (count > 0) solver_.Choose(result, count, Evidence::kLayer);
  } else if (lost >= 0 && lost < *stride) {
    // Patches and downsampling: the size is taken to be a multiple of the stride.
    solver_.AddProduct(size, result, solver_.Constant(*stride));
  }
  return result;
}

KnownValue* Evaluator::ApplyPool(KnownValue* layer, KnownValue* input, int spatial) {
  KnownValue* ranked = Ranked(input, spatial + 2, Evidence::kLayer);
  if (ranked == nullptr) return Unknown();
  const auto attribute = [&](std::string_view name) -> const KnownValue* {
    const auto found = layer->attributes.find(name);
    return found == layer->attributes.end() ? nullptr : found->second;
  };
  std::vector<Dim> dims(ranked->dims.begin(), ranked->dims.begin() + 2);
  const KnownValue* wanted = attribute("output_size");
  const auto kernel = AsInteger(attribute("kernel_size"));
  const KnownValue* step = attribute("stride");
  const auto stride = step == nullptr || step->Is(ValueKind::kNone) ? kernel : AsInteger(step);
  const KnownValue* pad = attribute("padding");
  const auto padding = pad == nullptr ? std::optional<std::int64_t>(0) : AsInteger(pad);
  for (int i = 0; i < spatial; ++i) {
    if (wanted != nullptr) {
      dims.push_back(AsInteger(wanted) ? AsDim(wanted) : solver_.Fresh());
    } else {
      dims.push_back(Windowed(ranked->dims[2 + i], kernel, stride, padding, 1));
    }
  }
  return Tensor(std::move(dims));
}

KnownValue* Evaluator::ApplyConvolution(KnownValue* layer, KnownValue* input, int spatial,
                                        bool transposed) {
  KnownValue* ranked = Ranked(input, spatial + 2, Evidence::kLayer);
  if (ranked == nullptr) return Unknown();
  const auto attribute = [&](std::string_view name) -> KnownValue* {
    const auto found = layer->attributes.find(name);
    return found == layer->attributes.end() ? nullptr : found->second;
  };
  if (const KnownValue* channels = attribute("in_channels")) {
    solver_.Equate(ranked->dims[1], AsDim(channels), Evidence::kLayer);
  }
  const KnownValue* out = attribute("out_channels");
  std::vector<Dim> dims = {ranked->dims[0], out != nullptr ? AsDim(out) : solver_.Fresh()};
  const auto of = [&](std::string_view name, int axis, std::int64_t otherwise) {
    const KnownValue* value = attribute(name);
    if (value == nullptr) return std::optional<std::int64_t>(otherwise);
    if (value->Is(ValueKind::kSequence)) {
      return axis < static_cast<int>(value->items.size()) ? AsInteger(value->items[axis])
                                                          : std::nullopt;
    }
    return AsInteger(value);
  };
  for (int axis = 0; axis < spatial; ++axis) {
    const Dim size = ranked->dims[2 + axis];
    const auto kernel = of("kernel_size", axis, 1), stride = of("stride", axis, 1);
    const auto padding = of("padding", axis, 0), dilation = of("dilation", axis, 1);
    const KnownValue* pad = attribute("padding");
    const bool same = pad != nullptr && pad->Is(ValueKind::kString) && pad->text == "same";
    if (same) {
      dims.push_back(size);
    } else if (!transposed) {
      dims.push_back(Windowed(size, kernel, stride, padding, dilation));
    } else {
      const Dim result = solver_.Fresh();
      if (kernel && stride && *kernel == *stride && padding.value_or(1) == 0) {
        solver_.AddProduct(result, size, solver_.Constant(*stride));
      }
      dims.push_back(result);
    }
  }
  return Tensor(std::move(dims));
}

KnownValue* Evaluator::ApplyNorm(KnownValue* layer, KnownValue* input) {
  const std::string& name = layer->text;
  const auto attribute = [&](std::string_view parameter) -> KnownValue* {
    const auto found = layer->attributes.find(parameter);
    return found == layer->attributes.end() ? nullptr : found->second;
  };
  if (name == "LayerNorm" || name == "RMSNorm") {
    const KnownValue* shape = attribute("normalized_shape");
    if (shape == nullptr) return input;
    if (!shape->Is(ValueKind::kSequence)) {
      EquateLast(input, AsDim(shape), Evidence::kLayer);
    } else if (input->ranked && shape->items.size() <= input->dims.size()) {
      const std::size_t offset = input->dims.size() - shape->items.size();
      for (std::size_t i = 0; i < shape->items.size(); ++i) {
        solver_.Equate(input->dims[offset + i], AsDim(shape->items[i]), Evidence::kLayer);
      }
    } else if (!shape->items.empty()) {
      EquateLast(input, AsDim(shape->items.back()), Evidence::kLayer);
    }
    KnownValue* result = New(ValueKind::kTensor);
    *result = *input;
    result->origin = -1;
    return result;
  }
  const int spatial = SpatialDimensions(name);
  KnownValue* ranked = input;
  if (spatial >= 2) ranked = Ranked(input, spatial + 2, Evidence::kLayer);
  if (spatial == 1 && !input->ranked) ranked = Ranked(input, 2, Evidence::kLayer);
  // GroupNorm takes any rank from two up, and is mostly used for images.
  if (name == "GroupNorm" && !input->ranked) ranked = Ranked(input, 4, Evidence::kLayer);
  if (ranked == nullptr || !ranked->ranked || ranked->dims.size() < 2) return input;
  const KnownValue* channels = attribute(name == "GroupNorm" ? "num_channels" : "num_features");
  if (channels != nullptr) solver_.Equate(ranked->dims[1], AsDim(channels), Evidence::kLayer);
  return Tensor(ranked->dims);
}

KnownValue* Evaluator::ApplyRecurrent(KnownValue* layer, KnownValue* input) {
  KnownValue* ranked = Ranked(input, 3, Evidence::kLayer);
  if (ranked == nullptr) return Unknown();
  const auto attribute = [&](std::string_view name) {
    const auto found = layer->attributes.find(name);
    return found == layer->attributes.end() ? Unknown() : found->second;
  };
  solver_.Equate(ranked->dims[2], AsDim(attribute("input_size")), Evidence::kLayer);
  const auto hidden = AsInteger(attribute("hidden_size"));
  const bool both = Truth(attribute("bidirectional")).value_or(false);
  const Dim width = hidden ? solver_.Constant(*hidden * (both ? 2 : 1)) : solver_.Fresh();
  KnownValue* state = Tensor({solver_.Fresh(), solver_.Fresh(), solver_.Fresh()});
  KnownValue* states = layer->text == "LSTM" ? Sequence({state, state}) : state;
  return Sequence({Tensor({ranked->dims[0], ranked->dims[1], width}), states});
}

KnownValue* Evaluator::ApplyAttention(KnownValue* layer, const Arguments& arguments,
                                      const Keywords& keywords) {
  if (layer->text == "TransformerEncoder") {
    const auto inner = layer->attributes.find("encoder_layer");
    return inner == layer->attributes.end() ? arguments[0]
                                            : ApplyLayer(inner->second, arguments, keywords);
  }
  const auto width =
      layer->attributes.find(layer->text == "MultiheadAttention" ? "embed_dim" : "d_model");
  Arguments tensors = arguments;
  for (const char* name : {"query", "key", "value", "src", "tgt", "memory"}) {
    const auto found = keywords.find(name);
    if (found != keywords.end()) tensors.push_back(found->second);
  }
  std::vector<KnownValue*> ranked;
  for (KnownValue* tensor : tensors) {
    if (!tensor->Is(ValueKind::kTensor)) continue;
    KnownValue* made = Ranked(tensor, 3, Evidence::kLayer);
    if (made == nullptr) return Unknown();
    if (width != layer->attributes.end()) {
      solver_.Equate(made->dims[2], AsDim(width->second), Evidence::kLayer);
    }
    ranked.push_back(made);
  }
  if (ranked.empty()) return Unknown();
  const auto first = layer->attributes.find("batch_first");
  const bool batch_first = first != layer->attributes.end() && Truth(first->second).value_or(false);
  const int batch = batch_first ? 0 : 1, length = batch_first ? 1 : 0;
  for (KnownValue* tensor : ranked) {
    solver_.Equate(tensor->dims[batch], ranked[0]->dims[batch], Evidence::kLayer);
  }
  if (ranked.size() > 2)
    solver_.Equate(ranked[1]->dims[length], ranked[2]->dims[length], Evidence::kLayer);
  KnownValue* output = Tensor(ranked[0]->dims);
  if (layer->text != "MultiheadAttention") return output;
  return Sequence({output, Unknown()});
}

}  // namespace kernelmill
