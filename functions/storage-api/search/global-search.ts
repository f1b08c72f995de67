import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import type { BranchRecord } from '../../lib/storage/branches/branch-store.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { projectName } from '../../lib/storage/project/project-name.ts'
import { type SearchBody, searchBody, searchTypes } from '../../lib/wire/search-body.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { findBranch } from '../find/find-branch.ts'
import { integer, text } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import { everythingIn, type Searchable } from './searchable.ts'

export const routes = routesOf('search')

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
