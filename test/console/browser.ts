import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Debian's package `chromium`; another one by `MILLRACE_TEST_CHROMIUM`. */
const executablePath = process.env['MILLRACE_TEST_CHROMIUM'] || '/usr/bin/chromium'

export const hasBrowser = existsSync(executablePath)

if (!hasBrowser)
  console.warn(
    `No Chromium at ${executablePath}: tests of pages are skipped. apt-get install chromium brings it.`,
  )

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath, args: ['--no-sandbox'] })

/**
 * What axe finds wrong with a page, by scheme, rule and element: every rule in light, and those about colours again in dark, which
 * changes nothing else.
 */
export const accessibilityProblems = async (page: Page): Promise<string[]> => {
  const problems: string[] = []
  // The page's policy allows no script of others, so it is evaluated by the browser itself.
  await page.evaluate(axe.source)
  for (const [colorScheme, rules] of [
    ['light', {}],
    ['dark', { runOnly: ['cat.color'] }],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    const options = JSON.stringify({ ...rules, resultTypes: ['violations'] })
    const found = await page.evaluate(`axe.run(document, ${options})`)
    const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] } // as axe documents it
    for (const { id, nodes } of violations)
      problems.push(...nodes.map(({ html }) => `${colorScheme}, ${id}: ${html}`))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  return problems
}
