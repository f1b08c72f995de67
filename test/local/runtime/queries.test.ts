import {
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import {
  CreateTableCommand,
  GetTableCommand,
  type TableInput,
  UpdateTableCommand,
} from '@aws-sdk/client-glue'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGlueCatalog } from '#lib/iceberg/glue/glue-catalog.ts'
import { startTestS3, type TestS3 } from '#support/embedded-s3.ts'
import {
  athenaWorkGroup,
  glueDatabase,
  type QueryServices,
  startQueryServices,
} from '#support/query-services.ts'

let s3: TestS3
let services: QueryServices
beforeAll(async () => {
  s3 = await startTestS3()
  services = await startQueryServices({ s3: s3.client })
})
afterAll(async () => {
  await services.close()
  await s3.close()
})

let names = 0
const inputOf = (Name: string, location = 's3://b/t/metadata/0.json'): TableInput => ({
  Name,
  TableType: 'EXTERNAL_TABLE',
  Parameters: { table_type: 'ICEBERG', metadata_location: location },
  StorageDescriptor: { Location: 's3://b/t', Columns: [{ Name: 'id', Type: 'string' }] },
})
const create = async (TableInput = inputOf(`t${++names}`)) => {
  await services.glue.send(new CreateTableCommand({ DatabaseName: glueDatabase, TableInput }))
  return TableInput.Name ?? ''
}
const get = async (Name: string) =>
  (await services.glue.send(new GetTableCommand({ DatabaseName: glueDatabase, Name }))).Table
const update = (TableInput: TableInput, VersionId?: string) =>
  services.glue.send(
    new UpdateTableCommand({ DatabaseName: glueDatabase, TableInput, VersionId, SkipArchive: true }),
  )

describe('Glue on one machine', () => {
  it('keeps tables over a restart', async () => {
    const name = await create()
    await services.restart()
    expect(await get(name)).toMatchObject({ VersionId: '0', Parameters: { table_type: 'ICEBERG' } })
  })

  it('changes a table only from the version that the caller has read', async () => {
    const name = await create()
    await update(inputOf(name, 's3://b/t/metadata/1.json'), '0')
    await expect(update(inputOf(name, 's3://b/t/metadata/2.json'), '0')).rejects.toMatchObject({
      name: 'ConcurrentModificationException',
    })
    expect(await get(name)).toMatchObject({
      VersionId: '1',
      Parameters: { metadata_location: 's3://b/t/metadata/1.json' },
    })
  })

  it('of two changes from one version takes one', async () => {
    const name = await create()
    const changes = await Promise.allSettled([1, 2, 3].map(() => update(inputOf(name), '0')))
    expect(changes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  })

  it.each([
    ['a table that is there', 'AlreadyExistsException', () => create(inputOf('t1'))],
    ['a name that Athena does not take', 'ValidationException', () => create(inputOf('A b'))],
    [
      'a table of another kind',
      'ValidationException',
      () => create({ ...inputOf('other'), Parameters: { table_type: 'HIVE' } }),
    ],
    [
      'a field that it does not know',
      'ValidationException',
      () => create({ ...inputOf('more'), Owner: 'me' }),
    ],
    ['a table that is not there', 'EntityNotFoundException', () => get('nobody')],
    [
      'a database that is not there',
      'EntityNotFoundException',
      () => services.glue.send(new GetTableCommand({ DatabaseName: 'nobody', Name: 't1' })),
    ],
  ])('refuses %s', async (_, name, call) => {
    await expect(call()).rejects.toMatchObject({ name })
  })

  it('lists tables page by page, and drops them', async () => {
    const catalog = createGlueCatalog(services.glue, glueDatabase)
    const made = await create()
    const listed = async () => {
      const found: string[] = []
      for await (const { name } of catalog.list()) found.push(name)
      return found
    }
    expect(await listed()).toContain(made)
    await catalog.drop(made)
    await catalog.drop(made)
    expect(await listed()).not.toContain(made)
  })
})

describe('Athena on one machine', () => {
  const ClientRequestToken = 'a-token-of-thirty-two-characters'
  const start = (QueryString: string, WorkGroup = athenaWorkGroup) =>
    services.athena.send(
      new StartQueryExecutionCommand({
        QueryString,
        QueryExecutionContext: { Catalog: 'AwsDataCatalog', Database: glueDatabase },
        ClientRequestToken,
        WorkGroup,
      }),
    )
  const merge = (target: string) =>
    [
      `MERGE INTO "${glueDatabase}"."${target}" t`,
      `USING (SELECT c2 FROM (SELECT c2, row_number() OVER (PARTITION BY c2 ORDER BY "_load_range" DESC, "_load_row" DESC) AS place FROM "${glueDatabase}"."staging") WHERE place = 1) s`,
      'ON (t."id" = s.c2)',
      "WHEN NOT MATCHED THEN INSERT VALUES (s.c2, TIMESTAMP '2026-01-01 00:00:00.000000 UTC')",
    ].join('\n')

  it.each([
    'SELECT 1',
    'DROP TABLE orders',
    'VACUUM orders',
    merge('t1').replace('WHERE place = 1', ''),
    merge('t1').replace('(s.c2, TIMESTAMP', '(now(), TIMESTAMP'),
    `${merge('t1')}; DROP TABLE t1`,
  ])('refuses any other statement by its beginning: %s', async statement => {
    await expect(start(statement)).rejects.toMatchObject({
      name: 'InvalidRequestException',
      message: expect.stringContaining(JSON.stringify(statement.slice(0, 200))),
    })
  })

  it('finds a query by its token, and refuses the token for another text', async () => {
    const target = await create()
    const { QueryExecutionId } = await start(merge(target))
    await services.queries().settled()
    expect(await start(merge(target))).toMatchObject({ QueryExecutionId })
    await expect(start(merge(await create()))).rejects.toMatchObject({ name: 'InvalidRequestException' })
    // Its staging table is not there.
    const { QueryExecution } = await services.athena.send(new GetQueryExecutionCommand({ QueryExecutionId }))
    expect(QueryExecution).toMatchObject({ WorkGroup: athenaWorkGroup, Status: { State: 'FAILED' } })
    await expect(
      services.athena.send(new GetQueryResultsCommand({ QueryExecutionId })),
    ).rejects.toMatchObject({
      name: 'InvalidRequestException',
    })
    // What has ended stays as it is.
    await services.athena.send(new StopQueryExecutionCommand({ QueryExecutionId }))
    const after = await services.athena.send(new GetQueryExecutionCommand({ QueryExecutionId }))
    expect(after.QueryExecution?.Status?.State).toBe('FAILED')
  })

  it('refuses a workgroup that the stack does not have', async () => {
    await expect(start(merge('t1'), 'primary')).rejects.toMatchObject({
      message: 'WorkGroup primary is not found.',
    })
  })
})
