import type { RequestTarget } from '../http/request-target.ts'

/** What a signature covers of a request, besides its body. */
export interface RequestToAuthenticate {
  method: string
  target: RequestTarget
  headers: Readonly<Record<string, string>>
}
