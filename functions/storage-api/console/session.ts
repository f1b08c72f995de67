import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { CONSOLE_PATH } from './with-console.ts'

const COOKIE = 'millrace_session'

/** The id of the session at the browser, in a cookie that no script reads, no other site sends and no other path gets. */
export const readSession = (context: Context): string | undefined => getCookie(context, COOKIE) || undefined

export const keepSession = (context: Context, id: string): void =>
  setCookie(context, COOKIE, id, {
    httpOnly: true,
    sameSite: 'Strict',
    path: CONSOLE_PATH,
    secure: new URL(context.req.url).protocol === 'https:',
  })

export const dropSession = (context: Context): void => {
  deleteCookie(context, COOKIE, { path: CONSOLE_PATH })
}
