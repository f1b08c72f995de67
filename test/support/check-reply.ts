import { z } from 'zod'
import { readRequestPath } from '../../functions/storage-api/http/request-path.ts'
import { routes } from '../../functions/storage-api/routes/routes.ts'

export interface Reply {
  status: number
  headers: Headers
  text: string
  // Tests look into replies freely and compare what they find.
  // biome-ignore lint/suspicious/noExplicitAny: a reply has whatever shape the test expects
  body: any
}

/** Checks every reply against the OpenAPI document. */
export const checkReply = (request: Request, status: number, body: unknown): void => {
  const { path: target } = readRequestPath(new URL(request.url).pathname)
  const route = routes.find(
    ({ method, pathPattern }) => method === request.method.toLowerCase() && pathPattern.test(target),
  )
  const schema = route?.replySchema(status)
  const parsed = schema && z.safeParse(schema, body)
  if (parsed && !parsed.success)
    throw new Error(
      `${request.method} ${target}: ${status} is not as documented:\n${z.prettifyError(parsed.error)}`,
    )
}
