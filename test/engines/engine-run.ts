import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { startedInstallation } from '../smoke/installation.ts'
import { openSmoke, type Smoke } from '../smoke/smoke-context.ts'
import type { Check } from './checks.ts'
import { startExpiringCredentials } from './expiring-credentials.ts'
import { type LakeTable, loadWritten, makeBranchTable, makeLake, namespaceOf } from './lake.ts'

const READS = 100

/** What an engine is told, and where it finds it as JSON (`test/engines/python/lake.py`). */
export interface Plan {
  uri: string
  token: string
  storage: string
  /** Of the files of tables. */
  bucket: string
  tables: LakeTable[]
  /** A table that is loaded while it is read: each load brings ten rows. */
  busy: Pick<LakeTable, 'namespace' | 'table'>
  /** Its token may read the bucket of the tables, and not that of the busy one. */
  restricted: Pick<LakeTable, 'namespace' | 'table'> & { token: string }
  reads: number
  /** The same catalog, whose credentials end after some seconds. */
  expiring: { uri: string; seconds: number; asked: string }
}

export interface EngineRun {
  plan: Plan
  folder: string
  /** In which the command and clients of S3 find it. */
  environment: Readonly<Record<string, string>>
  /** The landing bucket. */
  landing: string
  /** Loads the busy table until `during` has ended. */
  whileLoading: <Result>(during: () => Promise<Result>) => Promise<Result>
  /** Loads what an engine has written below a folder, a table under the name of each entry. */
  loadWritten: (folder: string) => Promise<Check[]>
  close: () => Promise<void>
}

/** `npm start` with every kind of table. */
export const startEngineRun = async (): Promise<EngineRun> => {
  const installation = await startedInstallation()
  const folder = await mkdtemp(join(tmpdir(), 'millrace-engines-'))
  const smoke = await openSmoke(installation)
  const { api, job, bucketId, name } = smoke
  const expiring = await startExpiringCredentials({
    catalog: installation.url,
    storage: String(installation.account?.s3['endpoint']),
  })
  const closed = async () => {
    await expiring.close()
    await smoke.close()
    await installation.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await api('POST', 'buckets', { name, stage: 'in' })
    await api('POST', 'buckets', { name: `${name}-busy`, stage: 'in' })
    const made = await makeLake(smoke, bucketId)
    const tables = [...made, await makeBranchTable(smoke, bucketId)]
    await job('POST', `buckets/${bucketId}-busy/tables-async`, {
      name: 'busy',
      dataFileId: await tenRows(smoke, 0),
    })
    const [first] = tables
    if (!first) throw new Error('There are no tables')
    const { token } = await api('POST', 'tokens', {
      description: 'engines',
      bucketPermissions: { [bucketId]: 'read' },
    })
    const plan: Plan = {
      uri: `${installation.url}/iceberg`,
      token: installation.token,
      storage: String(installation.account?.s3['endpoint']),
      bucket: installation.account?.outputs['TablesBucket'] ?? '',
      tables,
      busy: { namespace: namespaceOf(`${bucketId}-busy`), table: 'busy' },
      restricted: { namespace: first.namespace, table: first.table, token },
      reads: READS,
      expiring: expiring.place,
    }
    await writeFile(join(folder, 'plan.json'), JSON.stringify(plan))
    return {
      plan,
      folder,
      environment: installation.account?.environment ?? {},
      landing: installation.account?.outputs['LandingBucket'] ?? '',
      whileLoading: during => load(smoke, during),
      loadWritten: written => writtenChecks(smoke, plan.tables, { written, bucketId }),
      close: closed,
    }
  } catch (error) {
    await closed()
    throw error
  }
}

let loaded = 0
const tenRows = (smoke: Smoke, from: number): Promise<number> =>
  smoke.service.upload(`id\n${Array.from({ length: 10 }, (_, index) => `${from * 10 + index}\n`).join('')}`)

const load = async <Result>(smoke: Smoke, during: () => Promise<Result>): Promise<Result> => {
  let isOver = false
  const loads = async () => {
    while (!isOver) {
      const dataFileId = await tenRows(smoke, ++loaded)
      await smoke.job('POST', `tables/${smoke.bucketId}-busy.busy/import-async`, {
        dataFileId,
        incremental: 1,
      })
    }
  }
  const loading = loads()
  try {
    return await during()
  } finally {
    isOver = true
    await loading
  }
}

const writtenChecks = async (
  smoke: Smoke,
  tables: LakeTable[],
  { written, bucketId }: { written: string; bucketId: string },
): Promise<Check[]> => {
  const found = await readdir(written, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = found.filter(entry => entry.isFile() && entry.name.endsWith('.parquet'))
  const places = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted()
  const checks: Check[] = []
  for (const table of tables) {
    const paths = places.filter(path =>
      path.startsWith(join(written, `${table.namespace}.${table.table}`) + sep),
    )
    if (paths.length === 0) continue
    const said = await loadWritten(smoke, { table, paths, bucketId }).then(
      words => ({ ok: true, said: words }),
      error => ({ ok: false, said: String(error).slice(0, 600) }),
    )
    checks.push({ check: `${table.name}: its Parquet loads`, ...said })
  }
  return checks
}
