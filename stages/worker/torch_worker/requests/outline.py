"""Request kind "outline": annotates a task at sizes that are too large to compute here.

Builds and runs the task under FakeTensorMode, whose tensors have shapes, strides and the CPU as
their device, but no data: torch takes the same decisions as with data. Only for texts of
kernelmill's own generators, because a task could reach this program through the objects behind such
tensors.
"""

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from torch_worker.cost import CostMode
from torch_worker.requests import admit


def _outline(request):
    program = admit.read(request)
    with FakeTensorMode(allow_non_fake_inputs=False):
        namespace, model = admit.build(program, request["seed"])
        inputs = admit.draw(namespace, request["seed"])
        _, annotation = admit.observed_run(program, model, inputs, request)
    return {"end": "ran", "annotation": annotation}


def handle(request):
    return admit.answer(_outline, request)


def warm():
    """Imports what a first run would import. Call after admit.warm()."""
    with FakeTensorMode(), torch.no_grad(), CostMode(1 << 62, 1 << 62):
        layers = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4),
                                     torch.nn.GELU(), torch.nn.Flatten(2), torch.nn.Linear(36, 8))
        layers.eval()(torch.randn(2, 3, 8, 8)).softmax(-1).sum()
