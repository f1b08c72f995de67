import pMap from 'p-map'
import { packGroups } from '../../pack-groups.ts'
import type { EngineContext } from '../files/engine-context.ts'
import type { TableFile } from '../files/snapshot.ts'
import { openTableFile } from '../parquet/open-table-file.ts'
import { type DeletesSource, type ScanSource, storedColumns, type WantedColumns } from './scan-files.ts'

/** How many files are read at a time: enough to hide the time of each request. */
const FILES_AT_ONCE = 8

/** A file of the snapshot, opened, with its position deletes. */
export interface OpenSource extends ScanSource {
  file: TableFile
  /** Brings columns of it here. */
  fetch(wanted: WantedColumns): Promise<void>
  close(): Promise<void>
}

/**
 * Opens files of a snapshot, given with their places in it, and brings the wanted columns here. `close` removes what
 * came here.
 */
export const openFiles = async (
  context: EngineContext,
  { files, wanted }: { files: IndexedFile[]; wanted: WantedColumns },
): Promise<OpenSource[]> =>
  pMap(
    files,
    async indexed => {
      const source = await openFile(context, indexed)
      await source.fetch(wanted)
      return source
    },
    { concurrency: FILES_AT_ONCE },
  )

export interface IndexedFile {
  file: TableFile
  index: number
}

const openFile = async (context: EngineContext, { file, index }: IndexedFile): Promise<OpenSource> => {
  const opened = await openTableFile(context, file, `file-${index}`)
  const deletes = await openDeletes(context, { file, index })
  return {
    file,
    index,
    path: opened.path,
    footer: opened.footer,
    deletes: deletes?.deletes,
    fetch: wanted => opened.fetch(storedColumns(opened, wanted)),
    close: async () => {
      await opened.close()
      await deletes?.close()
    },
  }
}

/** The position deletes of a file, whole. Undefined: it has none. */
export const openDeletes = async (
  context: EngineContext,
  { file, index }: IndexedFile,
): Promise<(DeletesSource & Pick<OpenSource, 'close'>) | undefined> => {
  if (!file.deletes) return undefined
  const { key, bytes } = file.deletes
  const opened = await openTableFile(context, { key, bytes }, `deletes-of-${index}`)
  await opened.fetch(opened.footer.columns.map((_, place) => place))
  const location = context.files.locationOf(file.key)
  return { index, deletes: { path: opened.path, location }, close: opened.close }
}

export const closeFiles = async (sources: OpenSource[]): Promise<void> => {
  await Promise.all(sources.map(source => source.close()))
}

/** On the disk of a function there is room for many such batches. */
const BATCH_BYTES = 1024 ** 3

/** Files in batches that fit on the disk of a function. */
export const batchFiles = (files: IndexedFile[]): IndexedFile[][] =>
  packGroups(files, ({ file }) => file.bytes, BATCH_BYTES)
