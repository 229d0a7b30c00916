#include "generators/graphs/models.h"

#include "generators/graphs/blocks.h"

namespace kernelmill {
namespace {

ValueId Image(GraphDraft* d, bool colours) {
  Draw& draw = d->draw();
  const SizePair channels = colours ? SizePair{3, 3} : SizePair{16 * draw.Integer(2, 16), 8};
  const SizePair side = DrawSide(&draw);
  const std::int16_t batch = d->Size("batch_size", std::int64_t{1} << draw.Integer(1, 5), 2);
  const std::array sizes{batch, d->Size("in_channels", channels.large, channels.small),
                         d->NewSize("height", side.large, side.small),
                         d->NewSize("width", side.large, side.small)};
  return d->Input("x", DType::kFloat32, sizes, Range::Normal(1));
}

// Of a width that `heads` divides at both sizes.
ValueId Sequence(GraphDraft* d, int* heads) {
  Draw& draw = d->draw();
  *heads = 1 << draw.Integer(1, 4);
  const std::int64_t head = 32 * draw.Integer(1, 4);
  const SizePair length{64 * draw.Integer(1, 16) + (draw.Chance(0.15) ? 1 : 0), draw.Integer(5, 9)};
  const std::array sizes{d->Size("batch_size", std::int64_t{1} << draw.Integer(1, 5), 2),
                         d->Size("seq_len", length.large, length.small),
                         d->Size("embed_dim", *heads * head, *heads * 4)};
  const bool half = draw.Chance(0.2);
  return d->Input("x", half ? DType::kBFloat16 : DType::kFloat32, sizes, Range::Normal(1));
}

ValueId ImageBlock(GraphDraft* d, ValueId x) {
  switch (d->draw().Index(5)) {
    case 0:
      return ResidualBlock(d, x);
    case 1:
      return BottleneckBlock(d, x);
    case 2:
      return InvertedResidualBlock(d, x);
    case 3:
      return SqueezeExcite(d, x);
    default:
      return ConvolutionBlock(d, x, d->VariableAt(x, 1));
  }
}

ValueId SequenceBlock(GraphDraft* d, ValueId x, int heads) {
  switch (d->draw().Index(4)) {
    case 0:
      return MlpBlock(d, x);
    case 1:
      return GatedMlpBlock(d, x);
    case 2:
      return AttentionBlock(d, x, heads);
    default:
      return EncoderLayer(d, x, heads);
  }
}

ValueId Classifier(GraphDraft* d, ValueId x) {
  const SizePair classes{d->draw().Chance(0.5) ? 1000 : 10 * d->draw().Integer(1, 20), 10};
  return d->Call(
      "linear", {x},
      {DraftArgument::Size("out_features", d->Size("num_classes", classes.large, classes.small))},
      "head");
}

}  // namespace

bool BuildBlock(GraphDraft* d) {
  const int count = d->draw().Chance(0.7) ? 1 : 2;
  if (d->draw().Chance(0.5)) {
    ValueId x = Image(d, false);
    for (int i = 0; i < count && !d->failed(); ++i) x = ImageBlock(d, x);
  } else {
    int heads = 1;
    ValueId x = Sequence(d, &heads);
    for (int i = 0; i < count && !d->failed(); ++i) x = SequenceBlock(d, x, heads);
  }
  return !d->failed();
}

bool BuildModel(GraphDraft* d) {
  const auto count = static_cast<int>(d->draw().Integer(2, 5));
  if (d->draw().Chance(0.5)) {
    ValueId x = Image(d, true);
    x = ConvolutionBlock(d, x, d->Size("channels", 16 * d->draw().Integer(2, 8), 8));
    for (int i = 0; i < count && !d->failed(); ++i) x = ImageBlock(d, x);
    x = d->Call("mean", {x}, {d->Tuple("dim", {{2}, {3}})});
    Classifier(d, x);
  } else {
    int heads = 1;
    ValueId x = Sequence(d, &heads);
    for (int i = 0; i < count && !d->failed(); ++i) x = SequenceBlock(d, x, heads);
    x = d->Call("mean", {x}, {d->Tuple("dim", {{1}})});
    Classifier(d, x);
  }
  return !d->failed();
}

}  // namespace kernelmill
