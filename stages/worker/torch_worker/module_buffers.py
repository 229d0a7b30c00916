"""The buffers of a module that forward() changes, such as the running statistics of training mode."""

import torch

from torch_worker import measures

_module = torch.nn.Module
_MOST = 32  # Names, in the order of the module.


class WithBuffers(_module):
    """A model whose outputs are those of another, and then its buffers of these names: an empty
    tensor where it has none."""

    def __init__(self, model, names):
        super().__init__()
        self.model, self.names, self.missing = model, names, torch.empty(0)

    def forward(self, *inputs):
        outputs = measures.outputs_of(self.model(*inputs))
        held = dict(_module.named_buffers(self.model))
        return [*outputs, *(held.get(name, self.missing) for name in self.names)]


def changed(before, after):
    """The names of buffers that differ between a model and its copy after a call."""
    left = dict(_module.named_buffers(after))
    return [name for name, buffer in _module.named_buffers(before)
            if name in left and not measures.identical([buffer], [left[name]])][:_MOST]
