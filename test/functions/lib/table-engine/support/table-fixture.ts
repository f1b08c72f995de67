import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TableLimits } from '#lib/table-engine/files/engine-context.ts'
import type { CsvSource, LoadRequest } from '#lib/table-engine/files/load-request.ts'
import type { Snapshot } from '#lib/table-engine/files/snapshot.ts'
import { createTableEngineOn, type TableEngine } from '#lib/table-engine/table-engine.ts'
import { createFolderTableFiles } from './folder-table-files.ts'

export interface LoadOptions extends Partial<Omit<LoadRequest, 'source'>> {
  source?: Partial<CsvSource>
}

export interface TableFixture {
  engine: TableEngine
  folder: string
  /** What the engine did with tables' files: `upload KEY`, `read KEY BYTES`. */
  log: string[]
  /** Loads CSV text or bytes; several are slices. Creates a table unless `current` is given. */
  load(
    csv: string | Uint8Array | (string | Uint8Array)[],
    options?: LoadOptions,
  ): ReturnType<TableEngine['load']>
  /** All rows, in the order of the table. */
  rows(snapshot: Snapshot): Promise<(string | null)[][]>
  /** What is left in the scratch folder. */
  scratch(): Promise<string[]>
  close(): Promise<void>
}

/** A table engine on a temporary folder, with two threads and little memory. */
export const createTableFixture = async (limits: Partial<TableLimits> = {}): Promise<TableFixture> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-tables-'))
  const files = createFolderTableFiles(folder)
  const scratchDir = path.join(folder, 'scratch')
  const engine = createTableEngineOn(files, { scratchDir, memoryLimitMiB: 200, threads: 2, limits })
  await mkdir(path.join(folder, 'data'))
  let loads = 0
  return {
    engine,
    folder,
    log: files.log,
    load: async (csv, { source, ...options } = {}) => {
      const load = ++loads
      const slices = await Promise.all(
        (Array.isArray(csv) ? csv : [csv]).map(async (content, index) => {
          const address = { bucket: 'data', key: `load-${load}-${index}.csv` }
          await writeFile(path.join(folder, address.bucket, address.key), content)
          return address
        }),
      )
      return engine.load({
        tableId: 'in.c-main.orders',
        keyPrefix: `tables/1/load-${load}/`,
        loadedAt: new Date(Date.UTC(2024, 0, load)),
        current: undefined,
        primaryKey: [],
        incremental: false,
        ...options,
        source: {
          slices,
          isSliced: Array.isArray(csv),
          delimiter: ',',
          enclosure: '"',
          escapedBy: '',
          ...source,
        },
      })
    },
    rows: async snapshot => (await engine.preview(snapshot, { limit: 1_000_000 })).rows,
    scratch: () => readdir(scratchDir).catch(() => []),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
