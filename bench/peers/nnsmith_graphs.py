"""Generates graphs with NNSmith, for bench/generation.py. Runs in a virtual environment of its own:

    python3 -m venv nnsmith && nnsmith/bin/pip install "nnsmith[torch]==0.1.0" "hydra-core>=1.3"
    nnsmith/bin/python bench/peers/nnsmith_graphs.py COUNT OPERATORS SEED

Prints one JSON object: the processor time of generation alone in seconds, and for each graph its
operators, the elements of its inputs, its FLOPs and bytes, counted as in our operator table.
NNSmith determines its set of operators before the timing starts, builds no model and writes no
text. Tensors are float32 with four dimensions and up to 4 M elements, as in real networks;
NNSmith's defaults are a thousand times smaller.
"""

import json
import math
import sys
import time

import z3  # noqa: F401  Before torch, or the two libraries' symbols clash.
from nnsmith.graph_gen import model_gen
from nnsmith.materialize import Model
from nnsmith.narrow_spec import auto_opset


# Views move no data.
VIEWS = {"Reshape", "Flatten", "Transpose", "Squeeze", "Slice"}


def cost(instruction, shapes):
    """FLOPs and bytes of one float32 operator. `shapes`: the shapes of the values by name."""
    operator, kind = instruction.iexpr.op, type(instruction.iexpr.op).__name__
    if kind in VIEWS or kind.startswith("Expand"):
        return 0, 0
    read = sum(math.prod(shapes[name]) for name in instruction.iexpr.args)
    written = sum(math.prod(shapes[name]) for name in instruction.retvals())
    weights, depth = 0, None
    if kind == "NCHWConv2d":
        depth = operator.in_channels * operator.kernel_h_size * operator.kernel_w_size
        weights = depth * operator.out_channels
    elif kind == "Linear":
        depth, weights = operator.ifeat, operator.ifeat * operator.ofeat
    elif kind == "PTMatMul":
        depth = shapes[instruction.iexpr.args[0]][-1]
    return written * (2 * depth if depth else 1), 4 * (read + weights + written)


def description(graph):
    shapes = {name: value.shape for name, value in graph.vars.items()}
    operators, inputs, flops, moved = [], 0, 0, 0
    for instruction in graph.insts:
        kind = type(instruction.iexpr.op).__name__
        if kind in ("Input", "Constant"):
            inputs += sum(math.prod(shapes[name]) for name in instruction.retvals())
            continue
        operators.append(kind)
        one = cost(instruction, shapes)
        flops, moved = flops + one[0], moved + one[1]
    return {"operators": operators, "elements": inputs, "flops": flops, "bytes": moved}


def main():
    count, operators, seed = map(int, sys.argv[1:4])
    model_type = Model.init("torch", backend_target="cpu")
    operator_set = auto_opset(model_type, vulops=False)
    seconds, graphs = 0.0, []
    for i in range(count):
        start = time.process_time()
        generator = model_gen(operator_set, method="symbolic-cinit", max_nodes=operators,
                              seed=seed + i, timeout_ms=10000, rank_choices=[4],
                              dtype_choices=["f32"], max_elem_per_tensor=2**22)
        graph = generator.make_concrete()
        seconds += time.process_time() - start
        graphs.append(description(graph))
    print(json.dumps({"seconds": seconds, "graphs": count,
                      "operators": sum(len(graph["operators"]) for graph in graphs),
                      "each": graphs}))


if __name__ == "__main__":
    main()
