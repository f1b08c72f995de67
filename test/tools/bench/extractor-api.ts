import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the benchmark's API serves; its argument, as JSON. */
export interface ApiShape {
  rowsPerPage: number
  pages: number
  latencyMs: number
  /** Rows of scalars alone, without the nested object and list. Default: false. */
  isPlain?: boolean
}

/**
 * Rows as real APIs send them: twelve scalars (UUID, time with milliseconds, coordinates with many digits, text with quotes, a newline and
 * letters beyond ASCII, null), one nested object and one nested list.
 */
export const makeRow = (id: number): Record<string, unknown> => ({
  id,
  uuid: `${(id * 2654435761).toString(16).padStart(12, '0').slice(-12, -4)}-4b1c-4d2e-9f3a-${id.toString(16).padStart(12, '0')}`,
  name: `Customer number ${id}`,
  email: `customer.${id}@example.com`,
  city: 'Reykjavík',
  status: id % 3 === 0 ? 'paid' : 'new',
  amount: id * 1.25,
  latitude: 64 + Math.sin(id),
  active: id % 2 === 0,
  note: id % 4 === 0 ? `said "call ${id}"\nafter nine, žluťoučký` : null,
  created_at: new Date(Date.UTC(2026, 0, 31) + id * 1010).toISOString(),
  tracking: `https://track.example.com/parcel/${id}`,
  address: { street: `Elm Street ${id}`, zip: 10000 + (id % 9000), country: 'IS' },
  tags: ['alpha', `tag${id % 50}`],
})

const makePlainRow = (id: number): Record<string, unknown> => {
  const { address: _, tags: __, ...scalars } = makeRow(id)
  return scalars
}

/** An API of numbered rows, by `offset`, by `since` (the last id seen) or by `page`. */
const serve = ({ rowsPerPage, pages, latencyMs, isPlain = false }: ApiShape): void => {
  const make = isPlain ? makePlainRow : makeRow
  const bodies = new Map<number, Buffer>()
  const pageBody = (page: number): Buffer => {
    const found = bodies.get(page)
    if (found !== undefined) return found
    const rows =
      page >= pages
        ? []
        : Array.from({ length: rowsPerPage }, (_, index) => make(page * rowsPerPage + index + 1))
    const body = Buffer.from(JSON.stringify(rows))
    if (bodies.size < 2000) bodies.set(page, body)
    return body
  }
  const server = createServer((request, response) => {
    const query = new URLSearchParams(request.url?.split('?')[1] ?? '')
    const page = query.has('offset')
      ? Number(query.get('offset')) / rowsPerPage
      : query.has('since')
        ? Number(query.get('since')) / rowsPerPage
        : query.has('page')
          ? Number(query.get('page')) - 1
          : 0
    const send = (): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(pageBody(page))
    }
    if (latencyMs > 0) setTimeout(send, latencyMs)
    else send()
  })
  for (let page = 0; page <= Math.min(pages, 1999); page++) pageBody(page)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo // a TCP server has one
    process.send?.(port)
  })
}

if (import.meta.main) serve(JSON.parse(process.argv[2] ?? '') as ApiShape) // what startApi gives
