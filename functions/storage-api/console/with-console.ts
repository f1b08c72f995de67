import type { App } from '../app.ts'

export const CONSOLE_PATH = '/console'

/** One app of two: paths of the console, which is opened with the first request for it, and all others. */
export const withConsole = (api: App, openConsole: () => Promise<App>): App => {
  let opened: Promise<App> | undefined
  return {
    fetch: async request => {
      const { pathname } = new URL(request.url)
      const isConsole = pathname === CONSOLE_PATH || pathname.startsWith(`${CONSOLE_PATH}/`)
      if (!isConsole) return api.fetch(request)
      opened ??= openConsole()
      return (await opened).fetch(request)
    },
  }
}
