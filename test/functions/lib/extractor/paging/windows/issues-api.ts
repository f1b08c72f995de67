import type { Answer } from '../../api-server.ts'

export interface Issue {
  id: number
  repo: string
  updated_at: string
}

interface IssuesApi {
  answer: Answer
  /** Requests that are answered with 500, counted from 1 over all. */
  failing: Set<number>
}

/**
 * As a forge lists its issues: those of a repository that changed since a time, oldest change first, in pages by `Link`. Knows `since`
 * and, as others do, `before`.
 */
export const issuesApi = (
  issues: readonly Issue[],
  { pageSize = 2, before = 'before' }: { pageSize?: number; before?: string } = {},
): IssuesApi => {
  const failing = new Set<number>()
  let requests = 0
  const answer: Answer = ({ path, query, headers }, response) => {
    requests++
    if (failing.has(requests)) {
      response.statusCode = 422
      return { message: 'out of order' }
    }
    const repos = [...new Set(issues.map(({ repo }) => repo))].sort().map(repo => ({ name: repo }))
    if (path === '/repos') return repos
    const [, , repo] = path.split('/')
    const since = Date.parse(query.get('since') ?? '1970-01-01')
    const until = Date.parse(query.get(before) ?? '9999-01-01')
    const page = Number(query.get('page') ?? 1)
    const found = issues
      .filter(issue => path === '/issues' || issue.repo === repo)
      .filter(({ updated_at }) => Date.parse(updated_at) >= since && Date.parse(updated_at) < until)
      .sort((a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at) || a.id - b.id)
    const next = new URLSearchParams([...query].filter(([name]) => name !== 'page'))
    next.set('page', String(page + 1))
    if (found.length > page * pageSize)
      response.setHeader('Link', `<http://${headers.host}${path}?${next}>; rel="next"`)
    return found.slice((page - 1) * pageSize, page * pageSize)
  }
  return { answer, failing }
}
