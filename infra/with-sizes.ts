import type { FunctionBundles } from './bundle.ts'
import type { sizeFields } from './function-sizes.ts'
import { type FunctionName, functionNames } from './system.ts'

type Sizes = Readonly<Record<keyof typeof sizeFields, Partial<Record<FunctionName, number>>>>

export const withSizes = (
  bundles: FunctionBundles,
  { functionMemoryMiB, functionScratchMiB, functionConcurrency }: Sizes,
): FunctionBundles => {
  const entries = functionNames.map(name => [
    name,
    {
      ...bundles[name],
      memoryMiB: functionMemoryMiB[name],
      scratchMiB: functionScratchMiB[name],
      reservedConcurrency: functionConcurrency[name],
    },
  ])
  return Object.fromEntries(entries) as FunctionBundles // One entry for each name.
}
