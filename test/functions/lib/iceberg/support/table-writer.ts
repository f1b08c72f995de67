import { type CommitPlan, type CommitRequest, planCommit } from '#lib/iceberg/commit/plan-commit.ts'
import type { TableChange } from '#lib/iceberg/commit/table-change.ts'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import type { NestedField } from '#lib/iceberg/metadata/types.ts'
import { createObjectStore } from './object-store.ts'

export const TABLE = 's3://tables/tables/7'

/** A file as a commit gets it: without statistics, unless `extra` has them. */
export const dataFile = (
  name: string,
  content: Uint8Array,
  rows: number,
  extra: Partial<DataFile> = {},
): DataFile => ({
  content: 'data',
  path: `${TABLE}/data/${name}.parquet`,
  rows,
  bytes: content.length,
  columns: new Map(),
  ...extra,
})

export const textField = (id: number, name: string): NestedField => ({
  id,
  name,
  required: false,
  type: 'string',
})

/** A table in memory, one commit after the other. Each commit is made a second after the one before. */
export const createTableWriter = () => {
  const store = createObjectStore()
  let current: CommitPlan | undefined
  let commits = 0
  const requestFor = (change: TableChange, extra: Partial<CommitRequest> = {}): CommitRequest => ({
    read: store.read,
    base: current ?? { uuid: '9c12d441-03fe-4693-9a96-a0705ddf69c1', location: TABLE },
    change,
    commitId: `job-${commits}`,
    timeMs: 1_000 * (commits + 1),
    ...extra,
  })
  return {
    ...store,
    requestFor,
    /** Keeps a Parquet file where the commit will name it. */
    keep(file: DataFile, content: Uint8Array): DataFile {
      store.objects.set(file.path, content)
      return file
    },
    async commit(change: TableChange, extra: Partial<CommitRequest> = {}): Promise<CommitPlan> {
      current = await planCommit(requestFor(change, extra))
      commits++
      store.put(current.objects)
      return current
    },
  }
}
