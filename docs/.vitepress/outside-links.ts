import { posix } from 'node:path'

/** What is used of markdown-it. */
interface Token {
  type: string
  href?: string | null
  children?: Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}
interface Markdown {
  core: {
    ruler: {
      push(name: string, rule: (state: { tokens: Token[]; env: { relativePath?: string } }) => void): void
    }
  }
}

/**
 * Links that leave `docs/` lead to the repository's own page of the file, because the site does not hold it.
 *
 * @param repository such as `https://github.com/owner/name/blob/main`; without one the link leads to the top of the site
 */
export const outsideLinks = (repository: string | undefined) => (markdown: Markdown) => {
  markdown.core.ruler.push('outside-links', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null
      if (href === null || /^[a-z]+:|^#/i.test(href)) continue
      const path = posix.join('docs', posix.dirname(env.relativePath ?? ''), href)
      if (!path.startsWith('docs/'))
        token.attrSet('href', repository === undefined ? '/' : `${repository}/${path}`)
    }
  })
}
