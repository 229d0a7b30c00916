// Answers the CUDA runtime's questions for the device's properties and attributes. What no property
// holds is as an A100 says it (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability").
#include "stages/cuda_executor/runtime/device/device_properties.h"

#include <map>

namespace kernelmill {
namespace {

cudaDeviceProp PropertiesOfA100() {
  cudaDeviceProp p = {"NVIDIA A100-SXM4-80GB"};
  p.totalGlobalMem = std::size_t{81'251} << 20;
  p.sharedMemPerBlock = 48 << 10;
  p.regsPerBlock = 65'536;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65'535;
  p.clockRate = 1'410'000;
  p.totalConstMem = 64 << 10;
  p.major = 8;
  p.multiProcessorCount = MultiprocessorCount();
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.memoryClockRate = 1'593'000;
  p.memoryBusWidth = 5120;
  p.l2CacheSize = 40 << 20;
  p.persistingL2CacheMaxSize = 30 << 20;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
  p.sharedMemPerMultiprocessor = 164 << 10;
  p.regsPerMultiprocessor = 65'536;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.asyncEngineCount = 3;
  p.deviceOverlap = 1;
  p.ECCEnabled = 1;
  p.pciBusID = 59;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.textureAlignment = 512;
  p.unifiedAddressing = 1;
  p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = 163 << 10;
  p.reservedSharedMemPerBlock = 1 << 10;
  return p;
}

const std::map<int, int>& Attributes() {
  static const cudaDeviceProp& p = DeviceProperties();
  static const std::map<int, int> kAttributes = {
      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
      {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
      {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(p.sharedMemPerBlock)},
      {cudaDevAttrTotalConstantMemory, static_cast<int>(p.totalConstMem)},
      {cudaDevAttrMaxPitch, static_cast<int>(p.memPitch)},
      {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
      {cudaDevAttrClockRate, p.clockRate},
      {cudaDevAttrTextureAlignment, static_cast<int>(p.textureAlignment)},
      {cudaDevAttrGpuOverlap, p.deviceOverlap},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrKernelExecTimeout, p.kernelExecTimeoutEnabled},
      {cudaDevAttrIntegrated, p.integrated},
      {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
      {cudaDevAttrComputeMode, p.computeMode},
      {cudaDevAttrMaxTexture1DWidth, 131072},
      {cudaDevAttrMaxTexture2DWidth, 131072},
      {cudaDevAttrMaxTexture2DHeight, 65536},
      {cudaDevAttrMaxTexture3DWidth, 16384},
      {cudaDevAttrMaxTexture3DHeight, 16384},
      {cudaDevAttrMaxTexture3DDepth, 16384},
      {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
      {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
      {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
      {cudaDevAttrSurfaceAlignment, 512},
      {cudaDevAttrConcurrentKernels, p.concurrentKernels},
      {cudaDevAttrEccEnabled, p.ECCEnabled},
      {cudaDevAttrPciBusId, p.pciBusID},
      {cudaDevAttrPciDeviceId, p.pciDeviceID},
      {cudaDevAttrTccDriver, 0},
      {cudaDevAttrMemoryClockRate, p.memoryClockRate},
      {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
      {cudaDevAttrL2CacheSize, p.l2CacheSize},
      {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
      {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
      {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
      {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
      {cudaDevAttrMaxTexture2DGatherWidth, 32768},
      {cudaDevAttrMaxTexture2DGatherHeight, 32768},
      {cudaDevAttrMaxTexture3DWidthAlt, 8192},
      {cudaDevAttrMaxTexture3DHeightAlt, 8192},
      {cudaDevAttrMaxTexture3DDepthAlt, 32768},
      {cudaDevAttrPciDomainId, p.pciDomainID},
      {cudaDevAttrTexturePitchAlignment, 32},
      {cudaDevAttrMaxTextureCubemapWidth, 32768},
      {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
      {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
      {cudaDevAttrMaxSurface1DWidth, 32768},
      {cudaDevAttrMaxSurface2DWidth, 131072},
      {cudaDevAttrMaxSurface2DHeight, 65536},
      {cudaDevAttrMaxSurface3DWidth, 16384},
      {cudaDevAttrMaxSurface3DHeight, 16384},
      {cudaDevAttrMaxSurface3DDepth, 16384},
      {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
      {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
      {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
      {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
      {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
      {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
      {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
      {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
      {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
      {cudaDevAttrMaxTexture2DLinearWidth, 131072},
      {cudaDevAttrMaxTexture2DLinearHeight, 65000},
      {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
      {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
      {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
      {cudaDevAttrComputeCapabilityMajor, p.major},
      {cudaDevAttrComputeCapabilityMinor, p.minor},
      {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
      {cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
      {cudaDevAttrGlobalL1CacheSupported, p.globalL1CacheSupported},
      {cudaDevAttrLocalL1CacheSupported, p.localL1CacheSupported},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<int>(p.sharedMemPerMultiprocessor)},
      {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
      {cudaDevAttrManagedMemory, p.managedMemory},
      {cudaDevAttrIsMultiGpuBoard, p.isMultiGpuBoard},
      {cudaDevAttrMultiGpuBoardGroupID, 0},
      {cudaDevAttrHostNativeAtomicSupported, 0},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, p.singleToDoublePrecisionPerfRatio},
      {cudaDevAttrPageableMemoryAccess, p.pageableMemoryAccess},
      {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
      {cudaDevAttrComputePreemptionSupported, 1},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
      {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
      {cudaDevAttrCooperativeMultiDeviceLaunch, 1},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(p.sharedMemPerBlockOptin)},
      {cudaDevAttrCanFlushRemoteWrites, 0},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
      {cudaDevAttrDirectManagedMemAccessFromHost, 0},
      {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
      {cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
      {cudaDevAttrMaxAccessPolicyWindowSize, 134213632},
      {cudaDevAttrReservedSharedMemoryPerBlock, static_cast<int>(p.reservedSharedMemPerBlock)},
      {cudaDevAttrSparseCudaArraySupported, 1},
      {cudaDevAttrHostRegisterReadOnlySupported, 1},
      {cudaDevAttrMemoryPoolsSupported, 1},
      // Others that CUDA 13 gives numbers: as an H100 says them, but for what an A100 has not (clusters of
      // blocks, 120; domains of memory, 126; tensor maps, 127), and its identifiers (139, 140).
      {44, 1}, {92, 0}, {93, 0}, {94, 0}, {102, 1}, {103, 1}, {104, 0}, {105, 0}, {107, 1},
      {110, 1}, {114, 1}, {116, 1}, {117, 1}, {118, 100}, {119, 9}, {120, 0}, {121, 1}, {122, 1},
      {123, 1}, {124, 1}, {125, 1}, {126, 1}, {127, 0}, {128, 1}, {129, 1}, {130, 0}, {131, -1},
      {132, 0}, {133, 0}, {134, 0}, {135, 0}, {136, 0}, {137, 0}, {138, 0}, {139, 548540638}, {140, 343871710}, {141, 1}, {142, 1},
      {143, 0}, {144, 1}, {145, 1}, {146, 0}, {147, 0},
  };
  return kAttributes;
}

}  // namespace

// Devices that run the same code differ in it: 108 in an A100, 132 in an H100, 188 in an RTX PRO 6000.
// So builds that check accesses have the most, and buffers for fewer are too small there.
int MultiprocessorCount() {
#if defined(KERNELMILL_CHECK_MEMORY) || defined(KERNELMILL_CHECK_RACES)
  return 188;
#else
  return 108;
#endif
}

const cudaDeviceProp& DeviceProperties() {
  static cudaDeviceProp properties = PropertiesOfA100();
  properties.warpSize = warpSize;  // That of the target, which is set later.
  return properties;
}

}  // namespace kernelmill

using namespace kernelmill;

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = DeviceProperties();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (attribute == cudaDevAttrWarpSize) {
    *value = warpSize;
    return cudaSuccess;
  }
  const auto found = Attributes().find(attribute);
  if (found == Attributes().end()) return cudaErrorInvalidValue;
  *value = found->second;
  return cudaSuccess;
}
}
