import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'

const COOKIE = 'millrace_token'

/**
 * The token of the person at the browser, in a cookie that no script reads and no other site sends. It ends with the browser's session, or
 * when the token does.
 */
export const readToken = (context: Context): string | undefined => getCookie(context, COOKIE) || undefined

export const keepToken = (context: Context, token: string): void =>
  setCookie(context, COOKIE, token, {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/console',
    secure: new URL(context.req.url).protocol === 'https:',
  })

export const dropToken = (context: Context): void => {
  deleteCookie(context, COOKIE, { path: '/console' })
}
