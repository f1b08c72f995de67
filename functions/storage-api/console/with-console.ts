import type { App } from '../routes/app.ts'

export const CONSOLE_PATH = '/console'

/** One app of two: paths of the console, which is opened with the first request for it, and all others. */
export const withConsole = (api: App, openConsole: () => Promise<App>): App => {
  let opened: Promise<App> | undefined
  return {
    fetch: async request => {
      const { pathname, search } = new URL(request.url)
      // A person typed the address of the service, or a stroke too many; a client that asks for JSON gets the API's word.
      const isPerson = pathname === '/' && request.headers.get('accept')?.includes('text/html') === true
      if (isPerson || pathname === `${CONSOLE_PATH}/`)
        return new Response(null, { status: 303, headers: { location: `${CONSOLE_PATH}${search}` } })
      const isConsole = pathname === CONSOLE_PATH || pathname.startsWith(`${CONSOLE_PATH}/`)
      if (!isConsole) return api.fetch(request)
      opened ??= openConsole()
      return (await opened).fetch(request)
    },
  }
}
