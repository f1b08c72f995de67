import { defineConfig } from 'vitepress'
import { anchorOf } from './anchor-of.ts'
import { outsideLinks } from './outside-links.ts'
import { plainBraces } from './plain-braces.ts'

const { GITHUB_REPOSITORY, DOCS_BASE } = process.env
const repository = GITHUB_REPOSITORY && `https://github.com/${GITHUB_REPOSITORY}/blob/main`

const pages = (...entries: [text: string, link: string][]) => entries.map(([text, link]) => ({ text, link }))

/** The site of these documents (`npm run docs`). A link that leads nowhere ends the build. */
export default defineConfig({
  title: 'Millrace',
  description: 'Drop a file, get a table',
  base: `${DOCS_BASE ?? ''}/`,
  // What fails in a page is only logged, and the page is empty
  transformHtml: (html, file) => {
    if (!html.includes('<h1') && !file.endsWith('404.html'))
      throw new Error(`The page ${file} is empty: the messages above say why.`)
  },
  buildEnd: ({ outDir }) =>
    console.log(`The site is in ${outDir}. To look at it: npx vitepress preview docs`),
  markdown: {
    anchor: { slugify: anchorOf },
    config: markdown => {
      outsideLinks(repository || undefined)(markdown)
      plainBraces(markdown)
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      {
        text: 'By task',
        items: pages(
          ['First table', '/first-table'],
          ['First extraction', '/first-extraction'],
          ['A configuration from a request', '/detect'],
          ['Recipes for APIs', '/recipes'],
          ['Fix one bad day', '/one-bad-day'],
          ["Erase a person's data", '/erase'],
          ['Exports', '/exports'],
          ['Query with other engines', '/query'],
          ['Transform with other tools', '/transformations'],
          ['cron, Airflow, Step Functions', '/orchestrators'],
          ['Deploy', '/deploy'],
          ['Operate', '/operations'],
          ['Several environments', '/environments'],
          ['Backup and restore', '/backup'],
          ['Move from a hosted service', '/move'],
          ['Extend', '/extend'],
        ),
      },
      {
        text: 'Tools',
        items: pages(
          ['Console', '/console'],
          ['Command line', '/command-line'],
          ['Extractor', '/extractor'],
          ['Comparison', '/comparison'],
        ),
      },
      {
        text: 'Extractor reference',
        items: pages(
          ['Configuration', '/reference/extractor'],
          ['Jobs', '/reference/extractor-jobs'],
          ['Pagination', '/reference/extractor-pagination'],
          ['Authentication', '/reference/extractor-authentication'],
          ['Requests and errors', '/reference/extractor-requests'],
          ['Responses', '/reference/extractor-responses'],
          ['Functions', '/reference/extractor-functions'],
          ['Tables', '/reference/extractor-tables'],
        ),
      },
      {
        text: 'Service',
        items: pages(
          ['Storage API', '/reference/storage-api'],
          ['Coverage', '/api-coverage'],
          ['Landing bucket', '/landing'],
          ['Extraction', '/extraction'],
          ['Tables', '/tables'],
          ['Components', '/components'],
          ['Errors', '/errors'],
          ['Limits and costs', '/limits'],
          ['Security', '/security'],
        ),
      },
      {
        text: 'Inside',
        items: pages(
          ['Architecture', '/architecture'],
          ['Rooms', '/rooms/'],
          ['Benchmarks', '/benchmarks'],
          ['Testing', '/testing'],
          ['Held against others', '/contracts'],
          ['Glossary', '/glossary'],
        ),
      },
    ],
  },
})
