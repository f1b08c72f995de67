const MAX_LENGTH = 500

/** How a request came, as events show it. Headers are what the caller says, so nothing may rely on them. */
export const requestContext = ({ headers }: Pick<Request, 'headers'>) => {
  const header = (name: string) => headers.get(name)?.slice(0, MAX_LENGTH) ?? null
  return {
    // The gateway adds the address that it sees to the end of this header.
    remoteAddr: header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? null,
    httpReferer: header('referer'),
    httpUserAgent: header('user-agent'),
    apiVersion: 'v2',
    userAgent: header('x-user-agent') ?? header('user-agent'),
    async: false,
  }
}
