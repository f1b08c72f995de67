import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { MergeEngine, MergeRun, MergeState } from '#lib/distributed/merge-engine.ts'
import { planCommit } from '#lib/iceberg/commit/plan-commit.ts'
import { formatMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import { readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import { filesChange, livePaths, tableFields } from '#lib/storage/tables/content/file-entries.ts'
import { createMetadataStore } from '#lib/storage/tables/content/metadata-store.ts'
import { emptySnapshot, withFiles } from '#lib/table-engine/files/snapshot.ts'
import type { TableEngine } from '#lib/table-engine/table-engine.ts'

interface OwnMerge {
  s3: S3Client
  tablesBucket: string
  tableEngine: () => Promise<TableEngine>
}

/** Does in a fork what the script does, by the table engine: a merge, and then the property that says how it went. */
export const mergeFork = async (
  run: MergeRun,
  { s3, tablesBucket, tableEngine }: OwnMerge,
): Promise<void> => {
  const { objects, load, filesOf } = createMetadataStore({ s3, tablesBucket, snapshotRetentionDays: 1 })
  const warehouse = objects.keyOf(run.warehouse)
  const { columns, key, isText } = JSON.parse(Buffer.from(await objects.read(run.argument)).toString())
  const metadata = await load(`${warehouse}/fork/rows/metadata/v1.metadata.json`)
  const staged = await filesOf(await load(`${warehouse}/staged/rows/metadata/v1.metadata.json`))
  const schema = metadata.schemas[0]?.fields ?? []
  const empty = { ...emptySnapshot(columns, key), lastFieldId: metadata['last-column-id'] }
  const plain = tableFields(schema, empty)
  const fields = isText ? plain : plain.map(field => ({ ...field, rules: { nullable: true } }))
  const before = withFiles({ ...empty, fields }, await filesOf(metadata))
  const engine = await tableEngine()
  const { snapshot, replacedRowsCount } = await engine.commitStaged({
    table: before,
    staged,
    incremental: true,
    keyPrefix: `${warehouse}/fork/rows/data/`,
  })
  const plan = await planCommit({
    read: objects.read,
    base: { metadata, location: `${metadata.location}/metadata/v1.metadata.json` },
    change: {
      ...filesChange(livePaths(await readLiveFiles(objects.read, metadata)), snapshot, objects),
      properties: { 'millrace.replaced': String(replacedRowsCount) },
    },
    commitId: run.name,
    timeMs: metadata['last-updated-ms'] + 1,
  })
  const location = `${metadata.location}/metadata/v2.metadata.json`
  const content = Buffer.from(formatMetadata(plan.metadata))
  await objects.write([...plan.objects.slice(0, -1), { location, content }])
  const Key = `${warehouse}/fork/rows/metadata/version-hint.text`
  await s3.send(new PutObjectCommand({ Bucket: tablesBucket, Key, Body: '2' }))
}

/** An engine whose runs do what the test says. */
export const heldMergeEngine = (work: (run: MergeRun) => Promise<void>) => {
  const runs = new Map<string, MergeState>()
  const started: MergeRun[] = []
  const stopped: string[] = []
  const engine: MergeEngine = {
    start: async run => {
      started.push(run)
      if (runs.has(run.name)) return run.name
      runs.set(run.name, { isRunning: true })
      void work(run)
        .then(() => ({ isRunning: false as const }))
        .catch((error: unknown) => ({ isRunning: false as const, failure: String(error) }))
        .then(state => runs.set(run.name, state))
      return run.name
    },
    look: async runId => runs.get(runId) ?? { isRunning: false, failure: 'There is no such run' },
    stop: async runId => void stopped.push(runId),
  }
  return { engine, started, stopped }
}
