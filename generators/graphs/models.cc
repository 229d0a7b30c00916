#include "generators/graphs/models.h"

#include "generators/graphs/image_blocks.h"
#include "generators/graphs/layers.h"
#include "generators/graphs/sequence_blocks.h"

namespace kernelmill {
namespace {

std::int16_t Batch(GraphDraft* d, int most) {
  const SizePair batch = WithDistinctSizes(std::int64_t{1} << d->draw().Integer(1, most), 2);
  return d->NewSize("batch_size", batch.large, batch.small);
}

// Mostly two spatial dimensions, sometimes one or three. Sizes can be halved and doubled again.
ValueId Image(GraphDraft* d, bool colours) {
  Draw& draw = d->draw();
  const double kind = draw.Number();
  const int space = kind < 0.75 ? 2 : kind < 0.9 ? 1 : 3;
  const SizePair channels = colours ? SizePair{3, 3} : SizePair{16 * draw.Integer(1, 12), 12};
  std::array<std::int16_t, 5> sizes{Batch(d, 6),
                                    d->NewSize("in_channels", channels.large, channels.small)};
  constexpr std::string_view kNames[3][3] = {
      {"length"}, {"height", "width"}, {"depth", "height", "width"}};
  const std::int64_t unit = space == 1 ? 256 : space == 2 ? 16 : 8;
  const std::int64_t side = unit * draw.Integer(1, space == 3 ? 4 : 8);
  for (int i = 0; i < space; ++i) {
    const std::int64_t large = draw.Chance(0.8) ? side : unit * draw.Integer(1, 6);
    sizes[2 + i] = d->NewSize(kNames[space - 1][i], large, 8);
  }
  return d->Input("x", DType::kFloat32, std::span(sizes).first(2 + space), Range::Normal(1));
}

struct SequenceSizes {
  std::int16_t batch, length, width;
  int heads;
};

// Draws sizes with a width that `heads` divides at both sizes.
SequenceSizes DrawSequence(GraphDraft* d) {
  Draw& draw = d->draw();
  SequenceSizes sizes;
  sizes.heads = 1 << draw.Integer(1, 4);
  const std::int64_t head = 32 * draw.Integer(1, 4);
  const std::int64_t length = 64 * draw.Integer(1, 16) + (draw.Chance(0.15) ? 1 : 0);
  sizes.batch = Batch(d, 5);
  constexpr std::int64_t kSmall[] = {5, 6, 7, 9};  // No head has one of these widths.
  sizes.length = d->NewSize("seq_len", length, kSmall[draw.Index(std::size(kSmall))]);
  sizes.width = d->NewSize("embed_dim", sizes.heads * head, sizes.heads * 4);
  return sizes;
}

ValueId Sequence(GraphDraft* d, const SequenceSizes& sizes) {
  const std::array variables{sizes.batch, sizes.length, sizes.width};
  const double kind = d->draw().Number();
  const DType dtype = kind < 0.8   ? DType::kFloat32
                      : kind < 0.9 ? DType::kBFloat16
                                   : DType::kFloat16;
  return d->Input("x", dtype, variables, Range::Normal(1));
}

// Adds position information to x (batch, length, width).
ValueId WithPositions(GraphDraft* d, ValueId x, const SequenceSizes& sizes) {
  Draw& draw = d->draw();
  const double kind = draw.Number();
  if (kind < 0.15) return x;
  const Extent length = Extent::Of(sizes.length), width = Extent::Of(sizes.width);
  // More positions than the sequence has.
  const std::int16_t most = d->Size("max_positions", 4096, 64);
  if (kind < 0.4) {
    const bool all = draw.Chance(0.4);
    ValueId positions =
        d->Parameter("pos_embedding", DType::kFloat32,
                     {{1}, all ? length : Extent::Of(most), width}, Range::Normal(0.02));
    if (!all) {
      positions = d->Call("slice", {positions},
                          {{"dim", 1}, DraftArgument::Size("stop", sizes.length)});
    }
    return d->Call("add", {x, positions});
  }
  ValueId positions = d->Call("arange", {}, {DraftArgument::Size("end", sizes.length)});
  if (draw.Chance(0.7)) positions = d->Call("unsqueeze", {positions}, {{"dim", 0}});
  if (draw.Chance(0.5)) {
    const Extent batch = Extent::Of(sizes.batch);
    positions = d->Call("expand", {positions}, {d->Tuple("size", {batch, length})});
  }
  d->Name(positions, "positions");
  positions =
      d->Call("embedding", {positions},
              {DraftArgument::Size("num_embeddings", most),
               DraftArgument::Size("embedding_dim", sizes.width)},
              "pos_embed");
  return d->Call("add", {x, positions});
}

// Token ids that are looked up in an embedding table, plus position embeddings.
ValueId Tokens(GraphDraft* d, const SequenceSizes& sizes) {
  const SizePair vocabulary{1000 * d->draw().Integer(1, 50), 50};
  const std::int16_t words = d->NewSize("vocab_size", vocabulary.large, vocabulary.small);
  const std::array variables{sizes.batch, sizes.length};
  const ValueId tokens = d->InputIndices("tokens", variables, vocabulary);
  ValueId x = d->Call("embedding", {tokens},
                      {DraftArgument::Size("num_embeddings", words),
                       DraftArgument::Size("embedding_dim", sizes.width)});
  d->Name(x, "x");
  x = WithPositions(d, x, sizes);
  return d->draw().Chance(0.4) ? LayerNorm(d, x) : x;
}

// An image cut into patches, as a sequence.
ValueId Patches(GraphDraft* d, SequenceSizes* sizes) {
  const ValueId image = Image(d, true);
  if (d->rank(image) != 4) return kAbsent;
  *sizes = DrawSequence(d);
  ValueId x = d->Call(
      "conv2d", {image},
      {DraftArgument::Size("out_channels", sizes->width), {"kernel_size", 4}, {"stride", 4}},
      "patch_embed");
  x = d->Call("flatten", {x}, {{"start_dim", 2}});
  x = d->Call("transpose", {x}, {{"dim0", 1}, {"dim1", 2}});
  if (d->draw().Chance(0.4)) return x;
  ValueId first = d->Parameter("cls_token", DType::kFloat32, {{1}, {1}, Extent::Of(sizes->width)});
  const Extent batch = Extent::Of(d->VariableAt(x, 0));
  first = d->Call("expand", {first}, {d->Tuple("size", {batch, {-1}, {-1}})});
  return d->Call("cat", {first, x}, {{"dim", 1}});
}

ValueId Classifier(GraphDraft* d, ValueId x) {
  const SizePair classes{d->draw().Chance(0.5) ? 1000 : 10 * d->draw().Integer(1, 20), 10};
  return Linear(d, x, d->Size("num_classes", classes.large, classes.small), "head");
}

// One vector per sequence: the mean, or the first or last position.
ValueId Pooled(GraphDraft* d, ValueId x) {
  if (d->draw().Chance(0.45)) return d->Call("mean", {x}, {d->Tuple("dim", {{1}})});
  return d->Call("select", {x}, {{"dim", 1}, {"index", d->draw().Chance(0.5) ? 0 : -1}});
}

bool BuildImageModel(GraphDraft* d) {
  ValueId x = Image(d, true);
  x = ConvolutionBlock(d, x, d->Size("channels", 16 * d->draw().Integer(2, 8), 12));
  for (std::int64_t i = d->draw().Integer(2, 5); i > 0 && !d->failed(); --i) x = ImageBlock(d, x);
  if (d->draw().Chance(0.2)) {
    x = Flattened(d, Downsampling(d, x));
    x = d->Call("relu", {Linear(d, x, d->Size("hidden_size", 256, 16), "fc")});
  } else {
    x = SpatialMean(d, x, /*keep=*/false);
  }
  Classifier(d, x);
  return !d->failed();
}

// A model that maps an image to an image.
bool BuildHourglassModel(GraphDraft* d) {
  ValueId x = Image(d, false);
  x = ConvolutionBlock(d, x, d->Size("channels", 16 * d->draw().Integer(1, 4), 12));
  for (std::int64_t i = d->draw().Integer(1, 2); i > 0 && !d->failed(); --i) {
    x = HourglassBlock(d, x);
  }
  x = Convolution(d, x, d->Size("out_channels", d->draw().Integer(1, 20), 4), {.kernel = 1});
  d->Call(d->draw().Chance(0.5) ? "sigmoid" : "tanh", {x});
  return !d->failed();
}

// Several layers with one mask: all of the same kind, or mixed.
ValueId SequenceLayers(GraphDraft* d, ValueId x, int heads) {
  const bool encoder = d->draw().Chance(0.5);
  const MaskedPositions mask = encoder ? DrawMask(d, x) : MaskedPositions();
  for (std::int64_t i = d->draw().Integer(2, 4); i > 0 && !d->failed(); --i) {
    x = encoder ? EncoderLayer(d, x, heads, &mask) : SequenceBlock(d, x, heads);
  }
  return d->draw().Chance(0.5) ? LayerNorm(d, x) : x;
}

bool BuildPatchModel(GraphDraft* d) {
  SequenceSizes sizes;
  const ValueId x = Patches(d, &sizes);
  if (x == kAbsent) return false;
  Classifier(d, Pooled(d, SequenceLayers(d, x, sizes.heads)));
  return !d->failed();
}

bool BuildSequenceModel(GraphDraft* d) {
  const SequenceSizes sizes = DrawSequence(d);
  const bool words = d->draw().Chance(0.85);
  ValueId x = words ? Tokens(d, sizes) : Sequence(d, sizes);
  x = SequenceLayers(d, x, sizes.heads);
  if (words && d->draw().Chance(0.4)) {
    // A language model's head: scores for the next token at every position.
    const SizePair classes{100 * d->draw().Integer(1, 80), 40};
    Linear(d, x, d->Size("num_words", classes.large, classes.small), "lm_head", false);
  } else {
    Classifier(d, Pooled(d, x));
  }
  return !d->failed();
}

bool BuildRecurrentModel(GraphDraft* d) {
  const SequenceSizes sizes = DrawSequence(d);
  ValueId x = d->draw().Chance(0.5) ? Tokens(d, sizes) : Sequence(d, sizes);
  x = RecurrentBlock(d, x);
  if (d->draw().Chance(0.4)) x = LayerNorm(d, x);
  Classifier(d, Pooled(d, x));
  return !d->failed();
}

// A chain of linear layers.
bool BuildMlp(GraphDraft* d) {
  const SizePair width = DrawFeatures(&d->draw());
  const std::array sizes{d->NewSize("batch_size", std::int64_t{1} << d->draw().Integer(4, 11), 2),
                         d->NewSize("input_size", width.large, width.small)};
  ValueId x = d->Input("x", DType::kFloat32, sizes, Range::Normal(1));
  for (std::int64_t i = d->draw().Integer(2, 6); i > 0 && !d->failed(); --i) {
    const SizePair hidden = DrawFeatures(&d->draw());
    x = Linear(d, x, d->Size("hidden_size", hidden.large, hidden.small));
    if (d->draw().Chance(0.3))
      x = d->draw().Chance(0.5) ? LayerNorm(d, x) : d->Call("batch_norm", {x});
    x = Activation(d, x);
  }
  Linear(d, x, d->Size("output_size", 10 * d->draw().Integer(1, 100), 6), "head");
  return !d->failed();
}

}  // namespace

bool BuildBlock(GraphDraft* d) {
  const int count = d->draw().Chance(0.7) ? 1 : 2;
  const double kind = d->draw().Number();
  if (kind < 0.52) {
    ValueId x = Image(d, false);
    for (int i = 0; i < count && !d->failed(); ++i) {
      x = d->draw().Chance(0.1) ? HourglassBlock(d, x) : ImageBlock(d, x);
    }
    // Some chains end with a classifier.
    if (d->draw().Chance(0.3)) Classifier(d, SpatialMean(d, x, /*keep=*/false));
  } else {
    const SequenceSizes sizes = DrawSequence(d);
    ValueId x = Sequence(d, sizes);
    if (kind > 0.92) {
      x = RecurrentBlock(d, x);
    } else {
      for (int i = 0; i < count && !d->failed(); ++i) x = SequenceBlock(d, x, sizes.heads);
    }
    if (d->draw().Chance(0.3)) Classifier(d, Pooled(d, x));
  }
  return !d->failed();
}

bool BuildModel(GraphDraft* d) {
  const double kind = d->draw().Number();
  if (kind < 0.28) return BuildImageModel(d);
  if (kind < 0.34) return BuildHourglassModel(d);
  if (kind < 0.42) return BuildPatchModel(d);
  if (kind < 0.84) return BuildSequenceModel(d);
  if (kind < 0.93) return BuildRecurrentModel(d);
  return BuildMlp(d);
}

}  // namespace kernelmill
