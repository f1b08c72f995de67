import { Readable } from 'node:stream'
import { paginateGetExecutionHistory, SFNClient } from '@aws-sdk/client-sfn'
import { Upload } from '@aws-sdk/lib-storage'
import { askDuckDb } from './duckdb-engine.ts'
import { Skipped, type Step } from './run-steps.ts'
import { expectSame, type Smoke } from './smoke-context.ts'

const ROW_BYTES = 128
const ROWS_A_BLOCK = 8192

/** Rows of 128 bytes with an id of twelve digits. */
function* csvOf(rows: number, mark: string): Generator<string> {
  yield 'id,mark,filler\n'
  const filler = 'x'.repeat(ROW_BYTES - 12 - mark.length - 3)
  for (let from = 0; from < rows; from += ROWS_A_BLOCK) {
    const count = Math.min(ROWS_A_BLOCK, rows - from)
    yield Array.from({ length: count }, (_, index) => {
      const id = String(from + index).padStart(12, '0')
      return `${id},${mark},${filler}\n`
    }).join('')
  }
}

const upload = async ({ api, service }: Smoke, rows: number, mark: string): Promise<number> => {
  const file = await api('POST', 'files/prepare', { name: 'large.csv', federationToken: 1 })
  const { bucket: Bucket, key: Key, credentials } = file.uploadParams
  await service.withS3(credentials, file.region, client => {
    const Body = Readable.from(csvOf(rows, mark))
    return new Upload({ client, params: { Bucket, Key, Body }, partSize: 16 * 1024 ** 2 }).done()
  })
  return file.id
}

/** Names of the states through which the execution of a job went. */
const statesOf = async (smoke: Smoke, jobId: number): Promise<Set<string>> => {
  const { outputs, control } = smoke.account()
  const executionArn = `${outputs['JobMachineArn']?.replace(':stateMachine:', ':execution:')}:job-${jobId}`
  if (control) return new Set(await control.callsOf(executionArn))
  const client = new SFNClient({})
  const states = new Set<string>()
  try {
    for await (const { events = [] } of paginateGetExecutionHistory({ client }, { executionArn }))
      for (const { stateEnteredEventDetails: entered } of events)
        if (entered?.name !== undefined) states.add(entered.name)
  } finally {
    client.destroy()
  }
  return states
}

export const largeSteps: Readonly<Record<string, Step<Smoke>>> = {
  async 'load more than one function takes'(smoke) {
    const { largeBytes } = smoke.installation
    if (largeBytes === undefined)
      throw new Skipped('give --large-bytes, more than the installation’s singleLoadBytes.')
    smoke.account()
    const rows = Math.ceil(largeBytes / ROW_BYTES) + 1
    const tableId = `${smoke.bucketId}.large`
    const creation = { name: 'large', primaryKey: 'id', dataFileId: await upload(smoke, rows, 'first') }
    const created = await smoke.job('POST', `buckets/${smoke.bucketId}/tables-async`, creation)
    expectSame('Whether its machine cut it', (await statesOf(smoke, created.id)).has('Part'), true)
    const changed = Math.ceil(rows * 0.9)
    const load = { dataFileId: await upload(smoke, changed, 'again'), incremental: 1 }
    const merged = await smoke.job('POST', `tables/${tableId}/import-async`, load)
    expectSame('Whether its machine cut this', (await statesOf(smoke, merged.id)).has('Part'), true)
    expectSame('Rows of the table', (await smoke.api('GET', `tables/${tableId}`)).rowsCount, rows)
    const counted = await smoke.api(
      'GET',
      `tables/${tableId}/data-preview?limit=1&format=json&whereColumn=mark&whereValues[]=first`,
    )
    expectSame('Rows left of the first load', counted.rows.length, 1)
    return `${rows} rows, then ${changed} of them again`
  },

  async 'read by an engine'(smoke) {
    const { url, token } = smoke.installation
    const table = `lake.${smoke.bucketId.toLowerCase().replaceAll(/[.-]/g, '_')}.keyed`
    await smoke.job('POST', `tables/${smoke.bucketId}.keyed/import-async`, {
      dataFileId: await smoke.service.upload('id,city\n1,Oslo\n2,Turku\n'),
      incremental: 0,
    })
    const { version, rows } = await askDuckDb({ url, token }, `SELECT id, city FROM ${table} ORDER BY id`)
    expectSame('What DuckDB reads', rows, [
      ['1', 'Oslo'],
      ['2', 'Turku'],
    ])
    return `DuckDB ${version} finds ${table} in the catalogue and reads its rows`
  },
}
