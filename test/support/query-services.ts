import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { AthenaClient } from '@aws-sdk/client-athena'
import { GlueClient } from '@aws-sdk/client-glue'
import type { S3Client } from '@aws-sdk/client-s3'
import { athenaOperations } from '#local/runtime/athena/operations.ts'
import { Queries } from '#local/runtime/athena/queries.ts'
import { ControlServer } from '#local/runtime/control/aws-json-server.ts'
import { GlueTables, glueOperations } from '#local/runtime/glue/operations.ts'
import { createTrinoEngine } from '../contracts/trino/trino-engine.ts'

/** Where a Trino is that does the statements in place of DuckDB: `npm run contracts -- trino` sets it. */
const trino = process.env['MILLRACE_TEST_TRINO']

export const glueDatabase = 'millrace_tables'
export const athenaWorkGroup = 'millrace'

export interface QueryServicesOptions {
  cutoffBytes?: number
  /** What callers and their queries may do. Default: everything. */
  mayDo?: (action: string, resource: string) => boolean
}

/** Glue and Athena in this process. */
export const startQueryServices = async ({
  s3,
  cutoffBytes = 1e12,
  mayDo = () => true,
}: QueryServicesOptions & { s3: S3Client }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'query-services-'))
  const isAllowed = (_: unknown, action: string, resource: string) => mayDo(action, resource)
  const open = async () => {
    const tables = await GlueTables.open(path.join(folder, 'glue'), [glueDatabase])
    const queries = await Queries.open({
      folder: path.join(folder, 'athena'),
      tables,
      workGroups: new Map([[athenaWorkGroup, { cutoffBytes }]]),
      s3Of: async () => s3,
      isAllowed,
      engine: trino === undefined ? undefined : createTrinoEngine(trino),
    })
    return { tables, queries }
  }
  let opened = await open()
  const server = new ControlServer({ authenticate: () => ({ roleArn: undefined }), isAllowed, log: () => {} })
  const serve = () => {
    server.serve(glueOperations(opened.tables))
    server.serve(athenaOperations(opened.queries))
  }
  serve()
  const endpoint = await server.listen()
  const options = {
    endpoint,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
  }
  const glue = new GlueClient(options)
  const athena = new AthenaClient(options)
  return {
    folder,
    glue,
    athena,
    queries: () => opened.queries,
    /** Opens everything again from the folder, as a new process does. */
    async restart(): Promise<void> {
      await opened.queries.settled()
      opened = await open()
      serve()
      await opened.queries.resume()
    },
    async close(): Promise<void> {
      await opened.queries.settled()
      glue.destroy()
      athena.destroy()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type QueryServices = Awaited<ReturnType<typeof startQueryServices>>
