import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CloudFacts } from '../../local/runtime/embedded-cloud.ts'
import { projectRoot } from '../../local/runtime/project-root.ts'
import { note, StepFailure } from './book.ts'
import { acknowledged, callApi, NotAcknowledged, untilAcknowledged } from './client.ts'
import { appendTable } from './import-steps.ts'
import { compareExport, type TableRow } from './model.ts'
import { rowsOfCsv } from './rows.ts'
import type { Step } from './schedule.ts'
import type { StepContext } from './step-context.ts'
import { readExport, readObject } from './tables.ts'
import { uploadBytes } from './upload.ts'

/** Bytes that follow from the seed, of any length and without any order in them. */
const bytesOf = ({ seed, rows }: Step): Buffer => {
  const length = 1 + (seed % (rows * 40_000))
  const blocks = Array.from({ length: Math.ceil(length / 64) }, (_, index) =>
    createHash('sha512').update(`${seed} ${index}`).digest(),
  )
  return Buffer.concat(blocks).subarray(0, length)
}

export const keepFile = async ({ cloud, book }: StepContext, step: Step): Promise<void> => {
  const bytes = bytesOf(step)
  const id = await uploadBytes(cloud, bytes, { name: `file-${step.number}.bin`, seed: step.seed })
  book.files.push({ step: step.number, id, bytes })
}

const refuseDifferences = ({ book }: StepContext, rows: readonly TableRow[]): void => {
  const [difference] = compareExport('export', book.loadsOf('importAppend', appendTable), rows)
  if (difference) throw new StepFailure(`exported what differs: ${difference.message}`)
}

/** A job as the list shows it. To ask for it by its address would start one that was left lying, and hide that. */
const jobOf = async (facts: CloudFacts, id: number) => {
  const { body } = acknowledged(await callApi(facts, { path: `jobs?limit=1&maxId=${id + 1}` }), [200])
  if (body[0]?.id !== id) throw new StepFailure(`was acknowledged as job ${id}, which is not in the list`)
  return body[0]
}

const untilEnded = (context: StepContext, id: number) =>
  untilAcknowledged(context.cloud, async facts => {
    const job = await jobOf(facts, id)
    if (job.status === 'success') return job
    if (job.status === 'error') throw new StepFailure(`job ${id} failed: ${job.error.message}`)
    await pause(200)
    throw new NotAcknowledged(`job ${id} is ${job.status}`)
  })

export const exportTable = async (context: StepContext, step: Step): Promise<void> => {
  const { cloud, book } = context
  book.exports += 1
  const call = {
    method: 'POST',
    path: `tables/${book.bucket}.${appendTable}/export-async`,
    body: { gzip: false },
    idempotencyKey: `soak-export-${step.number}`,
  }
  const accepted = await untilAcknowledged(cloud, async facts =>
    acknowledged(await callApi(facts, call), [202]),
  )
  const job = await untilEnded(context, accepted.body.id)
  refuseDifferences(context, await untilAcknowledged(cloud, facts => readExport(facts, job.results.file.id)))
}

/** The export machine, as the command runs it. A run that a kill cut off is asked for again under another key. */
export const runExportMachine = async (context: StepContext, step: Step): Promise<void> => {
  const { cloud, book, dataDir } = context
  book.exports += 1
  const object = await untilAcknowledged(cloud, async ({ exportsBucket = '' }, number) => {
    const key = `soak/${step.number}-${number}.csv`
    const input = {
      tableId: `${book.bucket}.${appendTable}`,
      destination: { bucket: exportsBucket, key },
      header: false,
    }
    const command = [join(projectRoot, 'cli', 'millrace.ts'), 'execute', 'export', JSON.stringify(input)]
    await promisify(execFile)(process.execPath, command, {
      cwd: projectRoot,
      env: { ...process.env, MILLRACE_DATA_DIR: dataDir },
      timeout: 60_000,
    })
    return { bucket: exportsBucket, key }
  })
  const text = await untilAcknowledged(cloud, facts => readObject(facts, object.bucket, object.key))
  refuseDifferences(context, rowsOfCsv(text))
}

const rowsOfPage = 5
const shopRows = (step: number): TableRow[] =>
  Array.from({ length: rowsOfPage * (1 + (step % 6)) + 1 }, (_, index) => ({
    id: `${step}-${index}`,
    value: `shop ${step}`,
  }))

/** What the small API answers to `/items/<step>`. */
export const answerShop = ({ path, query }: { path: string; query: URLSearchParams }): TableRow[] => {
  const offset = Number(query.get('offset'))
  return shopRows(Number(path.split('/').at(-1))).slice(offset, offset + rowsOfPage)
}

export const extractionBucket = (phase: number): string => `soakx${phase}`

export const extract = async ({ cloud, book, shop }: StepContext, step: Step): Promise<void> => {
  const id = `soak-extraction-${step.number}`
  const endpoint = `items/${step.number}`
  const table = `items${step.number}`
  const pagination = { method: 'offset', limit: rowsOfPage }
  const parameters = {
    api: { baseUrl: `${shop.origin}/`, pagination },
    config: { outputBucket: extractionBucket(book.phase), jobs: [{ endpoint, dataType: table }] },
  }
  const configs = 'components/ex-generic-v2/configs'
  await untilAcknowledged(cloud, async facts => {
    const body = { configurationId: id, name: id, configuration: { parameters } }
    const reply = await callApi(facts, { method: 'POST', path: configs, body })
    if (reply.body?.code !== 'configurationAlreadyExists') acknowledged(reply, [201])
  })
  const load = note(book.loadsOf('extraction', table), {
    mark: `shop ${step.number}`,
    step: step.number,
    rows: shopRows(step.number),
    isAcknowledged: false,
  })
  const run = { method: 'POST', path: `${configs}/${id}/run`, idempotencyKey: `soak-run-${step.number}` }
  await untilAcknowledged(cloud, async facts => acknowledged(await callApi(facts, run), [202]))
  load.isAcknowledged = true
}
