import { z } from 'zod'
import type { ItemTable } from '../../items/item-table.ts'
import { wireDate } from '../../wire/wire-date.ts'
import { createRevisedRecords } from '../db/revised-records.ts'
import { databaseOf } from '../project/backend-name.ts'

/** The configuration whose workspace it is. `null`: it is the project's. */
export const workspaceOwner = z.object({ component: z.string(), configurationId: z.string() }).nullable()

const workspaceRecord = z.object({
  id: z.number(),
  branchId: z.number(),
  configuration: workspaceOwner,
  created: z.string(),
  creatorToken: z.object({ id: z.string(), description: z.string() }),
  revision: z.number(),
})

export type WorkspaceRecord = z.infer<typeof workspaceRecord>

/** Names under which tables are read by queries. They hold nothing and give no right. */
export const createWorkspaceStore = (items: ItemTable) =>
  createRevisedRecords(items, {
    partition: 'WORKSPACES',
    schema: workspaceRecord,
    name: 'workspace',
    busyCode: 'storage.busy',
  })

/** As clients read it. */
export const workspaceResource = (
  { id, configuration, created, creatorToken }: WorkspaceRecord,
  { baseUrl, projectId, backend }: { baseUrl: string; projectId: number; backend: string },
) => ({
  id,
  name: `WORKSPACE_${id}`,
  type: 'table',
  component: configuration?.component ?? null,
  configurationId: configuration?.configurationId ?? null,
  created: wireDate(created),
  creatorToken: { id: Number(creatorToken.id), description: creatorToken.description },
  readOnlyStorageAccess: true,
  connection: {
    backend,
    host: new URL(baseUrl).host,
    database: databaseOf(projectId),
    schema: `WORKSPACE_${id}`,
    user: null,
    loginType: 'none',
  },
})
