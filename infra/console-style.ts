import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import postcss from 'postcss'
import { PurgeCSS } from 'purgecss'
import { projectRoot } from './project-root.ts'

/** Pages write plain elements: they look like the class of Tabler beside them, and weigh as much as it in the cascade. */
const plainElements: readonly (readonly [className: string, elements: string])[] = [
  ['btn', 'button:not(.plain)'],
  ['form-control', 'input:not([type=checkbox], [type=radio]), textarea'],
  ['form-select', 'select'],
  ['form-check-input', 'input:is([type=checkbox], [type=radio])'],
  ['table', 'table'],
  ['card', '.panel'],
]

/** What no source of ours names as a text of its own. */
const kept = ['html', 'body', ...plainElements.map(([className]) => className)]

/** Of Tabler's style sheet, six hundred kilobytes, what the pages of the console use. */
export const tablerStyle: Plugin = {
  name: 'tabler-style',
  setup: ({ onLoad }) => {
    onLoad({ filter: /@tabler[\\/]core[\\/].*\.css$/ }, async ({ path }) => {
      const sources = globSync('functions/storage-api/console/**/*.{ts,tsx}', { cwd: projectRoot })
      const [used] = await new PurgeCSS().purge({
        content: sources.map(file => ({
          raw: readFileSync(join(projectRoot, file), 'utf8'),
          extension: 'tsx',
        })),
        css: [{ raw: readFileSync(path, 'utf8') }],
        safelist: kept,
        variables: true,
        keyframes: true,
      })
      const root = postcss.parse(used?.css ?? '')
      root.walkRules(rule => {
        for (const [className, elements] of plainElements)
          rule.selector = rule.selector.replaceAll(
            new RegExp(String.raw`\.${className}(?![\w-])`, 'g'),
            `:is(.${className}, :where(${elements}))`,
          )
      })
      return { contents: root.toString(), loader: 'css' }
    })
  },
}
