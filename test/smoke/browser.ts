/** Pages of one site as a browser gets them that runs no script: it keeps cookies, sends forms, and follows redirects. */
export interface Browser {
  /** Opens a page; a form is sent by POST. */
  open(path: string, form?: Readonly<Record<string, string>>): Promise<Shown>
  /** What a script of a page sends. */
  send(path: string, body: unknown): Promise<Shown>
}

interface Shown {
  status: number
  /** Of the page at the end of all redirects. */
  path: string
  text: string
}

interface Cookie {
  value: string
  path: string
}

/** More redirects than that lead in a circle. */
const MOST_REDIRECTS = 5

export const openBrowser = (site: string): Browser => {
  const { origin } = new URL(site)
  const cookies = new Map<string, Cookie>()

  const keepCookies = (response: Response): void => {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map(part => part.trim())
      const name = pair.slice(0, pair.indexOf('='))
      const attributeOf = (attribute: string): string | undefined =>
        attributes.find(one => one.toLowerCase().startsWith(`${attribute}=`))?.slice(attribute.length + 1)
      const isGone = attributeOf('max-age') === '0'
      if (isGone) cookies.delete(name)
      else cookies.set(name, { value: pair.slice(name.length + 1), path: attributeOf('path') ?? '/' })
    }
  }

  const ask = async (path: string, init: RequestInit, redirects = 0): Promise<Shown> => {
    const url = new URL(path, origin)
    const sent = [...cookies].filter(([, cookie]) => url.pathname.startsWith(cookie.path))
    const headers = new Headers(init.headers)
    if (sent.length > 0) headers.set('cookie', sent.map(([name, { value }]) => `${name}=${value}`).join('; '))
    if (init.method === 'POST') headers.set('origin', origin)
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    keepCookies(response)
    const text = await response.text()
    const next = response.headers.get('location')
    if (next === null) return { status: response.status, path: url.pathname, text }
    if (redirects === MOST_REDIRECTS)
      throw new Error(`${path} leads in a circle: the last was ${url.pathname}`)
    return ask(new URL(next, url).href, {}, redirects + 1)
  }

  return {
    open: (path, form) =>
      ask(path, form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    send: (path, body) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  }
}
