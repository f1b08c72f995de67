import type { functionNames } from '../../infra/system.ts'

export type FunctionName = (typeof functionNames)[number]

/** Constructs of the functions below the stack: ids begin with them joined by nothing, names on one machine by dashes. */
export const functionPaths: Readonly<Record<FunctionName, readonly string[]>> = {
  'storage-api': ['Storage', 'StorageApi'],
  'run-job': ['Storage', 'RunJob'],
  'start-import': ['Import', 'StartImport'],
  'poll-job': ['PollJob'],
  'run-extractor': ['Extract', 'RunExtractor'],
  'preview-extraction': ['Storage', 'PreviewExtraction'],
  tick: ['Tick', 'Function'],
  'merge-slices': ['Export', 'MergeSlices'],
  'sweep-storage': ['Storage', 'Sweep', 'Function'],
}
