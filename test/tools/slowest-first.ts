import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the longest first. Begun last, one of them would run alone at the end; by default large files
 * are begun first, and these are small. The first one fills the cache of bundles while others do without.
 */
export const slowest: readonly string[] = [
  'local/import-flow',
  'faults/kill-extraction',
  'functions/merge-slices/merge-slices',
  'faults/kill-queue',
  'soak/soak',
  'local/publish/package',
  'local/kill-during-extraction',
  'console/console',
  'local/demo/demo',
  'functions/run-job/pieces/large-exports',
  'faults/planted-bugs',
  'faults/kill-export',
  'faults/kill-import',
  'functions/run-job/queue-simulation',
  'cli/commands',
  'local/kill-during-import',
  'faults/kill-large-load',
  'functions/run-job/pieces/large-loads',
  'functions/run-job/crashes',
  'faults/kill-load',
  'faults/stories',
  'local/extract-flow',
  'local/large-load-flow',
  'cli/start',
  'infra/checkers',
  'local/durable/power-cut',
  'faults/kill-large-export',
  'local/s3/crash',
  'functions/start-import/order',
]

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = slowest.findIndex(name => moduleId.endsWith(`/test/${name}.test.ts`))
  return place === -1 ? slowest.length : place
}

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byDefault = await super.sort(files)
    return byDefault.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
