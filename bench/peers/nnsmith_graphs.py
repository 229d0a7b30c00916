"""NNSmith's generator, for bench/generation.py. Runs in a virtual environment of its own:

    python3 -m venv nnsmith && nnsmith/bin/pip install "nnsmith[torch]==0.1.0" "hydra-core>=1.3"
    nnsmith/bin/python bench/peers/nnsmith_graphs.py COUNT OPERATORS SEED

Prints one JSON object: the seconds of processor time that generation alone took. Its set of operators is worked out before the clock starts; no model is built and no
text written. Tensors are float32 of four dimensions and up to 4 M elements, as networks have them:
with its own defaults they are a thousand times smaller.
"""

import json
import sys
import time

import z3  # noqa: F401  Before torch, or the two libraries' symbols clash.
from nnsmith.graph_gen import model_gen
from nnsmith.materialize import Model
from nnsmith.narrow_spec import auto_opset


def main():
    count, operators, seed = map(int, sys.argv[1:4])
    model_type = Model.init("torch", backend_target="cpu")
    operator_set = auto_opset(model_type, vulops=False)
    seconds, sizes, names = 0.0, [], {}
    for i in range(count):
        start = time.process_time()
        generator = model_gen(operator_set, method="symbolic-cinit", max_nodes=operators,
                              seed=seed + i, timeout_ms=10000, rank_choices=[4],
                              dtype_choices=["f32"], max_elem_per_tensor=2**22)
        graph = generator.make_concrete()
        seconds += time.process_time() - start
        sizes.append(graph.n_compute_inst())
        for instruction in graph.insts:
            name = type(instruction.iexpr.op).__name__
            names[name] = names.get(name, 0) + 1
    print(json.dumps({"seconds": seconds, "graphs": count, "operators": sum(sizes),
                      "names": names}))


if __name__ == "__main__":
    main()
