import { CONSOLE_PATH } from './with-console.ts'

const NO_HOST = 'https://console.invalid'

/**
 * The page that somebody asked for before signing in, as a path with its query. What leads anywhere else than to a page of the console
 * is read as its first page.
 */
export const wantedPage = (asked: string | undefined): string => {
  const url = asked?.startsWith('/') ? URL.parse(asked, NO_HOST) : null
  const isPage =
    url?.origin === NO_HOST &&
    (url.pathname === CONSOLE_PATH || url.pathname.startsWith(`${CONSOLE_PATH}/`)) &&
    url.pathname !== SIGN_IN_PATH
  return isPage ? url.pathname + url.search : CONSOLE_PATH
}

export const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`

/** The address of the form, which leads back to the page. */
export const signInFor = (page: string): string =>
  page === CONSOLE_PATH ? SIGN_IN_PATH : `${SIGN_IN_PATH}?to=${encodeURIComponent(page)}`
