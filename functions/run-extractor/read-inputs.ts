import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { parse } from 'csv-parse'
import { z } from 'zod'
import { foreignCodeOr } from '../lib/errors/codes.ts'
import { UserError } from '../lib/errors/errors.ts'
import { isObject } from '../lib/json/json-value.ts'
import { isMissing } from '../lib/paths/is-missing.ts'
import { isFileName, pathInside } from '../lib/paths/path-inside.ts'
import { entriesOf } from '../lib/storage/files/list-slices.ts'
import type { Job } from '../lib/storage-client/storage-client.ts'
import { formatRecord } from '../lib/table-engine/csv/format-records.ts'
import { gunzip } from '../lib/table-engine/csv/gunzip.ts'
import { enterStep, type Run } from './run.ts'
import { sayWhoseRights } from './run-tokens.ts'
import { type Commit, type RunServices, type StepResult, waitFor } from './services.ts'
import { type InputMapping, readStorageMapping } from './storage-mapping.ts'

const exportResults = z.object({ file: z.object({ id: z.number() }) })

/**
 * Asks for the tables that the row reads, as exports, and waits for them.
 *
 * The columns are written first, and exactly these are exported. So a repeated step asks for the same export and finds
 * it, even if a column was added in between.
 */
export const readInputs = async (
  given: Run,
  services: Pick<RunServices, 'storage' | 'runs' | 'now'>,
  commit: Commit,
): Promise<StepResult> => {
  const { storage, runs, now } = services
  const { configuration } = await runs.snapshotOfRow(given)
  const { inputs: mappings } = readStorageMapping(configuration)
  const run =
    given.inputs.length > 0 ? given : { ...given, inputs: await chooseColumns(given, mappings, storage) }
  if (run !== given) await commit(run)

  const inputs: Run['inputs'] = []
  for (const [index, mapping] of mappings.entries()) {
    const input = run.inputs[index]
    if (input === undefined) throw new Error(`The run ${run.id} has no input ${index}`)
    const asked = { mapping, columns: input.columns, idempotencyKey: `${run.id}-${run.rowIndex}-in-${index}` }
    const jobId = input.jobId ?? (await mayRead(run, mapping, startExport(asked, storage)))
    const fileId = input.fileId ?? fileOf(mapping, await storage.job(jobId))
    inputs.push({ ...input, jobId, fileId })
  }
  if (inputs.every(({ fileId }) => fileId !== undefined))
    return { run: enterStep({ ...run, inputs }, 'leg', now()) }
  const jobIds = inputs.flatMap(({ fileId, jobId }) =>
    fileId === undefined && jobId !== undefined ? [jobId] : [],
  )
  return waitFor(jobIds, { ...run, inputs }, now())
}

type Storage = RunServices['storage']

const chooseColumns = async (
  run: Run,
  mappings: readonly InputMapping[],
  storage: Storage,
): Promise<Run['inputs']> => {
  const inputs: Run['inputs'] = []
  for (const mapping of mappings) {
    const { source, destination = source, columns = [] } = mapping
    const chosen = columns.length > 0 ? columns : (await mayRead(run, mapping, storage.table(source))).columns
    inputs.push({ destination, columns: chosen })
  }
  return inputs
}

interface AskedExport {
  mapping: InputMapping
  columns: readonly string[]
  idempotencyKey: string
}

const startExport = async (
  { mapping, columns, idempotencyKey }: AskedExport,
  storage: Storage,
): Promise<number> => {
  const { id } = await storage.exportTable(
    {
      tableId: mapping.source,
      columns: [...columns],
      changedSince: mapping.changed_since,
      whereColumn: mapping.where_column,
      whereOperator: mapping.where_operator,
      whereValues: mapping.where_values,
      whereFilters: mapping.where_filters,
      limit: mapping.limit,
    },
    idempotencyKey,
  )
  return id
}

const mayRead = <Value>(run: Run, { source }: InputMapping, reading: Promise<Value>): Promise<Value> =>
  sayWhoseRights(run, `The run may not read the table "${source}"`, reading)

/** The exported file, or nothing while the job is under way. */
const fileOf = ({ source }: InputMapping, job: Job): number | undefined => {
  if (job.status === 'error')
    throw new UserError(
      foreignCodeOr(job.error.code, 'extractor.run.input'),
      `The table "${source}" of the input mapping could not be read: ${job.error.message}`,
      { params: { jobId: job.id } },
    )
  return job.status === 'success' ? exportResults.parse(job.results).file.id : undefined
}

/** Brings the exported tables of a row to `folder` (`in/tables`), each with a header line and a manifest beside it. */
export const fetchInputs = async (
  { inputs }: Run,
  folder: string,
  { storage, s3With }: Pick<RunServices, 'storage' | 's3With'>,
): Promise<void> => {
  if (inputs.length > 0) await mkdir(folder, { recursive: true })
  for (const { destination, columns, fileId } of inputs) {
    if (fileId === undefined) throw new Error(`The input ${destination} has no file`)
    const file = await storage.file(fileId)
    const s3 = s3With(file.region, file.credentials)
    try {
      const slices = await entriesOf({ s3, ...file.s3Path, isSliced: file.isSliced })
      const path = pathInside(folder, destination)
      await pipeline(Readable.from(tableText(s3, slices, columns)), createWriteStream(path))
      await writeFile(`${path}.manifest`, JSON.stringify({ columns }))
    } finally {
      s3.destroy()
    }
  }
}

/** Slices hold no header (docs/reference/storage-api.md#sliced-files). */
async function* tableText(
  s3: S3Client,
  slices: Awaited<ReturnType<typeof entriesOf>>,
  columns: readonly string[],
) {
  yield formatRecord(columns)
  for (const { bucket, key } of slices) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    const stored = Body as Readable // In Node the SDK gives a stream of Node.
    yield* key.endsWith('.gz') ? gunzip(stored, key) : stored
  }
}

const fromTable = z.strictObject({ table: z.string().min(1) })

/** Each iteration logs in anew and is part of every checkpoint. */
const MAX_ITERATIONS = 5_000

/**
 * `parameters.iterations` may be `{ "table": "<file in in/tables>" }`: one iteration for each row of an input table, the
 * columns as attributes of `config`. A list is Generic Extractor's form and stays as it is.
 *
 * Throws `UserError` `extractor.run.iterations` when the table is not in the input mapping or has too many rows.
 */
export const withTableIterations = async (
  config: Record<string, unknown>,
  inputFolder: string,
): Promise<Record<string, unknown>> => {
  const { parameters } = config
  const given = fromTable.safeParse(isObject(parameters) ? parameters['iterations'] : undefined)
  if (!isObject(parameters) || !given.success) return config
  const iterations = await readRows(inputFolder, given.data.table)
  return { ...config, parameters: { ...parameters, iterations } }
}

const readRows = async (folder: string, table: string): Promise<unknown[]> => {
  if (!isFileName(table)) throw noSuchTable(table)
  const rows: unknown[] = []
  try {
    for await (const row of createReadStream(pathInside(folder, table)).pipe(parse({ columns: true }))) {
      if (rows.push(row) > MAX_ITERATIONS)
        throw new UserError(
          'extractor.run.iterations',
          `The table "${table}" has more than ${MAX_ITERATIONS} rows, which is too many to iterate over. Narrow it in the input mapping.`,
        )
    }
  } catch (error) {
    throw isMissing(error) ? noSuchTable(table) : error
  }
  return rows
}

const noSuchTable = (table: string) =>
  new UserError(
    'extractor.run.iterations',
    `"parameters.iterations" names the table "${table}", which is no destination of storage.input.tables.`,
  )
