import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { findLink } from '../header-link.ts'
import type { Page } from '../paginator.ts'

/** What an answer says that speaks against an end after it, and the key of a configuration that reads it. */
export interface Saying {
  says: string
  key: string
}

interface Told {
  /** How many rows there are. */
  total: number | undefined
  /** Of rows that come after its own. */
  more: Saying | undefined
  /** That something went wrong, under a status that says the opposite. */
  wrong: Saying | undefined
}

interface Seen {
  /** Pages read so far, this one included. */
  pages: number
  /** The rows where the answer may have them: nothing in them is said of it. */
  rows?: readonly Json[] | undefined
}

// Names without case and without what is no letter or digit
const FLAG =
  /^(has)?(more|next)(page|items|results|available|records|data|pages|rows|itemsincollection)?$|^(is|results)?truncated$|^incompleteresults$/
const LAST = /^(is)?(last(page)?|done|eof|finalpage|endof(stream|records|results|list))$/
const LINK =
  /^(next|after|more)(page|records|results)?(url|uri|link|href|path)$|^next(page|results)?$|^odatanextlink$/
const CURSOR =
  /^next(page)?(cursor|token|marker|id|offset|start|key|skip|bookmark|anchor|position|batch|number|after)$|^(next)?continuation(token)?$|^(after)?cursor$|^bookmark$/
const PAGE = /^(current)?page(number|no|index)?$|^number$/
const PAGES = /^(total|last|num|nb|max)pages?$|^page(count|total|s)$|^totalpagecount$|^pages$/
const TOTAL =
  /^total((result|record|row|item|element|entry|entries|hit|object|match)(e?s)?)?(count|size|number|found|available)?$|^(records|results|rows|items)total$|^recordsfiltered$|^odatacount$|^numfound$|^nbhits$|^fullcount$/
const COUNT = /^(record|result|row|item)?s?count$/
const WRONG = /^errors?(message|msg)?$|^fault(string)?$|^exception$/

const kinds = { FLAG, LAST, LINK, CURSOR, PAGE, PAGES, TOTAL, COUNT, WRONG, LINKS: /^links?$/ }

type Kind = keyof typeof kinds

/** What names may say, worked out once each: pages have the same ones over and over. */
const known = new Map<string, ReadonlySet<Kind>>()
const MAX_KNOWN = 10_000

const kindsOf = (name: string): ReadonlySet<Kind> => {
  const before = known.get(name)
  if (before !== undefined) return before
  const word = plain(name)
  const found = new Set((Object.keys(kinds) as Kind[]).filter(kind => kinds[kind].test(word))) // its own names
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(name, found)
  return found
}

/** An object with more is a map of rows. */
const MAX_KEYS = 1_000
const MAX_DEPTH = 3
const MAX_OBJECTS = 50
const LONGEST_WORDS = 80

/** Objects whose numbers speak of the rows. In others a "total" may be an amount. */
const ABOUT_ROWS =
  /^(meta(data)?|page(s|info|r)?|paging|pagination(info)?|hits|results?(set|info)?|response(metadata)?|data|info|additionaldata|list|collection|payload|body|content)$/

/**
 * What stands beside the rows of an answer, or in its headers, about rows that did not come with it. No `more` when the answer says that it is
 * the last one.
 *
 * @param beside the response, of whose lists only links are looked at; absent: it is a list
 */
export const saysMore = (beside: Json | undefined, headers: Page['headers'], seen: Seen): Told => {
  const link = findLink([headers['link'] ?? []].flat().join(', '), 'next')
  const more: Saying[] =
    link === undefined
      ? []
      : [{ says: 'the header Link names a next page', key: '"pagination": {"method": "header-link"}' }]
  const [totals, counts]: [number[], number[]] = [[], []]
  let isLast = false
  for (const place of [...placesIn(beside, seen), { ...inHeaders(headers), of: 'headers' as const }]) {
    const { object, isAboutRows } = place
    for (const [name, value] of isAboutRows ? entriesOf(object) : []) {
      const kind = kindsOf(name)
      if (!kind.has('TOTAL') && !kind.has('COUNT')) continue
      const count = asCount(isObject(value) ? value['value'] : value)
      if (count === undefined || isRow(value, seen)) continue
      if (kind.has('TOTAL')) totals.push(count)
      if (kind.has('COUNT')) counts.push(count)
    }
    const of = factsOf(place, seen)
    if (of === 'last') isLast = true
    else more.push(...of)
  }
  const wrong = isObject(beside) && !isRow(beside, seen) ? wrongIn(beside, seen) : undefined
  return { total: totals[0] ?? counts[0], more: isLast ? undefined : more[0], wrong }
}

/** The list of rows, or the only one. */
const isRow = (value: Json, { rows }: Seen): boolean =>
  rows !== undefined && (value === rows || (rows.length === 1 && value === rows[0]))

const entriesOf = (object: Readonly<Record<string, Json>>): [string, Json][] =>
  Object.entries(object).slice(0, MAX_KEYS)

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^x-(wp-|ms-|pagination-)?/, '')
    .replace(/[^a-z0-9]/g, '')

const asCount = (value: Json | undefined): number | undefined =>
  (typeof value === 'number' || typeof value === 'string') && /^\d{1,15}$/.test(String(value))
    ? Number(value)
    : undefined

interface Place {
  object: Readonly<Record<string, Json>>
  path: string
  isAboutRows: boolean
  of: 'response' | 'headers'
}

const factsOf = (place: Place, seen: Seen): Saying[] | 'last' => {
  const found: Saying[] = []
  for (const [name, value] of entriesOf(place.object)) {
    const kind = kindsOf(name)
    const isLast = kind.has('LAST') && typeof value !== 'number'
    const flag = isLast || kind.has('FLAG') ? flagOf(value) : undefined
    if (flag !== undefined) {
      if (flag === isLast) return 'last'
      found.push({
        says: `${shown(place, name)} is ${value}`,
        key:
          place.of === 'headers'
            ? '"pagination"'
            : `"pagination", with "nextPageFlag": {"field": "${place.path}${name}", "stopOn": ${!flag}}`,
      })
    } else if (kind.has('LINK') || kind.has('CURSOR')) found.push(...nextIn(place, name, value))
    else if (kind.has('LINKS') && Array.isArray(value)) found.push(...linkIn(place, name, value))
    // A number without a page of numbers is a position
    else if (name === 'offset' && typeof value === 'string' && /[a-z]/i.test(value))
      found.push(cursorOf(place, name))
  }
  return [...found, ...pageOfPages(place, seen)]
}

const flagOf = (value: Json): boolean | undefined => {
  const text = typeof value === 'boolean' || typeof value === 'string' ? String(value).toLowerCase() : value
  return text === 'true' || text === 1 ? true : text === 'false' || text === 0 ? false : undefined
}

/** A next address or cursor, which may stand in an object of that name. */
const nextIn = (place: Place, name: string, value: Json): Saying[] => {
  if (isObject(value)) {
    const inner = Object.entries(value).find(
      ([key, of]) =>
        /^(href|url|uri|link|after|cursor|token|offset|page|startingafter)$/.test(plain(key)) &&
        !isNothing(of),
    )
    return inner === undefined ? [] : nextIn(place, `${name}.${inner[0]}`, inner[1])
  }
  if (isNothing(value) || typeof value === 'boolean' || typeof value === 'object') return []
  if (place.of === 'response' && isAddress(value))
    return [
      {
        says: `${shown(place, name)} names a next page`,
        key: `"pagination": {"method": "response.url", "urlKey": "${place.path}${name}"}`,
      },
    ]
  return [cursorOf(place, name)]
}

const cursorOf = (place: Place, name: string): Saying => ({
  says: `${shown(place, name)} has a value`,
  key:
    place.of === 'headers'
      ? '"pagination"'
      : `"pagination": {"method": "json-cursor", "cursorPath": "${place.path}${name}"}`,
})

/** A list of links by relation, as of FHIR and HAL. */
const linkIn = (place: Place, name: string, links: readonly Json[]): Saying[] => {
  const at = links.findIndex(
    link => isObject(link) && [link['rel'], link['relation']].some(rel => rel === 'next'),
  )
  if (at < 0) return []
  return [{ says: `${shown(place, name)} names a next page`, key: '"pagination"' }]
}

const pageOfPages = (place: Place, { pages: pagesRead }: Seen): Saying[] => {
  const numberAt = (kind: Kind) =>
    entriesOf(place.object).find(([name, value]) => kindsOf(name).has(kind) && asCount(value) !== undefined)
  const [pages, page] = [numberAt('PAGES'), numberAt('PAGE')]
  const [all, at] = [asCount(pages?.[1]), asCount(page?.[1])]
  if (pages === undefined || all === undefined || all <= pagesRead || (at !== undefined && at >= all))
    return []
  // Books have pages, too
  if (at === undefined && plain(pages[0]) === 'pages') return []
  const of = page === undefined ? `${pagesRead} of them came` : `${shown(place, page[0])} is ${at}`
  return [
    { says: `${of} and ${shown(place, pages[0])} is ${all}`, key: '"pagination": {"method": "pagenum"}' },
  ]
}

const wrongIn = (response: Readonly<Record<string, Json>>, seen: Seen): Saying | undefined => {
  const found = entriesOf(response).find(([name, value]) => {
    if (isRow(value, seen)) return false
    if (/^(success|ok)$/i.test(name)) return value === false
    if (name === 'status') return typeof value === 'string' && /^(error|fail(ed|ure)?)$/i.test(value)
    return kindsOf(name).has('WRONG') && !isNothing(value) && value !== false
  })
  if (found === undefined) return undefined
  const [name, value] = found
  const words = JSON.stringify(value)
  return {
    says: `the answer has "${name}": ${words.length > LONGEST_WORDS ? `${words.slice(0, LONGEST_WORDS)}…` : words}`,
    key: '"errorRules", which look at answers of any status',
  }
}

const shown = ({ path, of }: Place, name: string): string =>
  of === 'headers' ? `the header ${name}` : `"${path}${name}"`

const isNothing = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const isAddress = (value: Json): boolean =>
  typeof value === 'string' && /^(https?:\/\/|\/|\?)|^[^\s?]+\?[^\s=]+=/.test(value)

/** Headers that may speak of pages; one of them may be JSON. */
const inHeaders = (headers: Page['headers']): Omit<Place, 'of'> => {
  const object: Record<string, Json> = {}
  for (const [name, value] of Object.entries(headers)) {
    const text = [value ?? []].flat()[0]
    if (text === undefined) continue
    if (name === 'content-range') {
      const total = /^(?!bytes)\w* ?[\d*-]+\/(\d+)$/.exec(text)?.[1]
      if (total !== undefined) object['total'] = total
    } else if (name === 'x-pagination') Object.assign(object, objectOf(text))
    else if (/^(x-|total|pagination-|next-)/.test(name)) object[name] = text
  }
  return { object, path: '', isAboutRows: true }
}

const objectOf = (text: string): Readonly<Record<string, Json>> => {
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Objects without the lists between them, from the outside in. */
function* placesIn(value: Json | undefined, answer: Seen): Generator<Place> {
  const of = 'response' as const
  let level: Place[] = isObject(value)
    ? [{ object: value, path: '', isAboutRows: !isRow(value, answer), of }]
    : []
  let seen = 0
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const below: Place[] = []
    for (const each of level) {
      if (++seen > MAX_OBJECTS) return
      yield each
      for (const [name, inner] of entriesOf(each.object))
        if (isObject(inner) && !isRow(inner, answer))
          below.push({
            object: inner,
            path: `${each.path}${name}.`,
            isAboutRows: each.isAboutRows && ABOUT_ROWS.test(plain(name)),
            of,
          })
    }
    level = below
  }
}
