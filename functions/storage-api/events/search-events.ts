import { UserError } from '../../lib/errors/errors.ts'
import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import { matchesPattern, parseQuery, type QueryTerm } from '../http/query-language.ts'
import { eventResource } from './event-resource.ts'

interface SearchFacts {
  projectId: number
  now: Date
}

/** Fields whose words are searched. Of every other field the whole value is compared. */
const texts: ReadonlySet<string> = new Set(['message', 'description'])

/**
 * Makes the filter of a search for events: words of their texts, and any field of the resource, such as
 * `event:storage.tableImportDone`, `token.id:42`, `idBranch:1` or `params.component:ex-generic-v2`. The letter case does
 * not matter. An event that lacks the field is not found.
 *
 * Error: 400 `query.syntax`.
 */
export const parseEventQuery = (query: string, facts: SearchFacts): ((event: EventRecord) => boolean) =>
  parseQuery(query, { termFilter: term => termFilter(term, facts), refuse: syntaxError })

const termFilter = ({ field, value, isQuoted }: QueryTerm, facts: SearchFacts) => {
  const wanted = value.toLowerCase()
  if (!isQuoted && wanted.startsWith('*')) throw syntaxError('a term may not begin with "*"')
  if (field === undefined) {
    const word = isQuoted ? wanted : wanted.replace(/\*+$/, '')
    return (event: EventRecord) =>
      [event.message, event.description, event.component, event.event, event.objectId].some(text =>
        text.toLowerCase().includes(word),
      )
  }
  const isMatch = (found: string): boolean => {
    if (texts.has(field)) return found.includes(isQuoted ? wanted : wanted.replaceAll('*', ''))
    return isQuoted ? found === wanted : matchesPattern(wanted, found)
  }
  return (event: EventRecord) => valuesOf(event, field, facts).some(found => isMatch(found.toLowerCase()))
}

/** The values of a field like `token.id`. Of a list, each of them. */
const valuesOf = (event: EventRecord, field: string, { projectId, now }: SearchFacts): string[] => {
  const resource = { ...eventResource(event, { baseUrl: '', now }), project: { id: projectId } }
  const found = field.split('.').reduce<unknown>(memberOf, resource)
  return [found].flat().flatMap(value => (isPlain(value) ? [String(value)] : []))
}

const memberOf = (parent: unknown, name: string): unknown =>
  typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
    ? Object.entries(parent).find(([key]) => key === name)?.[1]
    : undefined

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const syntaxError = (reason: string) => new UserError('query.syntax', `Failed to parse query: ${reason}.`)
