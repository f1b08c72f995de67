import * as z from 'zod/mini'
import { isContainer, mapFields } from '../../lib/json/json-value.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { tokenBody } from '../../lib/wire/token-body.ts'
import type { Person } from './person.ts'

/** What answers the routes of the storage API. */
interface Api {
  fetch(request: Request): Promise<Response>
}

/** The API refused: the page shows its sentence. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  /** Of the API; empty for what the console itself refuses. */
  readonly code: string

  constructor(status: number, message: string, code = '') {
    super(message)
    this.status = status
    this.code = code
  }
}

interface Wishes {
  /** That may be changed, as `If-Match`. Default: any. */
  version?: string
  /** Of a configuration that cannot run. */
  handling?: 'strict' | 'lenient'
}

/** How much of a list a page shows. */
export interface Room {
  items: number
  /** Characters of each text. */
  length: number
}

/**
 * The storage API as a page uses it: its own routes, with the token of the person at the browser. So the console shows and does what
 * this token may, and nothing that the API cannot do. What it refuses throws `Refusal` with its sentence.
 */
export const createApiClient = (
  api: Api,
  { origin, token, room }: { origin: string; token: string; room: Room },
) => {
  const request = async (
    method: string,
    at: string,
    body?: Record<string, unknown>,
    { version, handling }: Wishes = {},
  ): Promise<{ reply: unknown; hasMore: boolean }> => {
    const headers = {
      'X-StorageApi-Token': token,
      ...(body && { 'content-type': 'application/json' }),
      ...(version && { 'if-match': `"${version}"` }),
      ...(handling && { prefer: `handling=${handling}` }),
    }
    const response = await api.fetch(
      new Request(`${origin}${at.startsWith('/') ? at : `/v2/storage/${at}`}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    if (!response.ok) throw refusalOf(response.status, text)
    return { reply: text === '' ? undefined : parseJson(text), hasMore: response.headers.has('link') }
  }
  const broken: string[] = []
  const get = async <Body>(at: string, schema: z.core.$ZodType<Body>): Promise<Body> =>
    read(schema, at, (await request('GET', at)).reply)
  let person: Promise<Person> | undefined
  return {
    /** Sentences about what could not be shown. */
    broken: broken as readonly string[],
    get,
    /** Who is signed in; asked once for a page. */
    person: () => (person ??= get('tokens/verify', tokenBody)),
    /**
     * The items of a list that are as the wire says; each other one is named in `broken`, and the rest is shown. Of long lists and long
     * texts only the beginning.
     */
    list: async <Item>(at: string, item: z.core.$ZodType<Item>): Promise<Item[]> => {
      const { reply, hasMore } = await request('GET', at)
      const items = read(z.array(z.unknown()), at, reply)
      const name = at.split('?', 1)[0]
      if (hasMore || items.length > room.items) broken.push(`${name}: there are more than are shown.`)
      return (beginningOf(items, room) as unknown[]).flatMap((value, index) => {
        const parsed = z.safeParse(item, value)
        if (parsed.success) return [parsed.data]
        const { id = index + 1 } = Object(value) as { id?: unknown } // to name it, whatever it is
        broken.push(`${name}: ${id} cannot be shown. ${z.prettifyError(parsed.error)}`)
        return []
      })
    },
    /** @param schema of the reply. Default: nobody looks at it */
    send: async <Body = unknown>(
      method: 'POST' | 'PUT' | 'DELETE',
      at: string,
      body: Record<string, unknown> = {},
      schema?: z.core.$ZodType<Body>,
      wishes?: Wishes,
    ): Promise<Body> => {
      const { reply } = await request(method, at, body, wishes)
      return schema === undefined ? (reply as Body) : read(schema, at, reply) // nobody looks at it
    },
  }
}

export type ApiClient = ReturnType<typeof createApiClient>

const beginningOf = (value: unknown, room: Room): unknown => {
  if (typeof value === 'string') return value.length > room.length ? `${value.slice(0, room.length)}…` : value
  if (Array.isArray(value)) return value.slice(0, room.items).map(item => beginningOf(item, room))
  return isContainer(value) ? mapFields(value, inner => beginningOf(inner, room)) : value
}

const read = <Body>(schema: z.core.$ZodType<Body>, path: string, reply: unknown): Body => {
  const parsed = z.safeParse(schema, reply)
  if (parsed.success) return parsed.data
  throw new Error(`Unexpected reply to ${path}: ${z.prettifyError(parsed.error)}`)
}

const refusalOf = (status: number, body: string): Refusal => {
  try {
    const { error, code, contextParams } = JSON.parse(body) as {
      error?: unknown
      code?: string
      contextParams?: { missing?: unknown }
    } // what the API says of a refusal
    if (typeof error !== 'string') return new Refusal(status, 'The request was refused.')
    const lacking =
      contextParams?.missing === undefined
        ? ''
        : ` Your token lacks ${contextParams.missing}. Whoever has the master token can make you one that has it, on the page Tokens.`
    return new Refusal(status, `${error}${lacking}`, code)
  } catch {
    return new Refusal(status, 'The request was refused.')
  }
}

/** A path, of a page or a route: each value stays one part of it, whatever is in it. */
export const path = (texts: TemplateStringsArray, ...values: (string | number)[]): string =>
  String.raw({ raw: texts }, ...values.map(encodeURIComponent))

/** Fields of a query, those without a value left out: `limit=10&where=a`. */
export const query = (fields: Record<string, string | number | undefined>): string => {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, `${value}`]))}`
}

/** What was asked for, or the sentence of a refusal: the page shows it beside all the rest. */
export const orProblem = async <Found extends object>(
  asked: Promise<Found>,
): Promise<Found | { problem: string }> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return { problem: error.message }
    throw error
  }
}

/** Nothing where the API refuses: it is gone, or the token may not look. */
export const orNothing = async <Found extends object>(asked: Promise<Found>): Promise<Found | undefined> => {
  const found = await orProblem(asked)
  return 'problem' in found ? undefined : found
}
