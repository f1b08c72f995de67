const MAX_LENGTH = 500

/** The caller's address: the gateway adds the one that it sees to the end of this header. */
export const remoteAddress = (headers: Headers): string | null =>
  headers.get('x-forwarded-for')?.split(',').at(-1)?.trim().slice(0, MAX_LENGTH) ?? null

/** How a request came, as events show it. Headers are what the caller says, so nothing may rely on them. */
export const requestContext = ({ headers }: Pick<Request, 'headers'>) => {
  const header = (name: string) => headers.get(name)?.slice(0, MAX_LENGTH) ?? null
  return {
    remoteAddr: remoteAddress(headers),
    httpReferer: header('referer'),
    httpUserAgent: header('user-agent'),
    apiVersion: 'v2',
    userAgent: header('x-user-agent') ?? header('user-agent'),
    async: false,
  }
}
