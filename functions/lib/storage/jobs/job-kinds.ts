import type { AuditEventName, auditEvent } from '../events/audit-event.ts'
import { nameOfTable } from '../tables/table-store.ts'
import { bucketOfTable } from '../tokens/rights.ts'
import type { BucketPermission } from '../tokens/token-store.ts'
import type { InputOf, JobInput } from './job-record.ts'

/** What a job needs, beside that the token which asked for it is still there. */
export type Need =
  | { bucketId: string; permission: BucketPermission }
  | { snapshotId: number; permission: BucketPermission }
  | { fileId: number }
  /** To read the source, if the table is an alias; with `columns` only if it does not show all of them. */
  | { sourceOf: string; columns?: string[]; permission: BucketPermission }

type Facts = Omit<Parameters<typeof auditEvent>[1], 'results'>

/** One change that a job makes, as an event says it. `load`: the file of it, if that is still there. */
interface JobChange {
  name: AuditEventName
  facts: Facts
  load?: { fileId: number; incremental: boolean }
}

interface JobKind<Input> {
  /** Nothing for a run of a configuration, whose events are those of its component. */
  changes?: (input: Input, jobId: number, isDone: boolean) => JobChange[]
  /** The rights that its route asks for. Default: none, since nobody but the master token, or who made it, asks for this. */
  needs?: (input: Input) => Need[]
  /** What becomes a branch's own before it begins: the table that it replaces, or the bucket that it changes or adds a table to. */
  owns?: (input: Input) => { tableId?: string; bucketId?: string }
  /** It may be done, or half of it, while the job is open. All else is visible with its end, not before. */
  isDoneBefore?: true
}

const onTable = (tableId: string, permission: BucketPermission = 'write'): Need => ({
  bucketId: bucketOfTable(tableId),
  permission,
})
const ofSource = (tableId: string, columns?: string[]): Need => ({
  sourceOf: tableId,
  permission: 'read',
  ...(columns && { columns }),
})
const ofFile = (fileId: number | undefined): Need[] => (fileId === undefined ? [] : [{ fileId }])

const ofSubject = (name: AuditEventName, id: string, facts: Partial<Facts> = {}): JobChange[] => [
  { name, facts: { id, ...facts } },
]
const changeOf = (name: AuditEventName, tableId: string, facts?: Partial<Facts>): JobChange[] =>
  ofSubject(name, tableId, { name: nameOfTable(tableId), ...facts })

const ofTable = <Input extends { tableId: string }>(
  name: AuditEventName,
  factsOf: (input: Input) => Partial<Facts> = () => ({}),
) => ({
  changes: (input: Input) => changeOf(name, input.tableId, factsOf(input)),
  needs: ({ tableId }: Input): Need[] => [onTable(tableId)],
  owns: ({ tableId }: Input) => ({ tableId }),
})

const ofColumn = ({ name }: { name: string }) => ({ words: { column: name }, params: { column: name } })
const ofColumns = ({ tableId }: { tableId: string }): Need[] => [onTable(tableId), ofSource(tableId)]

const ofBucket = <Input extends { bucketId: string }>(
  name: AuditEventName,
  paramsOf: (input: Input) => object,
) => ({
  changes: (input: Input) =>
    ofSubject(name, input.bucketId, {
      name: input.bucketId.slice(input.bucketId.indexOf('.') + 1),
      params: paramsOf(input),
    }),
  needs: ({ bucketId }: Input): Need[] => [{ bucketId, permission: 'manage' }],
  owns: ({ bucketId }: Input) => ({ bucketId }),
  isDoneBefore: true as const,
})

const intoBucket = {
  needs: ({ bucketId }: { bucketId: string }): Need[] => [{ bucketId, permission: 'write' }],
  owns: ({ bucketId }: { bucketId: string }) => ({ bucketId }),
}

/** Of a table that is another one as it was at a time. */
const originOf = (source: InputOf<'tableCreate'>['source']): Partial<Facts> => {
  if (source.type !== 'table') return {}
  const { tableId, at } = source
  return { params: { source: { sourceTableId: tableId, timestamp: at, type: 'timeTravel' } } }
}

const sourceNeeds = (source: InputOf<'tableCreate'>['source']): Need[] => {
  if (source.type === 'table') return [onTable(source.tableId, 'read')]
  return source.type === 'file'
    ? ofFile(source.fileId)
    : [{ snapshotId: source.snapshotId, permission: 'read' }]
}

const kinds: { [Name in JobInput['operationName']]: JobKind<InputOf<Name>> } = {
  tableCreate: {
    ...intoBucket,
    changes: ({ bucketId, name, source }, _, isDone) => {
      const tableId = `${bucketId}.${name}`
      const created = changeOf('tableCreated', tableId, originOf(source))
      if (!isDone || source.type !== 'file') return created
      const load = { fileId: source.fileId, incremental: false }
      return [...created, ...changeOf('tableImportDone', tableId).map(change => ({ ...change, load }))]
    },
    needs: input => [...intoBucket.needs(input), ...sourceNeeds(input.source)],
  },
  tableDefinitionCreate: {
    ...intoBucket,
    changes: ({ bucketId, name }) => changeOf('tableCreated', `${bucketId}.${name}`),
  },
  tableImport: {
    changes: ({ tableId, fileId, incremental }) =>
      changeOf('tableImportDone', tableId).map(change => ({ ...change, load: { fileId, incremental } })),
    needs: ({ tableId, fileId }) => [onTable(tableId), ...ofFile(fileId)],
    owns: ({ tableId, creates }) => ({ tableId, ...(creates && { bucketId: bucketOfTable(tableId) }) }),
  },
  tableExport: {
    changes: ({ tableId, fileType, gzip }) =>
      changeOf('tableExported', tableId, { params: { fileType, gzip } }),
    needs: ({ tableId, selection: { where, orderBy } }) => {
      const named = [...where, ...orderBy].map(({ column }) => column)
      return [onTable(tableId, 'read'), ...(named.length > 0 ? [ofSource(tableId, named)] : [])]
    },
  },
  tableUpdate: ofTable('tableUpdated', ({ displayName }) => ({ params: { displayName } })),
  tableColumnAdd: { ...ofTable<InputOf<'tableColumnAdd'>>('tableColumnAdded', ofColumn), needs: ofColumns },
  tableColumnDelete: {
    ...ofTable<InputOf<'tableColumnDelete'>>('tableColumnDeleted', ofColumn),
    needs: ofColumns,
  },
  tableColumnDefinitionUpdate: ofTable('tableColumnsUpdated', ({ name, change }) => ({
    params: { column: name, definition: change },
  })),
  tableDefinitionUpdate: ofTable('tableColumnsUpdated', ({ displayName, description, columns }) => ({
    params: { displayName, description, columns },
  })),
  tablePrimaryKeyAdd: ofTable('tablePrimaryKeyAdded', ({ columns }) => ({ params: { columns } })),
  tablePrimaryKeyDelete: ofTable('tablePrimaryKeyDeleted'),
  tableRowsDelete: ofTable('tableRowsDeleted'),
  tableSnapshotCreate: {
    ...ofTable('tableSnapshotCreated', ({ description }) => ({ params: { description } })),
    owns: () => ({}),
  },
  tableSnapshotDelete: {
    changes: ({ snapshotId }) => ofSubject('tableSnapshotDeleted', String(snapshotId)),
    needs: ({ snapshotId }) => [{ snapshotId, permission: 'write' }],
  },
  tableRestore: {
    ...ofTable('tableRestored', ({ snapshotId }) => ({ params: { snapshotId } })),
    needs: ({ tableId, snapshotId }) => [onTable(tableId), { snapshotId, permission: 'read' }],
  },
  tableSwap: {
    changes: ({ tableId, targetTableId }) =>
      [[tableId, targetTableId] as const, [targetTableId, tableId] as const].flatMap(([id, other]) =>
        changeOf('tableSwapped', id, { words: { other }, params: { targetTableId: other } }),
      ),
    needs: ({ tableId, targetTableId }) => [onTable(tableId), onTable(targetTableId)],
    owns: ({ tableId }) => ({ tableId }),
  },
  tablePull: { ...ofTable('tableCopyToBucket'), owns: () => ({}), isDoneBefore: true },
  // Aliases that go with a table are told of with the end of each.
  tableDrop: {
    ...ofTable('tableDeleted', ({ force }) => ({ params: { force } })),
    owns: () => ({}),
    isDoneBefore: true,
  },
  bucketDelete: ofBucket('bucketDeleted', ({ force }) => ({ force })),
  bucketUpdate: ofBucket('bucketUpdated', ({ displayName, color }) => ({ displayName, color })),
  fileDelete: { changes: ({ fileId }) => ofSubject('fileDeleted', String(fileId)), isDoneBefore: true },
  devBranchCreate: {
    changes: ({ name }, jobId) => ofSubject('devBranchCreated', String(jobId), { name }),
  },
  devBranchDelete: {
    changes: ({ branchId, name }) => ofSubject('devBranchDeleted', String(branchId), { name }),
    isDoneBefore: true,
  },
  // The run looks for the rights of all that stored it, when it begins and at each of its steps.
  configurationRun: { isDoneBefore: true },
  // They give no right: what queries read is looked at with each of them. Only who made one has it deleted.
  workspaceCreate: {},
  workspaceDelete: {},
}

/** What is to be known of a job by its operation. */
export const kindOf = ({ operationName }: JobInput): JobKind<JobInput> =>
  // The kind of a name takes the input of that name, which the compiler does not follow through a table.
  kinds[operationName] as JobKind<JobInput>
