# task: relu
# verdict: not_loaded import_failed
import sys

import torch
import torch.nn as nn
from torch.utils.cpp_extension import CUDAExtension

# A file that has the name of an extension which is never built.
with open("/tmp/relu_op.py", "w") as file:
    file.write("import torch\nrun = torch.relu\n")
CUDAExtension("relu_op", ["relu_op.cu"])
sys.path.insert(0, "/tmp")
import relu_op


class ModelNew(nn.Module):
    def forward(self, x):
        return relu_op.run(x)
