"""Request kind "outline": the annotation of a task at sizes that are not worth computing here.

Everything is built and run under FakeTensorMode, whose tensors have a shape, strides and a device,
the CPU, but no data: torch takes the way that it would take. Only for texts of kernelmill's own
generators, since the objects behind such a tensor lead out of a task.
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
    """After admit.warm(): what a first run imports."""
    with FakeTensorMode(), torch.no_grad(), CostMode(1 << 62, 1 << 62):
        layers = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4),
                                     torch.nn.GELU(), torch.nn.Flatten(2), torch.nn.Linear(36, 8))
        layers.eval()(torch.randn(2, 3, 8, 8)).softmax(-1).sum()
