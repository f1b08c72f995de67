import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MODULE = join(import.meta.dirname, '../../../../functions/lib/aws/create-measure.ts')

/** In a process of its own, because metrics are lines of its standard output. */
const measuredBy = async (env: Record<string, string>): Promise<unknown[]> => {
  const program = `
    import { createMeasure } from ${JSON.stringify(MODULE)}
    const measure = createMeasure('jobs')
    measure({ JobRows: 3, JobBytes: 10 }, { operation: 'tableImport' })
    measure({ OpenJobs: 1 })`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env,
  })
  return stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

it('figures are lines of the embedded metric format, with their units, in the namespace of the stack', async () => {
  const metrics = (...names: [string, string][]) => names.map(([Name, Unit]) => ({ Name, Unit }))
  expect(await measuredBy({ POWERTOOLS_METRICS_NAMESPACE: 'Staging' })).toMatchObject([
    {
      JobRows: 3,
      JobBytes: 10,
      operation: 'tableImport',
      _aws: {
        CloudWatchMetrics: [
          {
            Namespace: 'Staging',
            Dimensions: [['service', 'operation']],
            Metrics: metrics(['JobRows', 'Count'], ['JobBytes', 'Bytes']),
          },
        ],
      },
    },
    // What the line before was told apart by is not carried on.
    { OpenJobs: 1, _aws: { CloudWatchMetrics: [{ Namespace: 'Staging', Dimensions: [['service']] }] } },
  ])
  expect(await measuredBy({})).toMatchObject([
    { _aws: { CloudWatchMetrics: [{ Namespace: 'Millrace' }] } },
    { _aws: { CloudWatchMetrics: [{ Namespace: 'Millrace' }] } },
  ])
})
