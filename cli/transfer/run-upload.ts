import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { UserError } from '../../functions/lib/errors/errors.ts'
import {
  IF_EXISTS_FEATURE,
  isTableMadeMeanwhile,
  keyAfter,
  loadIntoTable,
} from '../../functions/lib/storage-client/load-into-table.ts'
import type { PreparedFile, ReadableFile } from '../../functions/lib/storage-client/storage-client.ts'
import { noneWhenGone } from '../../functions/lib/storage-client/token-client.ts'
import {
  type FileForm,
  FORM_BYTES,
  formOf,
  isTabbed,
  refusedName,
} from '../../functions/lib/table-engine/csv/file-forms.ts'
import {
  replacedRowsOfJob,
  rowsOfJob,
  rowsText,
  warningsOfJob,
} from '../../functions/lib/wire/job-results.ts'
import { isTableIdForLoad } from '../../functions/lib/wire/storage-ids.ts'
import { findStorage } from '../connect/find-storage.ts'
import { followJob, succeededOrThrow } from '../connect/follow-job.ts'
import { formatBytes } from '../shell/format-values.ts'
import { unlessInterrupted } from '../shell/interrupted.ts'
import { progressIn } from '../shell/progress.ts'
import { type Shell, sayIn } from '../shell/shell.ts'
import { connectStorage, type StorageConnection } from './connect-storage.ts'
import { journalAt } from './journal.ts'
import type { UploadFlags } from './upload-options.ts'
import { uploadParts } from './upload-parts.ts'
import { uploadSlices } from './upload-slices.ts'

/** From this size on, a file for a table is sliced: the service then reads the slices in parallel. */
const SLICED_FROM_BYTES = 256 * 1024 ** 2

/** One more than once: whoever created the table meanwhile may have deleted it again. */
const MAX_LOADS = 3

/** Resolves when the file is there, and its rows in the table. Prints a sentence on a terminal, elsewhere the ids as JSON. */
export const runUpload = async (
  path: string,
  given: UploadFlags,
  shell: Shell,
  whenStopped = 'The upload is not complete: the same command goes on with it.',
): Promise<void> => {
  const flags = { ...given, delimiter: given.delimiter ?? (isTabbed(given.name ?? path) ? '\t' : undefined) }
  if (flags.table !== undefined && !isTableIdForLoad(flags.table))
    throw new UserError('cli.tableId', `"${flags.table}" is not a table id: it looks like in.c-main.orders.`)
  const connection = connectStorage(await findStorage(flags, shell))
  try {
    const journal = journalAt(`${path}.upload.json`, journalSchema)
    const uploading = upload(connection, path, { flags, shell, journal }).catch((error: unknown) => {
      if (!(error instanceof UserError)) sayIn(shell)(whenStopped)
      throw error
    })
    const uploaded = await unlessInterrupted(uploading, whenStopped, shell)
    const loaded =
      flags.table === undefined
        ? undefined
        : await load(connection, flags.table, uploaded, { flags, shell, journal })
    await journal.remove()
    const { fileId, isSliced } = uploaded
    const { jobId, warnings = [], rows, replacedRows = 0 } = loaded ?? {}
    for (const warning of warnings) sayIn(shell)(`warning: ${warning}`)
    const table = loaded
      ? {
          tableId: flags.table,
          jobId,
          ...(warnings.length > 0 && { warnings }),
          ...(replacedRows > 0 && { replacedRows }),
        }
      : {}
    const isForPeople = shell.stdout.isTTY === true && flags.json !== true
    const sentence = loaded
      ? `${flags.table}: ${rows === undefined ? 'loaded' : `loaded ${rowsText(rows, replacedRows)}`} (job ${jobId})`
      : `file ${fileId}`
    shell.stdout.write(`${isForPeople ? sentence : JSON.stringify({ fileId, isSliced, ...table })}\n`)
  } finally {
    connection.close()
  }
}

interface Context {
  flags: UploadFlags
  shell: Shell
  journal: Journal
}

interface Uploaded {
  fileId: number
  isSliced: boolean
  columns: string[] | undefined
  notes: Notes
}

const upload = async (
  connection: StorageConnection,
  path: string,
  { flags, shell, journal }: Context,
): Promise<Uploaded> => {
  const { storage, s3For } = connection
  const tags = flags.tag ?? []
  const facts = await stat(path)
  if (!facts.isFile()) throw new UserError('cli.noFile', `${path} is not a file.`)
  const isLarge = facts.size >= SLICED_FROM_BYTES
  const name = flags.name ?? basename(path)
  const form = flags.table === undefined ? undefined : await formOfFile(path)
  const refused = form?.refused ?? (form && refusedName(name))
  if (refused !== undefined) throw new UserError('invalidCsv', `${path} ${refused}`)
  // Only CSV that is not compressed can be cut at its records.
  const isSliced = form?.kind === 'CSV' && (flags.sliced ?? isLarge)
  const request = JSON.stringify([flags.url ?? null, name, tags, isSliced])
  const about = { request, bytes: facts.size, modified: facts.mtimeMs }
  const noted = await journal.read()
  const known = noted && isDeepStrictEqual({ ...noted, ...about }, noted) ? noted : undefined
  const file =
    (known && (await storage.file(known.fileId).catch(noneWhenGone))) ??
    (await storage.prepareFile({ name, sizeBytes: facts.size, tags, isSliced }))
  const isResumed = known?.fileId === file.id
  if (!isResumed) await journal.save({ ...about, fileId: file.id })
  else if (known.uploaded) {
    sayIn(shell)(`${path}: ${formatBytes(facts.size)} were there`)
    return { fileId: file.id, isSliced, columns: known.uploaded.columns, notes: known }
  }

  const start = performance.now()
  const progress = progressIn(shell)(path, facts.size)
  const destination = { s3: s3For(file), ...placeOf(file) }
  try {
    const sent = isSliced
      ? await uploadSlices(path, {
          destination,
          columns: flags.columns,
          delimiter: flags.delimiter,
          enclosure: flags.enclosure,
          progress,
        })
      : await uploadParts(path, {
          destination,
          bytes: facts.size,
          uploadId: isResumed ? known.uploadId : undefined,
          onUpload: uploadId => journal.save({ ...about, fileId: file.id, uploadId }),
          progress,
        })
    const after = await stat(path)
    if (after.size !== facts.size || after.mtimeMs !== facts.mtimeMs)
      throw new UserError('cli.fileChanged', `${path} was changed while it was uploaded.`)
    progress.end()
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    const resumed = sent.resumedBytes > 0 ? `, of which ${formatBytes(sent.resumedBytes)} were there` : ''
    const how = 'slices' in sent ? `${sent.slices} slices` : `CRC32 ${sent.checksum} checked`
    sayIn(shell)(`${path}: ${formatBytes(facts.size)}${resumed}, ${how}, ${seconds} s`)
    const columns = 'columns' in sent ? sent.columns : flags.columns
    const notes = { ...about, fileId: file.id, uploaded: { columns } }
    await journal.save(notes)
    return { fileId: file.id, isSliced, columns, notes }
  } finally {
    progress.end()
  }
}

const placeOf = (file: PreparedFile | ReadableFile) => {
  // Who may write such a file again must ask for encryption, too.
  if (!('uploadParams' in file))
    return { ...file.s3Path, serverSideEncryption: file.isEncrypted ? ('AES256' as const) : undefined }
  const { bucket, key, 'x-amz-server-side-encryption': serverSideEncryption } = file.uploadParams
  return { bucket, key, serverSideEncryption }
}

const formOfFile = async (path: string): Promise<FileForm> => {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FORM_BYTES), 0, FORM_BYTES, 0)
    return formOf(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

const load = async (
  { storage }: StorageConnection,
  tableId: string,
  { fileId, columns, notes }: Uploaded,
  { flags, shell, journal }: Context,
) => {
  const { primaryKey = [], incremental = false, delimiter, enclosure, types } = flags
  const file = {
    tableId,
    dataFileId: fileId,
    columns,
    delimiter,
    enclosure,
    types: types === 'detect' ? ('detect' as const) : undefined,
    primaryKey,
    incremental,
  }
  const warnings = new Set<string>()
  // Who asks for the same load after a death gets the job of the first time.
  const asked = JSON.stringify(file)
  let idempotencyKey: string = notes.load?.asked === asked ? notes.load.key : crypto.randomUUID()
  await journal.save({ ...notes, load: { asked, key: idempotencyKey } })
  const hasIfExists = await storage.knows(IF_EXISTS_FEATURE)
  for (let attempt = 1; ; attempt++) {
    const started = await loadIntoTable(storage, file, { idempotencyKey, checksKeyFirst: true, hasIfExists })
    const what = `The load of ${tableId}`
    const job = await followJob(started.job, id => storage.job(id), { what, shell })
    for (const warning of started.warnings) warnings.add(warning)
    if (!isTableMadeMeanwhile(job) || attempt >= MAX_LOADS) {
      await journal.remove() // Also when it has failed: the same load would fail for ever.
      const succeeded = succeededOrThrow(job)
      for (const warning of warningsOfJob(succeeded)) warnings.add(warning)
      return {
        jobId: job.id,
        warnings: [...warnings],
        rows: rowsOfJob(succeeded),
        replacedRows: replacedRowsOfJob(succeeded),
      }
    }
    idempotencyKey = keyAfter(idempotencyKey, job)
  }
}

/** The destination of an unfinished upload. */
const journalSchema = z.object({
  /** The request as one text. */
  request: z.string(),
  /** Of the local file. When one of the two differs, the content has changed. */
  bytes: z.number(),
  modified: z.number(),
  fileId: z.number(),
  /** Of the multipart upload, when there is one. */
  uploadId: z.string().optional(),
  /** All bytes are there. */
  uploaded: z.object({ columns: z.array(z.string()).optional() }).optional(),
  /** What was asked for, under which idempotency key. */
  load: z.object({ asked: z.string(), key: z.string() }).optional(),
})

type Notes = z.infer<typeof journalSchema>
type Journal = ReturnType<typeof journalAt<Notes>>
