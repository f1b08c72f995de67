import pMap from 'p-map'
import type { BranchRecord } from '../../lib/storage/branches/branch-store.ts'
import { markedBranch } from '../../lib/storage/branches/marked-bucket.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { mayUseBucket, mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import type { Component } from '../../lib/wire/component-body.ts'
import type { searchTypes } from '../../lib/wire/search-body.ts'
import type { Caller, Services } from '../services/services.ts'

type SearchType = (typeof searchTypes)[number]

/** Something that a search can find, and where it is. */
export interface Searchable {
  id: string
  type: SearchType
  name: string
  /** ISO 8601. */
  created: string
  branch: BranchRecord
  /** In the default branch, with the mark of a development branch, where clients without branches for tables keep them. */
  isMarked?: boolean
  component?: Component
  configuration?: { id: string; name: string }
  bucket?: { id: string; name: string }
}

const LOADS_AT_ONCE = 8

/** Everything in a branch that the caller may read, except what is in the trash. `readsMarks` costs a look at each bucket. */
export const everythingIn = async (
  branch: BranchRecord,
  caller: Caller,
  services: Services,
  readsMarks: boolean,
): Promise<Searchable[]> => [
  // What a branch shares with the default branch is found there.
  ...(await bucketsAndTables(
    branch,
    caller,
    branch.id === defaultBranchId ? services.inBranch(branch.id) : services.ownTables(branch.id),
    readsMarks && branch.id === defaultBranchId ? services.metadata : undefined,
  )),
  ...(await configurationsAndRows(branch, caller, services)),
]

const bucketsAndTables = async (
  branch: BranchRecord,
  caller: Caller,
  { buckets, tables }: Pick<Services, 'buckets' | 'tables'>,
  metadata: Services['metadata'] | undefined,
): Promise<Searchable[]> => {
  const visible = (await buckets.list()).filter(({ id }) => mayUseBucket(caller, id, 'read'))
  const perBucket = await pMap(
    visible,
    async (bucket): Promise<Searchable[]> => {
      const { id, displayName: name, created } = bucket
      const isMarked = metadata && (await markedBranch(bucket, { metadata })) !== undefined
      const place = { branch, ...(isMarked && { isMarked }) }
      return [
        { ...place, id, type: 'bucket', name, created },
        ...(await tables.listNames(id)).map(
          (table): Searchable => ({
            ...place,
            id: tableIdOf(table),
            type: 'table',
            name: table.displayName,
            created: table.created,
            bucket: { id, name },
          }),
        ),
      ]
    },
    { concurrency: LOADS_AT_ONCE },
  )
  return perBucket.flat()
}

const configurationsAndRows = async (
  branch: BranchRecord,
  caller: Caller,
  { components, configurations, usedComponents }: Services,
): Promise<Searchable[]> => {
  const used = await usedComponents.of(components.list())
  const perComponent = await pMap(
    used.filter(({ id }) => mayUseComponent(caller, id)),
    async component =>
      (await configurations.list(branch.id, component.id))
        .filter(({ current }) => !current.content.isDeleted)
        .flatMap(configuration => withRows(configuration, component, branch)),
    { concurrency: LOADS_AT_ONCE },
  )
  return perComponent.flat()
}

const withRows = (
  { id, created, current: { content } }: Configuration,
  component: Component,
  branch: BranchRecord,
): Searchable[] => {
  const { name, rows } = content
  const place = { branch, component }
  return [
    { ...place, id, type: configurationType(component), name, created },
    ...rows.map(
      (row): Searchable => ({
        ...place,
        id: row.id,
        type: 'configuration-row',
        name: row.name,
        created: row.created,
        configuration: { id, name },
      }),
    ),
  ]
}

const flows: ReadonlySet<string> = new Set(['orchestrator', 'keboola.orchestrator', 'keboola.flow'])

const configurationType = ({ id, type }: Component): SearchType => {
  if (flows.has(id)) return 'flow'
  if (id === 'keboola.shared-code') return 'shared-code'
  if (id === 'keboola.sandboxes') return 'workspace'
  return type === 'transformation' ? 'transformation' : 'configuration'
}
