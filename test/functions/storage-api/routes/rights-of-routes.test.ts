import { beforeAll, expect, it } from 'vitest'
import { routes } from '#functions/storage-api/routes/routes.ts'
import { withStorage } from '#support/storage-service.ts'
import { storeRun } from '#support/store-run.ts'
import { answered, kinds } from './rights-of-routes.ts'

/*
 * One of everything, made by the master token, in whose names, texts and cells stand marks. Each route is then asked by each kind of
 * token. Nothing is written but by routes that read: what reaches a write is answered.
 */
let isFrozen = false
const READS: ReadonlySet<string | symbol> = new Set(['get', 'getMany', 'query'])

const service = await withStorage({
  items: items =>
    new Proxy(items, {
      get: (target, name, receiver) =>
        isFrozen && !READS.has(name)
          ? () => Promise.reject(new Error('a write'))
          : Reflect.get(target, name, receiver),
    }),
})

const component = 'keboola.runner-config-test'
const known: Record<string, string> = { componentId: component, branchId: 'default', linkingProjectId: '7' }
const tokens: Record<string, string> = {}
/** Of a configuration of another component. */
const other: Record<string, string> = { componentId: 'ex-generic-v2' }

const make = async (path: string, body: object = {}, method = 'POST') => {
  const reply = await service.call(method, `/v2/storage/${path}`, body)
  if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`)
  return reply.body
}
const note = (mark: string) => ({ provider: 'user', metadata: [{ key: 'note', value: mark }] })

const makeConfiguration = async (componentId: string, mark: string) => {
  const configs = `components/${componentId}/configs`
  const configuration = { parameters: { api: { baseUrl: 'https://api.test/' }, text: mark } }
  const { id } = await make(configs, { name: mark, description: mark, configuration })
  await make(`${configs}/${id}`, { configuration, changeDescription: mark }, 'PUT')
  const { id: row } = await make(`${configs}/${id}/rows`, { name: mark, configuration: { text: mark } })
  await make(`${configs}/${id}/rows/${row}`, { name: mark, configuration: { text: `${mark} ` } }, 'PUT')
  await make(`${configs}/${id}/state`, { state: { text: mark } }, 'PUT')
  const [metadatum] = await make(`${configs}/${id}/metadata`, note(mark))
  const event = await make('events', { component: componentId, configurationId: id, message: mark })
  return { configId: id, rowId: row, eventId: String(event.id), ofConfiguration: String(metadatum.id) }
}

beforeAll(async () => {
  const bucketId = await service.createBucket('mark-bucket')
  const tableId = await service.createTable(
    bucketId,
    'mark-table',
    'id,mark_column\n1,mark-cell\n2,mark-cell\n',
  )
  const [ofBucket] = await make(`buckets/${bucketId}/metadata`, note('mark-metadata'))
  const ofTable = await make(`tables/${tableId}/metadata`, note('mark-metadata'))
  const [ofColumn] = await make(`columns/${tableId}.id/metadata`, note('mark-metadata'))
  const snapshot = await make(`tables/${tableId}/snapshots`, { description: 'mark-metadata' })
  const shown = await service.createBucket('shown')
  await make(`buckets/${shown}/table-aliases`, {
    name: 'alias',
    sourceTable: tableId,
    aliasColumns: ['id'],
    aliasFilter: { column: 'id', values: ['2'] },
  })
  const file = await make('files/prepare', { name: 'mark-file.csv', tags: ['mark-file'], federationToken: 1 })
  const job = await make(`tables/${tableId}/export-async`)
  Object.assign(known, await makeConfiguration(component, 'mark-configuration'))
  Object.assign(other, await makeConfiguration('ex-generic-v2', 'mark-other'))
  const trashed = `components/${component}/configs`
  const { id: trashedId } = await make(trashed, { name: 'mark-configuration', configuration: {} })
  await make(`${trashed}/${trashedId}`, {}, 'DELETE')
  const workspace = await make('workspaces', { readOnlyStorageAccess: true })
  const query = await make(`../../query/api/v1/branches/1/workspaces/${workspace.id}/queries`, {
    statements: [`SELECT 'mark-file'`],
  })
  const ofScheduler = await make('components/keboola.scheduler/configs', {
    name: 'mark-other',
    configuration: {
      schedule: { cronTab: '0 5 * * *', timezone: 'UTC', state: 'enabled' },
      target: { componentId: 'ex-generic-v2', configurationId: other['configId'], mode: 'run' },
    },
  })
  const schedule = await make('../../scheduler/schedules', { configurationId: ofScheduler.id })
  const ofRun = { configId: other['configId'] ?? '', trigger: 'mark-run', status: 'processing' as const }
  const run = await storeRun(service.stores, ofRun)
  const marked = await make('tokens', { description: 'mark-token' })
  const trigger = await make('triggers', {
    runWithTokenId: 42,
    component: 'ex-generic-v2',
    configurationId: other['configId'],
    coolDownPeriodMinutes: 1,
    tableIds: [tableId],
  })
  const [ofProject] = await make('metadata', note('mark-project'))
  Object.assign(known, {
    bucketId,
    tableId,
    columnId: `${tableId}.id`,
    column: 'mark_column',
    snapshotId: String(snapshot.results?.id ?? snapshot.id),
    fileId: String(file.id),
    tag: 'mark-file',
    jobId: String(job.id),
    workspaceId: String(workspace.id),
    queryJobId: String(query.queryJobId),
    statementId: String(query.statementIds?.[0] ?? query.queryJobId),
    scheduleId: String(schedule.id),
    configurationId: ofScheduler.id,
    runId: `run-${run}`,
    jobOfRun: String(run),
    trashedId,
    ofBucket: String(ofBucket.id),
    ofColumn: String(ofColumn.id),
    credentialsId: '1',
    tokenId: marked.id,
    triggerId: String(trigger.id),
    metadataId: String(ofProject.id),
    ofTable: String(ofTable.metadata[0].id),
    versionId: '1',
    otherVersionId: '1',
  })
  const settings: Record<(typeof kinds)[number], object> = {
    nothing: {},
    files: { canReadAllFileUploads: true },
    component: { componentAccess: [component] },
    alias: { bucketPermissions: { [shown]: 'read' } },
    reader: { bucketPermissions: { [bucketId]: 'read' } },
    writer: { bucketPermissions: { [bucketId]: 'write' } },
    manager: { canManageBuckets: true },
    master: {},
  }
  for (const kind of kinds)
    tokens[kind] =
      kind === 'master'
        ? service.token
        : (await make('tokens', { description: kind, ...settings[kind] })).token
})

/** What a parameter of this name is in this path, if not what it is elsewhere. */
const inPath: Readonly<Record<string, readonly (readonly [part: string, known: string])[]>> = {
  metadataId: [
    ['/configs/', 'ofConfiguration'],
    ['/tables/', 'ofTable'],
    ['/columns/', 'ofColumn'],
    ['/buckets/', 'ofBucket'],
  ],
  configId: [['/restore', 'trashedId']],
  jobId: [['/queue/', 'jobOfRun']],
}

const addressOf = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const special = inPath[name]?.find(([part]) => path.includes(part))?.[1]
    return encodeURIComponent(known[special ?? name] ?? '1')
  })

/** The same of the alias, where a path leads to a table or a column. */
const ofAlias = (path: string): string[] | undefined =>
  /\{(table|column)Id\}/.test(path)
    ? [path.replace('{tableId}', 'in.c-shown.alias').replace('{columnId}', 'in.c-shown.alias.id')]
    : undefined

const amounts = ['row', 'rowsCount', 'leg', 'pages', 'rows', 'retries', 'requests', 'waitedSeconds']

/** Where an empty body is refused before anybody looks at rights. */
const bodyOf = (name: string): object => {
  const { configId, fileId } = known
  const bodies: Record<string, object> = {
    'put /v2/storage/runs/{runId}/progress': {
      rowName: '',
      ...Object.fromEntries(amounts.map(each => [each, 1])),
    },
    'post /v2/storage/files/{fileId}/tags': { tag: 'more' },
    'post /v2/storage/query': { sql: `SELECT * FROM "${known['bucketId']}"."mark-table"` },
    'post /v2/storage/triggers': {
      runWithTokenId: 42,
      component,
      configurationId: configId,
      coolDownPeriodMinutes: 1,
      tableIds: [known['tableId']],
    },
    'post /scheduler/schedules': { configurationId: known['configurationId'] },
    'post /queue/jobs': { component, config: configId, mode: 'run' },
    'post /query/api/v1/branches/{branchId}/workspaces/{workspaceId}/queries': { statements: ['SELECT 1'] },
    'post /v2/storage/workspaces': { readOnlyStorageAccess: true },
    'post /v2/storage/buckets/{bucketId}/tables-async': { name: 'n', dataFileId: fileId },
    'post /v2/storage/tables/{tableId}/import-async': { dataFileId: fileId },
    'post /v2/storage/tables/{tableId}/swap': { targetTableId: known['tableId'] },
  }
  return bodies[name] ?? {}
}

const ask = async (method: string, path: string, kind: string) => {
  isFrozen = method !== 'get'
  try {
    const body = method === 'get' || method === 'delete' ? undefined : bodyOf(`${method} ${path}`)
    return await service.call(method.toUpperCase(), addressOf(path), body, {
      'X-StorageApi-Token': tokens[kind] ?? '',
    })
  } finally {
    isFrozen = false
  }
}

const nameOf = ({ definition: { method, path } }: (typeof routes)[number]): string => `${method} ${path}`

it('every route has a row in the table, and every row a route', () => {
  expect(routes.map(nameOf).toSorted()).toEqual(Object.keys(answered).toSorted())
})

it.each(routes.map(route => [nameOf(route), route.method, route.definition.path] as const))(
  '%s is answered to whom the table says',
  async (name, method, path) => {
    const found: string[] = []
    for (const kind of kinds) {
      const { status } = await ask(method, path, kind)
      if (![401, 403, 404].includes(status)) found.push(kind)
    }
    expect(found.join(' ')).toBe(answered[name])
  },
)

/** In whose replies a mark may stand. */
const seen: Readonly<Record<string, string>> = {
  // An alias names its source, and an export the table.
  'mark-bucket': 'files alias reader writer manager master',
  'mark-table': 'files alias reader writer manager master',
  mark_column: 'reader writer manager master',
  'mark-cell': 'reader writer manager master',
  'mark-metadata': 'reader writer manager master',
  'mark-file': 'files master',
  'mark-configuration': 'component manager master',
  'mark-other': 'manager master',
  'mark-run': 'manager master',
  'mark-token': 'master',
}

/** What a list shows by itself may be less than what it shows when asked. */
const more: Readonly<Record<string, string>> = {
  '/v2/storage/buckets': '?include=metadata',
  '/v2/storage/tables': '?include=columns,metadata,columnMetadata,buckets,attributes',
  '/v2/storage/components': '?include=configuration,rows,state',
  '/v2/storage/files': '?showExpired=1',
  '/v2/storage/events': '?limit=1000',
  '/v2/storage/global-search': '?query=mark',
  '/v2/storage/search/tables': '?metadataKey=note&include=columns,metadata,columnMetadata',
  '/v2/storage/search/component-configurations': '?include=filteredMetadata&metadataKeys[]=note',
}

it.each(routes.filter(({ method }) => method === 'get').map(({ definition: { path } }) => path))(
  'GET %s shows each kind of token only what it may see',
  async path => {
    const leaks: string[] = []
    const places = [path, ...(ofAlias(path) ?? [])].flatMap(place => [place, `${place}${more[path] ?? ''}`])
    for (const kind of kinds)
      for (const place of places) {
        const { text } = await ask('get', place, kind)
        for (const [mark, whom] of Object.entries(seen))
          if (text.includes(mark) && !addressOf(place).includes(mark) && !whom.split(' ').includes(kind))
            leaks.push(`${kind}: ${mark} by ${place}`)
      }
    expect(leaks).toEqual([])
  },
)
