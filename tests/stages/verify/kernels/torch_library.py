import torch


def check_registered_operator(_):
    x = torch.randn(100)
    assert torch.equal(torch.ops.kernelmill_suite.triple(x), x * 3)
