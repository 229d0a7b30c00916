import os

import km_cuda
import torch

COUNTED = os.environ["KERNELMILL_BUILD_KIND"] == "counts"
WHOLE = 1 << 14  # The number of elements of x and y.


def counts(load=(0, 0), store=(0, 0), shared=(0, 0), conflicts=0, lanes=0, atomics=(0, 0)):
    """load, store: (requests, sectors); shared: (load, store) requests; atomics: (global,
    shared)."""
    return {"global_load_requests": load[0], "global_load_sectors": load[1],
            "global_store_requests": store[0], "global_store_sectors": store[1],
            "shared_load_requests": shared[0], "shared_store_requests": shared[1],
            "bank_conflicts": conflicts, "active_lanes": lanes, "global_atomics": atomics[0],
            "shared_atomics": atomics[1]}


# A full warp that reads 32 consecutive floats reads 128 bytes, which are 4 sectors.
EXPECTED = {
    # 256 threads are 8 warps.
    "coalesced": counts((8, 32), (8, 32), lanes=512),
    # 32 lanes access 256, 512 and 1,024 bytes; from a stride of 32 bytes on, each lane has its own
    # sector.
    "stride 2": counts((8, 64), (8, 32), lanes=512),
    "stride 4": counts((8, 128), (8, 32), lanes=512),
    "stride 8": counts((8, 256), (8, 32), lanes=512),
    "stride 32": counts((8, 256), (8, 32), lanes=512),
    "stride 2 stored": counts((8, 32), (8, 64), lanes=512),
    "stride 32 stored": counts((8, 32), (8, 256), lanes=512),
    # The order of lanes within the 128 bytes does not matter.
    "reversed": counts((8, 32), (8, 32), lanes=512),
    # All lanes read one address: one sector.
    "broadcast": counts((8, 8), (8, 32), lanes=512),
    # 32 lanes read 16 floats: 64 bytes.
    "pairs": counts((8, 16), (8, 32), lanes=512),
    # 128 bytes from byte 4 on touch a fifth sector; from byte 32 on they do not.
    "offset 1": counts((2, 10), (2, 8), lanes=128),
    "offset 8": counts((2, 8), (2, 8), lanes=128),
    "misaligned base": counts((2, 10), (2, 8), lanes=128),
    # 100 = 3 * 32 + 4: the last warp's 4 lanes share a sector.
    "tail": counts((4, 13), (4, 13), lanes=200),
    # 40 = 32 + 8; two warps of the block are idle.
    "empty warps": counts((2, 5), (2, 5), lanes=80),
    # 1,000 = 31 * 32 + 8, whichever warp takes which part.
    "grid stride": counts((32, 125), (32, 125), lanes=2000),
    # 48 = 32 + 16: 4 + 2 sectors.
    "half a warp more": counts((2, 6), (2, 6), lanes=96),
    # The second use of x[i] is in a register.
    "squared": counts((8, 32), (8, 32), lanes=512),
    # x[i] and y[i] are read.
    "saxpy": counts((16, 64), (8, 32), lanes=768),
    "ldg": counts((8, 32), (8, 32), lanes=512),
    # 64 threads are 2 warps: 32 lanes of 16, 8, 2, 4, 8 and 1 bytes.
    "float4": counts((2, 32), (2, 32), lanes=128),
    "float4 in parts": counts((2, 32), (2, 8), lanes=128),
    "float2": counts((2, 16), (2, 16), lanes=128),
    "half": counts((2, 4), (2, 4), lanes=128),
    "half2": counts((2, 8), (2, 8), lanes=128),
    "double": counts((2, 16), (2, 16), lanes=128),
    "char": counts((2, 2), (2, 2), lanes=128),
    "int4": counts((2, 32), (2, 32), lanes=128),
    # An access has at most 16 bytes, so a warp makes two, each with half of every lane's sector.
    "double4": counts((2, 64), (2, 64), lanes=128),
    # Two requests per warp, each with 16 lanes and 64 bytes.
    "halves": counts((16, 32), (16, 32), lanes=512),
    # 16 lanes spread over 128 bytes.
    "even lanes": counts((2, 8), (2, 8), lanes=64),
    # x[k] is read by the lanes from k on, 32 + 31 + ... + 1 = 528, from one address.
    "triangle": counts((32, 32), (1, 4), lanes=528 + 32),
    # Each of 32 warps reads a row and writes a column: 32 sectors.
    "transposed": counts((32, 128), (32, 1024), lanes=2048),
    # A column of 32 words is in one bank: 31 extra passes for each of 32 warps.
    "transposed in a tile": counts((32, 128), (32, 128), (32, 32), 992, lanes=4096),
    # With rows of 33 words a column is in all banks.
    "transposed in a padded tile": counts((32, 128), (32, 128), (32, 32), 0, lanes=4096),
    # A warp covers two rows of 16, which are adjacent.
    "rows of 16": counts((8, 32), (8, 32), lanes=512),
    # 4 blocks of 8 warps. In each of 2 tiles a warp reads a and b (two rows of 64 bytes each),
    # stores them, and reads 16 * 2 words: 4 * 8 * 2 * 2 = 128 and 4 * 8 * 2 * 32 = 2,048 requests.
    # The two words of `as` are 16 banks apart, and for `bs` the lanes read 16 consecutive words.
    "matmul": counts((128, 512), (32, 128), (2048, 128), 0, lanes=32 * (128 + 32 + 128 + 2048)),
    # One warp. Filling takes one store per 32 values.
    "shared in order": counts((0, 0), (1, 4), (1, 1), 0, lanes=96),
    "shared broadcast": counts((0, 0), (1, 4), (1, 1), 0, lanes=96),
    # A stride of s words gives s words per bank if s divides 32.
    "shared 2 ways": counts((0, 0), (1, 4), (1, 2), 1, lanes=128),
    "shared 4 ways": counts((0, 0), (1, 4), (1, 4), 3, lanes=192),
    "shared 32 ways": counts((0, 0), (1, 4), (1, 32), 31, lanes=34 * 32),
    "shared odd stride": counts((0, 0), (1, 4), (1, 5), 0, lanes=7 * 32),
    # 16 lanes of 8 bytes cover all banks. With a gap between them they cover 8 banks twice.
    "shared doubles": counts((0, 0), (1, 4), (1, 1), 0, lanes=96),
    "shared doubles 2 ways": counts((0, 0), (1, 4), (1, 2), 2, lanes=128),
    # Four lanes read the same word.
    "shared bytes": counts((0, 0), (1, 4), (1, 1), 0, lanes=96),
    # 8 lanes of 16 bytes cover all banks.
    "shared float4": counts((1, 16), (1, 16), (1, 1), 0, lanes=128),
    # A structure of 16 bytes with that alignment is one access, like float4.
    "packs": counts((2, 32), (2, 32), lanes=128),
    "packs by index": counts((1, 16), (1, 4), (1, 1), 0, lanes=128),
    "quads by reference": counts((2, 32), (2, 32), lanes=128),
    "sized by constants": counts((1, 4), (1, 4), (1, 1), 0, lanes=128),
    # Two loads, each of every second float.
    "pairs of floats": counts((4, 32), (2, 8), lanes=192),
    "dynamic shared": counts((2, 8), (2, 8), (2, 2), 0, lanes=256),
    # One per thread, even if all use the same address.
    "contended": counts(atomics=(256, 0)),
    # In each of 2 blocks, 8 threads clear, read and add a bin.
    "histogram": counts((8, 32), (0, 0), (2, 2), 0, 256 + 32, (16, 256)),
    # Shuffles access no memory; one lane of each of 8 warps writes.
    "shuffles": counts((8, 32), (8, 8), lanes=264),
    # Constant memory has its own cache, and does not count.
    "constant": counts((0, 0), (2, 8), lanes=64),
    "device variable": counts((2, 8), (2, 8), lanes=128),
    # Local variables do not count either; x[threadIdx.x] stays in a register.
    "local array": counts((2, 8), (2, 8), lanes=128),
}
SIZES = {"coalesced": (2, 256), "transposed": (1, 1024), "matmul": (4, 1024), "tail": (1, 128)}


def launched(m, what):
    km_cuda.reset()
    x = torch.zeros(WHOLE) if what == "histogram" else torch.rand(WHOLE)
    m.run(what, x, torch.zeros(WHOLE))
    (launch,) = km_cuda.launches()
    return launch


def check_every_count(m):
    assert len(EXPECTED) >= 30
    for seed in (0, 3):
        km_cuda.configure(seed=seed)
        for what, expected in EXPECTED.items():
            found = launched(m, what)["counts"]
            assert found == (expected if COUNTED else None), (what, seed, {
                key: (value, expected[key]) for key, value in (found or {}).items()
                if value != expected[key]})


def check_blocks_and_threads(m):
    for what, (blocks, threads) in SIZES.items():
        launch = launched(m, what)
        grid, block = launch["grid"], launch["block"]
        assert grid[0] * grid[1] * grid[2] == blocks
        assert blocks * block[0] * block[1] * block[2] == threads


def check_what_is_written_whole(m):
    x, y = torch.rand(WHOLE), torch.ones(WHOLE)
    m.run("quads by reference", x, y)
    assert torch.equal(y[:256], 2 * x[:256])
    m.run("cleared packs", x, y)
    assert torch.equal(y[:128], torch.zeros(128))
    assert torch.equal(y[128:256].view(32, 4), torch.tensor([x[0], x[1], 0, 0]).expand(32, 4))
    m.run("sized by constants", x, y)
    assert torch.equal(y[:32], x[:32].flip(0))
