import { z } from 'zod'
import { formatCrc32 } from '../../functions/lib/aws/multipart/combine-crc32.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { pathInside } from '../../functions/lib/paths/path-inside.ts'
import { quoteIdentifier } from '../../functions/lib/table-engine/duckdb/sql.ts'
import { createApi } from '../connect/api.ts'
import { findStorage } from '../connect/find-storage.ts'
import { followJob, succeededOrThrow } from '../connect/follow-job.ts'
import type { StorageFlags } from '../connect/storage-options.ts'
import { createOutput } from '../shell/output.ts'
import { printableTo } from '../shell/printable.ts'
import { formatBytes, progressIn } from '../shell/progress.ts'
import { pathIn, type Shell, sayIn } from '../shell/shell.ts'
import { connectStorage, type StorageConnection } from '../transfer/connect-storage.ts'
import {
  type Download,
  downloadSlices,
  downloadToPath,
  downloadToStream,
  partialFile,
} from '../transfer/download-file.ts'
import { formatOfName, type QueryFormat } from './query-formats.ts'

export interface DownloadFlags extends StorageFlags {
  output?: string
  gzip?: boolean
  header: boolean
  slices?: boolean
}

/** Resolves when all bytes are there. */
export const runDownload = async (target: string, flags: DownloadFlags, shell: Shell): Promise<void> => {
  if (!/^\d+$|\./.test(target))
    throw new UserError(
      'cli.tableId',
      `"${target}" is no number of a file, nor a table id like in.c-main.orders.`,
    )
  const named = formatOfName(flags.output ?? '')
  if (named.format !== undefined && named.format !== 'csv' && !/^\d+$/.test(target))
    return writeQuery(target, named.format, flags, shell)
  const connection = connectStorage(await findStorage(flags, shell))
  try {
    const start = performance.now()
    const { path, download } = await runWith(connection, target, flags, shell)
    const seconds = (performance.now() - start) / 1000
    sayIn(shell)(describe(path, download, seconds))
  } finally {
    connection.close()
  }
}

/** Exports are CSV: other formats are the result of a query for all rows. */
const writeQuery = async (
  tableId: string,
  format: QueryFormat,
  { output = '', ...flags }: DownloadFlags,
  shell: Shell,
): Promise<void> => {
  const { runQuery } = await import('./run-query.ts')
  const api = createApi(await findStorage(flags, shell))
  await runQuery(
    {
      sql: `SELECT * FROM ${quoteIdentifier(tableId)}`,
      format,
      outputPath: pathIn(shell, output),
      detectsTypes: false,
    },
    { api, out: createOutput(false, shell.stdout, shell.stderr), shell },
  )
}

const exportResults = z.object({ file: z.object({ id: z.coerce.number() }) })

const runWith = async (connection: StorageConnection, target: string, flags: DownloadFlags, shell: Shell) => {
  const { storage } = connection
  const isFile = /^\d+$/.test(target)
  const given =
    flags.output ??
    // The uploader chose the name; it must not lead out of this folder.
    pathInside('.', isFile ? (await storage.file(Number(target))).name : tableFileName(target, flags))
  const path = given === '-' ? given : pathIn(shell, given)
  const request = JSON.stringify([flags.url ?? null, target, isCompressed(flags), flags.header])
  const known = path === '-' || isFile ? undefined : await partialFile(path).journal(request)
  const isKnownThere = known && (await storage.file(known.fileId).then(() => true, ifGone))
  const source =
    known && isKnownThere
      ? { fileId: known.fileId, columns: known.columns }
      : isFile
        ? { fileId: Number(target), columns: undefined }
        : await exportTable(connection, target, flags, shell)
  const options = { connection, ...source, startProgress: progressIn(shell) }
  const download =
    flags.slices && path !== '-'
      ? await downloadSlices(path, request, options)
      : path === '-'
        ? await downloadToStream(printableTo(shell.stdout), options)
        : await downloadToPath(path, request, options)
  return { path, download }
}

/** A name that ends in `.gz` asks for it, too. */
const isCompressed = ({ gzip, output = '' }: Pick<DownloadFlags, 'gzip' | 'output'>): boolean =>
  gzip === true || formatOfName(output).gzip

/** Exports are kept for two days; later the download begins again. */
const ifGone = (error: unknown): boolean => {
  if (error instanceof UserError && error.status === 404) return false
  throw error
}

const tableFileName = (tableId: string, { gzip }: DownloadFlags): string =>
  `${tableId.slice(tableId.lastIndexOf('.') + 1)}.csv${gzip ? '.gz' : ''}`

/** Exports a table; resolves to the file with its rows, and the columns for the header. */
export const exportTable = async (
  { storage }: StorageConnection,
  tableId: string,
  flags: Pick<DownloadFlags, 'gzip' | 'header' | 'output'>,
  shell: Shell,
) => {
  const { columns } = await storage.table(tableId)
  // Names the columns, so that the header fits even when one is added meanwhile.
  const started = await storage.exportTable(
    { tableId, columns, gzip: isCompressed(flags) },
    crypto.randomUUID(),
  )
  const what = `The export of ${tableId}`
  const { results } = succeededOrThrow(await followJob(started, id => storage.job(id), { what, shell }))
  const fileId = exportResults.parse(results).file.id
  return { fileId, columns: flags.header ? columns : undefined }
}

const describe = (
  path: string,
  { bytes, resumedBytes, crc, isVerified }: Download,
  seconds: number,
): string => {
  const resumed = resumedBytes > 0 ? `, of which ${formatBytes(resumedBytes)} were there` : ''
  const checksum = isVerified ? `CRC32 ${formatCrc32(crc)} checked` : 'no checksum to check'
  return `${path}: ${formatBytes(bytes)}${resumed}, ${checksum}, ${seconds.toFixed(1)} s`
}
