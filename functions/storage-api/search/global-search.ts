import pMap from 'p-map'
import { z } from 'zod'
import type { BranchRecord } from '../../lib/storage/branches/branch-store.ts'
import { markedBranch } from '../../lib/storage/branches/marked-bucket.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { projectName } from '../../lib/storage/project/project-name.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { mayUseBucket, mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import type { Component } from '../../lib/wire/component-body.ts'
import { type SearchBody, searchBody, searchTypes } from '../../lib/wire/search-body.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { findBranch } from '../find/find-branch.ts'
import { integer, text } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import type { Caller, Services } from '../services/services.ts'

export const routes = routesOf('search')

type SearchType = (typeof searchTypes)[number]

/** Something that a search can find, and where it is. */
interface Searchable {
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
const everythingIn = async (
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
  { components, configurations }: Services,
): Promise<Searchable[]> => {
  const used = await configurations.componentsIn(branch.id)
  const perComponent = await pMap(
    components.list().filter(({ id }) => used.has(id) && mayUseComponent(caller, id)),
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

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item, { error: 'This value should be of type array.' }).max(1_000).default([])

const query = z.object({
  query: text({ min: 1, max: 500 }),
  types: listOf(z.enum(searchTypes, { error: `This value should be one of ${searchTypes.join(', ')}.` })),
  projectIds: listOf(integer()),
  branchIds: listOf(integer()),
  branchTypes: listOf(
    z.enum(['production', 'development'], { error: 'This value should be "production" or "development".' }),
  ),
  limit: integer({ min: 1, max: 1000 }).default(50),
  offset: integer().default(0),
})

type Query = z.output<typeof query>

/**
 * Finds buckets, tables, configurations and rows by their names, in all branches or in those that the query or the path
 * names. The best matches come first, the newest first among equals.
 */
routes.get('/v2/storage/global-search', {
  summary: 'Search everything by name',
  query,
  replies: { 200: 'What was found' },
  reply: searchBody,
  handle: async ({ query, caller, branchId, baseUrl }, services) => {
    const branches = await searchedBranches(query, branchId, services)
    const readsMarks = query.branchTypes.length > 0
    const everything = await pMap(branches, branch => everythingIn(branch, caller, services, readsMarks), {
      concurrency: 2,
    })
    const found = bestFirst(everything.flat().filter(isOfTypes(query)), query)
    const { projectId } = services
    const byType = Object.groupBy(found, ({ type }) => type)
    const counts = Object.entries(byType).map(([type, items]) => [type, items.length] as const)
    return {
      all: found.length,
      items: found
        .slice(query.offset, query.offset + query.limit)
        .map(item => itemResource(item, projectId, baseUrl)),
      byType: { total: found.length, ...Object.fromEntries(counts) },
      byProject: found.length > 0 ? { [projectId]: projectName(projectId) } : {},
    }
  },
})

/** All branches, unless the query names some or the path one. */
const searchedBranches = async (
  { projectIds, branchIds, branchTypes }: Query,
  branchOfPath: number,
  services: Services,
): Promise<BranchRecord[]> => {
  if (projectIds.length > 0 && !projectIds.includes(services.projectId)) return []
  const others = (await services.branches.list()).filter(({ id }) => id !== defaultBranchId)
  const all = [await findBranch(services, 'default'), ...others]
  return all.filter(
    ({ id }) =>
      (branchOfPath === defaultBranchId || branchOfPath === id) &&
      (branchIds.length === 0 || branchIds.includes(id)) &&
      (id === defaultBranchId || branchTypes.length === 0 || branchTypes.includes('development')),
  )
}

/** A marked bucket of the default branch is a development branch's. */
const isOfTypes =
  ({ branchTypes }: Query) =>
  ({ branch, isMarked }: Searchable): boolean =>
    branchTypes.length === 0 ||
    branchTypes.includes(branch.id === defaultBranchId && !isMarked ? 'production' : 'development')

const bestFirst = (everything: Searchable[], { query, types }: Query): Searchable[] => {
  const rankOf = matchName(query)
  return everything
    .filter(({ type }) => types.length === 0 || types.includes(type))
    .flatMap(item => {
      const rank = rankOf(item)
      return rank === undefined ? [] : [{ item, rank }]
    })
    .toSorted((a, b) => a.rank - b.rank || (a.item.created < b.item.created ? 1 : -1))
    .map(({ item }) => item)
}

const itemResource = (
  { id, type, name, created, branch, component, configuration, bucket }: Searchable,
  projectId: number,
  baseUrl: string,
): SearchBody['items'][number] => ({
  id,
  type,
  name,
  fullPath: {
    project: { id: projectId, name: projectName(projectId) },
    branch: {
      id: branch.id,
      name: branch.name,
      isDefault: branch.id === defaultBranchId,
      isNative: true,
    },
    ...(component && { component: { id: component.id, name: component.name } }),
    ...(configuration && { configuration }),
    ...(bucket && { bucket }),
  },
  componentId: component?.id ?? null,
  organizationId: projectId,
  projectId,
  projectName: projectName(projectId),
  created: wireDate(created),
  ...((type === 'bucket' || type === 'table') && { uri: `${baseUrl}/v2/storage/${type}s/${id}` }),
})

/** How well a name fits a query: 0 is best. `undefined`: it does not. */
type MatchName = (found: { id: string; name: string }) => number | undefined

/**
 * Makes the match of a query: every word of it is in the name, in any order and letter case. Names equal to the query
 * come first, then those that begin with it. An id is found when it is the query, whole.
 */
const matchName = (query: string): MatchName => {
  const wanted = query.trim().toLowerCase()
  const words = wanted.split(/\s+/).filter(Boolean)
  return ({ id, name: given }) => {
    const name = given.toLowerCase()
    if (name === wanted || id.toLowerCase() === wanted) return 0
    if (words.length === 0 || !words.every(word => name.includes(word))) return undefined
    return name.startsWith(wanted) ? 1 : 2
  }
}
