import {
  HeadObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
} from '@aws-sdk/client-s3'
import { TABLE_EXISTS_CODE } from '../../functions/lib/storage-client/table-exists-code.ts'
import type { CloudFacts } from '../../local/runtime/embedded-cloud.ts'
import type { Book } from './book.ts'
import { type ApiReply, acknowledged, callApi, s3Of } from './client.ts'
import { component, sharedConfiguration } from './configuration-steps.ts'
import { sharedTable } from './import-steps.ts'
import {
  type Compare,
  compareAdded,
  compareAppends,
  compareDone,
  compareFull,
  compareKeyed,
  compareOrdered,
  compareValue,
  compareVersions,
  type Difference,
  type Load,
  type SharedLoad,
  settle,
  type TableRow,
} from './model.ts'
import { extractionBucket } from './reading-steps.ts'
import { readTable } from './tables.ts'

/** Where what was written in a phase differs from what is there now. */
export const comparePhase = async (facts: CloudFacts, book: Book): Promise<Difference[]> => [
  ...(await compareJobs(facts)),
  ...(await compareLanded(facts, book)),
  ...(await compareImported(facts, book)),
  ...(await compareShared(facts, book)),
  ...(await compareConfiguration(facts, book)),
  ...(await compareEvents(facts, book)),
  ...(await compareFiles(facts, book)),
]

/** By the list: to ask for a job by its address would start one that was left lying, and hide that. */
const jobsOf = async (facts: CloudFacts, ...statuses: string[]): Promise<ListedJob[]> => {
  const query = statuses.map(status => `storage_job_status[]=${status}`).join('&')
  const found: ListedJob[] = []
  for (;;) {
    const path = `jobs?limit=${JOBS_IN_PAGE}&offset=${found.length}&${query}`
    const { body } = acknowledged(await callApi(facts, { path }), [200])
    found.push(...(body as ListedJob[])) // The list's documented form.
    if (body.length < JOBS_IN_PAGE) return found
  }
}

const JOBS_IN_PAGE = 1000

interface ListedJob {
  id: number
  operationName: string
  status: string
  operationParams: { source?: { fileId?: number | string } }
  error?: { code: string; message: string }
}

const compareJobs = async (facts: CloudFacts): Promise<Difference[]> => {
  const unfinished = await jobsOf(facts, 'waiting', 'processing')
  // Two objects of different keys may both try to make a table; the second then imports into it.
  const failed = (await jobsOf(facts, 'error')).filter(({ error }) => error?.code !== TABLE_EXISTS_CODE)
  return [...unfinished, ...failed].map(({ id, operationName, status, error }) => ({
    subject: `job ${id}`,
    step: 0,
    state: status === 'error' ? 'final' : 'open',
    message: `${operationName} is ${status}${error ? `: ${error.message}` : ''}`,
  }))
}

const compareTable = async (
  facts: CloudFacts,
  tableId: string,
  attempts: readonly Load[],
  compare: Compare<Load, readonly TableRow[]>,
): Promise<Difference[]> => compare(`table ${tableId}`, attempts, (await readTable(facts, tableId)) ?? [])

const compareLanded = async (facts: CloudFacts, book: Book): Promise<Difference[]> => {
  const stored = await storedMarks(facts, book)
  const differences: Difference[] = []
  const settled = (key: string, attempts: readonly Load[]): Load[] => {
    const result = settle(`object ${key}`, attempts, stored)
    differences.push(...result.differences)
    return result.attempts
  }
  for (const [kind, compare] of [
    ['landFull', compareFull],
    ['landKeyed', compareKeyed],
  ] as const)
    for (const [key, attempts] of book.loads(kind)) {
      const table = key.slice(0, -'.csv'.length).replace('/', '.')
      differences.push(...(await compareTable(facts, table, settled(key, attempts), compare)))
    }
  const appends = [...book.loads('landAppend')].flatMap(([key, attempts]) => settled(key, attempts))
  differences.push(...(await compareTable(facts, `${book.bucket}.landappend`, appends, compareAppends)))
  return differences
}

/** Tables that several writers share: what their loads make in the order of S3's versions, or of the service's jobs. */
const compareShared = async (facts: CloudFacts, book: Book): Promise<Difference[]> => {
  const differences: Difference[] = []
  const stored = await storedMarks(facts, book)
  for (const [key, attempts] of book.sharedKeys) {
    const subject = `object ${key}`
    const known = new Map(attempts.map(load => [load.mark, load]))
    const inOrder = [...stored].reverse().flatMap(mark => known.get(mark) ?? [])
    differences.push(...compareDone(subject, attempts, inOrder))
    const table = key.slice(0, -'.csv'.length).replace('/', '.')
    differences.push(...compareOrdered(subject, inOrder, (await readTable(facts, table)) ?? []))
  }
  const tableId = `${book.bucket}.${sharedTable}`
  const done = await sharedLoadsDone(facts, book)
  differences.push(...compareDone(`table ${tableId}`, book.sharedTable, done))
  differences.push(...compareOrdered(`table ${tableId}`, done, (await readTable(facts, tableId)) ?? []))
  return differences
}

const sharedLoadsDone = async (facts: CloudFacts, book: Book): Promise<SharedLoad[]> => {
  const ofFile = new Map(book.sharedTable.map(load => [load.fileId, load]))
  const fileOf = (params: { source?: { fileId?: number | string } }) => Number(params.source?.fileId)
  const jobs = (await jobsOf(facts, 'success')).sort((one, other) => one.id - other.id)
  const ofTable = jobs.filter(({ operationParams }) => ofFile.has(fileOf(operationParams)))
  return ofTable.flatMap(({ operationParams }) => ofFile.get(fileOf(operationParams)) ?? [])
}

/** The marks of all object versions that the landing bucket lists for the phase, of each key the newest first. */
const storedMarks = async (facts: CloudFacts, book: Book): Promise<Set<string>> => {
  const client = s3Of(facts)
  const Bucket = facts.landingBucket
  try {
    const marks = new Set<string>()
    let next: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {}
    while (next) {
      const command = new ListObjectVersionsCommand({ Bucket, Prefix: `${book.bucket}/`, ...next })
      const page: ListObjectVersionsCommandOutput = await client.send(command)
      for (const { Key, VersionId } of page.Versions ?? []) {
        const { Metadata } = await client.send(new HeadObjectCommand({ Bucket, Key, VersionId }))
        marks.add(Metadata?.['mark'] ?? '')
      }
      next = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
        : undefined
    }
    return marks
  } finally {
    client.destroy()
  }
}

const compareImported = async (facts: CloudFacts, book: Book): Promise<Difference[]> => {
  const differences: Difference[] = []
  for (const [kind, bucket, compare] of [
    ['importFull', book.bucket, compareFull],
    ['importAppend', book.bucket, compareAppends],
    ['importKeyed', book.bucket, compareKeyed],
    ['extraction', `in.c-${extractionBucket(book.phase)}`, compareFull],
  ] as const)
    for (const [table, attempts] of book.loads(kind))
      differences.push(...(await compareTable(facts, `${bucket}.${table}`, attempts, compare)))
  return differences
}

const compareConfiguration = async (facts: CloudFacts, book: Book): Promise<Difference[]> => {
  const id = sharedConfiguration(book.phase)
  const path = `components/${component}/configs/${id}`
  const configuration = acknowledged(await callApi(facts, { path }), [200]).body
  const versions = acknowledged(await callApi(facts, { path: `${path}/versions?limit=1000` }), [200]).body
  const seen = versions.map((entry: { version: number; changeDescription: string }) => ({
    version: entry.version,
    mark: entry.changeDescription,
  }))
  const changes = book.changes.get(id) ?? []
  const differences = compareVersions(`configuration ${id}`, changes, seen)
  if (configuration.version !== versions[0]?.version)
    differences.push({
      subject: `configuration ${id}`,
      step: changes.at(-1)?.step ?? 0,
      message: `is version ${configuration.version}, but the newest is ${versions[0]?.version}`,
    })
  for (const [name, attempts] of book.values) {
    const [what, of] = name.split(' ')
    const value =
      what === 'table'
        ? (await callApi(facts, { path: `tables/${book.bucket}.${of}` })).body.displayName
        : configuration.rows.find((row: { id: string }) => row.id === of)?.configuration.parameters.mark
    differences.push(...compareValue(name, attempts, value))
  }
  return differences
}

const compareEvents = async (facts: CloudFacts, book: Book): Promise<Difference[]> => {
  const messages: string[] = []
  let path: string | undefined = `events?component=soak.phase${book.phase}&limit=1000`
  while (path !== undefined) {
    const { body, next }: ApiReply = acknowledged(await callApi(facts, { path }), [200])
    messages.push(...body.map(({ message }: { message: string }) => message))
    path = next
  }
  return compareAdded('events', book.events, messages)
}

const compareFiles = async (facts: CloudFacts, book: Book): Promise<Difference[]> => {
  const differences: Difference[] = []
  for (const { id, step, bytes } of book.files) {
    const { body: file } = acknowledged(await callApi(facts, { path: `files/${id}` }), [200])
    const response = await fetch(file.url)
    const found = Buffer.from(await response.arrayBuffer())
    if (response.ok && found.equals(bytes)) continue
    const message = `${response.status}, ${found.length} bytes, not the ${bytes.length} that were acknowledged`
    differences.push({ subject: `file ${id}`, step, message })
  }
  return differences
}
