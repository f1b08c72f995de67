import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MODULE = join(import.meta.dirname, '../../../../functions/lib/cloud/create-measure.ts')

const COUNT_RUNS = join(import.meta.dirname, '../../../../functions/run-extractor/end-run.ts')

const JOBS = `
  import { createMeasure } from ${JSON.stringify(MODULE)}
  const measure = createMeasure('jobs')
  measure({ JobRows: 3, JobBytes: 10 }, { dimensions: { operation: 'tableImport' } })
  measure({ OpenJobs: 1 })`

/** In a process of its own, because metrics are lines of its standard output. */
const measuredBy = async (env: Record<string, string>, program = JOBS): Promise<unknown[]> => {
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
})

it('runs of all configurations are one set of metrics, whose lines name the configuration', async () => {
  const figures = '{ isSuccess: true, rowsLoaded: 7, seconds: 1, requests: 2, retries: 0, logins: 1 }'
  const lines = await measuredBy(
    { POWERTOOLS_METRICS_NAMESPACE: 'Staging' },
    `import { createCountRun } from ${JSON.stringify(COUNT_RUNS)}
    const count = createCountRun()
    for (const configId of ['shop', 'crm']) count({ componentId: 'ex-generic-v2', configId, ...${figures} })`,
  )
  const dimensions = { CloudWatchMetrics: [{ Dimensions: [['service']] }] }
  const common = { service: 'extraction', component: 'ex-generic-v2', ExtractionRows: 7, _aws: dimensions }
  expect(lines).toMatchObject([
    { ...common, configuration: 'shop' },
    { ...common, configuration: 'crm' },
  ])
})
