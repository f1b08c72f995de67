import { z } from 'zod'
import { type FunctionBundles, functionNames } from './bundle.ts'
import { fromText } from './deployment-config.ts'

const sizes = (least: number) =>
  z.preprocess(fromText, z.partialRecord(z.enum(functionNames), z.int().min(least).max(10_240))).default({})

/** Sizes of functions by their names, in MiB, where the stack's own are not right for a load (Lambda quotas). */
export const sizeFields = {
  /** Processor power grows with the memory. */
  functionMemoryMiB: sizes(128),
  /** Of `/tmp`. */
  functionScratchMiB: sizes(512),
}

type Sizes = Readonly<Record<keyof typeof sizeFields, Partial<Record<keyof FunctionBundles, number>>>>

export const withSizes = (
  bundles: FunctionBundles,
  { functionMemoryMiB, functionScratchMiB }: Sizes,
): FunctionBundles => {
  const entries = functionNames.map(name => [
    name,
    { ...bundles[name], memoryMiB: functionMemoryMiB[name], scratchMiB: functionScratchMiB[name] },
  ])
  return Object.fromEntries(entries) as FunctionBundles // One entry for each name.
}
