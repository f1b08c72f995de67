import { UserError } from '#lib/errors/errors.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { bucketOf, type Draft, tableOf } from '../draft.ts'
import type { OpenApiDocument } from './document.ts'
import { type ListOperation, listOperations } from './list-operations.ts'
import { securityOf } from './security-of.ts'

interface DocumentOptions {
  /** In place of the address of the document. */
  url?: string | undefined
  bucket?: string | undefined
}

/** Paths with their reason; more of them help nobody. */
const MOST_NAMED = 20

/**
 * A configuration with a job for each operation that lists something; lists below an item of another list become child jobs.
 *
 * @throws UserError `extractor.draft` when there is no address or no list
 */
export const draftOfDocument = (document: OpenApiDocument, { url, bucket }: DocumentOptions): Draft => {
  const baseUrl = `${(url ?? serverOf(document)).replace(/\/+$/, '')}/`
  const { lists, others } = listOperations(document)
  const left = others.map(({ path, why }) => `${path} (${why})`)
  const placed = placeJobs(lists, left)
  if (placed.length === 0)
    throw new UserError(
      'extractor.draft',
      'The OpenAPI document has no operation that answers with a JSON list.',
    )
  const security = securityOf(document)
  const { pagination, scrollerOf } = paginationsOf(lists)
  const names = new Set<string>()
  const jobOf = ({ list, placeholders, children }: Placed): JsonObject => {
    const dataType = uniqueName(tableOf(list.path), names)
    const scroller = scrollerOf(list)
    return {
      __why: list.why,
      endpoint: list.path.replace(/^\/+/, ''),
      dataType,
      ...(scroller === undefined ? {} : { scroller }),
      ...(list.dataField === '' ? {} : { dataField: list.dataField }),
      ...(Object.keys(list.params).length === 0 ? {} : { params: list.params }),
      ...(Object.keys(placeholders).length === 0 ? {} : { placeholders }),
      ...(list.id === undefined || Object.keys(placeholders).length > 0 ? {} : { primaryKey: [list.id] }),
      ...(children.length === 0 ? {} : { children: children.map(jobOf) }),
    }
  }
  const more = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : ''
  return {
    parameters: {
      api: {
        __why: [
          security.why,
          ...(left.length === 0 ? [] : [`Left out: ${left.slice(0, MOST_NAMED).join(', ')}${more}.`]),
        ],
        baseUrl,
        ...(security.authentication === undefined ? {} : { authentication: security.authentication }),
        ...(pagination === undefined ? {} : { pagination }),
      },
      config: {
        outputBucket: bucket ?? bucketOf(new URL(baseUrl)),
        ...security.attributes,
        jobs: placed.map(jobOf),
      },
    },
  }
}

const serverOf = ({ root, follow }: OpenApiDocument): string => {
  const server = follow([root['servers']].flat()[0])
  const variables = follow(server['variables'])
  const url = String(server['url'] ?? '').replace(/\{([^}]+)\}/g, (_match, name: string) =>
    String(follow(variables[name])['default'] ?? ''),
  )
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  throw new UserError(
    'extractor.draft',
    'The OpenAPI document names no whole address of a server: give --url ADDRESS.',
  )
}

interface Placed {
  list: ListOperation
  placeholders: Record<string, string>
  children: Placed[]
}

/** `/orders/{id}/lines` runs for each row of `/orders`. What has another placeholder is left out and named. */
const placeJobs = (lists: readonly ListOperation[], left: string[]): Placed[] => {
  const placed = new Map<string, Placed>()
  const top: Placed[] = []
  for (const list of [...lists].sort((a, b) => a.placeholders.length - b.placeholders.length)) {
    const job: Placed = { list, placeholders: {}, children: [] }
    const own = list.placeholders.at(-1)
    if (own === undefined) {
      placed.set(list.path, job)
      top.push(job)
      continue
    }
    const parent = placed.get(list.path.slice(0, list.path.indexOf(`/{${own}}`)))
    if (
      parent === undefined ||
      parent.list.id === undefined ||
      parent.list.placeholders.length !== list.placeholders.length - 1
    ) {
      left.push(`${list.path} (no list gives the values of {${own}})`)
      continue
    }
    job.placeholders = { ...parent.placeholders, [own]: parent.list.id }
    // A placeholder of a level further up is found there
    for (const name of Object.keys(parent.placeholders)) delete job.placeholders[name]
    list.why.push(`Runs for each row of ${parent.list.path}, with its "${parent.list.id}" as {${own}}.`)
    parent.children.push(job)
    placed.set(list.path, job)
  }
  return top
}

/** One pagination for all, or one by name for each kind. */
const paginationsOf = (
  lists: readonly ListOperation[],
): { pagination: JsonObject | undefined; scrollerOf: (list: ListOperation) => string | undefined } => {
  const kinds = new Map<string, { name: string; pagination: JsonObject }>()
  for (const { paging } of lists) {
    if (paging === undefined) continue
    const text = JSON.stringify(paging.pagination)
    if (!kinds.has(text)) {
      const taken = [...kinds.values()].filter(({ name }) => name.startsWith(paging.pagination.method)).length
      const name = `${paging.pagination.method}${taken === 0 ? '' : taken + 1}`
      kinds.set(text, { name, pagination: paging.pagination })
    }
  }
  const all = [...kinds.values()]
  const [only] = all
  const isForAll = all.length === 1 && lists.every(({ paging }) => paging !== undefined)
  if (only === undefined) return { pagination: undefined, scrollerOf: () => undefined }
  if (isForAll) return { pagination: only.pagination, scrollerOf: () => undefined }
  const scrollers: Record<string, Json> = Object.fromEntries(
    all.map(({ name, pagination }) => [name, pagination]),
  )
  return {
    pagination: { method: 'multiple', scrollers },
    scrollerOf: ({ paging }) => paging && kinds.get(JSON.stringify(paging.pagination))?.name,
  }
}

const uniqueName = (name: string, taken: Set<string>): string => {
  let unique = name
  for (let number = 2; taken.has(unique); number++) unique = `${name}_${number}`
  taken.add(unique)
  return unique
}
