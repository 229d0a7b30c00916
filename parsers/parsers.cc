namespace kernelmill {}
