"""Compares the operator table with torch for random settings of every operator: the types of the
results, values within the ranges, the scalar expression, all spellings, and rejected settings.

Environment: KERNELMILL_OPERATORS="gelu conv2d" limits it to some operators, KERNELMILL_SEED=7
draws other settings, and KERNELMILL_OPERATORS_REPORT=1 prints how many were compared."""

import collections
import ctypes
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import warnings

import torch
from torch.utils.flop_counter import FlopCounterMode

import torch_calls

SHOWN = 12  # The number of mismatches of each kind that are printed, each with its setting.


def tensor_of(description, generator):
    dtype = getattr(torch, description["dtype"])
    shape, low, high = description["shape"], description["low"], description["high"]
    if dtype == torch.bool:
        return torch.randint(int(low), int(high) + 1, shape, generator=generator).bool()
    if not dtype.is_floating_point:
        return torch.randint(int(low), int(high) + 1, shape, generator=generator).to(dtype)
    if low == high:
        return torch.full(shape, low, dtype=dtype)
    if low == -high and abs(high - 7 * description["scale"]) < 1e-6 * high:
        return (torch.randn(shape, generator=generator) * description["scale"]).to(dtype)
    return (torch.rand(shape, generator=generator) * (high - low) + low).to(dtype)


def tolerance(dtype):
    return {torch.float16: 4e-3, torch.bfloat16: 3e-2}.get(dtype, 2e-5)


def same(a, b, slack=1.0):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if not a.dtype.is_floating_point:
        return torch.equal(a, b)
    bound = tolerance(a.dtype)
    return torch.allclose(a.double(), b.double(), rtol=bound, atol=slack * bound, equal_nan=True)


def largest(tensor):
    """The largest magnitude. The error of a sum in another order is proportional to its largest
    terms."""
    values = tensor.double().abs()
    values = values[values.isfinite()]
    return max(1.0, values.max().item()) if values.numel() else 1.0


def first_difference(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype} {list(a.shape)} and {b.dtype} {list(b.shape)}"
    a, b = a.reshape(-1).double(), b.reshape(-1).double()
    worst = ((a - b).abs().nan_to_num(1e30) - 1e30 * ((a == b) | (a.isnan() & b.isnan()))).argmax()
    return f"{a[worst].item()} and {b[worst].item()}"


# Rows that are stricter than torch. For cells torch does not check the states: it expands them,
# whatever their dtype, or reads beyond them. For attention it reads keys and values of different
# lengths as if they had the same one. Others mix dtypes in the order of computation, or take
# indices of uint8 for masks.
STRICTER = {"rnn_tanh_cell", "rnn_relu_cell", "lstm_cell", "gru_cell", "lstm",
            "scaled_dot_product_attention", "einsum", "cosine_embedding_loss",
            "binary_cross_entropy_with_logits", "soft_margin_loss", "huber_loss", "lerp", "index"}
MAX_RANK = 8  # The maximum rank in the table.


# Families whose FLOPs torch counts.
COUNTED = {"matmul", "convolution", "transposed_convolution", "attention", "recurrent"}


class Agreement:
    def __init__(self):
        self.mismatches = collections.defaultdict(list)
        self.counts = collections.Counter()
        self.of_row = collections.Counter()
        self.scales = {}

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            source, library = (str(pathlib.Path(folder, name)) for name in ("s.cc", "s.so"))
            names = os.environ.get("KERNELMILL_OPERATORS", "").split()
            lines = subprocess.run([os.environ["KERNELMILL_OPERATOR_SETTINGS"], source, os.environ.get("KERNELMILL_SEED", "0"), *names],
                                   check=True, capture_output=True, text=True).stdout.splitlines()
            subprocess.run(["clang++-19", "-std=c++20", "-w", "-O0", "-fwrapv", "-shared", "-fPIC",
                            "-ffp-contract=off", source, "-o", library], check=True)
            self.scalars = ctypes.CDLL(library)
        self.rows = {}
        for number, line in enumerate(lines):
            entry = json.loads(line)
            if "row" in entry:
                self.rows[entry["row"]] = entry
            else:
                self.check(self.rows[entry["of"]], entry, number)

    def mismatch(self, kind, row, setting, what):
        operands = [x and (x["dtype"], x["shape"]) for x in setting["operands"]]
        attributes = dict(zip([a[0] for a in row["attributes"]], setting["attributes"]))
        self.mismatches[kind].append(f"{row['row']}{operands} {attributes}: {what}"[:700])

    def check(self, row, setting, number):
        generator = torch.Generator().manual_seed(number)
        operands = [x and tensor_of(x, generator) for x in setting["operands"]]
        call = torch_calls.Call(row, setting["attributes"])
        taken = "results" in setting
        self.counts["taken" if taken else "refused"] += 1
        self.of_row[row["row"]] += taken
        try:
            results = call.run(row["spellings"][0], operands)
        except Exception as error:  # torch rejects with exceptions of many types.
            if taken and not self.may_refuse(setting, error):
                self.mismatch("types", row, setting, f"torch refuses: {error}")
            return
        if not taken and row["row"] not in STRICTER and max(x.dim() for x in results) <= MAX_RANK:
            self.mismatch("refusals", row, setting, f"torch gives "
                          f"{[(str(x.dtype), list(x.shape)) for x in results]}")
        if not taken:
            return
        types = [(str(x.dtype)[6:], list(x.shape)) for x in results]
        inferred = [(x["dtype"], x["shape"]) for x in setting["results"]]
        if types != inferred:
            self.mismatch("types", row, setting, f"inferred {inferred}, torch gives {types}")
            return
        self.check_ranges(row, setting, results)
        if row["family"] in COUNTED and self.of_row[row["row"]] <= 12:
            self.check_cost(row, setting, call, operands)
        for spelling in row["spellings"][1:]:
            self.check_spelling(row, setting, call, spelling, operands, results)
        if "scalar" in setting:
            self.check_scalar(row, setting, call, operands, results[0])
            edges = [x if x is None else with_edges(x, row["row"] in NO_INFINITY) for x in operands]
            if edges[0].dtype.is_floating_point and (
                    row["row"] not in COMPOSITE or edges[0].dtype == torch.float32):
                try:
                    expected = call.run(row["spellings"][0], edges)[0]
                except Exception:  # Losses reject values that are no probabilities.
                    return
                self.check_scalar(row, setting, call, edges, expected)

    def check_cost(self, row, setting, call, operands):
        """Compares FLOPs with torch's counter, which counts only matrix products."""
        self.counts["costs"] += 1
        with FlopCounterMode(display=False) as counter:
            results = call.run(row["spellings"][0], operands)
        counted, (flops, moved) = counter.get_total_flops(), setting["cost"]
        tensors = [x for x in [*operands, *results] if x is not None]
        elements = sum(x.numel() for x in tensors)
        # A causal mask halves the products; biases, exponentials and gates are added.
        if counted and not 0.5 * counted <= flops <= 1.6 * counted + 40 * elements:
            self.mismatch("costs", row, setting, f"{flops} operations, and torch counts {counted}")
        if moved != sum(x.numel() * x.element_size() for x in tensors):
            self.mismatch("costs", row, setting, f"{moved} bytes")

    @staticmethod
    def may_refuse(setting, error):
        """If the row gives no range, torch may reject a value, such as an index out of bounds."""
        del error
        return any("low" not in x for x in setting["results"])

    def check_ranges(self, row, setting, results):
        for described, result in zip(setting["results"], results):
            if "low" not in described:
                self.counts["without a range"] += 1
                continue
            if result.numel() == 0:
                continue
            self.counts["ranges"] += 1
            values = result.double()
            low, high = values.min().item(), values.max().item()
            slack = 1e-6 + (1e-3 + tolerance(result.dtype)) * max(abs(described["low"]), abs(described["high"]))
            if not values.isfinite().all():
                self.mismatch("ranges", row, setting, "not finite")
            elif low < described["low"] - slack or high > described["high"] + slack:
                self.mismatch("ranges", row, setting, f"[{low:.5g}, {high:.5g}] is not within "
                              f"[{described['low']:.5g}, {described['high']:.5g}]")
            rms = values.square().mean().sqrt().item()
            if result.numel() > 30 and rms > 0:
                self.scales.setdefault(row["row"], []).append(described["scale"] / rms)

    def check_spelling(self, row, setting, call, spelling, operands, results):
        try:
            others = call.run(spelling, operands)
        except torch_calls.NotSpelled:
            return
        except Exception as error:
            self.mismatch("spellings", row, setting, f"{spelling}: {error}")
            return
        self.counts["spellings"] += 1
        for one, other in zip(results, others, strict=True):
            # A recurrent module may use another algorithm than the function.
            slack = largest(one) * (50 if row["family"] == "recurrent" else 1)
            if not same(one, other, slack):
                self.mismatch("spellings", row, setting, f"{spelling}: {first_difference(one, other)}")
                return

    def check_scalar(self, row, setting, call, operands, expected):
        self.counts["scalars"] += 1
        compute = getattr(torch, setting["scalar_type"])
        given = call.broadcast(operands, expected)
        arrays = [None if x is None else x.to(compute).contiguous() for x in given]
        half = expected.dtype in (torch.float16, torch.bfloat16)
        out = torch.empty(expected.shape, dtype=torch.float32 if half else expected.dtype)
        pointers = (ctypes.c_void_p * len(arrays))(*[x is not None and x.data_ptr() or 0 for x in arrays])
        self.scalars[setting["scalar"]](ctypes.c_void_p(out.data_ptr()), pointers,
                                        ctypes.c_long(out.numel()))
        if not same(out.to(expected.dtype), expected):
            self.mismatch("scalars", row, setting, first_difference(out.to(expected.dtype), expected))


# torch's vectorized and scalar code give different results for infinity.
NO_INFINITY = {"gelu"}
# torch computes these with several operators, each of which rounds to half precision.
COMPOSITE = {"poisson_nll_loss"}


def with_edges(tensor, finite):
    """The tensor with edge cases of floating-point numbers as its first elements."""
    if not tensor.dtype.is_floating_point or tensor.numel() < 8:
        return tensor
    edges = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.0, -1.0, 30.0]
    if finite:
        edges = [min(max(x, -100.0), 100.0) for x in edges]
    tensor = tensor.clone()
    tensor.view(-1)[:8] = torch.tensor(edges, dtype=tensor.dtype)
    return tensor


class OperatorTable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        warnings.simplefilter("ignore")
        cls.agreement = Agreement()
        cls.agreement.run()
        if os.environ.get("KERNELMILL_OPERATORS_REPORT"):
            print(dict(cls.agreement.counts), len(cls.agreement.rows), "rows")
            for name, ratios in sorted(cls.agreement.scales.items()):
                ratios.sort()
                if not 0.2 < ratios[len(ratios) // 2] < 5:
                    print("scale of", name, "is off by", ratios[len(ratios) // 2])

    def expect_none(self, kind):
        found = self.agreement.mismatches[kind]
        per_row = collections.Counter(text.partition("[")[0] for text in found)
        shown, text = collections.Counter(), []
        for line in found:
            name = line.partition("[")[0]
            shown[name] += 1
            if shown[name] <= 2:
                text.append(line)
        self.assertEqual(len(found), 0, f"{dict(per_row)}\n" + "\n".join(text[:SHOWN * 10]))

    def test_types_are_those_of_torch(self):
        self.expect_none("types")

    def test_torch_refuses_what_is_refused(self):
        self.expect_none("refusals")

    def test_values_are_finite_and_within_their_ranges(self):
        self.expect_none("ranges")

    def test_costs_are_those_that_torch_counts(self):
        self.expect_none("costs")

    def test_scalar_expressions_give_the_values_of_torch(self):
        self.expect_none("scalars")

    def test_all_spellings_give_the_same(self):
        self.expect_none("spellings")

    def test_every_operator_was_asked(self):
        few = [name for name in self.agreement.rows if self.agreement.of_row[name] < 50]
        self.assertEqual(few, [])


if __name__ == "__main__":
    unittest.main()
