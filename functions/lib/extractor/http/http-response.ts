/** As undici gives them: lower-case names, a list for repeated fields. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface HttpResponse {
  status: number
  headers: ResponseHeaders
  body: Buffer
  /** Address of the last redirect, or of the request. */
  url: string
}

export const firstHeader = (headers: ResponseHeaders, name: string): string | undefined => {
  const lower = name.toLowerCase()
  const value = Object.hasOwn(headers, lower) ? headers[lower] : undefined
  return Array.isArray(value) ? value[0] : value
}
