/*
 * Replies in the form that clients need: the content type is exactly `application/json`, without a charset (one client
 * compares the whole value), and a reply without content has an empty body.
 */

const json = (status: number, body: unknown): Response => {
  const text = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
  return new Response(text, { status, headers })
}

/** The answer of a route, with the first status of success among its replies. None: nothing is said. */
export const replyWith = (answer: unknown, replies: Readonly<Record<number, string>>): Response => {
  if (answer === undefined) return noContent()
  return json(Number(Object.keys(replies).find(status => status < '300')), answer)
}

export const ok = (body: unknown): Response => json(200, body)
export const created = (body: unknown): Response => json(201, body)
/** For jobs: a client that gets this status polls the job. */
export const accepted = (body: unknown): Response => json(202, body)
export const noContent = (): Response => new Response(null, { status: 204 })
export const csv = (body: string): Response =>
  new Response(body, { status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' } })
