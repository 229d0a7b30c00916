import km_cuda
import torch

ORDERED = ("one stream", "event", "event of torch", "wait of the host", "default stream", "guard")
UNORDERED = ("nothing", "nothing the other way", "event too early", "guard and nothing")
ORDERS = ("as_called", "default_first", "default_last", "in_turns", "in_turns_last", "awaited")


def replayed(m, how, order):
    """The result after a replay with other inputs, and whether there are other orders."""
    x, same, other = torch.randn(300), torch.empty(300), torch.randn(300)
    same.copy_(x)
    for tensor in (x, same, other):
        km_cuda.put_on_device(tensor)
    km_cuda.record()
    z = m.thrice(x, how)
    why_not, ran_same, other_orders, *_ = km_cuda.replay([(x, same, other)], order)
    assert not why_not and not ran_same, why_not
    return torch.allclose(km_cuda.to_host(z), 3 * km_cuda.to_host(other)), other_orders


def check_calls_are_in_order(m):
    for how in (*ORDERED, *UNORDERED):
        x = torch.randn(300)
        assert torch.allclose(m.thrice(x, how), 3 * x), how


def check_ordered_streams_are_right_in_every_order(m):
    for how in ORDERED:
        for order in ORDERS:
            assert replayed(m, how, order)[0], (how, order)


def check_unordered_streams_are_wrong_in_one(m):
    for how in UNORDERED:
        rights, others = zip(*(replayed(m, how, order) for order in ORDERS))
        assert rights[0] and not all(rights) and all(others), (how, rights, others)


def check_fault_of_memory_that_changes_too_early(m):
    x = torch.randn(30)
    assert torch.allclose(m.staged(x, 5, True), 2 * x + 5) and km_cuda.fault() is None
    assert torch.allclose(m.staged(x, 5, False), 2 * x + 5)
    assert km_cuda.fault()["reason"] == "staged_copy", km_cuda.fault()


def check_streams_from_python(m):
    side, event = km_cuda.new_stream(), km_cuda.new_event()
    assert km_cuda.current_stream() == 0 and side != 0
    for joined in (True, False):
        x, same, other = torch.randn(300), torch.empty(300), torch.randn(300)
        same.copy_(x)
        for tensor in (x, same, other):
            km_cuda.put_on_device(tensor)
        km_cuda.record()
        km_cuda.use_stream(side)
        y = m.thrice(x, "one stream")
        km_cuda.record_event(event, side)
        km_cuda.use_stream(0)
        if joined:
            km_cuda.stream_waits(0, event)
        z = m.thrice(y, "one stream")
        km_cuda.replay([(x, same, other)], "default_first")
        assert torch.allclose(km_cuda.to_host(z), 9 * km_cuda.to_host(other)) == joined, joined
    km_cuda.drop_event(event)
